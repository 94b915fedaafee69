//! The names of all warnings, which do not change: what a script looks for, and where TROUBLESHOOTING.md says what to do.

use serde::Serialize;

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningId {
    /// A feature has one value only and was dropped.
    ConstantColumn,
    /// Many rows repeat an earlier row.
    DuplicateRows,
    /// A feature may be the answer itself.
    MayBeTheAnswer,
    /// A feature's variation is barely resolved by the device's floats.
    CoarseColumn,
    /// Few rows are labeled.
    FewLabels,
    /// Too few rows to hold any out: nothing was searched.
    TooFewRows,
    /// On rows held out nothing is better than calling every row positive.
    NoBetterThanAllPositive,
    /// Every setting tried gives one answer for all rows.
    EverySettingCollapsed,
    /// The ensemble calls every row positive.
    AllPositive,
    /// The model that is written gives one answer for all rows.
    LearnedNothing,
    /// Rows change their class in the device's floats.
    ClassesChanged,
    /// The budget left no room for names or envelope.
    LeftOut,
    /// The model's size costs more than the tolerance.
    ToleranceExceeded,
    /// Readings around the support instances stand in for rows.
    StandInRows,
    /// Neighbours are searched among the sample alone.
    GraphOfSample,
    /// The baseline was measured with another compiler.
    OtherCompiler,
    /// A flag of `pual.toml` gives way to one on the command line.
    FlagGivesWay,
}

impl WarningId {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::ConstantColumn,
        Self::DuplicateRows,
        Self::MayBeTheAnswer,
        Self::CoarseColumn,
        Self::FewLabels,
        Self::TooFewRows,
        Self::NoBetterThanAllPositive,
        Self::EverySettingCollapsed,
        Self::AllPositive,
        Self::LearnedNothing,
        Self::ClassesChanged,
        Self::LeftOut,
        Self::ToleranceExceeded,
        Self::StandInRows,
        Self::GraphOfSample,
        Self::OtherCompiler,
        Self::FlagGivesWay,
    ];

    /// As it is printed: `warning[constant-column]: ...`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ConstantColumn => "constant-column",
            Self::DuplicateRows => "duplicate-rows",
            Self::MayBeTheAnswer => "may-be-the-answer",
            Self::CoarseColumn => "coarse-column",
            Self::FewLabels => "few-labels",
            Self::TooFewRows => "too-few-rows",
            Self::NoBetterThanAllPositive => "no-better-than-all-positive",
            Self::EverySettingCollapsed => "every-setting-collapsed",
            Self::AllPositive => "all-positive",
            Self::LearnedNothing => "learned-nothing",
            Self::ClassesChanged => "classes-changed",
            Self::LeftOut => "left-out",
            Self::ToleranceExceeded => "tolerance-exceeded",
            Self::StandInRows => "stand-in-rows",
            Self::GraphOfSample => "graph-of-sample",
            Self::OtherCompiler => "other-compiler",
            Self::FlagGivesWay => "flag-gives-way",
        }
    }
}

/// A warning as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// [`WarningId::name`].
    pub id: &'static str,
    /// A sentence.
    pub text: String,
}

impl Shown {
    /// A warning with its sentence.
    pub fn new(id: WarningId, text: impl Into<String>) -> Self {
        Self {
            id: id.name(),
            text: text.into(),
        }
    }
}
