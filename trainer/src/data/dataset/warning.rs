//! What a training set's user should know although training can go on.

use crate::base::statistics::median;
use crate::base::warnings::{Warning, WarningId};
use crate::data::groups::Groups;
use std::cmp::Ordering;

/// The label frequency that choosing settings by PUF needs, by the paper's own experience (Section 4.2.3).
const LABEL_FREQUENCY_NEEDED: f64 = 0.2;
/// No warning below this share of repeated rows: coarse sensors repeat themselves.
const MANY_DUPLICATES: f64 = 0.1;
/// With fewer labeled rows than this a two-valued feature is often the same in all of them by chance.
const LABELED_TO_SUSPECT_AN_ANSWER: usize = 8;
/// A column with fewer 32-bit steps than this between its smallest and its largest value is called coarse.
const COARSE_STEPS: f64 = 64.0;
/// With fewer labeled rows than this, no figure from held-out rows says much.
const HOPELESSLY_FEW_LABELS: usize = 10;
/// A model whose PUF minus two standard errors is below this may owe it to luck; "all positive" has 1.
const CLEAR_PUF: f64 = 1.2;
/// A column counts if this share of its steps from row to row differs from the median step by at most half of it.
/// In a file sorted by a reading, four steps in ten do.
const EVEN_STEPS: f64 = 0.9;
/// Fewer steps may be even by chance.
const LEAST_STEPS: usize = 19;

/// The warning of labels too few to trust the model, given what held-out rows say of it: PUF minus two standard errors.
///
/// The label frequency is labeled / (labeled + hidden positives), and the number of hidden positives is unknown: the data only say
/// that it lies between the labeled share of all rows and 1. So the warning is raised when it would be too low with *half*
/// of the unlabeled rows positive, the paper's balance of classes, and its text gives the count at which it really is.
/// A model that held-out rows clearly speak for needs no more labels, so long as there are ten of them.
pub(crate) fn of_few_labels(labeled: usize, unlabeled: usize, cautious_puf: Option<f64>) -> Option<Warning> {
    // The most unlabeled positives that leave the label frequency where it is needed.
    let hidden = (labeled as f64 * (1.0 / LABEL_FREQUENCY_NEEDED - 1.0)).round() as usize;
    let is_rare = unlabeled / 2 > hidden;
    let is_unproven = cautious_puf.is_none_or(|puf| puf.is_nan() || puf < CLEAR_PUF);
    let rows = labeled + unlabeled;
    let warning = || {
        let reason = match labeled < HOPELESSLY_FEW_LABELS {
            true => "figures from held-out rows say little about so few".to_owned(),
            false => format!(
                "held-out rows do not clearly speak for the model; how many positives are hidden cannot be seen, but if they are more than {hidden} ({:.1} % of the unlabeled rows), fewer than 20 % of the positives are labeled and the choice of settings gets unreliable",
                percent(hidden, unlabeled)
            ),
        };
        let text = format!("only {labeled} of {rows} rows ({:.1} %) are labeled: {reason}", percent(labeled, rows));
        Warning::new(WarningId::FewLabels, text)
    };
    (labeled < HOPELESSLY_FEW_LABELS || is_rare && is_unproven).then(warning)
}

/// The remark that rows look like a log.
pub(super) fn of_sequence(events: usize) -> Warning {
    let stretches = if events == 1 { "one stretch" } else { "stretches" };
    let text = format!(
        "rows look like a log: neighbours are near copies, and labels come in {stretches} ({events}), so blocks of time are held out, and evidence counts stretches, not rows"
    );
    Warning::new(WarningId::RowsInSequence, text)
}

/// The warning of a label column that leaves no row unlabeled, with this number of normal rows.
pub(super) fn of_no_unlabeled(unlabeled: usize, normal: usize) -> Option<Warning> {
    (unlabeled == 0).then(|| {
        let text = format!(
            "no row is unlabeled: all {normal} rows that are not labeled positive are marked as known to be normal (-1, normal or negative)"
        );
        Warning::new(WarningId::NoUnlabeledRows, text)
    })
}

