//! A search over a grid of settings, as plain data.

/// A setting that was searched.
pub struct Setting {
    pub name: &'static str,
    /// Ascending.
    pub values: Vec<f64>,
}

/// Result of one combination of settings on held-out rows.
#[derive(Clone, Copy)]
pub struct TrialOutcome {
    /// PUF, or another score; none if a fit failed.
    pub score: Option<f64>,
    /// Its standard error, if known.
    pub error: Option<f64>,
    /// Whether it was taken.
    pub taken: bool,
}

/// One trial.
pub struct Trial {
    /// For each setting the index of its value.
    pub at: Vec<usize>,
    pub outcome: TrialOutcome,
}

/// A search over a grid.
pub struct GridSearch {
    /// Name of the score: "PUF".
    pub number: &'static str,
    /// Settings with more than one value.
    pub settings: Vec<Setting>,
    pub trials: Vec<Trial>,
}

impl GridSearch {
    /// From the values of all settings in each trial; settings with one value are left out.
    pub fn new(number: &'static str, names: &[&'static str], trials: &[(Vec<f64>, TrialOutcome)]) -> Self {
        let values_of = |setting: usize| {
            let mut values: Vec<f64> = trials.iter().map(|(values, _)| values[setting]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup_by(|a, b| is_same(*a, *b));
            values
        };
        let setting = |(at, &name): (usize, &&'static str)| {
            let values = values_of(at);
            (values.len() > 1).then_some((at, Setting { name, values }))
        };
        let all: Vec<(usize, Setting)> = names.iter().enumerate().filter_map(setting).collect();
        let index = |values: &[f64], (at, setting): &(usize, Setting)| {
            let mut known = setting.values.iter();
            known.position(|v| is_same(*v, values[*at])).unwrap_or(0)
        };
        let trials = (trials.iter())
            .map(|(values, outcome)| Trial {
                at: all.iter().map(|setting| index(values, setting)).collect(),
                outcome: *outcome,
            })
            .collect();
        Self { number, settings: all.into_iter().map(|(_, setting)| setting).collect(), trials }
    }
}

/// Whether two values of a grid are equal up to rounding.
fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}
