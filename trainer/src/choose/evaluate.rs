//! Settings to trials: every setting fitted on every fold's rows, and counted on the rows held out.
//!
//! The held-out scores are K_{held out, B} Omega + beta_0, with the kernel between held-out rows and pivots computed once per bandwidth.

use std::ops::Range;

use faer::Mat;
use rayon::prelude::*;

use super::journal::Journal;
use super::trial::Trial;
use super::tune::{LabeledRows, TuneError};
use crate::base::dense::product;
use crate::base::watch::Watch;
use crate::choose::fitting::{feature_settings, is_certified};
use crate::choose::metrics::PuCounts;
use crate::choose::options::TrainOptions;
use crate::choose::settings::{LocalTerm, Settings};
use crate::data::folds::stratified;
use crate::geometry::features::Features;
use crate::geometry::graph::Graph;
use crate::geometry::instances::{GeometryError, Instances};
use crate::geometry::kernel::Kernel;
use crate::learner::{Design, Fit, FitError};

/// All folds of one training set, shuffle by shuffle.
pub(super) struct Folds {
    folds: Vec<Fold>,
    per_deal: usize,
    first_deal: usize,
}

/// The rows that are learned from, their neighbours, and the rows that are held out.
struct Fold {
    number: usize,
    learned: Instances,
    /// Which of the unlabeled rows learned from are known to be normal; empty if none is.
    normal: Vec<bool>,
    graph: Graph,
    held_out: Instances,
}

impl Folds {
    pub(super) fn new(
        rows: LabeledRows<'_>,
        per_deal: usize,
        deals: Range<usize>,
        options: &TrainOptions,
    ) -> Result<Self, GeometryError> {
        let fold = |number: usize| -> Result<Fold, GeometryError> {
            let deal = (number / per_deal) as u64;
            let place = number % per_deal;
            let by_units = rows.units.map(|units| units.folds(per_deal, options.seed, deal));
            let fold_of = match &by_units {
                Some(folds) => folds.fold_of.clone(),
                None => stratified(rows.labeled, per_deal, options.seed, deal),
            };
            let part = |inside: bool| {
                let chosen = |row: &usize| match (&by_units, inside) {
                    // Not all that is not held out is learned from: there are gaps.
                    (Some(folds), false) => folds.learned[place][*row],
                    _ => (fold_of[*row] == place) == inside,
                };
                let taken: Vec<usize> = (0..fold_of.len()).filter(chosen).collect();
                let row = |&row: &usize| &rows.values[row * rows.features..][..rows.features];
                let values: Vec<f64> = taken.iter().flat_map(row).copied().collect();
                let labeled: Vec<bool> = taken.iter().map(|&row| rows.labeled[row]).collect();
                Ok((Instances::arrange(&values, rows.features, &labeled)?, taken))
            };
            let (learned, taken) = part(false)?;
            let normal = learned.unlabeled_marks(rows.normal, |row| taken[row]);
            let graph = Graph::mutual(&learned, options.neighbours);
            Ok(Fold { number, graph, learned, normal, held_out: part(true)?.0 })
        };
        let numbers = per_deal * deals.start..per_deal * deals.end;
        Ok(Self { folds: numbers.map(fold).collect::<Result<_, _>>()?, per_deal, first_deal: deals.start })
    }

    pub(super) fn len(&self) -> usize {
        self.folds.len()
    }

    /// One trial per setting, in the order given.
    pub(super) fn evaluate(
        &self,
        settings: &[Settings],
        options: &TrainOptions,
        journal: Option<&Journal>,
        watch: &dyn Watch,
    ) -> Result<Vec<Trial>, TuneError> {
        let groups = by_kernel(settings);
        let tasks: Vec<(&Fold, &Vec<usize>)> =
            (self.folds.iter()).flat_map(|fold| groups.iter().map(move |group| (fold, group))).collect();
        let done: Vec<Vec<Option<PuCounts>>> = tasks
            .par_iter()
            .map(|&(fold, group)| fold.count_group(settings, group, options, journal, watch))
            .collect::<Result<_, _>>()?;
        let mut trials: Vec<Trial> = settings
            .iter()
            .map(|&settings| Trial { settings, deals: vec![vec![None; self.per_deal]; self.len() / self.per_deal] })
            .collect();
        for ((fold, group), counts) in tasks.into_iter().zip(done) {
            for (&at, counts) in group.iter().zip(counts) {
                let (deal, place) = (fold.number / self.per_deal, fold.number % self.per_deal);
                trials[at].deals[deal - self.first_deal][place] = counts;
            }
        }
        Ok(trials)
    }
}

