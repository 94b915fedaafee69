//! From rows to a certified score: scaling, geometry, one fit.
//!
//! ```text
//! Dataset -> Scaler -> Instances -> Settings -> Features, Graph -> Design -> Learner -> Trained
//! ```
//!
//! [`Settings`] is the one place where numbers the user did not give come from: choosing them better is a matter of that step
//! alone. A fit without a certificate of its optimum is an error here, so nothing after this file ever sees one.

pub(crate) use crate::model::trained::{TrainError, Trained};

use crate::base::pool::in_pool;
pub(crate) use crate::choose::options::TrainOptions;
pub(crate) use crate::choose::settings::{LocalTerm, Settings};

use crate::base::random::Random;
use crate::base::scenario::Scenario;
use crate::base::watch::Watch;
use crate::choose::fitting::{feature_settings, is_certified};
use crate::choose::tune::{JournalFile, LabeledRows, TuneError, TuneOptions, Tuned, Tuner};
use crate::data::dataset::Dataset;
use crate::data::scale::Scaler;
use crate::geometry::features::Features;
use crate::geometry::graph::Graph;
use crate::geometry::instances::{GeometryError, Instances};
use crate::learner::Design;
use crate::learner::prior::{self, Prior, PriorSettings};
use crate::model::classifier::Classifier;

/// Trains on `data`; numbers that are not given follow rules of thumb.
pub fn fit_by_rules(data: &Dataset, options: &TrainOptions) -> Result<Trained, TrainError> {
    in_pool(options.threads, || {
        let rows = ScaledRows::new(data, options);
        let instances = rows.instances()?;
        let (options, prior) = rows.with_prior(&instances, options)?;
        let settings = Settings::choose(&instances, &options);
        let trained = rows.fit(&instances, settings, &options)?;
        Ok(Trained { prior, ..trained })
    })
}

/// The numbers by rules of thumb where none are given, without a fit. For methods that need no class prior.
pub(crate) fn rules_of_thumb(data: &Dataset, options: &TrainOptions) -> Result<Settings, TrainError> {
    let instances = ScaledRows::new(data, options).instances()?;
    Ok(Settings::choose(&instances, options))
}

/// Trains on `data`; numbers that are not given are searched for. The truth is not looked at.
pub fn fit_tuned(
    data: &Dataset,
    options: &TrainOptions,
    tuning: &TuneOptions,
    journal: Option<&JournalFile>,
    watch: &dyn Watch,
) -> Result<(Trained, Tuned), TrainError> {
    in_pool(options.threads, || {
        let rows = ScaledRows::new(data, options);
        let tuner = Tuner::new(rows.labeled_rows(), options, tuning, journal, watch)?;
        rows.tune_and_fit(&tuner, options, None)
    })
}

/// Keeps the draw of a sample apart from other draws of the same seed.
const STREAM_OF_SAMPLE: u64 = 4 << 40;
/// Labeled rows of a sample, if there are as many, where their share would be fewer.
const LEAST_LABELED: usize = 20;

/// Training rows in the unit in which they are learned from.
pub(crate) struct ScaledRows<'a> {
    data: &'a Dataset,
    scaler: Scaler,
    values: Vec<f64>,
}

/// Some of the rows.
#[derive(Debug, PartialEq)]
pub(crate) struct SampledRows {
    pub values: Vec<f64>,
    pub labeled: Vec<bool>,
    pub normal: Option<Vec<bool>>,
}

impl<'a> ScaledRows<'a> {
    pub(crate) fn new(data: &'a Dataset, options: &TrainOptions) -> Self {
        let scaler = Scaler::fit(options.scaling, data.rows(), data.features());
        Self { values: scaler.apply(data.rows()), data, scaler }
    }

