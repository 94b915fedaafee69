//! `pual demo`: the whole pipeline, from readings to a chip that measures, scores, raises an alarm, and gives the workstation's
//! answers.

mod pump;
#[cfg(unix)]
mod watch;

use crate::exit::Failure;
use crate::show;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use pual_device::emulator::{Clock, Link};
use pual_device::firmware::{Board, build, need_qemu};
use pual_device::image::sizes;
use pual_infer::{ModelBytes, with_recipe};
use pual_protocol::Scored;
use pual_trainer::synth::{label, monitored, wifi_rooms, wifi_scans};
use pual_trainer::{Dataset, Options, Silent, Table, TruthQuality, device_scores, train};
use serde::Serialize;
use std::io::Write;
use std::time::Duration;

const BOARD: Board = Board::CortexM4F;
const ROWS: usize = 1000;
const LABEL_FREQUENCY: f64 = 0.5;
/// How long the emulated chip may be silent: far longer than any answer takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Train, boot the chip's firmware in QEMU, watch it work, and compare every score to the bit
///
/// pump: trains on raw recordings of a pump, a few stretches of which are labeled. The emulated Cortex-M4F takes the raw samples of
/// another day, computes windows and features, and raises an alarm. cold-chain: trains on readings of refrigerators, some of them labeled. The chip reads a thermometer on its I2C bus
/// through a day with two faults, and raises an alarm. Both are shown as a chart, or as lines if standard output is not a terminal.
/// wifi-rooms: the chip receives Wi-Fi scans and tells rooms from the corridor. Everything the chip computes is compared with the
/// workstation. QEMU and the bare-metal target are installed if they are missing.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual demo
  pual demo cold-chain --seed 7 --supports 16 --json
  pual demo wifi-rooms")]
pub struct Args {
    /// Which example to run
    #[arg(value_enum, default_value_t = Example::Pump, value_name = "EXAMPLE")]
    example: Example,
    /// Seed of the readings
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Support instances of the model [default: as in `pual train`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    supports: Option<u16>,
    /// Milliseconds between two points of the chart [default: 3 for pump, 80 for cold-chain]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=10_000))]
    pause: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Example {
    /// Raw samples of a pump: blocked, or running dry?
    Pump,
    /// A thermometer on a refrigerator: too warm or freezing?
    ColdChain,
    /// Wi-Fi scans: in a room on either side, or in the corridor?
    WifiRooms,
}

impl Example {
    fn rows(self, seed: u64) -> Table {
        match self {
            Self::ColdChain => monitored(ROWS, seed),
            _ => wifi_rooms(ROWS, seed),
        }
    }

    fn readings(self) -> &'static str {
        match self {
            Self::ColdChain => "readings of refrigerators",
            _ => "Wi-Fi scans of rooms and a corridor",
        }
    }

    /// The firmware.
    fn program(self) -> &'static str {
        match self {
            Self::ColdChain => "monitor",
            Self::Pump | Self::WifiRooms => "firmware-example",
        }
    }
}

#[derive(Serialize)]
struct DemoReport {
    example: Example,
    board: &'static str,
    training_rows: usize,
    labeled: usize,
    test_rows: usize,
    truth: TruthQuality,
    supports: usize,
    encoding: &'static str,
    model_bytes: usize,
    firmware_flash_bytes: u64,
    firmware_ram_bytes: u64,
    instructions_per_score: u32,
    identical_scores: usize,
    #[cfg(unix)]
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<watch::DayReport>,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        if self.example == Example::Pump {
            return pump::run(self, out);
        }
        let mut rows = label(self.example.rows(self.seed), LABEL_FREQUENCY, self.seed);
        rows.truth = None;
        let data = Dataset::new(rows)?;
        show::progress("training");
        let bytes = train_demo_model(&data, self.supports)?;
        #[cfg(unix)]
        let bytes = match self.example {
            // The rows' features are computed on the chip, from the thermometer's counts.
            Example::ColdChain => with_recipe(&bytes, &pual_device::emulator::thermometer_recipe())?,
            _ => bytes,
        };
        let model = bytes.decode()?;

        let seed_of_test = self.seed.wrapping_add(1);
        let test = self.example.rows(seed_of_test);
        show::progress("building the firmware (takes a minute the first time)");
        let elf = build(BOARD, self.example.program())?;
        let firmware = sizes(&elf)?;
        show::progress("looking for QEMU (installed if missing)");
        need_qemu()?;
        #[cfg(unix)]
        let mut live = None;
        let answers = match self.example {
            #[cfg(unix)]
            Example::ColdChain => {
                let (day, answers) = self.watch(&bytes, &test, out)?;
                live = Some(day);
                answers
            }
            #[cfg(not(unix))]
            Example::ColdChain => {
                bail!("an emulated thermometer needs Unix; try `pual demo wifi-rooms`")
            }
            _ => {
                show::progress("sending the scans to the emulated chip");
                let mut link = Link::boot(BOARD, &bytes, "demo", Clock::Instructions, LIMIT)?;
                match link.hello()? {
                    Some(hello) if hello.model_checksum == model.checksum() => {}
                    _ => bail!("the firmware did not accept the model"),
                }
                let answers = link.score_scans(&wifi_scans(ROWS, seed_of_test).0)?;
                link.stop()?;
                answers
            }
        };
        let answers: Option<Vec<Scored>> = answers.into_iter().collect();
        let answers = answers.context("the firmware refused a reading")?;

