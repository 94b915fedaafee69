//! A pump: a model is trained on raw recordings, and the emulated chip takes the raw samples of another day.

use super::{Args, BOARD, LIMIT};
use crate::commands::chips::recorded::{check_support, samples_of};
use crate::commands::chips::stream_view::StreamView;
use crate::exit::Failure;
use crate::show;
use anyhow::{Context, Result, bail};
use pual_device::emulator::{Clock, Link};
use pual_device::firmware::{build, need_qemu};
use pual_device::image::sizes;
use pual_device::samples::{ComparedWindow, StreamComparison};
use pual_device::verify::Asker;
use pual_trainer::internals::{EventQuality, StreamSummary};
use pual_trainer::synth::{MachineOptions, RawRecording, machine, machine_day};
use pual_trainer::{
    LogOptions, Options, Recordings, Silent, Span, StreamOptions, evaluate_recordings, train_recordings, write_file,
};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// A window, and from one window to the next.
const SECONDS: [f64; 2] = [60.0, 30.0];
/// Of the other day.
const HOURS: usize = 8;
/// Milliseconds between windows in the chart.
const PAUSE: u64 = 3;
/// Batches of samples on their way to the chip: fewer, and both sides would wait for each other.
const AHEAD: usize = 32;
const TRUTH: &str = "truth";
const EVENTS: &str = "events.csv";

#[derive(Serialize)]
struct PumpReport {
    example: super::Example,
    board: &'static str,
    recordings: usize,
    training_samples: usize,
    /// Windows, features, alarm and drift flag.
    stream: StreamSummary,
    supports: usize,
    encoding: &'static str,
    model_bytes: usize,
    firmware_flash_bytes: u64,
    firmware_ram_bytes: u64,
    instructions_per_sample: f64,
    /// The most for a sample that completes a window: features, score, alarm.
    instructions_per_window: u32,
    day_samples: usize,
    windows: usize,
    identical_windows: usize,
    alarm: EventQuality,
}

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("pual-demo-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self(path))
    }

    fn write(&self, recording: &RawRecording, truth: Option<&str>) -> Result<PathBuf> {
        let path = self.0.join(format!("{}.csv", recording.name));
        write_file(&path, recording.csv(truth).as_bytes())?;
        Ok(path)
    }
}

/// As a logger would have left them.
fn recordings(folder: &Folder, seed: u64) -> Result<Recordings> {
    let raw = machine(&MachineOptions { seed, ..MachineOptions::default() });
    let files: Result<Vec<PathBuf>> = raw.iter().map(|recording| folder.write(recording, None)).collect();
    let events = folder.0.join(EVENTS);
    write_file(&events, RawRecording::events(&raw).as_bytes())?;
    let options = LogOptions { events: Some(events), ..LogOptions::default() };
    Ok(Recordings::open(&files?, &options)?)
}

/// A day of the same pump, whose truth is known.
fn day(folder: &Folder, seed: u64) -> Result<Recordings> {
    let file: PathBuf = folder.write(&machine_day(seed, HOURS, false), Some(TRUTH))?;
    let options = LogOptions { truth: Some(TRUTH.to_owned()), ..LogOptions::default() };
    Ok(Recordings::open(std::slice::from_ref(&file), &options)?)
}

