//! The whole pipeline: what `pual train` does, except for reading files and printing.
//!
//! ```text
//! data -> sample, if there are many rows -> approaches compared on held-out rows -> the best one fitted to all rows
//!      -> exported -> made small -> checked by the device's own code -> Outcome
//! ```

use std::borrow::Cow;

use pual_infer::RecipeSpec;

use super::Error;
use super::approach::Learned;
use super::compare::Comparison;
use super::finish::{Finish, ModelRows};
use super::many_rows::{self, ManyRows, Selection};
use super::options::{Options, Request};
use super::outcome::Outcome;
use super::search::Search;
use super::streams::kept_features;
use crate::base::pool::in_pool;
use crate::base::warnings::Warning;
use crate::base::watch::{Parts, Watch};
use crate::bulk::{GraphRows, RowSample};
use crate::data::dataset::Dataset;
use crate::ensemble;
use crate::model::trained::TrainError;

/// Fits of a search, for what it is expected to cost.
const FITS: usize = 240;

/// Trains a model on `data`: the default pipeline, or whatever `options` ask for. The truth is never looked at.
///
/// # Errors
/// Options that do not go together, rows that nothing can be learned from, a fit without a certificate, a size that cannot be met.
pub fn train(data: &Dataset, options: &Options, watch: &dyn Watch) -> Result<Outcome, Error> {
    train_with(data, options, None, watch)
}

/// The same on windows with this recipe, which the model then carries.
pub(super) fn train_with(
    data: &Dataset,
    options: &Options,
    recipe: Option<&RecipeSpec>,
    watch: &dyn Watch,
) -> Result<Outcome, Error> {
    let mut request = options.request()?;
    let parts = Parts::new(watch, costs(data, &request, options));
    let watch = &parts;
    let mut warnings = Vec::new();
    let mut data = options.judged_rows(data);
    announce(&data, &mut warnings, watch);
    watch.phase("sample", 0);
    if let Some(most) = options.max_features.filter(|&most| most < data.features()) {
        let names = best_features(&data, most, &request, watch)?;
        data = Cow::Owned(data.into_owned().with_features(&names));
    }
    let sample = many_rows::sample(&data, options)?;
    if let Some((rows, sample)) = &sample {
        // Columns that do not vary in the sample are left out.
        if rows.names() != data.names() {
            data = Cow::Owned(data.into_owned().with_features(rows.names()));
        }
        request.tuning = many_rows::tuning_on(sample, &request.tuning);
    }
    let search = Search { request: &request, journal: options.journal.as_ref(), tune: options.tune };
    let (mut learned, comparison, many) = match &sample {
        None => {
            let (learned, comparison) = search.learn(&data, &mut warnings, watch)?;
            (learned, comparison, None)
        }
        Some((rows, drawn)) => {
            let job = Job { options, search: &search, data: &data, rows, drawn };
            let (learned, comparison, many) = job.learn(&mut warnings, watch)?;
            (learned, comparison, Some(many))
        }
    };
    if let Some(recipe) = recipe {
        let classifier = learned.classifier_mut();
        classifier.recipe = Some(kept_features(recipe, &classifier.names));
    }
    parts.next();
    let rows = ModelRows {
        data: &data,
        sample: sample.as_ref().map_or(&data, |(rows, _)| rows),
        labeled: data.positives(),
        total: data.len(),
        many,
    };
    let finish = Finish { request: &request, watch, warnings };
    let mut outcome = finish.run(learned, rows)?;
    outcome.comparison = comparison;
    outcome.sample = sample.map(|(rows, _)| rows);
    Ok(outcome)
}

/// What learning and making it small are expected to cost, in milliseconds of one core.
fn costs(data: &Dataset, request: &Request, options: &Options) -> Vec<f64> {
    let rows = data.len().min(options.sample);
    let of_approaches: f64 = request.approaches.iter().map(|approach| approach.cost(rows, FITS)).sum();
    let of_size = if request.size.is_some() { 500.0 + 50.0 * data.features() as f64 } else { 50.0 };
    vec![of_approaches, of_size]
}

/// The names of the features that say most about rows held out; of many rows, a part is looked at.
fn best_features(data: &Dataset, most: usize, request: &Request, watch: &dyn Watch) -> Result<Vec<String>, Error> {
    let relevance = in_pool(request.train.threads, || {
        ensemble::relevance(data.rows(), data.features(), data.labeled(), data.units(), request.train.seed)
            .map_err(TrainError::from)
    })?;
    let mut order: Vec<usize> = (0..data.features()).collect();
    order.sort_by(|&a, &b| relevance[b].total_cmp(&relevance[a]));
    let names: Vec<String> = order[..most].iter().map(|&at| data.names()[at].clone()).collect();
    watch.note(&format!("features: {}", names.join(", ")));
    Ok(names)
}

/// Tells what is odd about the rows.
pub(super) fn announce(data: &Dataset, warnings: &mut Vec<Warning>, watch: &dyn Watch) {
    for warning in data.warnings() {
        watch.warn(warning);
        warnings.push(warning.clone());
    }
}

/// Learning from many rows.
struct Job<'a> {
    options: &'a Options,
    search: &'a Search<'a>,
    data: &'a Dataset,
    rows: &'a Dataset,
    drawn: &'a RowSample,
}

impl Job<'_> {
    /// Settings from the sample; the fit from all rows, where the method allows that.
    fn learn(
        &self,
        warnings: &mut Vec<Warning>,
        watch: &dyn Watch,
    ) -> Result<(Learned, Option<Comparison>, ManyRows), Error> {
        let Request { train, .. } = self.search.request;
        let (need, graph) = many_rows::provide(self.data, self.options, train, warnings, watch)?;
        let mut many =
            ManyRows { sample: self.rows.len(), fitted_to: self.rows.len(), graph_rows: None, memory: Some(need) };
        let by_rules = match self.options.tune {
            true => None,
            false => Selection::by_rules(self.rows, self.search.request)?,
        };
        let (selection, tuned, comparison) = match by_rules {
            Some(selection) => (selection, None, None),
            None => {
                let (learned, comparison) = self.search.learn(self.rows, warnings, watch)?;
                match (Selection::of(&learned, self.search.request), learned) {
                    (Some(selection), Learned::One { tuned, .. }) => (selection, tuned, comparison),
                    (_, learned) => return Ok((learned, comparison, many)),
                }
            }
        };
        let sample = (self.rows, self.drawn);
        let trained = selection.fit(self.data, sample, graph, train, watch)?;
        many.fitted_to = self.data.len();
        many.graph_rows = trained.settings.local.map(|_| match graph {
            GraphRows::All => self.data.len(),
            GraphRows::Sample => self.rows.len(),
        });
        Ok((Learned::One { trained, tuned }, comparison, many))
    }
}
