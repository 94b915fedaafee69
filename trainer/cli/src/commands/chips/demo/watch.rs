//! A refrigerator's day, watched: the thermometer is moved, the emulated chip measures, and what it says is shown.

use crate::commands::chips::demo::chart::{Chart, LINES, Point};
use anyhow::Result;
use pual_device::live::{Monitor, Seen, Watched};
use pual_trainer::data::synth::{Fault, MINUTES_A_READING, Moment, SAFE};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// What it came to.
#[derive(Serialize)]
pub struct Live {
    #[serde(flatten)]
    watched: Watched,
    /// Readings of which count, features, score, class and alarm were the workstation's to the bit.
    pub identical: usize,
}

/// How a day is shown.
pub enum Show {
    /// Not at all.
    Nothing,
    /// A line for each reading.
    Lines,
    /// A chart, with time to look at it.
    Chart(Duration),
}

impl Show {
    /// What suits standard output.
    pub fn new(json: bool, pause: Option<u64>) -> Self {
        const PAUSE: u64 = 80;
        match size_of_terminal() {
            _ if json => Self::Nothing,
            Some((_, height)) if height > LINES => {
                Self::Chart(Duration::from_millis(pause.unwrap_or(PAUSE)))
            }
            _ => Self::Lines,
        }
    }
}

/// Leads the monitor through the day.
pub fn watch(
    monitor: &mut Monitor<'_>,
    threshold: f32,
    day: &[Moment],
    show: &Show,
    out: &mut impl Write,
) -> Result<Live> {
    let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut chart = Chart::new([*SAFE.start(), *SAFE.end()], threshold.into(), colour);
    let (mut alarms, mut identical) = (Vec::new(), 0);
    if let Show::Lines = show {
        writeln!(
            out,
            " time  degrees   level   slope  spread    score  alarm"
        )?;
    }
    for (at, moment) in day.iter().enumerate() {
        let seen = monitor.expose(moment.millidegrees)?;
        alarms.push(seen.alarm);
        identical += usize::from(seen.identical);
        match show {
            Show::Nothing => {}
            Show::Lines => writeln!(out, "{}", line(at, &seen))?,
            Show::Chart(pause) => {
                let width = size_of_terminal().map_or(80, |(width, _)| width);
                chart.push(point(&seen), &status(at, moment, &seen), width, out)?;
                std::thread::sleep(*pause);
            }
        }
    }
    Ok(Live {
        watched: Watched::new(day, &alarms),
        identical,
    })
}

impl Live {
    /// All readings.
    pub fn readings(&self) -> usize {
        self.watched.readings
    }

    /// When there was an alarm, and when there should not have been.
    pub fn alarms(&self) -> String {
        let delay = |(delay, kind): (&Option<usize>, &str)| match delay {
            Some(0) => format!("{kind}: at once"),
            Some(1) => format!("{kind}: after 1 reading"),
            Some(readings) => format!("{kind}: after {readings} readings"),
            None => format!("{kind}: never"),
        };
        let delays = self.watched.delays.iter().zip(["too warm", "freezing"]);
        let delays: Vec<_> = delays.map(delay).collect();
        let Watched {
            normal,
            false_alarms,
            ..
        } = self.watched;
        let delays = delays.join(", ");
        match false_alarms {
            0 => format!("{delays}; none in {normal} readings of normal operation"),
            _ => format!("{delays}; {false_alarms} of {normal} readings of normal operation too"),
        }
    }
}

fn point(seen: &Seen) -> Point {
    Point {
        temperature: degrees(seen),
        score: seen.score.map(f64::from),
        alarm: seen.alarm,
    }
}

fn degrees(seen: &Seen) -> f64 {
    f64::from(seen.sample.count) / f64::from(pual_trainer::data::synth::COUNTS_PER_DEGREE)
}

fn time(reading: usize) -> String {
    let minutes = reading * MINUTES_A_READING;
    format!("{:>2}:{:02}", minutes / 60, minutes % 60)
}

fn line(at: usize, seen: &Seen) -> String {
    let (time, degrees) = (time(at), degrees(seen));
    let alarm = if seen.alarm { "  ALARM" } else { "" };
    match (seen.features, seen.score) {
        (Some([level, slope, spread]), Some(score)) => format!(
            "{time}  {degrees:>7.2} {level:>7.2} {slope:>7.3} {spread:>7.3} {score:>8.4}{alarm}"
        ),
        _ => format!("{time}  {degrees:>7.2}"),
    }
}

fn status(at: usize, moment: &Moment, seen: &Seen) -> String {
    let happens = match (moment.fault, moment.danger) {
        (Fault::None, false) => "the refrigerator works",
        (Fault::None, true) => "repaired; the load is not yet safe",
        (Fault::CompressorStopped, false) => "the compressor has stopped",
        (Fault::CompressorStopped, true) => "the compressor has stopped: the load is too warm",
        (Fault::DoorAjar, _) => "the door is ajar",
        (Fault::ThermostatStuck, false) => "the thermostat is stuck",
        (Fault::ThermostatStuck, true) => "the thermostat is stuck: the load freezes",
    };
    let score = seen.score.unwrap_or_default();
    let (time, degrees) = (time(at), degrees(seen));
    format!("{time}  {degrees:>6.2} °C  score {score:>7.3}  {happens}")
}

/// Columns and rows, if standard output is a terminal.
fn size_of_terminal() -> Option<(usize, usize)> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&stdout).ok()?;
    Some((size.ws_col.into(), size.ws_row.into()))
}
