//! `pual verify`: does a device give the same answers as the workstation, bit for bit?

mod stream;

use super::line::{Line, LineFlags, unit_of};
use super::recorded;
use crate::exit::Failure;
use crate::flags::values::positive;
use crate::{model_file, show};
use anyhow::{Context, Result, bail};
use pual_device::verify::{Answer, Asker, on_workstation};
use pual_infer::Model;
use pual_protocol::{Hello, MAX_FEATURES};
use pual_trainer::{Recordings, RowReader};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Compare a device's scores with the workstation's, bit for bit
///
/// Sends the rows of a file to a device one by one and compares score, class and envelope of each with what this program
/// computes. With a stream model, sends a recording's raw samples and compares features, score, class, envelope, alarm and
/// drift flag of every window. An emulated board is booted with MODEL; a real one must have it already (`pual flash`, `pual push`). If anything
/// differs, the first difference is shown and the exit code is 3.
#[derive(clap::Args)]
#[command(after_help = "\
Examples: an emulated Cortex-M4F, an emulated Cortex-M0, a real board; a stream model
  pual verify fridge.pual test.csv --device qemu
  pual verify fridge.pual test.csv --device qemu:microbit
  pual verify fridge.pual test.csv --device serial:/dev/ttyACM0
  pual verify pump.pual pump/pump-8.csv --device qemu")]
