//! The k-d tree behind `neighbours`.
//!
//! A box of the tree is skipped when (distance to the box, smallest index inside) already exceeds the K-th best pair.
//! That is safe to the last bit: rounding is monotone, and distance to a box sums its features in the same order as
//! the distance to a point, so it never exceeds the computed distance of a point inside.
//!
//! A node has eight children, three median splits at once, because eight boxes side by side vectorise.

use crate::geometry::instances::Instances;
use crate::geometry::neighbours::{EXACT, Neighbour};

/// Instances that are scanned feature by feature, all at once.
const LEAF: usize = 16;
/// Instances a leaf may hold: larger ones waste distances. Were it no more than are scanned at once, some sizes of data would end in nodes of
/// two children, which cost as much to open as those of eight: at 100,000 and 1,000,000 rows the search took three times as long.
const LARGEST_LEAF: usize = 2 * LEAF;
/// Leaves that are scanned for an instance among more.
const LEAVES: usize = 1000;
/// Children of an inner node.
const CHILDREN: usize = 8;

/// Worse than any neighbour.
const WORST: Neighbour = (f64::INFINITY, u32::MAX);

/// A range of `order`, with the smallest instance in it.
#[derive(Clone, Copy)]
pub(super) struct Subtree {
    first: usize,
    end: usize,
    smallest_index: u32,
    content: SubtreeContent,
}

/// What a subtree consists of.
#[derive(Clone, Copy)]
enum SubtreeContent {
    /// Points, from those with this number on.
    Leaf(usize),
    /// The children of the inner node with this number.
    Node(usize),
}

pub(super) struct Tree {
    features: usize,
    /// Leaves that are scanned for an answer, at most.
    pub leaves: usize,
    root: Subtree,
    /// The children of each inner node.
    nodes: Vec<Vec<Subtree>>,
    /// The children's bounding boxes: node by node, feature by feature, eight lower then eight upper corners.
    corners: Vec<[f64; 2 * CHILDREN]>,
    /// Instances, leaf after leaf.
    pub order: Vec<u32>,
    /// The leaves' points, `LEAF` at a time, feature by feature. Places left over lie infinitely far away.
    points: Vec<[f64; LEAF]>,
}

impl Tree {
    pub(super) fn build(instances: &Instances) -> Self {
        let (n, features) = (instances.len(), instances.features());
        let root = Subtree { first: 0, end: n, smallest_index: 0, content: SubtreeContent::Leaf(0) };
        let mut tree = Self {
            features,
            leaves: if n <= EXACT { usize::MAX } else { LEAVES },
            root,
            nodes: Vec::new(),
            corners: Vec::new(),
            order: (0..n as u32).collect(),
            points: Vec::new(),
        };
        tree.root = tree.grow(instances, 0, n);
        tree
    }

    /// Builds everything below `order[first..end]`.
    fn grow(&mut self, instances: &Instances, first: usize, end: usize) -> Subtree {
        let smallest_index = self.order[first..end].iter().copied().min();
        let subtree = |content| Subtree { first, end, smallest_index: smallest_index.unwrap_or(0), content };
        if end - first <= LARGEST_LEAF {
            let leaf = self.points.len() / self.features;
            for members in self.order[first..end].chunks(LEAF) {
                for feature in 0..self.features {
                    let column = instances.column(feature, 0..instances.len());
                    let mut values = [f64::INFINITY; LEAF];
                    for (value, &member) in values.iter_mut().zip(members) {
                        *value = column[member as usize];
                    }
                    self.points.push(values);
                }
            }
            return subtree(SubtreeContent::Leaf(leaf));
        }
        let mut ends = vec![first, end];
        while ends.len() <= CHILDREN {
            let halves = ends.windows(2).map(|w| self.halve(instances, w[0], w[1]));
            let middles: Vec<usize> = halves.collect();
            ends.extend(middles);
            ends.sort_unstable();
            ends.dedup();
            if ends.windows(2).all(|w| w[1] - w[0] <= LARGEST_LEAF) {
                break;
            }
        }
        let node = self.nodes.len();
        self.nodes.push(Vec::new());
        self.corners.extend(self.boxes(instances, &ends));
        for range in ends.windows(2) {
            let child = self.grow(instances, range[0], range[1]);
            self.nodes[node].push(child);
        }
        subtree(SubtreeContent::Node(node))
    }

