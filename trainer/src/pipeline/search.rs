//! From rows to what was learned from them: one approach, or the best of several.

use super::approach::{Approach, Learned, learn};
use super::compare::{Comparison, compare_approaches};
use super::fit::fit_by_rules;
use super::options::Request;
use crate::base::warnings::Warning;
use crate::base::watch::Watch;
use crate::choose::tune::{JournalFile, TuneError};
use crate::data::dataset::Dataset;
use crate::model::trained::TrainError;

/// What to search, and where it is logged.
pub(super) struct Search<'a> {
    pub request: &'a Request,
    pub journal: Option<&'a JournalFile>,
    pub tune: bool,
}

impl Search<'_> {
    /// The model; and, where it was chosen among several approaches, all of them. Too few rows to hold any out are a warning, and
    /// settings follow rules of thumb.
    pub(super) fn learn(
        &self,
        data: &Dataset,
        warnings: &mut Vec<Warning>,
        watch: &dyn Watch,
    ) -> Result<(Learned, Option<Comparison>), TrainError> {
        watch.search();
        let by_rules = || -> Result<_, TrainError> {
            let trained = fit_by_rules(data, &self.request.train)?;
            let learned = Learned::One { trained, tuned: None };
            Ok((learned.calling(data, self.request.train.prior, self.request.tuning.scenario), None))
        };
        if !self.tune {
            return by_rules();
        }
        let Request { approaches, train, tuning, .. } = self.request;
        let for_rows = Approach::auto_for(data);
        let approaches = if *approaches == Approach::auto() { &for_rows } else { approaches };
        let learned = match approaches[..] {
            [one] => learn(data, one, train, tuning, self.journal, watch).map(|l| (l, None)),
            _ => compare_approaches(data, train, approaches, tuning, self.journal, watch).and_then(|compared| {
                match compared.best() {
                    Some(best) => Ok((best.learned.clone(), Some(compared))),
                    None => Ok((compared.into_best()?.learned, None)),
                }
            }),
        };
        match learned {
            Err(TrainError::Tune(TuneError::TooFewRows { .. })) => {
                let warning = Warning::too_few_rows();
                watch.warn(&warning);
                warnings.push(warning);
                by_rules()
            }
            Ok((learned @ Learned::One { .. }, Some(compared))) => {
                // What the ensemble found out about the labels holds for the model that was better too.
                for warning in compared.of_labels() {
                    watch.warn(&warning);
                    warnings.push(warning);
                }
                Ok((learned, Some(compared)))
            }
            learned => learned,
        }
    }
}
