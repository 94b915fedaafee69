//! Training on many rows, as the commands share it: the flags, the sample, what memory it takes.

use crate::exit::Failure;
use crate::flags::size::bytes;
use crate::show;
use anyhow::Result;
use clap::ValueEnum;
use pual_trainer::base::scenario::Scenario;
use pual_trainer::base::warnings::Warning;
use pual_trainer::base::watch::Watch;
use pual_trainer::bulk::memory::{Bytes, MemoryNeed, TrainingSize, available};
use pual_trainer::bulk::{GRAPH, GraphRows, Plan, RowSample, SAMPLE, is_a_sum, train_on_all};
use pual_trainer::choose::tune::TuneOptions;
use pual_trainer::data::dataset::Dataset;
use pual_trainer::pipeline::learn::Learned;
use pual_trainer::pipeline::train::{
    Method, Settings, TrainError, TrainOptions, Trained, rules_of_thumb,
};
use serde::Serialize;

#[derive(clap::Args)]
#[command(next_help_heading = "Many rows")]
pub struct SampleFlag {
    /// Rows that settings and support instances are chosen from: where there are more, a sample. The model is then fitted to all rows
    #[arg(long, value_name = "N", default_value_t = SAMPLE as u32, value_parser = clap::value_parser!(u32).range(100..))]
    sample: u32,
}

impl SampleFlag {
    pub fn limit(&self) -> usize {
        self.sample as usize
    }
}

#[derive(clap::Args)]
#[command(next_help_heading = "Many rows")]
pub struct ManyFlags {
    #[command(flatten)]
    sample: SampleFlag,
    /// Rows among which neighbours are searched [default: all; above 1,000,000 rows, or where that takes more than --memory, those of the sample]
    #[arg(long, value_enum)]
    graph: Option<GraphName>,
    /// Memory that may be used, such as 2GB [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum GraphName {
    /// All rows
    All,
    /// Those of the sample
    Sample,
}

/// How many rows were dealt with, for the report.
#[derive(Serialize)]
pub struct Many {
    /// Rows that settings and supports were chosen from.
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

impl Many {
    pub fn show(&self) -> String {
        let sample = show::grouped(self.sample as u64);
        let mut text = match self.fitted_to == self.sample {
            true => format!("chosen from and fitted to a sample of {sample} rows"),
            false => format!("chosen on a sample of {sample} rows, fitted to all"),
        };
        if let Some(rows) = self.graph_rows {
            text += &format!(", neighbours among {}", show::grouped(rows as u64));
        }
        text
    }

    /// What memory was expected to be needed: a matter of the machine, not of the model.
    pub fn show_memory(&self) -> Option<String> {
        let need = self.memory?;
        Some(format!("at most {}", Bytes(need.peak)))
    }
}

impl ManyFlags {
    /// A sample of the rows; none if all of them are few enough.
    pub fn sample(&self, data: &Dataset, seed: u64) -> Result<Option<(Dataset, RowSample)>> {
        if data.len() <= self.sample.limit() {
            return Ok(None);
        }
        let sample = RowSample::of(data, self.sample.limit(), seed);
        let rows = Dataset::new(sample.clone().into_table(data.names().to_vec()))?;
        Ok(Some((rows, sample)))
    }

    /// Bytes that may be used, where that is known.
    pub fn memory(&self) -> Option<u64> {
        self.memory.map(|limit| limit as u64).or_else(available)
    }

