//! Forests of trees on bootstrap samples, scored on training rows by the trees that did not see them.
//!
//! The target is soft: y_i in [0, 1] is the probability that row i is positive, and every tree draws its own classes from it.
//! A stratified forest draws n_p labeled and n_u unlabeled rows, so that each tree sees the two in the same proportion.
//!
//!   out-of-bag score of row i  =  mean of the leaf shares over the trees whose sample lacks i
//!
//! Rows that are held out together, such as those of a recording, are left out of whole trees instead.

mod tree;

use rayon::prelude::*;

use crate::base::random::Random;
use crate::data::units::UnitFolds;
pub(super) use tree::TreeKind;
use tree::{DecisionTree, TreeData};

#[derive(Debug, Clone, Copy)]
pub(super) struct ForestSettings {
    pub kind: TreeKind,
    /// Least rows in a leaf.
    pub leaf: usize,
    pub trees: usize,
    pub seed: u64,
    /// DecisionTree t draws from stream `stream + t`.
    pub stream: u64,
}

pub(super) struct ForestData<'a> {
    /// Feature-major values.
    pub columns: &'a [Vec<f64>],
    /// The first `labeled` rows are drawn apart from the others; 0 draws from all alike.
    pub labeled: usize,
    /// y, the probability that a row is positive.
    pub target: &'a [f64],
    pub weight: &'a [f64],
    /// Tree t sees nothing of fold t mod F and its gap, and only such trees judge the fold's rows.
    pub folds: Option<&'a UnitFolds>,
}

#[derive(Debug, Clone)]
pub(super) struct Forest {
    trees: Vec<DecisionTree>,
}

/// A forest and what it says of its own training rows.
pub(super) struct FittedForest {
    pub forest: Forest,
    pub out_of_bag: Vec<f64>,
    /// Mean over the trees.
    pub importances: Vec<f64>,
}

impl Forest {
    /// Grows the trees, in parallel; each has its own stream, and sums run in the order of the trees.
    pub(super) fn fit(data: &ForestData<'_>, settings: &ForestSettings) -> FittedForest {
        let n = data.target.len();
        let grown: Vec<(DecisionTree, Vec<Option<f64>>)> = (0..settings.trees)
            .into_par_iter()
            .map(|tree| {
                let random = &mut Random::new(settings.seed, settings.stream + tree as u64);
                let mut times = bootstrap(n, data.labeled, random);
                let fold = data.folds.map(|folds| (tree % folds.len(), folds));
                if let Some((fold, folds)) = fold {
                    times
                        .iter_mut()
                        .zip(&folds.learned[fold])
                        .for_each(|(times, &learned)| *times *= u32::from(learned));
                }
                let class: Vec<bool> = data.target.iter().map(|&y| random.uniform() < y).collect();
                let weight: Vec<f64> = (0..n).map(|i| data.weight[i] * f64::from(times[i])).collect();
                let sample = TreeData { columns: data.columns, class: &class, weight: &weight };
                let tree = DecisionTree::grow(&sample, settings.kind, settings.leaf, random);
                let judges = |i: usize| match fold {
                    Some((fold, folds)) => folds.fold_of[i] == fold,
                    None => times[i] == 0,
                };
                let unseen = |i: usize| judges(i).then(|| tree.share(|j| data.columns[j][i]));
                let unseen = (0..n).map(unseen).collect();
                (tree, unseen)
            })
            .collect();
        let mut out_of_bag = vec![0.0; n];
        let mut trees_without = vec![0u32; n];
        let mut importances = vec![0.0; data.columns.len()];
        for (tree, unseen) in &grown {
            for (i, share) in unseen.iter().enumerate() {
                if let Some(share) = share {
                    out_of_bag[i] += share;
                    trees_without[i] += 1;
                }
            }
            for (sum, importance) in importances.iter_mut().zip(&tree.importances) {
                *sum += importance;
            }
        }
        importances.iter_mut().for_each(|sum| *sum /= settings.trees.max(1) as f64);
        for (score, &trees) in out_of_bag.iter_mut().zip(&trees_without) {
            *score /= f64::from(trees.max(1));
        }
        FittedForest {
            forest: Forest { trees: grown.into_iter().map(|(tree, _)| tree).collect() },
            out_of_bag,
            importances,
        }
    }

