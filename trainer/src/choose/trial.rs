//! How one setting did on the folds, and the rules that turn this into one number.
//!
//! PUF = recall^2 / P(f > 0), with recall and P(f > 0) from rows that were held out (see `metrics`).

use crate::base::scenario::Scenario;
use crate::choose::metrics::{Observations, PuCounts, rule_a, rule_d};
use crate::choose::settings::Settings;

/// How folds become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// The paper's: the mean of the folds' PUF.
    A,
    /// PUF of the pooled folds, minus one standard error.
    D,
}

/// One setting, and its answers on each fold's held-out rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub settings: Settings,
    /// By shuffle, then by fold; none where the fit failed or could not be certified.
    pub deals: Vec<Vec<Option<PuCounts>>>,
}

impl Trial {
    /// The counts by shuffle, then by fold; none unless every fold was fitted.
    pub fn counts(&self) -> Option<Vec<Vec<PuCounts>>> {
        let whole = |deal: &Vec<Option<PuCounts>>| deal.iter().copied().collect();
        self.deals.iter().map(whole).collect()
    }

    /// The counts of all folds of all shuffles together.
    pub fn pooled(&self) -> Option<PuCounts> {
        Some(self.counts()?.into_iter().flatten().sum())
    }

    /// The number the rule gives, the mean over the shuffles; none unless every fold was fitted.
    pub(crate) fn score(&self, rule: Rule, scenario: Scenario, observations: Option<Observations>) -> Option<f64> {
        let of_deal = |folds: &Vec<PuCounts>| match rule {
            Rule::A => rule_a(folds, scenario),
            Rule::D => rule_d(folds, scenario, observations),
        };
        let deals = self.counts()?;
        Some(deals.iter().map(of_deal).sum::<f64>() / deals.len() as f64)
    }

    /// PUF of all folds together, and its standard error if rows are independent.
    pub fn puf(&self, scenario: Scenario) -> Option<(f64, f64)> {
        self.judged_puf(scenario, None)
    }

    /// PUF of all folds together, and its standard error: shuffling the same rows again adds no rows.
    pub(crate) fn judged_puf(&self, scenario: Scenario, observations: Option<Observations>) -> Option<(f64, f64)> {
        let pooled = self.pooled()?;
        let error = match observations {
            None => pooled.puf_error(scenario) * (self.deals.len() as f64).sqrt(),
            Some(observations) => pooled.puf_error_of(scenario, observations),
        };
        Some((pooled.puf(scenario), error))
    }
}

/// A trial made by hand: of 10 labeled and 50 unlabeled rows a fold, how many were called positive.
#[cfg(test)]
pub(super) fn made_by_hand(settings: Settings, folds: &[(usize, usize)]) -> Trial {
    let counts = |&(labeled_called, unlabeled_called): &(usize, usize)| {
        Some(PuCounts { labeled: 10, labeled_called, unlabeled: 50, unlabeled_called })
    };
    Trial { settings, deals: vec![folds.iter().map(counts).collect()] }
}

/// Settings made by hand.
#[cfg(test)]
pub(super) fn settings(bandwidth: f64, c_u: f64) -> Settings {
    Settings {
        kernel: crate::geometry::kernel::Kernel::Rbf { bandwidth },
        lambda: 1.0,
        c_p: 1.0,
        c_u,
        prior: None,
        local: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_on_counts_made_by_hand() {
        let scenario = Scenario::CaseControl;
        let trial = made_by_hand(settings(1.0, 1.0), &[(8, 20), (10, 30)]);
        // 0.8^2 / 0.4 = 1.6 and 1 / 0.6.
        let mean = (1.6 + 1.0 / 0.6) / 2.0;
        assert!((trial.score(Rule::A, scenario, None).unwrap() - mean).abs() < 1e-12);
        // Pooled: recall 18/20, rate 50/100; standard errors sqrt(0.09/20) and 0.05.
        let cautious = (0.9 - 0.0045f64.sqrt()).powi(2) / 0.55;
        assert!((trial.score(Rule::D, scenario, None).unwrap() - cautious).abs() < 1e-12);
        let (puf, error) = trial.puf(scenario).unwrap();
        assert!((puf - 0.81 / 0.5).abs() < 1e-12);
        let relative = 4.0 * 0.0045 / 0.81 + 0.0025 / 0.25;
        assert!((error - puf * f64::sqrt(relative)).abs() < 1e-12);
    }

    #[test]
    fn a_second_deal_is_averaged_and_makes_the_rows_no_more() {
        let scenario = Scenario::CaseControl;
        let one = made_by_hand(settings(1.0, 1.0), &[(8, 20), (10, 30)]);
        let other = made_by_hand(settings(1.0, 1.0), &[(6, 20), (9, 25)]);
        let mut both = one.clone();
        both.deals.extend(other.deals.clone());
        for rule in [Rule::A, Rule::D] {
            let score = |trial: &Trial| trial.score(rule, scenario, None).unwrap();
            assert!((score(&both) - (score(&one) + score(&other)) / 2.0).abs() < 1e-12);
        }
        let mut twice = one.clone();
        twice.deals.extend(one.deals.clone());
        let (puf, error) = one.puf(scenario).unwrap();
        let (puf_twice, error_twice) = twice.puf(scenario).unwrap();
        assert!((puf - puf_twice).abs() < 1e-12 && (error - error_twice).abs() < 1e-12);
    }

    #[test]
    fn a_fold_without_a_fit_gives_no_number() {
        let mut trial = made_by_hand(settings(1.0, 1.0), &[(8, 20), (10, 30)]);
        trial.deals[0][1] = None;
        assert_eq!(trial.score(Rule::A, Scenario::CaseControl, None), None);
        assert_eq!(trial.score(Rule::D, Scenario::CaseControl, None), None);
        assert_eq!(trial.puf(Scenario::CaseControl), None);
    }
}
