//! The K nearest neighbours of every instance, by a k-d tree: exactly up to `EXACT` instances, and above it too unless an answer takes
//! more than `LEAVES` leaves. With many independent features it does, and exact search would go through nearly all leaves, for
//! every instance; then the nearest found in so many leaves, the nearer ones first, must do.
//!
//! Instance j precedes j' among the neighbours of i when (||x_i - x_j||^2, j) < (||x_i - x_j'||^2, j'): ties, and
//! duplicated rows are ties at distance 0, go to the lower index. An instance is not its own neighbour.
//!
//! A box of the tree is skipped when (distance to the box, smallest index inside) already exceeds the K-th best pair.
//! That is safe to the last bit: rounding is monotone, and distance to a box sums its features in the same order as
//! the distance to a point, so it never exceeds the computed distance of a point inside.
//!
//! A node has eight children, three median splits at once, because eight boxes side by side vectorise.

use rayon::prelude::*;

use crate::geometry::instances::Instances;

/// Instances that are scanned feature by feature, all at once.
const LEAF: usize = 16;
/// Instances a leaf may hold: larger ones waste distances. Were it no more than are scanned at once, some sizes of data would end in nodes of
/// two children, which cost as much to open as those of eight: at 100,000 and 1,000,000 rows the search took three times as long.
const LARGEST_LEAF: usize = 2 * LEAF;
/// Instances up to which neighbours are exact in any case.
pub const EXACT: usize = 50_000;
/// Leaves that are scanned for an instance among more.
const LEAVES: usize = 1000;
/// Children of an inner node.
const CHILDREN: usize = 8;
/// Queries handed to a thread at a time.
const QUERIES: usize = 128;

/// A neighbour: squared distance, then index, in the order of preference.
pub type Neighbour = (f64, u32);

/// Worse than any neighbour.
const WORST: Neighbour = (f64::INFINITY, u32::MAX);

/// For every instance its `k` nearest others (fewer when there are fewer), nearest first.
pub fn nearest(instances: &Instances, k: usize) -> Vec<Vec<Neighbour>> {
    nearest_watched(instances, k, &|_| {})
}

/// The same, calling `done` with every number of instances that are answered.
pub(crate) fn nearest_watched(
    instances: &Instances,
    k: usize,
    done: &(dyn Fn(usize) + Sync),
) -> Vec<Vec<Neighbour>> {
    let k = k.min(instances.len() - 1);
    if k == 0 {
        return vec![Vec::new(); instances.len()];
    }
    let tree = Tree::build(instances);
    // Queries in the tree's order visit the same leaves one after the other.
    let found: Vec<Vec<Neighbour>> = tree
        .order
        .par_chunks(QUERIES)
        .flat_map_iter(|queries| {
            let found = pulp::Arch::new().dispatch(Batch {
                tree: &tree,
                instances,
                queries,
                k,
            });
            done(queries.len());
            found
        })
        .collect();
    let mut nearest = vec![Vec::new(); instances.len()];
    for (&instance, answer) in tree.order.iter().zip(found) {
        nearest[instance as usize] = answer;
    }
    nearest
}

/// Queries answered with the widest vectors the processor has. (A closure this large would not be inlined into the
/// function that has them enabled.)
struct Batch<'a> {
    tree: &'a Tree,
    instances: &'a Instances,
    queries: &'a [u32],
    k: usize,
}

impl pulp::NullaryFnOnce for Batch<'_> {
    type Output = Vec<Vec<Neighbour>>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let mut pending = Vec::new();
        let mut answers = Vec::with_capacity(self.queries.len());
        for &own in self.queries {
            let x = self.instances.point(own as usize);
            answers.push(self.tree.query(&x, own, self.k, &mut pending));
        }
        answers
    }
}

/// A part of `order`, with the smallest instance in it.
#[derive(Clone, Copy)]
struct Part {
    first: usize,
    end: usize,
    smallest_index: u32,
    below: Below,
}

/// What a part consists of.
#[derive(Clone, Copy)]
enum Below {
    /// Points, from those with this number on.
    Leaf(usize),
    /// The children of the inner node with this number.
    Node(usize),
}

struct Tree {
    features: usize,
    /// Leaves that are scanned for an answer, at most.
    leaves: usize,
    root: Part,
    /// The children of each inner node.
    nodes: Vec<Vec<Part>>,
    /// The children's bounding boxes: node by node, feature by feature, eight lower then eight upper corners.
    corners: Vec<[f64; 2 * CHILDREN]>,
    /// Instances, leaf after leaf.
    order: Vec<u32>,
    /// The leaves' points, so many at a time: feature by feature. Places left over lie infinitely far away.
    points: Vec<[f64; LEAF]>,
}