    /// Mean leaf share of each row-major row.
    pub(super) fn scores(&self, rows: &[f64], features: usize) -> Vec<f64> {
        rows.par_chunks_exact(features)
            .map(|row| {
                let sum: f64 = self.trees.iter().map(|tree| tree.share(|j| row[j])).sum();
                sum / self.trees.len() as f64
            })
            .collect()
    }
}

/// How often each row is in a sample of n rows with replacement, the first `labeled` drawn among themselves.
fn bootstrap(n: usize, labeled: usize, random: &mut Random) -> Vec<u32> {
    let mut times = vec![0; n];
    for _ in 0..labeled {
        times[random.below(labeled)] += 1;
    }
    for _ in labeled..n {
        times[labeled + random.below(n - labeled)] += 1;
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: ForestSettings = ForestSettings { kind: TreeKind::Random, leaf: 1, trees: 50, seed: 1, stream: 0 };

    #[test]
    fn a_stratified_bootstrap_keeps_both_counts() {
        let mut without = 0;
        for stream in 0..200 {
            let times = bootstrap(100, 30, &mut Random::new(2, stream));
            assert_eq!(times[..30].iter().sum::<u32>(), 30);
            assert_eq!(times[30..].iter().sum::<u32>(), 70);
            without += times.iter().filter(|&&t| t == 0).count();
        }
        // A row is left out with probability 1/e: 20 000 trials, standard error 0.0034.
        assert!((without as f64 / 20_000.0 - 0.364).abs() < 0.02);
        assert_eq!(bootstrap(40, 0, &mut Random::new(2, 0)).iter().sum::<u32>(), 40);
    }

    #[test]
    fn out_of_bag_scores_do_not_know_the_row() {
        // Labels without any relation to x: trees that saw the row would repeat its label.
        let mut random = Random::new(5, 0);
        let columns = vec![(0..400).map(|_| random.normal()).collect::<Vec<f64>>()];
        let target: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let data = ForestData { columns: &columns, labeled: 0, target: &target, weight: &[1.0; 400], folds: None };
        let fitted = Forest::fit(&data, &SETTINGS);
        let right = |scores: &[f64]| {
            let hits = scores.iter().zip(&target).filter(|(s, t)| (**s > 0.5) == (**t > 0.5));
            hits.count()
        };
        assert!(right(&fitted.out_of_bag).abs_diff(200) < 60);
        assert!(right(&fitted.forest.scores(&columns[0], 1)) > 390);
    }

    #[test]
    fn rows_held_out_together_are_judged_by_trees_that_saw_none_of_them() {
        // Each recording has its own level, which tells its label: known only to a tree that saw the recording.
        let columns = vec![(0..400).map(|i| f64::from(i / 40)).collect::<Vec<f64>>()];
        let target: Vec<f64> = (0..400).map(|i| f64::from(i / 40 % 2)).collect();
        let fold_of: Vec<usize> = (0..400).map(|i| i / 40).collect();
        let learned = (0..10).map(|fold| fold_of.iter().map(|&of| of != fold).collect()).collect();
        let folds = UnitFolds { fold_of, learned };
        let right = |folds: Option<&UnitFolds>| {
            let data = ForestData { columns: &columns, labeled: 0, target: &target, weight: &[1.0; 400], folds };
            let scores = Forest::fit(&data, &SETTINGS).out_of_bag;
            scores.iter().zip(&target).filter(|(s, t)| (**s > 0.5) == (**t > 0.5)).count()
        };
        assert_eq!(right(None), 400);
        assert!(right(Some(&folds)) < 100);
    }

    #[test]
    fn soft_targets_come_back_as_probabilities() {
        let columns = vec![(0..600).map(|i| f64::from(i % 2)).collect::<Vec<f64>>()];
        let target: Vec<f64> = (0..600).map(|i| if i % 2 == 0 { 0.2 } else { 0.7 }).collect();
        let data = ForestData { columns: &columns, labeled: 0, target: &target, weight: &[1.0; 600], folds: None };
        let fitted = Forest::fit(&data, &SETTINGS);
        let scores = fitted.forest.scores(&[0.0, 1.0], 1);
        assert!((scores[0] - 0.2).abs() < 0.03 && (scores[1] - 0.7).abs() < 0.03, "{scores:?}");
        assert_eq!(fitted.importances, [1.0]);
    }
}
