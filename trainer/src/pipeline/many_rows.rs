//! More rows than settings are searched on: a sample decides, and the model is fitted to all of them.

use serde::Serialize;

use super::approach::Learned;
use super::fit::rules_of_thumb;
use super::options::{Options, Request};
use crate::base::pool::in_pool;
use crate::base::scenario::Scenario;
use crate::base::warnings::Warning;
use crate::base::watch::Watch;
use crate::bulk::memory::{Bytes, MemoryNeed, TrainingSize, available};
use crate::bulk::{GRAPH, GraphRows, Plan, RowSample, is_a_sum, train_on_all};
use crate::choose::options::{Method, TrainOptions};
use crate::choose::settings::Settings;
use crate::choose::tune::TuneOptions;
use crate::data::dataset::{Dataset, DatasetError};
use crate::model::trained::{TrainError, Trained};

/// How many rows were used for what, where there were many.
#[derive(Debug, Clone, Serialize)]
pub struct ManyRows {
    /// Rows that settings and support instances were chosen from.
    pub sample: usize,
    /// Rows the model was fitted to.
    pub fitted_to: usize,
    /// Rows of the local term's graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_rows: Option<usize>,
    /// Bytes that were expected to be needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryNeed>,
}

/// Training needs more memory than there is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "training takes about {}, and {} {}: rows {}, graph {}, labeled rows {}",
    Bytes(.need.peak), Bytes(*.limit), if *.is_given { "may be used" } else { "are free" },
    Bytes(.need.rows), Bytes(.need.graph), Bytes(.need.labeled)
)]
pub struct MemoryError {
    /// What it takes.
    pub need: MemoryNeed,
    /// Bytes that there are.
    pub limit: u64,
    /// Whether that was given, not what is free.
    pub is_given: bool,
    /// Whether a graph of the sample's rows alone would fit.
    pub fits_with_graph_of_sample: bool,
}

/// A sample of the rows, and the same as rows to train on; none if there are few enough.
pub(super) fn sample(data: &Dataset, options: &Options) -> Result<Option<(Dataset, RowSample)>, DatasetError> {
    if data.len() <= options.sample {
        return Ok(None);
    }
    let sample = RowSample::of(data, options.sample, options.seed);
    let rows = Dataset::new(sample.clone().into_table(data.names().to_vec()))?;
    let rows = if options.independent_rows { rows.independent() } else { rows };
    Ok(Some((rows, sample)))
}

/// How to judge on a sample. Where labeled rows are more than their share, only the unlabeled ones tell how many rows are called.
pub(super) fn tuning_on(sample: &RowSample, tuning: &TuneOptions) -> TuneOptions {
    TuneOptions {
        scenario: match sample.is_fair {
            true => tuning.scenario,
            false => Scenario::CaseControl,
        },
        ..*tuning
    }
}

/// What memory training takes, and the rows of the graph. Where the graph of all rows takes more than was allowed, the sample's does.
pub(super) fn provide(
    data: &Dataset,
    options: &Options,
    train: &TrainOptions,
    warnings: &mut Vec<Warning>,
    watch: &dyn Watch,
) -> Result<(MemoryNeed, GraphRows), MemoryError> {
    let of_all = match options.graph {
        Some(graph) => graph == GraphRows::All,
        None => data.len() <= GRAPH,
    };
    let need = |all: bool| {
        MemoryNeed::of(&TrainingSize {
            rows: data.len(),
            labeled: data.positives(),
            features: data.features(),
            supports: train.supports,
            graph_rows: if all { data.len() } else { options.sample },
            neighbours: train.neighbours,
            threads: match train.threads {
                0 => std::thread::available_parallelism().map_or(1, usize::from),
                threads => threads,
            },
        })
    };
    let limit = options.memory.or_else(available);
    let fits = |need: &MemoryNeed| limit.is_none_or(|limit| need.peak <= limit);
    let whole = need(of_all);
    if fits(&whole) {
        watch.note(&format!("memory: at most {}", Bytes(whole.peak)));
        let graph = match of_all {
            true => GraphRows::All,
            false => GraphRows::Sample,
        };
        return Ok((whole, graph));
    }
    // Not where memory happens to be short: the same options give the same model everywhere.
    let least = need(false);
    if fits(&least) && options.graph.is_none() && options.memory.is_some() {
        let warning = Warning::graph_of_sample(Bytes(whole.peak));
        watch.warn(&warning);
        warnings.push(warning);
        return Ok((least, GraphRows::Sample));
    }
    Err(MemoryError {
        need: whole,
        limit: limit.unwrap_or(u64::MAX),
        is_given: options.memory.is_some(),
        fits_with_graph_of_sample: of_all && fits(&least),
    })
}

/// What to fit to all rows: the method, its settings, and whether they were searched.
pub(super) struct Selection {
    pub method: Method,
    pub settings: Settings,
    pub searched: bool,
}

impl Selection {
    /// What was learned from the sample; none if it cannot be fitted from sums over rows.
    pub(super) fn of(learned: &Learned, request: &Request) -> Option<Self> {
        let Learned::One { trained, tuned } = learned else {
            return None;
        };
        is_a_sum(trained.method, request.train.kernel).then(|| Self {
            method: trained.method,
            settings: trained.settings,
            searched: tuned.is_some(),
        })
    }

    /// By rules of thumb; none if it cannot be fitted from sums over rows.
    pub(super) fn by_rules(sample: &Dataset, request: &Request) -> Result<Option<Self>, TrainError> {
        let train = &request.train;
        if !is_a_sum(train.method, train.kernel) {
            return Ok(None);
        }
        Ok(Some(Self { method: train.method, settings: rules_of_thumb(sample, train)?, searched: false }))
    }

    /// As a plan for all rows, without a local term yet.
    pub(super) fn plan(
        &self,
        (rows, sample): (&Dataset, &RowSample),
        train: &TrainOptions,
        label_column: &str,
    ) -> Result<Plan, TrainError> {
        Ok(Plan::new(rows, sample.drawn_from, self.method, &self.settings, self.searched, train, label_column)?)
    }

    /// The model fitted to all rows.
    pub(super) fn fit(
        &self,
        data: &Dataset,
        sample: (&Dataset, &RowSample),
        graph: GraphRows,
        train: &TrainOptions,
        watch: &dyn Watch,
    ) -> Result<Trained, TrainError> {
        let local = self.settings.local.map(|local| (local, graph));
        in_pool(train.threads, || {
            watch.phase("landmarks", 0);
            train_on_all(data, self.plan(sample, train, "")?, local, watch)
        })
    }
}
