//! A search over a grid of settings, as plain data.

/// A setting that was searched.
pub struct Setting {
    /// As people call it.
    pub name: &'static str,
    /// Its values, ascending.
    pub values: Vec<f64>,
}

/// What one setting did on rows held out.
#[derive(Clone, Copy)]
pub struct TrialOutcome {
    /// PUF, or the search's number; none where a fit failed.
    pub score: Option<f64>,
    /// Its standard error, where known.
    pub error: Option<f64>,
    /// Whether it is the one that was taken.
    pub taken: bool,
}

/// One trial.
pub struct Trial {
    /// For each setting the place of its value.
    pub at: Vec<usize>,
    /// What came of it.
    pub outcome: TrialOutcome,
}

/// A search over a grid.
pub struct GridSearch {
    /// The number shown: "PUF on rows held out".
    pub number: &'static str,
    /// Settings with more than one value.
    pub settings: Vec<Setting>,
    /// In any order.
    pub trials: Vec<Trial>,
}

impl GridSearch {
    /// The trials of settings, given as one vector of values each; settings with one value are left out.
    pub fn new(
        number: &'static str,
        names: &[&'static str],
        trials: &[(Vec<f64>, TrialOutcome)],
    ) -> Self {
        let values_of = |setting: usize| {
            let mut values: Vec<f64> = trials.iter().map(|(values, _)| values[setting]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup_by(|a, b| is_same(*a, *b));
            values
        };
        let all: Vec<(usize, Setting)> = (names.iter().enumerate())
            .map(|(at, name)| {
                (
                    at,
                    Setting {
                        name,
                        values: values_of(at),
                    },
                )
            })
            .filter(|(_, setting)| setting.values.len() > 1)
            .collect();
        let trials = (trials.iter())
            .map(|(values, outcome)| Trial {
                at: (all.iter())
                    .map(|(at, setting)| {
                        let value = values[*at];
                        setting
                            .values
                            .iter()
                            .position(|v| is_same(*v, value))
                            .unwrap_or(0)
                    })
                    .collect(),
                outcome: *outcome,
            })
            .collect();
        Self {
            number,
            settings: all.into_iter().map(|(_, setting)| setting).collect(),
            trials,
        }
    }
}

/// Values of a grid that were computed in two ways.
fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}