impl Tree {
    fn build(instances: &Instances) -> Self {
        let (n, features) = (instances.len(), instances.features());
        let root = Part {
            first: 0,
            end: n,
            smallest_index: 0,
            below: Below::Leaf(0),
        };
        let mut tree = Self {
            features,
            leaves: match n <= EXACT {
                true => usize::MAX,
                false => LEAVES,
            },
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
    fn grow(&mut self, instances: &Instances, first: usize, end: usize) -> Part {
        let smallest_index = self.order[first..end].iter().copied().min();
        let part = |below| Part {
            first,
            end,
            smallest_index: smallest_index.unwrap_or(0),
            below,
        };
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
            return part(Below::Leaf(leaf));
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
        part(Below::Node(node))
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

    /// Corners of the boxes of consecutive parts, feature by feature. Absent children lie infinitely far away.
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
    fn query(
        &self,
        x: &[f64],
        own: u32,
        k: usize,
        pending: &mut Vec<(f64, Part)>,
    ) -> Vec<Neighbour> {
        let mut best = vec![WORST; k];
        pending.clear();
        pending.push((0.0, self.root));
        let mut leaves_left = self.leaves;
        while let Some((bound, part)) = pending.pop() {
            if (bound, part.smallest_index) > best[k - 1] {
                continue;
            }
            match part.below {
                Below::Node(node) => self.open(node, x, best[k - 1], pending),
                Below::Leaf(_) if leaves_left == 0 => break,
                Below::Leaf(leaf) => {
                    leaves_left -= 1;
                    let members = self.order[part.first..part.end].chunks(LEAF);
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
    fn open(&self, node: usize, x: &[f64], worst: Neighbour, pending: &mut Vec<(f64, Part)>) {
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
        for (&distance, &part) in distances.iter().zip(&self.nodes[node]) {
            if distance <= worst.0 {
                let below = |other: &&(f64, Part)| other.0 < distance;
                let place =
                    pending.len() - pending[bottom..].iter().rev().take_while(below).count();
                pending.insert(place, (distance, part));
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
        if distances
            .iter()
            .filter(|&&distance| distance <= worst)
            .count()
            == 0
        {
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
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn brute_force(instances: &Instances, k: usize) -> Vec<Vec<Neighbour>> {
        (0..instances.len())
            .map(|i| {
                let x = instances.point(i);
                let mut all: Vec<Neighbour> = (0..instances.len())
                    .filter(|&j| j != i)
                    .map(|j| {
                        let z = instances.point(j);
                        let d = z
                            .iter()
                            .zip(&x)
                            .fold(0.0, |d, (z, x)| d + (z - x) * (z - x));
                        (d, j as u32)
                    })
                    .collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                all.truncate(k);
                all
            })
            .collect()
    }

    #[test]
    fn the_tree_finds_what_brute_force_finds_ties_included() {
        let mut random = Random::new(5, 0);
        for (n, m, levels) in [
            (400, 3, 1e9),
            (300, 12, 1e9),
            (300, 2, 4.0),
            (200, 1, 1.0),
            (7, 2, 1e9),
        ] {
            // Few levels make ties and duplicates the rule.
            let rows: Vec<f64> = (0..n * m)
                .map(|_| (random.uniform() * levels).floor() / levels)
                .collect();
            let labeled: Vec<bool> = (0..n).map(|i| i % 4 == 0).collect();
            let instances = Instances::arrange(&rows, m, &labeled).unwrap();
            for k in [1, 5, 11] {
                assert_eq!(
                    nearest(&instances, k),
                    brute_force(&instances, k),
                    "n {n}, m {m}"
                );
            }
        }
    }

    #[test]
    fn a_few_leaves_hold_most_of_the_nearest() {
        let mut random = Random::new(6, 0);
        let rows: Vec<f64> = (0..4000 * 12).map(|_| random.normal()).collect();
        let labeled: Vec<bool> = (0..4000).map(|i| i % 4 == 0).collect();
        let instances = Instances::arrange(&rows, 12, &labeled).unwrap();
        let exact = brute_force(&instances, 5);
        let mut tree = Tree::build(&instances);
        // Of some 128.
        tree.leaves = 40;
        let mut found = 0;
        for (own, exact) in exact.iter().enumerate() {
            let answer = tree.query(&instances.point(own), own as u32, 5, &mut Vec::new());
            assert!(answer.is_sorted() && answer.iter().all(|&(_, j)| j != own as u32));
            found += exact
                .iter()
                .filter(|neighbour| answer.contains(neighbour))
                .count();
        }
        assert!(found > 4000 * 5 * 3 / 4, "{found} of 20000");
        assert!(found < 4000 * 5);
    }
}