pub struct Args {
    /// Model file, written by `pual train` or `pual sign`
    model: PathBuf,
    /// Rows: CSV, plain or gzip, or NPY; `-` is standard input. For a stream model, a recording, or a folder of recordings
    data: PathBuf,
    #[command(flatten)]
    line: LineFlags,
    /// Columns to feed to the model, in its order [default: the model's own names]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    features: Option<Vec<String>>,
    /// Samples per second of a recording without times
    #[arg(long, value_parser = positive, value_name = "HZ")]
    rate: Option<f64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A reading, and its line in the file.
type FileReading = (Vec<f32>, u64);

/// What is sent to the device.
enum Questions<'a> {
    Rows(&'a [FileReading]),
    Samples(&'a Recordings),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Report {
    Rows(VerifyReport),
    Samples(stream::StreamReport),
}

#[derive(Serialize)]
struct VerifyReport {
    device: String,
    model_bytes: usize,
    model_checksum: String,
    rows: usize,
    identical: usize,
    /// Instructions in QEMU, cycles on a real board.
    cost_unit: &'static str,
    cost_of_a_score: Spread,
    /// From sending a row to its answer; on a real board only.
    latency_ms: Option<Spread>,
    /// Rows that had to be sent again.
    repeated: u32,
    first_difference: Option<AnswerDifference>,
}

#[derive(Serialize)]
struct AnswerDifference {
    /// Counted from 1.
    row: usize,
    line: u64,
    workstation: AnswerReport,
    /// Null where it refuses the reading.
    device: Option<AnswerReport>,
    /// The device's second answer to the same reading.
    device_again: Option<AnswerReport>,
    /// Bits of the score that differ: 0 is the lowest.
    wrong_bits: Vec<u32>,
}

#[derive(Serialize)]
struct AnswerReport {
    bits: String,
    score: f32,
    positive: bool,
    outside_envelope: bool,
}

#[derive(Serialize)]
struct Spread {
    least: f64,
    median: f64,
    most: f64,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        if model.features() > MAX_FEATURES {
            bail!("the model has {} features; the firmware's frames have room for {MAX_FEATURES}", model.features());
        }
        if let Some(recipe) = model.description().recipe() {
            let recordings = recorded::open(&self.data, &recipe, self.features.as_deref(), self.rate)?;
            let report = self.ask(&bytes, &model, Questions::Samples(&recordings))?;
            return self.finish(out, &report);
        }
        let rows = self.readings(&model)?;
        let report = self.ask(&bytes, &model, Questions::Rows(&rows))?;
        self.finish(out, &report)
    }

    /// Puts the questions to the device.
    fn ask(&self, bytes: &[u8], model: &Model<'_>, questions: Questions<'_>) -> Result<Report> {
        let mut asker = self.line.open(bytes, "verify")?;
        let hello = self.line.hello(&mut asker, model, &self.model)?;
        let report = match questions {
            Questions::Rows(rows) => Report::Rows(self.compare_rows(&mut asker, &hello, model, rows)?),
            Questions::Samples(all) => Report::Samples(self.compare_streams(&mut asker, &hello, model, all)?),
        };
        asker.into_line().stop()?;
        Ok(report)
    }

    fn finish<W: Write>(&self, out: &mut W, report: &Report) -> Result<()> {
        let (different, all, what) = match report {
            Report::Rows(report) => (report.rows - report.identical, report.rows, "rows"),
            Report::Samples(report) => (report.different(), report.windows(), "windows"),
        };
        show::result(self.json, out, report, |report, out| match report {
            Report::Rows(report) => report.show(out, &self.data),
            Report::Samples(report) => report.show(out),
        })?;
        if different > 0 {
            out.flush()?;
            let all = show::grouped(all);
            let message = format!("the device's answers differ from the workstation's in {different} of {all} {what}");
            return Err(Failure::differs(message, None).into());
        }
        Ok(())
    }

    fn readings(&self, model: &Model<'_>) -> Result<Vec<FileReading>> {
        let columns = model_file::columns(model, self.features.as_deref());
        let mut reader = RowReader::open(&self.data, &columns)?;
        model_file::check_width(model, reader.names(), &self.data)?;
        let (mut readings, mut values) = (Vec::new(), Vec::new());
        while reader.next_row(&mut values)?.is_some() {
            readings.push((values.drain(..).map(|value| value as f32).collect(), reader.line()));
        }
        if readings.is_empty() {
            bail!("{} has a header but no rows", self.data.display());
        }
        Ok(readings)
    }

    fn compare_rows(
        &self,
        asker: &mut Asker<Line>,
        hello: &Hello,
        model: &Model<'_>,
        rows: &[FileReading],
    ) -> Result<VerifyReport> {
        let bar = show::rows_bar("verify", rows.len() as u64);
        let (mut costs, mut latencies) = (Vec::new(), Vec::new());
        let (mut identical, mut first_difference) = (0, None);
        for (index, (reading, line)) in rows.iter().enumerate() {
            let after = || format!("after {index} of {} rows", rows.len());
            let sent = Instant::now();
            let scored = asker.score(reading).with_context(after)?;
            latencies.push(1e3 * sent.elapsed().as_secs_f64());
            costs.extend(scored.map(|scored| f64::from(scored.cost)));
            let here = on_workstation(model, reading).context("a row cannot be scored")?;
            let there = scored.map(Answer::from);
            identical += usize::from(there == Some(here));
            if there != Some(here) && first_difference.is_none() {
                let again = asker.score(reading).with_context(after)?.map(Answer::from);
                first_difference = Some(AnswerDifference::new(index + 1, *line, here, [there, again]));
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(VerifyReport {
            device: self.line.name(),
            model_bytes: model.length(),
            model_checksum: format!("{:08x}", model.checksum()),
            rows: rows.len(),
            identical,
            cost_unit: unit_of(hello),
            cost_of_a_score: Spread::of(costs),
            latency_ms: self.line.is_serial().then(|| Spread::of(latencies)),
            repeated: asker.repeated,
            first_difference,
        })
    }
}

impl AnswerDifference {
    /// Between the workstation's answer and the device's first and second answer.
    fn new(row: usize, line: u64, here: Answer, [there, again]: [Option<Answer>; 2]) -> Self {
        let wrong = there.map_or(0, |there| here.score_bits ^ there.score_bits);
        Self {
            row,
            line,
            workstation: AnswerReport::new(here),
            device: there.map(AnswerReport::new),
            device_again: again.map(AnswerReport::new),
            wrong_bits: (0..32).filter(|bit| wrong >> bit & 1 == 1).collect(),
        }
    }

    fn show(&self, data: &Path) -> Vec<(&'static str, String)> {
        let shown = |answer: &Option<AnswerReport>| answer.as_ref().map_or("refused".to_owned(), AnswerReport::show);
        let bits: Vec<_> = self.wrong_bits.iter().map(u32::to_string).collect();
        let which = match &bits[..] {
            [] => String::new(),
            [bit] => format!(", bit {bit} of the score"),
            bits => format!(", bits {} of the score", bits.join(", ")),
        };
        let data = data.display();
        vec![
            ("first difference", format!("row {} ({data}:{}){which}", self.row, self.line)),
            ("on the workstation", self.workstation.show()),
            ("on the device", shown(&self.device)),
            ("device, asked again", shown(&self.device_again)),
        ]
    }
}

impl AnswerReport {
    fn new(answer: Answer) -> Self {
        Self {
            bits: format!("{:#010x}", answer.score_bits),
            score: f32::from_bits(answer.score_bits),
            positive: answer.positive,
            outside_envelope: answer.outside_envelope,
        }
    }

    fn show(&self) -> String {
        let class = ["negative", "positive"][usize::from(self.positive)];
        let outside = ["", ", outside the envelope"][usize::from(self.outside_envelope)];
        format!("{} = {}, {class}{outside}", self.bits, self.score)
    }
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
        Self { least: at(0), median: at(values.len() / 2), most: at(values.len().saturating_sub(1)) }
    }

    fn show(&self, unit: &str, show: &dyn Fn(f64) -> String) -> String {
        let [least, median, most] = [self.least, self.median, self.most].map(show);
        format!("{median} {unit} (median; {least} to {most})")
    }
}

impl VerifyReport {
    fn show(&self, out: &mut impl Write, data: &Path) -> Result<()> {
        let (bytes, checksum) = (show::grouped(self.model_bytes), &self.model_checksum);
        let (identical, rows) = (show::grouped(self.identical), show::grouped(self.rows));
        let cost = self.cost_of_a_score.show(self.cost_unit, &|cost| show::grouped(cost as u64));
        let mut facts = vec![
            ("device", self.device.clone()),
            ("model", format!("{bytes} bytes, checksum {checksum}")),
            ("identical", format!("{identical} of {rows} rows, to the bit")),
            ("cost per score", cost),
        ];
        if let Some(latency) = &self.latency_ms {
            facts.push(("latency", latency.show("ms", &|time| format!("{time:.1}"))));
        }
        if self.repeated > 0 {
            facts.push(("sent again", format!("{} times", self.repeated)));
        }
        if let Some(difference) = &self.first_difference {
            facts.extend(difference.show(data));
        }
        show::facts(out, &facts)
    }
}