pub fn run(args: &Args, out: &mut impl Write) -> Result<()> {
    let folder = Folder::new()?;
    let training = recordings(&folder, args.seed)?;
    show::progress("training on recordings");
    let [window, hop] = SECONDS.map(Span::Seconds);
    let streams = StreamOptions { windows: vec![window], hop: Some(hop), ..StreamOptions::default() };
    let options = Options { supports: args.supports.map(usize::from), ..Options::default() };
    let trained = train_recordings(&training, &streams, &options, &Silent)?;
    let bytes = trained.outcome.model.bytes();
    let model = bytes.decode()?;

    show::progress("building the firmware (takes a minute the first time)");
    let firmware = sizes(&build(BOARD, args.example.program())?)?;
    show::progress("looking for QEMU (installed if missing)");
    need_qemu()?;
    let day = day(&folder, args.seed.wrapping_add(1))?;
    let link = Link::boot(BOARD, bytes, "demo", Clock::Instructions, LIMIT)?;
    let mut asker = Asker::new(link);
    match asker.hello()? {
        Some(hello) if hello.model_checksum == model.checksum() => check_support(hello.stream)?,
        _ => bail!("the firmware did not accept the model"),
    }
    let mut view = StreamView::new(&model, &day, args.json, args.pause.unwrap_or(PAUSE));
    let truth = day.all[0].truth.clone().unwrap_or_default();
    let (mut windows, mut identical, mut most) = (0, 0, 0);
    let mut comparison = StreamComparison::new(&mut asker, &model)?;
    comparison.send_ahead(AHEAD);
    // An output error ends the demo, once the samples that are under way have been answered.
    let mut shown = Ok(());
    comparison.push(&day.all[0].samples, &mut |window: ComparedWindow| {
        windows += 1;
        identical += usize::from(window.is_identical());
        let Some(there) = &window.there else { return Ok(()) };
        most = most.max(there.cost);
        let note = if truth.get(window.sample) == Some(&true) { "the pump is faulty" } else { "the pump works" };
        if shown.is_ok() {
            shown = view.window(&day.all[0], window.sample, there, note, out);
        }
        Ok(())
    })?;
    shown?;
    let (cost, count) = comparison.samples_cost;
    asker.into_line().stop()?;

    let evaluation = evaluate_recordings(&model, &day, None)?;
    let report = PumpReport {
        example: args.example,
        board: BOARD.name(),
        recordings: training.all.len(),
        training_samples: samples_of(&training),
        supports: model.supports(),
        encoding: model.encoding().name(),
        model_bytes: model.length(),
        firmware_flash_bytes: firmware.flash,
        firmware_ram_bytes: firmware.ram,
        instructions_per_sample: cost as f64 / count.max(1) as f64,
        instructions_per_window: most,
        day_samples: samples_of(&day),
        windows,
        identical_windows: identical,
        alarm: evaluation.alarm,
        stream: trained.stream,
    };
    show::result(args.json, out, &report, PumpReport::show)?;
    if identical < windows {
        out.flush()?;
        let message = format!("{} windows differ between chip and workstation", windows - identical);
        return Err(Failure::differs(message, None).into());
    }
    Ok(())
}

/// Names in lines that fit beside the facts' own.
fn wrapped(names: &[String]) -> String {
    const WIDTH: usize = 64;
    let mut text = String::new();
    let mut line = 0;
    for (at, name) in names.iter().enumerate() {
        let length = name.chars().count() + 2;
        if line + length > WIDTH {
            text += &format!("\n{:15}", "");
            line = 0;
        }
        let separator = if at + 1 < names.len() { ", " } else { "" };
        text += &format!("{name}{separator}");
        line += length;
    }
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

impl PumpReport {
    fn show(&self, out: &mut impl Write) -> Result<()> {
        let alarm = &self.alarm;
        let delays: Vec<String> = alarm.delays.iter().map(|seconds| format!("{seconds:.0} s")).collect();
        let found = format!(
            "{} of {} faults found, after {}; {} false alarms in {:.1} quiet hours",
            alarm.found,
            alarm.events,
            if delays.is_empty() { "-".to_owned() } else { delays.join(" and ") },
            alarm.false_alarms,
            alarm.quiet_hours
        );
        let grouped = |number: usize| show::grouped(number);
        let stream = &self.stream;
        let costs = format!(
            "{:.0} instructions per sample, {} at most per window",
            self.instructions_per_sample,
            show::grouped(self.instructions_per_window)
        );
        let flash = show::grouped(self.firmware_flash_bytes);
        show::facts(
            out,
            &[
                ("trained on", format!("{} recordings, {} samples", self.recordings, grouped(self.training_samples))),
                ("features", wrapped(&stream.features)),
                ("model", show::model(self.model_bytes, self.supports, self.encoding)),
                ("run on", format!("{}, in QEMU", self.board)),
                ("firmware", format!("{flash} bytes of flash, excluding model")),
                ("stream", format!("{} bytes of RAM; {costs}", grouped(stream.ram_bytes))),
                ("the day", format!("{} samples, {} windows", grouped(self.day_samples), grouped(self.windows))),
                ("alarm", found),
                (
                    "chip and host",
                    format!(
                        "{} of {} windows: features, score, alarm identical to the bit",
                        grouped(self.identical_windows),
                        grouped(self.windows)
                    ),
                ),
            ],
        )
    }
}
