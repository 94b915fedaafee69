//! The K nearest neighbours of every instance, exactly, by a k-d tree.
//!
//! Instance j precedes j' among the neighbours of i when (||x_i - x_j||^2, j) < (||x_i - x_j'||^2, j'): ties, and
//! duplicated rows are ties at distance 0, go to the lower index. An instance is not its own neighbour.
//!
//! A box of the tree is skipped when (distance to the box, smallest index inside) already exceeds the K-th best pair.
//! That is safe to the last bit: rounding is monotone, and distance to a box sums its features in the same order as
//! the distance to a point, so it never exceeds the computed distance of a point inside.

use rayon::prelude::*;

use crate::instances::Instances;

/// Instances a leaf may hold. Leaves are scanned feature by feature, which vectorises; larger ones waste distances.
const LEAF: usize = 16;
/// Queries handed to a thread at a time.
const QUERIES: usize = 128;

/// A neighbour: squared distance, then index, in the order of preference.
pub type Neighbour = (f64, u32);

/// For every instance its `k` nearest others (fewer when there are fewer), nearest first, flattened.
pub fn nearest(instances: &Instances, k: usize) -> Vec<Vec<Neighbour>> {
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
            pulp::Arch::new().dispatch(|| {
                let mut search = Search::default();
                let mut answers = Vec::with_capacity(queries.len());
                for &query in queries {
                    answers.push(tree.query(
                        &instances.point(query as usize),
                        query,
                        k,
                        &mut search,
                    ));
                }
                answers
            })
        })
        .collect();
    let mut nearest = vec![Vec::new(); instances.len()];
    for (&instance, answer) in tree.order.iter().zip(found) {
        nearest[instance as usize] = answer;
    }
    nearest
}

/// A node holds `order[first..end]`; the children of a split are the nodes numbered here.
struct Node {
    first: usize,
    end: usize,
    smallest_index: u32,
    children: Option<(usize, usize)>,
}

struct Tree {
    features: usize,
    nodes: Vec<Node>,
    /// Lower then upper corner of each node's bounding box.
    corners: Vec<f64>,
    /// Instances, leaf after leaf.
    order: Vec<u32>,
    /// The leaves' points; inside a leaf feature by feature.
    points: Vec<f64>,
}

/// Buffers a thread keeps from query to query.
#[derive(Default)]
struct Search {
    pending: Vec<(f64, usize)>,
}

impl Tree {
    fn build(instances: &Instances) -> Self {
        let features = instances.features();
        let mut tree = Self {
            features,
            nodes: Vec::new(),
            corners: Vec::new(),
            order: (0..instances.len() as u32).collect(),
            points: Vec::with_capacity(instances.len() * features),
        };
        tree.grow(instances, 0, instances.len());
        tree
    }

    /// Adds the node of `order[first..end]` and everything below it; returns its number.
    fn grow(&mut self, instances: &Instances, first: usize, end: usize) -> usize {
        let all = 0..instances.len();
        let members = &mut self.order[first..end];
        let mut widest = (f64::NEG_INFINITY, 0);
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for feature in 0..self.features {
            let column = instances.column(feature, all.clone());
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for &member in members.iter() {
                low = low.min(column[member as usize]);
                high = high.max(column[member as usize]);
            }
            if high - low > widest.0 {
                widest = (high - low, feature);
            }
            lower.push(low);
            upper.push(high);
        }
        self.corners.extend(lower);
        self.corners.extend(upper);
        let node = self.nodes.len();
        self.nodes.push(Node {
            first,
            end,
            smallest_index: members.iter().copied().min().unwrap_or(0),
            children: None,
        });
        if end - first <= LEAF {
            for feature in 0..self.features {
                let column = instances.column(feature, all.clone());
                self.points
                    .extend(members.iter().map(|&member| column[member as usize]));
            }
            return node;
        }
        // The index as second key makes duplicated rows split too, and in the order in which ties are decided.
        let column = instances.column(widest.1, all);
        let middle = (end - first) / 2;
        members.select_nth_unstable_by(middle, |&a, &b| {
            let by_value = column[a as usize].total_cmp(&column[b as usize]);
            by_value.then(a.cmp(&b))
        });
        let left = self.grow(instances, first, first + middle);
        let right = self.grow(instances, first + middle, end);
        self.nodes[node].children = Some((left, right));
        node
    }

    /// Squared distance from `x` to the node's bounding box.
    #[inline(always)]
    fn distance(&self, node: usize, x: &[f64]) -> f64 {
        let corners = &self.corners[node * 2 * self.features..(node + 1) * 2 * self.features];
        let (lower, upper) = corners.split_at(self.features);
        let mut sum = 0.0;
        for ((x, lower), upper) in x.iter().zip(lower).zip(upper) {
            let outside = (lower - x).max(x - upper).max(0.0);
            sum += outside * outside;
        }
        sum
    }

    #[inline(always)]
    fn query(&self, x: &[f64], own: u32, k: usize, search: &mut Search) -> Vec<Neighbour> {
        let mut best: Vec<Neighbour> = Vec::with_capacity(k + 1);
        let mut worst = (f64::INFINITY, u32::MAX);
        search.pending.clear();
        search.pending.push((0.0, 0));
        while let Some((bound, number)) = search.pending.pop() {
            let node = &self.nodes[number];
            if (bound, node.smallest_index) > worst {
                continue;
            }
            if let Some((left, right)) = node.children {
                let (near, far) = (self.distance(left, x), self.distance(right, x));
                if near <= far {
                    search.pending.extend([(far, right), (near, left)]);
                } else {
                    search.pending.extend([(near, left), (far, right)]);
                }
                continue;
            }
            let count = node.end - node.first;
            let leaf = &self.points[node.first * self.features..node.end * self.features];
            let mut distances = [0.0; LEAF];
            for (column, x) in leaf.chunks_exact(count).zip(x) {
                for (distance, value) in distances.iter_mut().zip(column) {
                    *distance += (value - x) * (value - x);
                }
            }
            let members = &self.order[node.first..node.end];
            for (&distance, &member) in distances.iter().zip(members) {
                if (distance, member) < worst && member != own {
                    let place = best.partition_point(|&other| other < (distance, member));
                    best.insert(place, (distance, member));
                    best.truncate(k);
                    if best.len() == k {
                        worst = best[k - 1];
                    }
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

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
}
