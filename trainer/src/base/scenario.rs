//! What a sample of positives and unlabeled rows is a sample of.

/// How the training rows were sampled, which decides what stands for the population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Scenario {
    /// One sample of the population, of which some positives were labeled afterwards.
    #[default]
    SingleTrainingSet,
    /// Unlabeled rows are a sample of the population; labeled positives were collected apart.
    CaseControl,
}

impl Scenario {
    /// Its name.
    pub fn key(self) -> &'static str {
        match self {
            Self::SingleTrainingSet => "single-training-set",
            Self::CaseControl => "case-control",
        }
    }
}
