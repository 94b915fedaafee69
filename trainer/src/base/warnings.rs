//! All warnings, each with a name that never changes.
//!
//! A warning is printed with its name in brackets. The troubleshooting guide, the report and other programs refer to that name, so it is
//! never reused. The text says what is wrong in this case.

use serde::Serialize;
use std::fmt;

/// Declares [`WarningId`] from one list of descriptions and names.
macro_rules! warning_ids {
    ($($(#[$doc:meta])* $id:ident = $name:literal,)*) => {
        /// What can be wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum WarningId { $($(#[$doc])* $id,)* }

        impl WarningId {
            /// All of them, in the order of the guide.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$id),*];

            /// Its name, which never changes.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$id => $name,)* }
            }
        }
    };
}

warning_ids! {
    /// A feature has one value only.
    ConstantColumn = "constant-column",
    /// Many rows repeat an earlier one.
    DuplicateRows = "duplicate-rows",
    /// A column looks like the answer.
    MayBeTheAnswer = "may-be-the-answer",
    /// A column that 32-bit floats barely resolve.
    CoarseColumn = "coarse-column",
    /// A feature only counts rows or time.
    OrderAmongFeatures = "order-among-features",
    /// Few labeled rows.
    FewLabels = "few-labels",
    /// Labeled rows are not a fair sample of the positives.
    LabelsLookBiased = "labels-look-biased",
    /// Unlabeled rows form a group of their own, without a label.
    UnlabeledGroup = "unlabeled-group",
    /// Few events, or one: the evidence may be luck.
    FewEvents = "few-events",
    /// Rows stand in the order of time: blocks of time are held out.
    RowsInSequence = "rows-in-sequence",
    /// Times of a log go back, repeat, or are missing.
    TimesOutOfOrder = "times-out-of-order",
    /// No alarm was found with as few false alarms as wanted.
    FalseAlarmsAboveTarget = "false-alarms-above-target",
    /// Every row is marked: positive or normal.
    NoUnlabeledRows = "no-unlabeled-rows",
    /// Too few rows to hold any out.
    TooFewRows = "too-few-rows",
    /// Held-out rows do not show that anything was learned.
    NoBetterThanAllPositive = "no-better-than-all-positive",
    /// Every setting called all rows positive, or none.
    EverySettingCollapsed = "every-setting-collapsed",
    /// The ensemble calls every row positive, for lack of evidence.
    AllPositive = "all-positive",
    /// The written model calls all training rows positive, or none.
    LearnedNothing = "learned-nothing",
    /// 32-bit floats change classes.
    ClassesChanged = "classes-changed",
    /// Against the truth, calling every row positive is better.
    WorseThanAllPositive = "worse-than-all-positive",
    /// Many rows are outside the training range.
    FarFromTraining = "far-from-training",
    /// A threshold was chosen on few rows.
    FewCheckedRows = "few-checked-rows",
    /// A budget cost the model its names or its envelope.
    LeftOut = "left-out",
    /// The model loses more to its size than it may.
    ToleranceExceeded = "tolerance-exceeded",
    /// Readings around the support instances stand in for rows.
    StandInRows = "stand-in-rows",
    /// The model was learned from a part of the rows.
    MostRowsUnused = "most-rows-unused",
    /// Neighbours are searched among a sample.
    GraphOfSample = "graph-of-sample",
    /// The baseline was measured with another compiler.
    OtherCompiler = "other-compiler",
    /// A flag of `pual.toml` gives way to one on the command line.
    FlagGivesWay = "flag-gives-way",
}

/// Something the user should know although the command goes on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Warning {
    /// What it is.
    #[serde(serialize_with = "by_name")]
    pub id: WarningId,
    /// What is wrong in this case.
    pub text: String,
}

fn by_name<S: serde::Serializer>(id: &WarningId, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(id.name())
}

/// With the name, as printed after the word `warning`.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]: {}", self.id.name(), self.text)
    }
}

impl Warning {
    /// A warning with its sentence.
    pub fn new(id: WarningId, text: impl fmt::Display) -> Self {
        let text = text.to_string();
        Self { id, text }
    }

    /// Settings could not be searched for.
    pub(crate) fn too_few_rows() -> Self {
        Self::new(WarningId::TooFewRows, "too few rows to hold any out: settings follow rules of thumb")
    }

    /// The model was learned from `used` of `rows` rows.
    pub(crate) fn rows_unused(used: usize, rows: usize) -> Self {
        Self::new(
            WarningId::MostRowsUnused,
            format_args!("the model was learned from {used} of {rows} rows, drawn at random: the others were not used"),
        )
    }

    /// The graph of all rows would take `memory`.
    pub(crate) fn graph_of_sample(memory: impl fmt::Display) -> Self {
        Self::new(
            WarningId::GraphOfSample,
            format_args!("neighbours are searched among the sample's rows: among all of them it would take {memory}"),
        )
    }

    /// The written model says the same of every training row.
    pub(crate) fn learned_nothing(collapse: impl fmt::Display) -> Self {
        Self::new(WarningId::LearnedNothing, format_args!("the model {collapse}: it has learned nothing"))
    }

    /// F1 against the truth, if it is below that of calling every row positive.
    pub(crate) fn worse_than_all_positive(f1: f64, of_all_positive: f64) -> Option<Self> {
        (f1 < of_all_positive).then(|| {
            Self::new(
                WarningId::WorseThanAllPositive,
                format_args!(
                    "against the truth F1 is {:.1} %; calling every row positive has {:.1} %",
                    100.0 * f1,
                    100.0 * of_all_positive
                ),
            )
        })
    }

    /// Classes changed by 32-bit floats.
    pub(crate) fn classes_change(changed: usize, rows: usize) -> Self {
        Self::new(
            WarningId::ClassesChanged,
            format_args!("{changed} of {rows} rows change their class in the device's 32-bit floats"),
        )
    }

    /// What a budget cost.
    pub(crate) fn left_out(parts: &[&str]) -> Self {
        Self::new(
            WarningId::LeftOut,
            format_args!("to meet the budget the model carries no {}", parts.join(" and no ")),
        )
    }

    /// Shares of F1.
    pub(crate) fn over_tolerance(loss: f64, tolerance: f64) -> Self {
        Self::new(
            WarningId::ToleranceExceeded,
            format_args!(
                "the model loses an estimated {:.2} % of F1 to its size: more than the tolerance of {:.2} %",
                100.0 * loss,
                100.0 * tolerance
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_fit_an_anchor() {
        let mut ids = WarningId::ALL.map(WarningId::name);
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
        for warning in WarningId::ALL {
            let id = warning.name();
            assert!(id.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit()));
        }
    }

    #[test]
    fn a_warning_is_printed_with_its_name() {
        let warning = Warning::new(WarningId::ConstantColumn, "column `unit` is 7");
        assert_eq!(warning.to_string(), "[constant-column]: column `unit` is 7");
        assert!(
            Warning::over_tolerance(0.0123, 0.005).to_string().contains("the model loses an estimated 1.23 % of F1")
        );
    }
}
