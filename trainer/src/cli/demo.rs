//! `pual demo`: the whole road, from readings to a chip that answers as the workstation does.

use super::evaluate::Quality;
use super::exit::Failure;
use super::show;
use anyhow::{Context, Result, bail};
use pual_infer::{AnyModel, ModelBytes};
use pual_protocol::Scored;
use pual_trainer::compress::{CompressOptions, Goal, Readings, compress_classifier};
use pual_trainer::csv::Table;
use pual_trainer::dataset::Dataset;
use pual_trainer::device::bench::encoding_name;
use pual_trainer::device::firmware::{Board, build, need_qemu};
use pual_trainer::device::image::Image;
use pual_trainer::device::link::Link;
use pual_trainer::device::qemu::{Clock, Qemu};
use pual_trainer::device::sizes::sizes;
use pual_trainer::export::device_scores;
use pual_trainer::metrics::Scenario;
use pual_trainer::synth::{cold_chain, label};
use pual_trainer::train::{TrainOptions, train};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

const BOARD: Board = Board::CortexM4F;
const ROWS: usize = 1000;
const LABEL_FREQUENCY: f64 = 0.5;
/// How long the emulated chip may be silent: far more than any answer takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Train, export, boot the chip's firmware in QEMU and compare every score to the bit
///
/// Generates readings of refrigerators, trains on labeled and unlabeled ones, exports a small model, builds the example firmware, boots it
/// on an emulated Cortex-M4F with that model, and sends it other readings over its UART. QEMU and the bare-metal target are
/// installed if they are missing.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual demo
  pual demo --seed 7 --supports 16 --json")]
pub struct Args {
    /// Seed of the readings
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Support instances of the model [default: as `pual train`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    supports: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    board: &'static str,
    training_rows: usize,
    labeled: usize,
    test_rows: usize,
    truth: Quality,
    supports: usize,
    encoding: &'static str,
    model_bytes: usize,
    firmware_flash_bytes: u64,
    firmware_ram_bytes: u64,
    instructions_per_score: u32,
    identical_scores: usize,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let data = self.training_data()?;
        let trained = train(&data, &TrainOptions::default())?;
        let readings = Readings {
            rows: data.rows(),
            labeled: Some(data.labeled()),
            scenario: Scenario::SingleTrainingSet,
        };
        let size = CompressOptions {
            goal: match self.supports {
                Some(supports) => Goal::Supports(supports.into()),
                None => Goal::Tolerance,
            },
            ..CompressOptions::default()
        };
        let bytes = compress_classifier(&trained.classifier, &readings, &size, &|_, _| ())?.bytes;
        let model = bytes.decode_any()?;

        let test = cold_chain(ROWS, self.seed.wrapping_add(1));
        show::progress("building the firmware (the first time takes a minute)");
        let elf = build(BOARD, "firmware-example")?;
        let firmware = sizes(&elf)?;
        show::progress("looking for QEMU (it is installed if it is missing)");
        need_qemu()?;
        show::progress("streaming the readings to the emulated chip");
        let answers = ask_chip(&Image::read(&elf)?, &bytes, &model, &test)?;

        let called: Vec<bool> = answers.iter().map(|answer| answer.positive).collect();
        let host = device_scores(&model, &test.rows)?;
        let report = Report {
            board: BOARD.name(),
            training_rows: data.len(),
            labeled: data.positives(),
            test_rows: test.len(),
            truth: Quality::new(test.truth.as_deref().unwrap_or_default(), &called),
            supports: model.supports(),
            encoding: encoding_name(model.encoding()),
            model_bytes: model.length(),
            firmware_flash_bytes: firmware.flash,
            firmware_ram_bytes: firmware.ram,
            instructions_per_score: answers.iter().map(|answer| answer.cost).max().unwrap_or(0),
            identical_scores: answers
                .iter()
                .zip(&host)
                .filter(|(chip, host)| chip.score_bits == host.to_bits())
                .count(),
        };
        match self.json {
            true => show::json(out, &report)?,
            false => report.show(out)?,
        }
        let different = report.test_rows - report.identical_scores;
        if different > 0 {
            out.flush()?;
            let message = format!("{different} scores of the chip differ from the workstation's");
            return Err(Failure::differs(message, None).into());
        }
        Ok(())
    }

    fn training_data(&self) -> Result<Dataset> {
        let mut table = label(cold_chain(ROWS, self.seed), LABEL_FREQUENCY, self.seed);
        table.truth = None;
        Ok(Dataset::new(table)?)
    }
}

/// Boots the firmware with the model and has it score every row.
fn ask_chip(
    firmware: &Image,
    bytes: &ModelBytes,
    model: &AnyModel<'_>,
    test: &Table,
) -> Result<Vec<Scored>> {
    let readings: Vec<Vec<f32>> = test
        .rows
        .chunks(test.names.len())
        .map(|row| row.iter().map(|&value| value as f32).collect())
        .collect();
    let image = TemporaryFile(firmware.with_model(bytes, "demo")?);
    let machine = Qemu::boot(BOARD, &image.0, Clock::Instructions, LIMIT)?;
    let mut link = Link::new(machine)?;
    match link.hello()? {
        Some(hello) if hello.model_checksum == model.checksum() => {}
        _ => bail!("the firmware did not accept the model"),
    }
    let answers = link.score(&readings)?;
    link.stop()?;
    answers
        .into_iter()
        .collect::<Option<Vec<Scored>>>()
        .context("the firmware refused a reading")
}

/// A file that is gone when this is.
struct TemporaryFile(PathBuf);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Report {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        let grouped = |count: usize| show::grouped(count as u64);
        let unlabeled = self.training_rows - self.labeled;
        show::facts(
            out,
            &[
                (
                    "trained on",
                    format!(
                        "{} labeled and {} unlabeled readings of refrigerators",
                        self.labeled, unlabeled
                    ),
                ),
                ("run on", format!("{}, in QEMU", self.board)),
                ("F1", self.truth.f1()),
                (
                    "model",
                    format!(
                        "{} bytes, {}, {}",
                        grouped(self.model_bytes),
                        show::supports(self.supports),
                        self.encoding
                    ),
                ),
                (
                    "firmware",
                    format!(
                        "{} bytes of flash, {} of RAM, beside model and stack",
                        show::grouped(self.firmware_flash_bytes),
                        show::grouped(self.firmware_ram_bytes)
                    ),
                ),
                (
                    "instructions a score",
                    show::grouped(self.instructions_per_score),
                ),
                (
                    "chip and workstation",
                    format!(
                        "{} of {} scores identical to the bit",
                        grouped(self.identical_scores),
                        grouped(self.test_rows)
                    ),
                ),
            ],
        )
    }
}
