//! From what was learned to the file a chip runs: exported, made small, checked, written, reported.

use super::report::{Report, Written};
use crate::cli::many::Many;
use crate::cli::progress::Progress;
use crate::cli::show;
use crate::cli::size::{self, Compression, SizeFlags};
use anyhow::Result;
use pual_infer::{Class, ModelBytes};
use pual_trainer::classifier::Classifier;
use pual_trainer::compress::{Ladder, Readings, compress_classifier};
use pual_trainer::dataset::Dataset;
use pual_trainer::export::{device_scores, export, write_file};
use pual_trainer::learn::Learned;
use pual_trainer::metrics::PuCounts;
use pual_trainer::train::TrainOptions;
use pual_trainer::tune::{Collapse, TuneOptions, Watch};
use std::io::Write;
use std::path::Path;

/// Share of changed classes from which the user is told.
const CHANGED_SHARE_TO_WARN: f64 = 0.001;

/// What is written where, and how it is shown.
pub struct Finish<'a> {
    pub output: &'a Path,
    pub size: &'a SizeFlags,
    pub no_compress: bool,
    pub json: bool,
    pub options: &'a TrainOptions,
    pub tuning: &'a TuneOptions,
    pub progress: &'a Progress,
}

/// The rows behind a model.
pub struct Behind<'a> {
    /// Rows to report on.
    pub data: &'a Dataset,
    /// Rows to agree on when it is made small.
    pub sample: &'a Dataset,
    /// Labeled rows, and all of them, that it was learned from.
    pub counts: (usize, usize),
    /// If they were many.
    pub many: Option<Many>,
}

impl Finish<'_> {
    pub fn run(&self, learned: &Learned, behind: Behind<'_>, out: &mut impl Write) -> Result<()> {
        let (bytes, report) = self.make(learned, behind)?;
        write_file(self.output, &bytes)?;
        match self.json {
            true => show::json(out, &report),
            false => report.show(out),
        }
    }

    /// The model and what is known about it; nothing is written yet.
    pub fn make(&self, learned: &Learned, behind: Behind<'_>) -> Result<(ModelBytes, Report)> {
        let data = behind.data;
        let doubt = learned.doubt();
        if let Some(doubt) = &doubt {
            show::warn(doubt);
        }
        self.progress.phase("export", 0);
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
                self.progress.phase("compress", 0);
                let (ladder, compression) = self.compress(learned.classifier(), behind.sample)?;
                (ladder.bytes, Some(compression))
            }
        };
        self.progress.phase("check", 0);
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
        let report = Report::new(
            self.output,
            behind,
            (self.options, self.tuning),
            learned,
            &exported,
            Written {
                model: &model,
                called: &called,
                compression,
            },
            self.progress.timing(),
        );
        Ok((bytes, report))
    }

    /// The ladder of sizes, and what there is to say of it.
    fn compress(&self, classifier: &Classifier, rows: &Dataset) -> Result<(Ladder, Compression)> {
        let readings = Readings {
            rows: rows.rows(),
            labeled: Some(rows.labeled()),
            scenario: self.tuning.scenario,
        };
        let size = self.size.options(self.options.seed);
        let bar = self.progress.seen(show::bar("sizes"));
        let threads = rayon::ThreadPoolBuilder::new().num_threads(self.options.threads);
        let ladder = threads.build()?.install(|| {
            compress_classifier(classifier, &readings, &size, &|done, of| {
                self.progress.go_on();
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
}
