//! From what was learned to the bytes a chip runs: exported, made small, checked.

use pual_infer::Class;

use super::Error;
use super::approach::Learned;
use super::evaluate::TruthQuality;
use super::many_rows::ManyRows;
use super::options::Request;
use super::outcome::Summary;
use super::outcome::{ModelFile, Outcome};
use crate::base::pool::in_pool;
use crate::base::warnings::Warning;
use crate::base::watch::Watch;
use crate::choose::metrics::PuCounts;
use crate::choose::tune::Collapse;
use crate::data::dataset::{Dataset, of_few_labels};
use crate::model::compress::{Ladder, Readings, compress_classifier};
use crate::model::export::{device_verdicts, export};

/// Share of changed classes from which the user is told.
const CHANGED_SHARE_TO_WARN: f64 = 0.001;

/// The rows behind a model.
pub(super) struct ModelRows<'a> {
    /// Rows to report on.
    pub data: &'a Dataset,
    /// Rows used to compare the small with the large model.
    pub sample: &'a Dataset,
    /// Labeled rows that it was learned from.
    pub labeled: usize,
    /// All rows that it was learned from.
    pub total: usize,
    /// If they were many.
    pub many: Option<ManyRows>,
}

pub(super) struct Finish<'a> {
    pub request: &'a Request,
    pub watch: &'a dyn Watch,
    pub warnings: Vec<Warning>,
}

impl Finish<'_> {
    /// Everything about the model, before any file is replaced.
    pub(super) fn run(mut self, learned: Learned, rows: ModelRows<'_>) -> Result<Outcome, Error> {
        let data = rows.data;
        let doubt = learned.doubt();
        let is_doubtful = doubt.is_some();
        doubt.into_iter().for_each(|doubt| self.warn(doubt));
        for warning in self.of_rows(&learned, &rows) {
            self.warn(warning);
        }
        self.watch.phase("export", 0);
        let exported = export(learned.classifier(), data.rows())?;
        let agreement = &exported.agreement;
        if agreement.changed_share > CHANGED_SHARE_TO_WARN {
            self.warn(Warning::classes_change(agreement.changed_classes, agreement.rows));
        }
        let ladder = match self.request.size {
            None => None,
            Some(_) => {
                self.watch.phase("compress", 0);
                Some(self.compress(&learned, rows.sample)?)
            }
        };
        let bytes = ladder.as_ref().map_or(&exported.bytes, |l| &l.bytes).clone();
        self.watch.phase("check", 0);
        let (scores, summary) = {
            let model = bytes.decode()?;
            let verdicts = device_verdicts(&model, data.rows())?;
            let scores: Vec<f32> = verdicts.iter().map(|verdict| verdict.score).collect();
            let called: Vec<bool> = (verdicts.iter()).map(|verdict| verdict.class == Class::Positive).collect();
            // An ensemble that calls every row has said why.
            let counts = PuCounts::count(data.labeled(), &called);
            if let (false, Some(collapse)) = (is_doubtful, Collapse::of(&counts)) {
                self.warn(Warning::learned_nothing(collapse));
            }
            let summary = Summary::new(self.request, &learned, rows, exported.agreement, ladder, &model, &called);
            let worse = summary.training_truth.as_ref().and_then(TruthQuality::warning);
            worse.into_iter().for_each(|worse| self.warn(worse));
            (scores, summary)
        };
        Ok(Outcome {
            model: ModelFile::new(bytes),
            scenario: self.request.tuning.scenario,
            learned,
            comparison: None,
            sample: None,
            scores,
            summary,
            warnings: self.warnings,
        })
    }

    /// Labels that are too few or look biased, and rows that were not used.
    fn of_rows(&self, learned: &Learned, rows: &ModelRows<'_>) -> Vec<Warning> {
        let evidence = learned.evidence(self.request.tuning.scenario);
        let cautious_puf = evidence.map(|evidence| evidence.puf - 2.0 * evidence.puf_error);
        let normal = rows.data.normal().map_or(0, |normal| normal.iter().filter(|&&normal| normal).count());
        // Of a log, events are counted, and there is a warning for those.
        let is_log = rows.data.units().is_some();
        let few = || of_few_labels(rows.labeled, rows.total - rows.labeled - normal, cautious_puf);
        let used = match learned {
            Learned::Ensemble { report, .. } => report.rows,
            Learned::One { .. } => rows.many.as_ref().map_or(rows.total, |many| many.fitted_to),
        };
        let mut warnings: Vec<Warning> = (!is_log).then(few).flatten().into_iter().collect();
        warnings.extend(learned.of_labels());
        warnings.extend((used < rows.total).then(|| Warning::rows_unused(used, rows.total)));
        warnings
    }

    fn warn(&mut self, warning: Warning) {
        self.watch.warn(&warning);
        self.warnings.push(warning);
    }

    /// The ladder of sizes, and what the user should know about the size taken.
    fn compress(&mut self, learned: &Learned, rows: &Dataset) -> Result<Ladder, Error> {
        let readings = Readings {
            rows: rows.rows(),
            labeled: Some(rows.labeled()),
            events: rows.units().map(|units| units.event_of()),
            scenario: self.request.tuning.scenario,
        };
        let size = self.request.size.unwrap_or_default();
        let ladder = in_pool(self.request.train.threads, || {
            let step = |done, of| self.watch.sizes(done, of);
            compress_classifier(learned.classifier(), &readings, &size, &step).map_err(Error::from)
        })?;
        for warning in ladder.warnings() {
            self.warn(warning);
        }
        Ok(ladder)
    }
}
