//! `pual train`: a CSV file in, a model file out, and what is known about it.

pub mod finish;
mod page;
mod report;

use crate::cli::check_output;
use crate::flags::data::DataFlags;
use crate::flags::many::{self, Chosen, Many, ManyFlags};
use crate::flags::model::{ModelFlags, NO_TUNE};
use crate::flags::size::SizeFlags;
use crate::flags::tuning::TuningFlags;
use crate::progress::Progress;
use crate::show;
use anyhow::Result;
use finish::{Behind, Finish};
use page::ReportFlag;
use pual_trainer::base::warnings::Warning;
use pual_trainer::base::watch::Watch;
use pual_trainer::bulk::{GraphRows, RowSample};
use pual_trainer::choose::options::TrainOptions;
use pual_trainer::choose::tune::{JournalFile, TuneError, TuneOptions};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::pipeline::compare::{Comparison, compare};
use pual_trainer::pipeline::learn::{Approach, Learned, learn};
use pual_trainer::pipeline::train::{TrainError, train};
use std::io::Write;
use std::path::PathBuf;

/// Train a model and write the file a chip runs
///
/// The label column says which rows are labeled positive; the others are unlabeled, positive or not. All other columns are features.
/// By default many models are fitted and judged on rows held out; the best of them together teach one small model, which is what the chip
/// gets (--ensemble 1 trains a single model). A single model's settings that are not given are searched for: rows are held out in turn, and
/// the settings with the best PUF = recall^2 / P(f > 0) on them are taken. No negatives are needed for any of that.
///
/// The fit of a single model is certified (its duality gap or residual is printed) or refused. The exported bytes are decoded again and score the
/// training rows by the device's own code: the largest difference and the classes that changed are printed.
///
/// Then it is made small, as `pual compress` does: a ladder of sizes is printed with the price of each, and the smallest that loses no more
/// F1 than --tolerance is written, or the best within --budget. The model file is replaced only when all of that has gone well.
///
/// Where there are more rows than --sample, settings and support instances are chosen on a sample of them; PUAL, GLLC and BLS-SVM are then
/// fitted to all rows, whatever their number. What memory that takes is said beforehand.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual synth cold-chain -o train.csv
  pual train train.csv -o fridge.pual
  pual train log.csv.gz --label-column alarm --ignore time,room --budget 512B -o fridge.pual")]
