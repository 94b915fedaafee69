//! Training divided among files or machines: a plan from a sample, sums over each file's rows, one model from all sums.

use super::Error;
use super::approach::{Approach, Learned};
use super::finish::{Finish, ModelRows};
use super::many_rows::{self, ManyRows, Selection};
use super::options::{Options, OptionsError, Request};
use super::outcome::Outcome;
use super::search::Search;
use super::train::announce;
use crate::base::pool::in_pool;
use crate::base::warnings::Warning;
use crate::base::watch::Watch;
use crate::bulk::{self, Part, Plan, RowSample, is_a_sum};
use crate::choose::options::Method;
use crate::data::dataset::Dataset;
use crate::model::trained::TrainError;

/// A plan, and what the user should know about it.
#[derive(Debug)]
pub struct Planned {
    /// What to train on all rows.
    pub plan: Plan,
    /// Rows of the sample.
    pub sample: usize,
    /// What the user should know before relying on it.
    pub warnings: Vec<Warning>,
}

/// Plans a model for rows that are too many for one file or machine, from a sample of them with these feature names.
///
/// # Errors
/// Methods whose fit needs all rows at once, and whatever [`train`](super::train::train) refuses.
pub fn plan(
    sample: RowSample,
    names: Vec<String>,
    label_column: &str,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Planned, Error> {
    let mut request = plan_request(options)?;
    let rows = Dataset::new(sample.clone().into_table(names))?;
    let mut warnings = Vec::new();
    announce(&rows, &mut warnings, watch);
    request.tuning = many_rows::tuning_on(&sample, &request.tuning);
    let search = Search { request: &request, journal: options.journal.as_ref(), tune: options.tune };
    let (learned, _) = search.learn(&rows, &mut warnings, watch)?;
    if let Some(doubt) = learned.doubt() {
        watch.warn(&doubt);
        warnings.push(doubt);
    }
    let selection = Selection::of(&learned, &request).ok_or_else(no_plan)?;
    let plan = in_pool(request.train.threads, || -> Result<Plan, TrainError> {
        watch.phase("landmarks", 0);
        let plan = selection.plan((&rows, &sample), &request.train, label_column)?;
        Ok(match selection.settings.local {
            Some(local) => plan.with_local_of_sample(local, watch)?,
            None => plan,
        })
    })?;
    Ok(Planned { plan, sample: rows.len(), warnings })
}

/// Checks the options of a plan, before any work begins.
///
/// # Errors
/// The first thing that is wrong.
pub fn check_plan(options: &Options) -> Result<(), OptionsError> {
    plan_request(options).map(drop)
}

/// One model whose fit is a matter of sums; for auto any of them.
fn plan_request(options: &Options) -> Result<Request, OptionsError> {
    let mut request = options.request()?;
    let methods: Vec<Method> = match request.approaches[..] {
        [Approach::One(method)] => vec![method],
        [Approach::Ensemble(_)] => vec![request.train.method],
        _ => Method::MARGIN.to_vec(),
    };
    let kernel = request.train.kernel;
    let sums = methods.into_iter().filter(|&method| is_a_sum(method, kernel));
    request.approaches = sums.map(Approach::One).collect();
    match request.approaches.is_empty() {
        false => Ok(request),
        true => Err(no_plan()),
    }
}

fn no_plan() -> OptionsError {
    OptionsError::new(
        "a plan is for {method} pual, gllc or bls-svm with {kernel} rbf: the others need all rows at once",
    )
}

/// The model of all rows of a part: exported and made small as [`train`](super::train::train) does, on the plan's sample.
///
/// Of `options` only size and threads count.
///
/// # Errors
/// A part without labeled or without unlabeled rows, a fit without a certificate, a size that cannot be met.
pub fn merge(part: &Part, options: &Options, watch: &dyn Watch) -> Result<Outcome, Error> {
    let plan = part.plan();
    let options = Options { seed: plan.seed(), ..options.clone() };
    let request = options.request()?;
    let (positives, unlabeled) = (part.positives(), part.unlabeled());
    if positives == 0 || unlabeled == 0 {
        return Err(Error::OneSided { positives, unlabeled });
    }
    let trained = in_pool(options.threads, || bulk::fit(part, watch))?;
    watch.phase("export", 0);
    let sample = plan.sample()?;
    let rows = ModelRows {
        data: &sample,
        sample: &sample,
        labeled: positives,
        total: positives + unlabeled,
        many: Some(ManyRows {
            sample: sample.len(),
            fitted_to: positives + unlabeled,
            graph_rows: plan.graph_rows(),
            memory: None,
        }),
    };
    let finish = Finish { request: &request, watch, warnings: Vec::new() };
    let tuned = None;
    finish.run(Learned::One { trained, tuned }, rows)
}