    /// Says what memory it takes, and refuses what there is not. Where the graph of all rows is more than --memory, that of the sample does.
    pub fn provide(
        &self,
        data: &Dataset,
        options: &TrainOptions,
    ) -> Result<(MemoryNeed, GraphRows)> {
        let of_all = match self.graph {
            Some(graph) => graph == GraphName::All,
            None => data.len() <= GRAPH,
        };
        let need = |all: bool| {
            MemoryNeed::of(&TrainingSize {
                rows: data.len(),
                labeled: data.positives(),
                features: data.features(),
                supports: options.supports,
                graph_rows: if all { data.len() } else { self.sample.limit() },
                neighbours: options.neighbours,
                threads: match options.threads {
                    0 => std::thread::available_parallelism().map_or(1, usize::from),
                    threads => threads,
                },
            })
        };
        let limit = self.memory();
        let fits = |need: &MemoryNeed| limit.is_none_or(|limit| need.peak <= limit);
        let whole = need(of_all);
        if fits(&whole) {
            show::progress(&format!("memory: at most {}", Bytes(whole.peak)));
            return Ok((
                whole,
                if of_all {
                    GraphRows::All
                } else {
                    GraphRows::Sample
                },
            ));
        }
        // Not where memory happens to be short: the same command gives the same model everywhere.
        let least = need(false);
        if fits(&least) && self.graph.is_none() && self.memory.is_some() {
            show::warn(Warning::graph_of_sample(Bytes(whole.peak)));
            return Ok((least, GraphRows::Sample));
        }
        let limit = limit.unwrap_or(u64::MAX);
        let there = match self.memory {
            Some(_) => format!("--memory allows {}", Bytes(limit)),
            None => format!("{} are free", Bytes(limit)),
        };
        let message = format!(
            "training takes about {}, and {there}: rows {}, graph {}, labeled rows {}",
            Bytes(whole.peak),
            Bytes(whole.rows),
            Bytes(whole.graph),
            Bytes(whole.labeled)
        );
        let hint = format!(
            "give fewer --supports, {}or divide the rows: see `pual plan --help`",
            match of_all && fits(&least) {
                true => "--graph sample, ",
                false => "",
            }
        );
        Err(Failure::new(message, hint).into())
    }
}

/// How to judge on a sample. Where it has more labeled rows than their share, only the unlabeled ones tell how many rows are called.
pub fn tuning_on(sample: &RowSample, tuning: &TuneOptions) -> TuneOptions {
    TuneOptions {
        scenario: match sample.is_fair {
            true => tuning.scenario,
            false => Scenario::CaseControl,
        },
        ..*tuning
    }
}

/// What to fit to all rows: the method, its settings, and whether they were searched for.
pub struct Chosen {
    pub method: Method,
    pub settings: Settings,
    pub searched: bool,
}

impl Chosen {
    /// What was learned from the sample; none if it cannot be fitted from sums over rows.
    pub fn from(learned: &Learned, options: &TrainOptions) -> Option<Self> {
        let Learned::One { trained, tuned } = learned else {
            return None;
        };
        is_a_sum(trained.method, options.kernel).then(|| Self {
            method: trained.method,
            settings: trained.settings,
            searched: tuned.is_some(),
        })
    }

    /// By rules of thumb; none if it cannot be fitted from sums over rows.
    pub fn by_rules_of_thumb(
        sample: &Dataset,
        options: &TrainOptions,
    ) -> Result<Option<Self>, TrainError> {
        if !is_a_sum(options.method, options.kernel) {
            return Ok(None);
        }
        Ok(Some(Self {
            method: options.method,
            settings: rules_of_thumb(sample, options)?,
            searched: false,
        }))
    }

    /// As a plan for all rows, without a local term yet.
    pub fn plan(
        &self,
        sample: (&Dataset, &RowSample),
        options: &TrainOptions,
        label_column: &str,
    ) -> Result<Plan, TrainError> {
        Ok(Plan::new(
            sample.0,
            sample.1.drawn_from,
            self.method,
            &self.settings,
            self.searched,
            options,
            label_column,
        )?)
    }

    /// The model fitted to all rows.
    pub fn fit(
        &self,
        data: &Dataset,
        sample: (&Dataset, &RowSample),
        graph: GraphRows,
        options: &TrainOptions,
        watch: &(dyn Watch + Sync),
    ) -> Result<Trained> {
        let local = self.settings.local.map(|local| (local, graph));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads);
        let trained = pool.build()?.install(|| {
            watch.phase("landmarks", 0);
            let plan = self.plan(sample, options, "")?;
            train_on_all(data, plan, local, watch)
        });
        Ok(trained?)
    }
}
