//! What a model says about a reading.

/// Is a reading positive?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Class {
    /// The score is at or below the threshold.
    Negative,
    /// The score is above the threshold.
    Positive,
}

impl Class {
    pub(crate) fn positive_if(positive: bool) -> Self {
        if positive { Self::Positive } else { Self::Negative }
    }
}

/// Does a reading lie within the range of the training data?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Envelope {
    /// Every feature lies between the smallest and the largest training value.
    Inside,
    /// This feature, and perhaps later ones, lies outside: the score is an extrapolation.
    Outside {
        /// Index of the first feature outside.
        feature: usize,
    },
    /// The model carries no envelope.
    Unknown,
}

/// Everything about a reading, from [`Model::judge`](crate::Model::judge).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Verdict {
    /// The score.
    pub score: f32,
    /// Is the score above the threshold, the model's unless another was given?
    pub class: Class,
    /// Does the reading lie within the range of the training data?
    pub envelope: Envelope,
}

impl Verdict {
    /// The same verdict with the class by another threshold than the model's. Above NaN lies no score.
    #[must_use]
    pub fn at(self, threshold: f32) -> Self {
        Self { class: Class::positive_if(self.score > threshold), ..self }
    }
}

/// As [`Verdict`], for counts: from [`FixedModel::judge_counts`](crate::FixedModel::judge_counts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CountsVerdict {
    /// The score in units of 1/65,536, rounded down and saturating.
    pub score: i32,
    /// Is the score above the model's threshold?
    pub class: Class,
    /// Do the counts lie within the range of the training data?
    pub envelope: Envelope,
}
