//! The risk of a classifier without negatives (du Plessis et al., 2014 and 2015; Kiryo et al., 2017). With pi = P(y = 1),
//!
//!   R(f) = pi E_p[l(f)] + (1 - pi) E_n[l(-f)],   (1 - pi) E_n[l(-f)] = E[l(-f)] - pi E_p[l(-f)],
//!
//! E_p over the labeled positives, E over the population: the unlabeled rows in the case-control scenario, all rows
//! where the training rows are one sample. uPU takes the right-hand side as it stands; nnPU does not let the bracket,
//!
//!   bracket = E[l(-f)] - pi E_p[l(-f)],
//!
//! which estimates something non-negative, fall below -beta.

mod imbalanced_nnpu;
mod mlp;
mod nnpu;
mod upu;

pub(crate) use imbalanced_nnpu::ImbalancedNnPu;
pub(crate) use mlp::Mlp;
pub(crate) use nnpu::NnPu;
pub(crate) use upu::Upu;

use super::FitError;
use crate::base::scenario::Scenario;

/// What a row counts in the two means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RowWeights {
    positives: usize,
    /// pi / n_p: a labeled row in pi E_p.
    pub positive: f64,
    /// A labeled row in E.
    labeled: f64,
    /// An unlabeled row in E.
    unlabeled: f64,
}

impl RowWeights {
    /// For n_p labeled rows followed by n_u unlabeled ones.
    pub(super) fn new(prior: f64, scenario: Scenario, positives: usize, unlabeled: usize) -> Result<Self, FitError> {
        if !(prior > 0.0 && prior < 1.0) {
            return Err(FitError::Setting { name: "prior", value: prior, expected: "between 0 and 1, both excluded" });
        }
        let (in_population, labeled) = match scenario {
            Scenario::CaseControl => (unlabeled, 0.0),
            Scenario::SingleTrainingSet => {
                let rows = positives + unlabeled;
                (rows, 1.0 / rows as f64)
            }
        };
        Ok(Self { positives, positive: prior / positives as f64, labeled, unlabeled: 1.0 / in_population as f64 })
    }

    /// Row i's weights in pi E_p and in E.
    pub(super) fn of(&self, row: usize) -> (f64, f64) {
        if row < self.positives { (self.positive, self.labeled) } else { (0.0, self.unlabeled) }
    }
}

/// Both parts of the risk under the sigmoid loss l(m) = 1 / (1 + e^m), and their slopes in every score.
pub(super) struct SigmoidRisk {
    /// pi E_p[l(f)].
    pub positive: f64,
    /// The bracket.
    pub bracket: f64,
    /// d positive / d f_i.
    pub positive_slopes: Vec<f64>,
    /// d bracket / d f_i.
    pub bracket_slopes: Vec<f64>,
}

impl SigmoidRisk {
    pub(super) fn new(weights: &RowWeights, f: &[f64]) -> Self {
        let mut risk = Self {
            positive: 0.0,
            bracket: 0.0,
            positive_slopes: Vec::with_capacity(f.len()),
            bracket_slopes: Vec::with_capacity(f.len()),
        };
        for (row, &f) in f.iter().enumerate() {
            let (positive, population) = weights.of(row);
            let l = sigmoid(-f);
            let slope = l * (1.0 - l);
            risk.positive += positive * l;
            risk.bracket += (population - positive) * (1.0 - l);
            risk.positive_slopes.push(-positive * slope);
            risk.bracket_slopes.push((population - positive) * slope);
        }
        risk
    }

    /// The same with the positive part and the bracket times these.
    pub(super) fn weighted(mut self, (positive, bracket): (f64, f64)) -> Self {
        self.positive *= positive;
        self.bracket *= bracket;
        self.positive_slopes.iter_mut().for_each(|slope| *slope *= positive);
        self.bracket_slopes.iter_mut().for_each(|slope| *slope *= bracket);
        self
    }
}

/// 1 / (1 + e^-x).
pub(crate) fn sigmoid(x: f64) -> f64 {
    // The exponential's argument is never positive: no overflow.
    let e = libm::exp(-x.abs());
    if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// ln(1 + e^x).
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(weights: &RowWeights, f: &[f64]) -> (f64, f64) {
        let risk = SigmoidRisk::new(weights, f);
        (risk.positive, risk.bracket)
    }

    #[test]
    fn slopes_are_differences_of_values() {
        let f = [0.3, -2.0, 0.0, 1.5, -0.7, 4.0];
        for scenario in [Scenario::CaseControl, Scenario::SingleTrainingSet] {
            let weights = RowWeights::new(0.4, scenario, 2, 4).unwrap();
            let risk = SigmoidRisk::new(&weights, &f);
            for row in 0..f.len() {
                let shifted = |by: f64| {
                    let mut f = f;
                    f[row] += by;
                    value(&weights, &f)
                };
                let (up, down) = (shifted(1e-5), shifted(-1e-5));
                let slope = |up: f64, down: f64| (up - down) / 2e-5;
                assert!((slope(up.0, down.0) - risk.positive_slopes[row]).abs() < 1e-10);
                assert!((slope(up.1, down.1) - risk.bracket_slopes[row]).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn the_risk_is_the_one_with_negatives_where_they_are_known() {
        // Two labeled positives; unlabeled: the same two scores and two negatives, so pi = 1/2 and E_n is known exactly.
        let f = [0.3, -2.0, 0.3, -2.0, 1.5, -0.7];
        let with_negatives = 0.5 * (sigmoid(1.5) + sigmoid(-0.7)) / 2.0;
        let weights = RowWeights::new(0.5, Scenario::CaseControl, 2, 4).unwrap();
        assert!((value(&weights, &f).1 - with_negatives).abs() < 1e-15);
        // One sample of six rows, four of them positive.
        let with_negatives = (sigmoid(1.5) + sigmoid(-0.7)) / 6.0;
        let weights = RowWeights::new(4.0 / 6.0, Scenario::SingleTrainingSet, 2, 4).unwrap();
        assert!((value(&weights, &f).1 - with_negatives).abs() < 1e-15);
    }

    #[test]
    fn a_prior_outside_its_range_is_refused() {
        for prior in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(RowWeights::new(prior, Scenario::CaseControl, 2, 4).is_err());
        }
    }
}