        let called: Vec<bool> = answers.iter().map(|answer| answer.positive).collect();
        let host = device_scores(&model, &test.rows)?;
        let report = DemoReport {
            example: self.example,
            board: BOARD.name(),
            training_rows: data.len(),
            labeled: data.positives(),
            test_rows: test.len(),
            truth: TruthQuality::new(test.truth.as_deref().unwrap_or_default(), &called),
            supports: model.supports(),
            encoding: model.encoding().name(),
            model_bytes: model.length(),
            firmware_flash_bytes: firmware.flash,
            firmware_ram_bytes: firmware.ram,
            instructions_per_score: answers.iter().map(|answer| answer.cost).max().unwrap_or(0),
            identical_scores: answers
                .iter()
                .zip(&host)
                .filter(|(chip, host)| chip.score_bits == host.to_bits())
                .count(),
            #[cfg(unix)]
            live,
        };
        show::result(self.json, out, &report, DemoReport::show)?;
        let different = report.different();
        if different > 0 {
            out.flush()?;
            let message = format!("{different} answers differ between chip and workstation");
            return Err(Failure::differs(message, None).into());
        }
        Ok(())
    }

    /// A day with the monitor; then it scores every row.
    #[cfg(unix)]
    fn watch(
        &self,
        bytes: &ModelBytes,
        test: &Table,
        out: &mut impl Write,
    ) -> Result<(watch::DayReport, Vec<Option<Scored>>)> {
        use pual_device::emulator::Monitor;

        let model = bytes.decode()?;
        let readings: Vec<Vec<f32>> =
            test.rows.chunks(test.names.len()).map(|row| row.iter().map(|&value| value as f32).collect()).collect();
        let mut monitor = Monitor::boot(bytes, &model, "demo", Clock::Instructions, LIMIT)?;
        let day = pual_trainer::synth::day(self.seed);
        let lines = watch::refrigerator_chart(model.threshold()).height();
        let view = watch::DayView::new(self.json, self.pause, lines);
        let report = watch::watch(&mut monitor, model.threshold(), &day, &view, out)?;
        let answers = monitor.link().score(&readings)?;
        monitor.stop()?;
        Ok((report, answers))
    }
}

/// The default pipeline, as `pual train` runs it.
fn train_demo_model(data: &Dataset, supports: Option<u16>) -> Result<ModelBytes> {
    let options = Options { supports: supports.map(usize::from), ..Options::default() };
    Ok(train(data, &options, &Silent)?.model.bytes().clone())
}

impl DemoReport {
    /// Answers of the chip that differ from the workstation's.
    fn different(&self) -> usize {
        let different = self.test_rows - self.identical_scores;
        #[cfg(unix)]
        if let Some(live) = &self.live {
            return different + live.readings() - live.identical;
        }
        different
    }

    fn show(&self, out: &mut impl Write) -> Result<()> {
        let unlabeled = self.training_rows - self.labeled;
        let trained = format!("{} labeled and {unlabeled} unlabeled {}", self.labeled, self.example.readings());
        let firmware = format!(
            "{} bytes of flash, {} of RAM, excluding model and stack",
            show::grouped(self.firmware_flash_bytes),
            show::grouped(self.firmware_ram_bytes)
        );
        let identical = format!(
            "{} of {} scores identical to the bit",
            show::grouped(self.identical_scores),
            show::grouped(self.test_rows)
        );
        #[allow(unused_mut)] // where there is no live part
        let mut facts = vec![
            ("trained on", trained),
            ("run on", format!("{}, in QEMU", self.board)),
            ("F1", show::f1(&self.truth)),
            ("model", show::model(self.model_bytes, self.supports, self.encoding)),
            ("firmware", firmware),
            ("instructions per score", show::grouped(self.instructions_per_score)),
            ("chip and workstation", identical),
        ];
        #[cfg(unix)]
        if let Some(live) = &self.live {
            let (identical, readings) = (live.identical, live.readings());
            facts.push(("alarm", live.alarms()));
            facts.push((
                "measured day",
                format!("{identical} of {readings} temperatures, features, scores and alarms identical to the bit"),
            ));
        }
        show::facts(out, &facts)
    }
}
