//! `pual train`: a CSV file in, a model file out, and what is known about it.

mod flags;
mod report;

use super::data::DataFlags;
use super::show;
use super::tuning::{Bar, TuningFlags};
use anyhow::{Result, bail};
use flags::{ModelFlags, NO_TUNE};
use pual_infer::Class;
use pual_trainer::compare::compare;
use pual_trainer::dataset::Dataset;
use pual_trainer::export::{device_scores, export, write_file};
use pual_trainer::learn::{Approach, Learned, learn};
use pual_trainer::metrics::PuCounts;
use pual_trainer::options::TrainOptions;
use pual_trainer::train::{TrainError, train};
use pual_trainer::tune::{Collapse, TuneError};
use report::Report;
use std::io::Write;
use std::path::{Path, PathBuf};

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
/// training rows by the device's own code: the largest difference and the classes that changed are printed. The model file is
/// replaced only when all of that has gone well.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual synth cold-chain -o train.csv
  pual train train.csv -o fridge.pual
  pual train log.csv.gz --label-column alarm --ignore time,room --supports 24 -o fridge.pual")]
pub struct Args {
    #[command(flatten)]
    data: DataFlags,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    #[command(flatten)]
    model: ModelFlags,
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
        let mut options = self.model.options(tuning.scenario)?;
        options.threads = self.threads.map_or(0, usize::from);
        let of_one_model = match self.no_tune {
            true => Some(NO_TUNE),
            false => self.tuning.of_a_search(),
        };
        let approaches = self.model.approaches(&options, of_one_model)?;
        // Known before the work begins, not after it.
        check_directory(&self.output)?;
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
        let model = exported.bytes.decode_any()?;
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
        write_file(&self.output, &exported.bytes)?;

        let report = Report::new(
            &self.output,
            &data,
            (&options, &tuning),
            &learned,
            &exported,
            &called,
        );
        match self.json {
            true => show::json(out, &report),
            false => report.show(out),
        }
    }
}

impl Args {
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

fn check_directory(output: &Path) -> Result<()> {
    let directory = match output.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    };
    if output.is_dir() {
        bail!(
            "--output {} is a directory; name a file in it",
            output.display()
        );
    }
    if !directory.is_dir() {
        bail!(
            "--output {}: there is no directory {}; create it first",
            output.display(),
            directory.display()
        );
    }
    Ok(())
}