/// The warning of many rows that are equal, value for value, to an earlier one, whatever their labels.
pub(super) fn of_duplicates(rows: &[f64], width: usize) -> Option<Warning> {
    let count = rows.len() / width;
    let mut sorted: Vec<&[f64]> = rows.chunks_exact(width).collect();
    // Values are finite, and zeros have no sign: equal rows come next to each other.
    sorted.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let repeated = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let warning = || {
        let text = format!(
            "{repeated} of {count} rows ({:.0} %) repeat an earlier row: copies on both sides of a fold make its result look better than it is",
            percent(repeated, count)
        );
        Warning::new(WarningId::DuplicateRows, text)
    };
    (repeated as f64 > MANY_DUPLICATES * count as f64).then(warning)
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

/// One feature's values, as the device sees them.
pub(super) struct FeatureColumn<'a> {
    rows: &'a [f64],
    width: usize,
    at: usize,
    min: f32,
    max: f32,
}

impl<'a> FeatureColumn<'a> {
    pub(super) fn new(rows: &'a [f64], width: usize, at: usize) -> Self {
        let mut column = Self { rows, width, at, min: f32::INFINITY, max: f32::NEG_INFINITY };
        for value in column.values() {
            column.min = column.min.min(value);
            column.max = column.max.max(value);
        }
        column
    }

    fn values(&self) -> impl Iterator<Item = f32> + use<'a> {
        let width = self.width;
        self.rows[self.at..].iter().step_by(width).map(|value| *value as f32)
    }

    pub(super) fn varies(&self) -> bool {
        self.min < self.max
    }

    /// Whether values only count: from each row to the next of its recording they change by nearly the same step.
    fn counts(&self, groups: Option<&Groups>) -> bool {
        let mut last = vec![None; groups.map_or(1, Groups::len)];
        let mut steps = Vec::new();
        for (row, value) in self.values().enumerate() {
            let group = groups.map_or(0, |groups| groups.of_row()[row] as usize);
            steps.extend(last[group].replace(value).map(|last: f32| f64::from(value) - f64::from(last)));
        }
        let step = median(&mut steps).unwrap_or(0.0);
        let even = steps.iter().filter(|&&other| (other - step).abs() <= 0.5 * step.abs()).count();
        step != 0.0 && steps.len() >= LEAST_STEPS && even as f64 >= EVEN_STEPS * steps.len() as f64
    }

    pub(super) fn warning(&self, column: &str, labeled: &[bool], groups: Option<&Groups>) -> Option<Warning> {
        if !self.varies() {
            let text = format!(
                "column `{column}` is {} in every row: dropped, the device takes one reading less",
                f64::from(self.min)
            );
            return Some(Warning::new(WarningId::ConstantColumn, text));
        }
        // One step of a 32-bit float at the column's largest magnitude.
        let largest = self.min.abs().max(self.max.abs());
        let step = f64::from(largest) - f64::from(largest.next_down());
        let steps = (f64::from(self.max) - f64::from(self.min)) / step;
        if steps < COARSE_STEPS {
            let text = format!(
                "column `{column}` spans only {} steps of the device's 32-bit floats: subtract its large constant part before the reading reaches the model",
                steps.round()
            );
            return Some(Warning::new(WarningId::CoarseColumn, text));
        }
        if self.counts(groups) {
            let text = format!(
                "column `{column}` changes by nearly the same step from row to row: it counts rows or time and is no reading, and a model that learns when labels were given fails on later rows"
            );
            return Some(Warning::new(WarningId::OrderAmongFeatures, text));
        }
        let two_valued = || self.values().all(|value| value == self.min || value == self.max);
        let of_labeled = || self.values().zip(labeled).filter(|(_, labeled)| **labeled);
        let shared = || {
            let first = of_labeled().next();
            of_labeled().all(|(value, _)| Some(value) == first.map(|(value, _)| value))
        };
        (of_labeled().count() >= LABELED_TO_SUSPECT_AN_ANSWER && two_valued() && shared()).then(|| {
            let text = format!(
                "column `{column}` has two values and all labeled rows share one: if it is the answer, not a reading, leave it out or name it as the truth"
            );
            Warning::new(WarningId::MayBeTheAnswer, text)
        })
    }
}
