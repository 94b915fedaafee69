//! From what was learned to the file a chip runs: exported, made small, checked, written, reported.

use crate::commands::learning::train::page::{self, Asked, Drawn};
use crate::commands::learning::train::report::{Report, Written};
use crate::flags::many::Many;
use crate::flags::size::{self, Compression, SizeFlags};
use crate::page::Page;
use crate::progress::Progress;
use crate::show;
use anyhow::Result;
use pual_infer::{Class, ModelBytes};
use pual_trainer::base::files::write_file;
use pual_trainer::base::warnings::Warning;
use pual_trainer::base::watch::Watch;
use pual_trainer::choose::metrics::PuCounts;
use pual_trainer::choose::tune::{Collapse, TuneOptions};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::model::classifier::Classifier;
use pual_trainer::model::compress::{Ladder, Readings, compress_classifier};
use pual_trainer::model::export::{device_scores, export};
use pual_trainer::pipeline::compare::Comparison;
use pual_trainer::pipeline::learn::Learned;
use pual_trainer::pipeline::train::TrainOptions;
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
    /// If a page is asked for.
    pub report: Option<Asked<'a>>,
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
    /// If it was chosen among several approaches.
    pub compared: Option<Comparison>,
}

/// What is made of it.
pub struct Made {
    pub bytes: ModelBytes,
    pub report: Report,
    /// If it was asked for; a page that cannot be drawn costs nobody the model.
    pub page: Option<Result<Page>>,
}

impl Finish<'_> {
    pub fn run(&self, learned: &Learned, behind: Behind<'_>, out: &mut impl Write) -> Result<()> {
        let Made {
            bytes,
            report,
            page,
        } = self.make(learned, behind)?;
        write_file(self.output, &bytes)?;
        if let (Some(asked), Some(page)) = (&self.report, page) {
            asked.write(&page?.html())?;
        }
        if self.json {
            return show::json(out, &report);
        }
        report.show(out)?;
        if let Some(asked) = &self.report {
            writeln!(out, "\nreport: {}", asked.path().display())?;
        }
        Ok(())
    }

    /// All there is to write and to say, before any file is replaced.
    pub fn make(&self, learned: &Learned, mut behind: Behind<'_>) -> Result<Made> {
        let data = behind.data;
        let doubt = learned.doubt();
        if let Some(doubt) = &doubt {
            show::warn(doubt.clone());
        }
        self.progress.phase("export", 0);
        let exported = export(learned.classifier(), data.rows())?;
        if exported.agreement.changed_share > CHANGED_SHARE_TO_WARN {
            show::warn(Warning::classes_change(
                exported.agreement.changed_classes,
                exported.agreement.rows,
            ));
        }
        let (ladder, compression) = match self.no_compress {
            true => (None, None),
            false => {
                self.progress.phase("compress", 0);
                let (ladder, compression) = self.compress(learned.classifier(), behind.sample)?;
                (Some(ladder), Some(compression))
            }
        };
        let bytes = ladder.as_ref().map_or(&exported.bytes, |l| &l.bytes);
        self.progress.phase("check", 0);
        let model = bytes.decode_any()?;
        let scores = device_scores(&model, data.rows())?;
        let called: Vec<bool> = scores
            .iter()
            .map(|&score| model.class_of(score) == Class::Positive)
            .collect();
        // An ensemble that calls every row has said why.
        if let (None, Some(collapse)) = (
            doubt,
            Collapse::of(&PuCounts::count(data.labeled(), &called)),
        ) {
            show::warn(Warning::learned_nothing(collapse));
        }
        let compared = behind.compared.take();
        let drawn = Drawn {
            data,
            sample: behind.sample,
            learned,
            compared: compared.as_ref(),
            ladder: ladder.as_ref(),
            model: &model,
            scores: &scores,
            bytes,
        };
        let mut page = self.report.as_ref().map(|asked| {
            self.progress.phase("report", 0);
            page::draw(self, asked, &drawn)
        });
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
        if let Some(Ok(page)) = &mut page {
            let known = report.facts().into_iter();
            let known = known.map(|(name, value)| (name.to_owned(), value));
            page.facts.splice(0..0, known);
        }
        Ok(Made {
            bytes: bytes.clone(),
            report,
            page,
        })
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
        for warning in compression.warnings() {
            show::warn(warning);
        }
        Ok((ladder, compression))
    }
}