    /// Splits `order[first..end]` at the median of its widest feature; returns where.
    fn halve(&mut self, instances: &Instances, first: usize, end: usize) -> usize {
        if end - first <= LARGEST_LEAF {
            return first;
        }
        let members = &mut self.order[first..end];
        let mut widest = (f64::NEG_INFINITY, instances.column(0, 0..0));
        for feature in 0..self.features {
            let column = instances.column(feature, 0..instances.len());
            let (low, high) = extent(column, members);
            if high - low > widest.0 {
                widest = (high - low, column);
            }
        }
        // The index as second key makes duplicated rows split too, and in the order in which ties are decided.
        let column = widest.1;
        let middle = (end - first) / 2;
        members.select_nth_unstable_by(middle, |&a, &b| {
            let by_value = column[a as usize].total_cmp(&column[b as usize]);
            by_value.then(a.cmp(&b))
        });
        first + middle
    }

    /// Corners of the boxes of consecutive subtrees, feature by feature. Absent children lie infinitely far away.
    fn boxes(&self, instances: &Instances, ends: &[usize]) -> Vec<[f64; 2 * CHILDREN]> {
        (0..self.features)
            .map(|feature| {
                let column = instances.column(feature, 0..instances.len());
                let mut corners = [f64::INFINITY; 2 * CHILDREN];
                for (child, range) in ends.windows(2).enumerate() {
                    let members = &self.order[range[0]..range[1]];
                    let (low, high) = extent(column, members);
                    corners[child] = low;
                    corners[CHILDREN + child] = high;
                }
                corners
            })
            .collect()
    }

    #[inline(always)]
    pub(super) fn query(&self, x: &[f64], own: u32, k: usize, pending: &mut Vec<(f64, Subtree)>) -> Vec<Neighbour> {
        let mut best = vec![WORST; k];
        pending.clear();
        pending.push((0.0, self.root));
        let mut leaves_left = self.leaves;
        while let Some((bound, subtree)) = pending.pop() {
            if (bound, subtree.smallest_index) > best[k - 1] {
                continue;
            }
            match subtree.content {
                SubtreeContent::Node(node) => self.open(node, x, best[k - 1], pending),
                SubtreeContent::Leaf(_) if leaves_left == 0 => break,
                SubtreeContent::Leaf(leaf) => {
                    leaves_left -= 1;
                    let members = self.order[subtree.first..subtree.end].chunks(LEAF);
                    for (chunk, members) in members.enumerate() {
                        self.scan(leaf + chunk, members, x, own, &mut best);
                    }
                }
            }
        }
        best
    }

    /// Puts the children that may hold a neighbour on the stack, the nearest on top.
    #[inline(always)]
    fn open(&self, node: usize, x: &[f64], worst: Neighbour, pending: &mut Vec<(f64, Subtree)>) {
        let mut distances = [0.0; CHILDREN];
        let corners = &self.corners[node * self.features..(node + 1) * self.features];
        for (corners, &x) in corners.iter().zip(x) {
            for child in 0..CHILDREN {
                let (below, above) = (corners[child] - x, x - corners[CHILDREN + child]);
                let outside = if below > above { below } else { above };
                let outside = if outside > 0.0 { outside } else { 0.0 };
                distances[child] += outside * outside;
            }
        }
        let bottom = pending.len();
        for (&distance, &subtree) in distances.iter().zip(&self.nodes[node]) {
            if distance <= worst.0 {
                let below = |other: &&(f64, Subtree)| other.0 < distance;
                let place = pending.len() - pending[bottom..].iter().rev().take_while(below).count();
                pending.insert(place, (distance, subtree));
            }
        }
    }

    /// Offers some points of a leaf.
    #[inline(always)]
    fn scan(&self, leaf: usize, members: &[u32], x: &[f64], own: u32, best: &mut [Neighbour]) {
        let mut distances = [0.0; LEAF];
        let points = &self.points[leaf * self.features..(leaf + 1) * self.features];
        for (values, x) in points.iter().zip(x) {
            for (distance, value) in distances.iter_mut().zip(values) {
                *distance += (value - x) * (value - x);
            }
        }
        let last = best.len() - 1;
        let worst = best[last].0;
        if distances.iter().filter(|&&distance| distance <= worst).count() == 0 {
            return;
        }
        for (&distance, &member) in distances.iter().zip(members) {
            if distance <= best[last].0 && (distance, member) < best[last] && member != own {
                let place = best.partition_point(|&other| other < (distance, member));
                best[place..].rotate_right(1);
                best[place] = (distance, member);
            }
        }
    }
}

/// Smallest and largest value of the members.
fn extent(column: &[f64], members: &[u32]) -> (f64, f64) {
    let values = members.iter().map(|&member| column[member as usize]);
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}
