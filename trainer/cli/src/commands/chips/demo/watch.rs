//! A refrigerator's day: the thermometer is set, the emulated chip measures, and its answers are shown.

use crate::commands::chips::chart::{Chart, Point, Quantity, size_of_terminal};
use anyhow::Result;
use pual_device::emulator::{Measurement, Monitor};
use pual_trainer::synth::{AlarmReport, Fault, MINUTES_A_READING, Moment, SAFE, thermometer};
use serde::Serialize;
use std::io::Write;
use std::time::Duration;

/// The alarms of the day, and the comparison with the workstation.
#[derive(Serialize)]
pub struct DayReport {
    #[serde(flatten)]
    alarms: AlarmReport,
    /// Readings whose count, features, score, class and alarm equal the workstation's to the bit.
    pub identical: usize,
}

/// How a day is shown.
pub enum DayView {
    /// Not at all.
    Nothing,
    /// One line per reading.
    Lines,
    /// A chart, with a pause after each reading.
    Chart(Duration),
}

impl DayView {
    /// The view that suits standard output.
    pub fn new(json: bool, pause: Option<u64>, lines: usize) -> Self {
        const PAUSE: u64 = 80;
        match size_of_terminal() {
            _ if json => Self::Nothing,
            Some((_, height)) if height > lines => Self::Chart(Duration::from_millis(pause.unwrap_or(PAUSE))),
            _ => Self::Lines,
        }
    }
}

/// Runs the monitor through the day.
pub fn watch(
    monitor: &mut Monitor<'_>,
    threshold: f32,
    day: &[Moment],
    view: &DayView,
    out: &mut impl Write,
) -> Result<DayReport> {
    let mut chart = refrigerator_chart(threshold);
    let (mut alarms, mut identical) = (Vec::new(), 0);
    if let DayView::Lines = view {
        writeln!(out, " time  degrees   level   slope  spread    score  alarm")?;
    }
    for (at, moment) in day.iter().enumerate() {
        let count = thermometer(moment.millidegrees);
        let measured = monitor.expose(moment.millidegrees, count)?;
        alarms.push(measured.alarm);
        identical += usize::from(measured.identical);
        match view {
            DayView::Nothing => {}
            DayView::Lines => writeln!(out, "{}", line(at, &measured))?,
            DayView::Chart(pause) => {
                let width = size_of_terminal().map_or(80, |(width, _)| width);
                let status = status(at, moment, &measured);
                chart.push(point(&measured), &status, width, out)?;
                std::thread::sleep(*pause);
            }
        }
    }
    Ok(DayReport { alarms: AlarmReport::new(day, &alarms), identical })
}

impl DayReport {
    /// The number of readings.
    pub fn readings(&self) -> usize {
        self.alarms.readings
    }

    /// When there was an alarm, and when there should not have been.
    pub fn alarms(&self) -> String {
        let delay = |(delay, kind): (&Option<usize>, &str)| match delay {
            Some(0) => format!("{kind}: at once"),
            Some(1) => format!("{kind}: after 1 reading"),
            Some(readings) => format!("{kind}: after {readings} readings"),
            None => format!("{kind}: never"),
        };
        let delays = self.alarms.delays.iter().zip(["too warm", "freezing"]);
        let delays: Vec<_> = delays.map(delay).collect();
        let (normal, delays) = (self.alarms.normal, delays.join(", "));
        match self.alarms.false_alarms {
            0 => format!("{delays}; none in {normal} readings of normal operation"),
            wrong => {
                format!("{delays}; {wrong} false alarms in {normal} readings of normal operation")
            }
        }
    }
}

/// The air's temperature between the safe limits, and the score.
pub fn refrigerator_chart(threshold: f32) -> Chart {
    let [cold, warm] = [*SAFE.start(), *SAFE.end()];
    let temperature = Quantity {
        title: "thermometer, in degrees Celsius; dashed: safe range of the load".into(),
        rows: 8,
        range: [cold - 4.0, warm + 4.0],
        marks: vec![(warm, format!("{warm} °C")), (cold, format!("{cold} °C"))],
    };
    let score = "score of level, slope and spread; dashed: the model's threshold";
    Chart::new(vec![temperature, Quantity::score(score, 4, threshold)])
}

fn point(measured: &Measurement) -> Point {
    Point {
        values: vec![Some(degrees(measured)), measured.expected.as_ref().map(|seen| f64::from(seen.score))],
        alarm: measured.alarm,
    }
}

fn degrees(measured: &Measurement) -> f64 {
    f64::from(measured.sample.count) / f64::from(pual_trainer::synth::COUNTS_PER_DEGREE)
}

fn time(reading: usize) -> String {
    let minutes = reading * MINUTES_A_READING;
    format!("{:>2}:{:02}", minutes / 60, minutes % 60)
}

fn line(at: usize, measured: &Measurement) -> String {
    let (time, degrees) = (time(at), degrees(measured));
    let alarm = if measured.alarm { "  ALARM" } else { "" };
    let seen = measured.expected.as_ref().map(|seen| (&seen.features[..], seen.score));
    match seen {
        Some(([level, slope, spread], score)) => {
            format!("{time}  {degrees:>7.2} {level:>7.2} {slope:>7.3} {spread:>7.3} {score:>8.4}{alarm}")
        }
        _ => format!("{time}  {degrees:>7.2}"),
    }
}

fn status(at: usize, moment: &Moment, measured: &Measurement) -> String {
    let happens = match (moment.fault, moment.danger) {
        (Fault::None, false) => "the refrigerator works",
        (Fault::None, true) => "repaired; the load is not yet safe",
        (Fault::CompressorStopped, false) => "the compressor has stopped",
        (Fault::CompressorStopped, true) => "the compressor has stopped: the load is too warm",
        (Fault::DoorAjar, _) => "the door is ajar",
        (Fault::ThermostatStuck, false) => "the thermostat is stuck",
        (Fault::ThermostatStuck, true) => "the thermostat is stuck: the load freezes",
    };
    let score = measured.expected.as_ref().map_or(0.0, |seen| seen.score);
    let (time, degrees) = (time(at), degrees(measured));
    format!("{time}  {degrees:>6.2} °C  score {score:>7.3}  {happens}")
}