pub struct Args {
    #[command(flatten)]
    data: DataFlags,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    #[command(flatten)]
    report: ReportFlag,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    size: SizeFlags,
    /// Write the model as it was trained, in f32; --supports is then the most it is trained with [default: 64, for an ensemble 160]
    #[arg(
        long,
        help_heading = "Size",
        conflicts_with_all = ["budget", "tolerance", "encoding"]
    )]
    no_compress: bool,
    /// Do not search: settings that are not given follow rules of thumb
    #[arg(
        long,
        help_heading = "Tuning",
        conflicts_with_all = ["rule", "grid", "refine", "folds", "repeats", "final_repeats", "log", "resume"]
    )]
    no_tune: bool,
    #[command(flatten)]
    tuning: TuningFlags,
    #[command(flatten)]
    many: ManyFlags,
    /// Threads; the result does not depend on it [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let asked = self.asked()?;
        // Known before the work begins, not after it.
        check_output(&self.output)?;
        self.report.check()?;
        let progress = Progress::new("read");
        let data = self.data.open(self.many.memory(), &progress)?;
        self.train(asked, data, &progress, |finish, learned, behind| {
            finish.run(learned, behind, out)
        })
    }

    /// What the flags ask for, if they go together.
    fn asked(&self) -> Result<Asked> {
        let tuning = self.tuning.options();
        let mut options = self.model.options(
            "train",
            tuning.scenario,
            self.size.supports,
            !self.no_compress,
        )?;
        options.threads = self.threads.map_or(0, usize::from);
        let of_one_model = match self.no_tune {
            true => Some(NO_TUNE),
            false => self.tuning.of_a_search(),
        };
        Ok(Asked {
            approaches: self.model.approaches("train", &options, of_one_model)?,
            options,
            tuning,
        })
    }

    /// Learns from `data`, and hands on what was learned to `end`.
    fn train<T>(
        &self,
        asked: Asked,
        mut data: Dataset,
        progress: &Progress,
        end: impl FnOnce(Finish<'_>, &Learned, Behind<'_>) -> Result<T>,
    ) -> Result<T> {
        let Asked {
            approaches,
            options,
            tuning,
        } = asked;
        progress.phase("sample", 0);
        let sample = self.many.sample(&data, options.seed)?;
        if let Some((rows, _)) = &sample {
            // Columns that do not vary in the sample are out.
            data = data.with_features(rows.names());
        }
        let search = Search {
            approaches: &approaches,
            options: &options,
            tuning: match &sample {
                Some((_, sample)) => many::tuning_on(sample, &tuning),
                None => tuning,
            },
            journal: self.tuning.journal(),
            no_tune: self.no_tune,
        };
        let finish = Finish {
            output: &self.output,
            size: &self.size,
            no_compress: self.no_compress,
            json: self.json,
            options: &options,
            tuning: &search.tuning,
            progress,
            report: (self.report).asked(self.data.path(), self.data.label_column()),
        };
        match sample {
            None => {
                let (learned, compared) = search.learn(&data, progress)?;
                let behind = Behind {
                    data: &data,
                    sample: &data,
                    counts: (data.positives(), data.len()),
                    many: None,
                    compared,
                };
                end(finish, &learned, behind)
            }
            Some((rows, sample)) => {
                let (learned, compared, many) =
                    self.learn_from_many(&search, &data, (&rows, &sample), progress)?;
                let behind = Behind {
                    data: &data,
                    sample: &rows,
                    counts: (data.positives(), data.len()),
                    many: Some(many),
                    compared,
                };
                end(finish, &learned, behind)
            }
        }
    }

    /// Settings from the sample; the fit from all rows, for what can be fitted to so many.
    fn learn_from_many(
        &self,
        search: &Search<'_>,
        data: &Dataset,
        sample: (&Dataset, &RowSample),
        progress: &Progress,
    ) -> Result<(Learned, Option<Comparison>, Many)> {
        let (need, graph) = self.many.provide(data, search.options)?;
        let mut many = Many {
            sample: sample.0.len(),
            fitted_to: sample.0.len(),
            graph_rows: None,
            memory: Some(need),
        };
        let by_rules = match self.no_tune {
            true => Chosen::by_rules_of_thumb(sample.0, search.options)?,
            false => None,
        };
        let (chosen, tuned, compared) = match by_rules {
            Some(chosen) => (chosen, None, None),
            None => {
                let (learned, compared) = search.learn(sample.0, progress)?;
                match (Chosen::from(&learned, search.options), learned) {
                    (Some(chosen), Learned::One { tuned, .. }) => (chosen, tuned, compared),
                    (_, learned) => return Ok((learned, compared, many)),
                }
            }
        };
        let trained = chosen.fit(data, sample, graph, search.options, progress)?;
        many.fitted_to = data.len();
        many.graph_rows = trained.settings.local.map(|_| match graph {
            GraphRows::All => data.len(),
            GraphRows::Sample => sample.0.len(),
        });
        Ok((Learned::One { trained, tuned }, compared, many))
    }
}

/// What the flags of a model and of a search ask for.
struct Asked {
    approaches: Vec<Approach>,
    options: TrainOptions,
    tuning: TuneOptions,
}

/// What to learn, and how its settings are found.
pub struct Search<'a> {
    pub approaches: &'a [Approach],
    pub options: &'a TrainOptions,
    pub tuning: TuneOptions,
    pub journal: Option<JournalFile>,
    pub no_tune: bool,
}

impl Search<'_> {
    /// The model; and, where it was chosen among several approaches, all of them.
    pub fn learn(
        &self,
        data: &Dataset,
        progress: &Progress,
    ) -> Result<(Learned, Option<Comparison>)> {
        progress.search();
        let by_rules_of_thumb = || -> Result<(Learned, Option<Comparison>)> {
            let trained = train(data, self.options)?;
            let tuned = None;
            Ok((Learned::One { trained, tuned }, None))
        };
        if self.no_tune {
            return by_rules_of_thumb();
        }
        let (options, tuning, journal) = (self.options, &self.tuning, self.journal.as_ref());
        let learned = match self.approaches {
            [one] => {
                learn(data, *one, options, tuning, journal, progress).map(|learned| (learned, None))
            }
            several => {
                let compared = compare(data, options, several, tuning, journal, progress);
                compared.and_then(|compared| match compared.best() {
                    Some(best) => Ok((best.learned.clone(), Some(compared))),
                    None => Ok((compared.into_best()?.learned, None)),
                })
            }
        };
        match learned {
            Err(TrainError::Tune(TuneError::TooFewRows { .. })) => {
                show::warn(Warning::too_few_rows());
                by_rules_of_thumb()
            }
            learned => Ok(learned?),
        }
    }
}
