//! The K nearest neighbours of every instance, by a k-d tree: exact up to `EXACT` instances, and above that unless an answer needs too
//! many of the tree's leaves. With many independent features an exact search would scan nearly all leaves for every instance; then
//! the nearest found in a limited number of leaves, nearer leaves first, must do.
//!
//! Instance j precedes j' among the neighbours of i when (||x_i - x_j||^2, j) < (||x_i - x_j'||^2, j'): ties, and
//! duplicated rows are ties at distance 0, go to the lower index. An instance is not its own neighbour.

use rayon::prelude::*;

use crate::geometry::instances::Instances;
use crate::geometry::tree::Tree;

/// Instances up to which neighbours are exact in any case.
pub(crate) const EXACT: usize = 50_000;
/// Queries handed to a thread at a time.
const QUERIES: usize = 128;

/// A neighbour: squared distance, then index, in the order of preference.
pub(crate) type Neighbour = (f64, u32);

/// For every instance its `k` nearest others (fewer when there are fewer), nearest first.
pub fn nearest(instances: &Instances, k: usize) -> Vec<Vec<Neighbour>> {
    nearest_watched(instances, k, &|_| {})
}

/// The same, calling `done` with every number of instances that are answered.
pub(crate) fn nearest_watched(instances: &Instances, k: usize, done: &(dyn Fn(usize) + Sync)) -> Vec<Vec<Neighbour>> {
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
            let found = pulp::Arch::new().dispatch(Batch { tree: &tree, instances, queries, k });
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
                        let d = z.iter().zip(&x).fold(0.0, |d, (z, x)| d + (z - x) * (z - x));
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
        for (n, m, levels) in [(400, 3, 1e9), (300, 12, 1e9), (300, 2, 4.0), (200, 1, 1.0), (7, 2, 1e9)] {
            // Few levels make ties and duplicates the rule.
            let rows: Vec<f64> = (0..n * m).map(|_| (random.uniform() * levels).floor() / levels).collect();
            let labeled: Vec<bool> = (0..n).map(|i| i % 4 == 0).collect();
            let instances = Instances::arrange(&rows, m, &labeled).unwrap();
            for k in [1, 5, 11] {
                assert_eq!(nearest(&instances, k), brute_force(&instances, k), "n {n}, m {m}");
            }
        }
    }

    #[test]
    fn a_few_leaves_hold_most_of_the_nearest() {
        let instances = Instances::random(4000, 12, 6);
        let exact = brute_force(&instances, 5);
        let mut tree = Tree::build(&instances);
        // Of some 128.
        tree.leaves = 40;
        let mut found = 0;
        for (own, exact) in exact.iter().enumerate() {
            let answer = tree.query(&instances.point(own), own as u32, 5, &mut Vec::new());
            assert!(answer.is_sorted() && answer.iter().all(|&(_, j)| j != own as u32));
            found += exact.iter().filter(|neighbour| answer.contains(neighbour)).count();
        }
        assert!(found > 4000 * 5 * 3 / 4, "{found} of 20000");
        assert!(found < 4000 * 5);
    }
}
