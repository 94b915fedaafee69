//! `pual train`: a CSV file in, a model file out, and what is known about it.

mod flags;
mod report;

use super::data::DataFlags;
use super::size::{self, Compression, SizeFlags};
use super::tuning::{Bar, TuningFlags};
use super::{check_output, show};
use anyhow::Result;
use flags::{ModelFlags, NO_TUNE};
use pual_infer::Class;
use pual_trainer::classifier::Classifier;
use pual_trainer::compare::compare;
use pual_trainer::compress::{Ladder, Readings, compress_classifier};
use pual_trainer::dataset::Dataset;
use pual_trainer::export::{device_scores, export, write_file};
use pual_trainer::learn::{Approach, Learned, learn};
use pual_trainer::metrics::PuCounts;
use pual_trainer::options::TrainOptions;
use pual_trainer::train::{TrainError, train};
use pual_trainer::tune::{Collapse, TuneError};
use report::{Report, Written};
use std::io::Write;
use std::path::PathBuf;

/// Share of changed classes from which the user is told.
const CHANGED_SHARE_TO_WARN: f64 = 0.001;

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
    /// Threads; the result does not depend on it [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let tuning = self.tuning.options();
        let mut options =
            self.model
                .options(tuning.scenario, self.size.supports, !self.no_compress)?;
        options.threads = self.threads.map_or(0, usize::from);
        let of_one_model = match self.no_tune {
            true => Some(NO_TUNE),
            false => self.tuning.of_a_search(),
        };
        let approaches = self.model.approaches(&options, of_one_model)?;
        // Known before the work begins, not after it.
        check_output(&self.output)?;
        let data = self.data.open()?;
        let learned = self.learn(&data, &approaches, &options)?;
        let doubt = learned.doubt();
        if let Some(doubt) = &doubt {
            show::warn(doubt);
        }
        let exported = export(learned.classifier(), data.rows())?;
        if exported.agreement.changed_share() > CHANGED_SHARE_TO_WARN {
            show::warn(&format!(
                "{} of {} rows change their class in the device's 32-bit floats",
                exported.agreement.changed, exported.agreement.rows
            ));
        }
        let (bytes, compression) = match self.no_compress {
            true => (exported.bytes.clone(), None),
            false => {
                let (ladder, compression) = self.compress(learned.classifier(), &data, &options)?;
                (ladder.bytes, Some(compression))
            }
        };
        let model = bytes.decode_any()?;
        let called: Vec<bool> = device_scores(&model, data.rows())?
            .into_iter()
            .map(|score| model.class_of(score) == Class::Positive)
            .collect();
        // An ensemble that calls every row has said why.
        if let (None, Some(collapse)) = (
            doubt,
            Collapse::of(&PuCounts::count(data.labeled(), &called)),
        ) {
            show::warn(&format!("the model {collapse}: it has learned nothing"));
        }
        write_file(&self.output, &bytes)?;

        let report = Report::new(
            &self.output,
            &data,
            (&options, &tuning),
            &learned,
            &exported,
            Written {
                model: &model,
                called: &called,
                compression,
            },
        );
        match self.json {
            true => show::json(out, &report),
            false => report.show(out),
        }
    }
}

impl Args {
    /// The ladder of sizes, and what there is to say of it.
    fn compress(
        &self,
        classifier: &Classifier,
        data: &Dataset,
        options: &TrainOptions,
    ) -> Result<(Ladder, Compression)> {
        let readings = Readings {
            rows: data.rows(),
            labeled: Some(data.labeled()),
            scenario: self.tuning.options().scenario,
        };
        let size = self.size.options(options.seed);
        let bar = show::bar("sizes");
        let threads = rayon::ThreadPoolBuilder::new().num_threads(options.threads);
        let ladder = threads.build()?.install(|| {
            compress_classifier(classifier, &readings, &size, &|done, of| {
                bar.set_length(of as u64);
                bar.set_position(done as u64);
            })
        });
        bar.finish_and_clear();
        let ladder = ladder.map_err(size::explain)?;
        let compression = Compression::new(&ladder, &size);
        compression.warn();
        Ok((ladder, compression))
    }

    /// The model, chosen among several approaches if there are.
    fn learn(
        &self,
        data: &Dataset,
        approaches: &[Approach],
        options: &TrainOptions,
    ) -> Result<Learned> {
        let by_rules_of_thumb = || -> Result<Learned> {
            Ok(Learned::One {
                trained: train(data, options)?,
                tuned: None,
            })
        };
        if self.no_tune {
            return by_rules_of_thumb();
        }
        let (tuning, journal) = (self.tuning.options(), self.tuning.journal());
        let bar = Bar::new();
        let learned = match approaches {
            [one] => learn(data, *one, options, &tuning, journal.as_ref(), &bar),
            several => compare(data, options, several, &tuning, journal.as_ref(), &bar)
                .and_then(|compared| compared.into_best())
                .map(|best| best.learned),
        };
        drop(bar);
        match learned {
            Err(TrainError::Tune(TuneError::TooFewRows { .. })) => {
                show::warn(&"too few rows to hold any out: settings follow rules of thumb");
                by_rules_of_thumb()
            }
            learned => Ok(learned?),
        }
    }
}