/// Positions of the settings with the same kernel, those with the same graph side by side.
fn by_kernel(settings: &[Settings]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, setting) in settings.iter().enumerate() {
        let same = |group: &&mut Vec<usize>| settings[group[0]].kernel == setting.kernel;
        match groups.iter_mut().find(same) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    let sigma = |at: &usize| settings[*at].local.map_or(0.0, |local| local.sigma);
    for group in &mut groups {
        group.sort_by(|a, b| sigma(a).total_cmp(&sigma(b)));
    }
    groups
}

impl Fold {
    /// The counts of each setting of a group; none for a fit that failed.
    fn count_group(
        &self,
        settings: &[Settings],
        group: &[usize],
        options: &TrainOptions,
        journal: Option<&Journal>,
        watch: &dyn Watch,
    ) -> Result<Vec<Option<PuCounts>>, TuneError> {
        let mut bench = None;
        let mut counts = Vec::with_capacity(group.len());
        for &at in group {
            let settings = &settings[at];
            let known = journal.and_then(|journal| journal.known(self.number, options, settings));
            if let Some(known) = known {
                counts.push(known);
            } else {
                let bench = match &mut bench {
                    Some(bench) => bench,
                    none => none.insert(FoldFits::new(self, settings.kernel, options)?),
                };
                counts.push(bench.count(settings, options)?);
                if let Some(journal) = journal {
                    journal.record(self.number, options, settings, counts[counts.len() - 1])?;
                }
            }
            watch.made(1);
        }
        Ok(counts)
    }
}

/// What the fits on one fold with one kernel share.
struct FoldFits<'a> {
    fold: &'a Fold,
    plain: Design,
    /// The design with its local term, and the term it has.
    local: Option<(LocalTerm, Design)>,
    /// Held-out rows by pivots; for the linear kernel, by features.
    held_out: Mat<f64>,
}

impl<'a> FoldFits<'a> {
    fn new(fold: &'a Fold, kernel: Kernel, options: &TrainOptions) -> Result<Self, GeometryError> {
        let features = Features::build(&fold.learned, &feature_settings(kernel, options))?;
        let plain = Design::new(features).with_normals(&fold.normal, options.method);
        let features = plain.features();
        let held_out = &fold.held_out;
        let mut matrix = Mat::zeros(held_out.len(), features.rank());
        for j in 0..features.rank() {
            let column = matrix.col_as_slice_mut(j);
            match kernel {
                Kernel::Linear => column.copy_from_slice(held_out.column(j, 0..held_out.len())),
                _ => kernel.column(held_out, &fold.learned.point(features.pivots()[j]), column),
            }
        }
        Ok(Self { fold, plain, local: None, held_out: matrix })
    }

    fn count(&mut self, settings: &Settings, options: &TrainOptions) -> Result<Option<PuCounts>, TuneError> {
        match settings.learner(options.method).fit(self.design(settings.local)?) {
            Ok(fit) if is_certified(&fit.report) => Ok(Some(self.counts_of(&fit))),
            // An invalid weight fails everywhere, so the user is told. Other failures concern this setting only.
            Err(error @ FitError::Setting { .. }) => Err(error.into()),
            _ => Ok(None),
        }
    }

    fn design(&mut self, local: Option<LocalTerm>) -> Result<&Design, GeometryError> {
        let Some(term) = local else { return Ok(&self.plain) };
        if self.local.as_ref().is_none_or(|(old, _)| *old != term) {
            let laplacian = self.fold.graph.laplacian(term.sigma)?;
            self.local = Some((term, self.plain.with_local(laplacian)));
        }
        Ok(self.local.as_ref().map_or(&self.plain, |(_, design)| design))
    }

    fn counts_of(&self, fit: &Fit) -> PuCounts {
        let omega = self.plain.features().expansion(&fit.beta);
        let scores = product(self.held_out.as_ref(), &omega);
        // f + beta_0 > 0, to the bit.
        PuCounts::above(&scores, self.fold.held_out.positives(), -fit.beta_0)
    }
}