    pub(crate) fn labeled_rows(&self) -> LabeledRows<'_> {
        LabeledRows {
            values: &self.values,
            features: self.data.features(),
            labeled: self.data.labeled(),
            normal: self.data.normal(),
            units: self.data.units(),
        }
    }

    /// At most `most` of the rows, drawn with the same share of labeled ones; none if there are no more, or if they are not independent.
    pub(crate) fn sample(&self, most: usize, seed: u64) -> Option<SampledRows> {
        let (labeled, features) = (self.data.labeled(), self.data.features());
        if labeled.len() <= most || self.data.units().is_some() {
            return None;
        }
        let random = &mut Random::new(seed, STREAM_OF_SAMPLE);
        let mut of_kind = |kind: bool, count: usize| {
            let mut rows: Vec<usize> = (0..labeled.len()).filter(|&row| labeled[row] == kind).collect();
            random.shuffle(&mut rows);
            rows.truncate(count);
            rows
        };
        let positives = self.data.positives();
        let share = most as f64 / labeled.len() as f64;
        let count = ((share * positives as f64).round() as usize).max(LEAST_LABELED).min(positives).min(most / 2);
        let mut rows = [of_kind(true, count), of_kind(false, most - count)].concat();
        rows.sort_unstable();
        let values = rows.iter().flat_map(|row| &self.values[row * features..][..features]);
        let marks = |marks: &[bool]| rows.iter().map(|&row| marks[row]).collect();
        let normal = self.data.normal().map(marks);
        Some(SampledRows { values: values.copied().collect(), labeled: marks(labeled), normal })
    }

    pub(crate) fn instances(&self) -> Result<Instances, GeometryError> {
        Instances::arrange(&self.values, self.data.features(), self.data.labeled())
    }

    /// Other rows in the same unit.
    pub(crate) fn scale(&self, rows: &[f64]) -> Vec<f64> {
        self.scaler.apply(rows)
    }

    /// Estimates the class prior, on the features of the rule of thumb's kernel.
    pub(crate) fn prior(
        &self,
        instances: &Instances,
        scenario: Scenario,
        options: &TrainOptions,
    ) -> Result<Prior, TrainError> {
        let kernel = Settings::choose(instances, options).kernel;
        let features = Features::build(instances, &feature_settings(kernel, options))?;
        let settings = PriorSettings::new(scenario, options.seed);
        let units = self.data.units().map(|units| units.of_row());
        let units: Option<Vec<u32>> =
            units.map(|units| (0..instances.len()).map(|at| units[instances.row(at)]).collect());
        Ok(prior::estimate(&features, &settings, units.as_deref())?)
    }

    /// The options with a class prior, estimated if the method needs one and none is given.
    fn with_prior(
        &self,
        instances: &Instances,
        options: &TrainOptions,
    ) -> Result<(TrainOptions, Option<Prior>), TrainError> {
        let (Some(scenario), None) = (options.method.prior_scenario(), options.prior) else {
            return Ok((options.clone(), None));
        };
        let prior = self.prior(instances, scenario, options)?;
        let options = TrainOptions { prior: Some(prior.estimate), ..options.clone() };
        Ok((options, Some(prior)))
    }

    /// Searches for settings, and fits all rows with them. See [`Tuner::tune`] for the rival.
    pub(crate) fn tune_and_fit(
        &self,
        tuner: &Tuner<'_>,
        options: &TrainOptions,
        rival: Option<f64>,
    ) -> Result<(Trained, Tuned), TrainError> {
        let instances = self.instances()?;
        let (options, prior) = &self.with_prior(&instances, options)?;
        let tuned = tuner.tune(options, rival).or_else(|error| {
            if let TuneError::NothingFitted { .. } = error {
                // What is wrong with every setting is wrong with this one: its message is the useful one.
                self.fit(&instances, Settings::choose(&instances, options), options)?;
            }
            Err(TrainError::from(error))
        })?;
        let (trained, tuned) = self.fit_best(&instances, tuned, options)?;
        let prior = *prior;
        Ok((Trained { prior, ..trained }, tuned))
    }

    /// The best setting whose fit on all rows is certified: one that fitted every fold may still fail here.
    fn fit_best(
        &self,
        instances: &Instances,
        mut tuned: Tuned,
        options: &TrainOptions,
    ) -> Result<(Trained, Tuned), TrainError> {
        loop {
            match self.fit(instances, *tuned.settings(), options) {
                Ok(trained) => return Ok((trained, tuned)),
                Err(TrainError::NotCertified(report)) => {
                    tuned = tuned.next_best().ok_or(TrainError::NotCertified(report))?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// One fit on all rows, certified.
    pub(crate) fn fit(
        &self,
        instances: &Instances,
        settings: Settings,
        options: &TrainOptions,
    ) -> Result<Trained, TrainError> {
        let features = Features::build(instances, &feature_settings(settings.kernel, options))?;
        let normal = instances.unlabeled_marks(self.data.normal(), |row| row);
        let mut design = Design::new(features).with_normals(&normal, options.method);
        if let Some(LocalTerm { sigma, neighbours }) = settings.local {
            let graph = Graph::mutual(instances, neighbours);
            design = design.with_local(graph.laplacian(sigma)?);
        }
        let fit = settings.learner(options.method).fit(&design)?;
        if !is_certified(&fit.report) {
            return Err(TrainError::NotCertified(fit.report));
        }
        Ok(Trained {
            method: options.method,
            settings,
            classifier: Classifier::new(self.data, self.scaler.clone(), fit.expansion(instances, design.features())),
            report: fit.report,
            unexplained: design.features().unexplained(),
            prior: None,
        })
    }
}
