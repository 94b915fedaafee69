//! The flags for recordings: how logs are read, and what is made of them.

use crate::exit::usage_error;
use crate::flags::values::{choice, positive};
use anyhow::Result;
use pual_trainer::{LogOptions, Missing, Span, StreamOptions};
use std::path::PathBuf;

/// How logs are read.
#[derive(clap::Args)]
#[command(next_help_heading = "Recordings")]
pub struct LogFlags {
    /// Column of times: ISO 8601, or seconds or milliseconds since 1970 [default: found by name or content]
    #[arg(long, value_name = "NAME")]
    time_column: Option<String>,
    /// Samples per second, of logs without times
    #[arg(long, value_name = "HZ", value_parser = positive)]
    rate: Option<f64>,
    /// Between cells: `,` `;` or `tab` [default: the one that the header has most of]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// What an empty cell of a recording does [default: gap]
    #[arg(long, value_parser = choice::<Missing>())]
    missing: Option<Missing>,
}

/// Windows of recordings.
#[derive(clap::Args)]
#[command(next_help_heading = "Recordings")]
pub struct WindowFlags {
    /// Data are recordings of raw samples, in windows of this length: 20s, 5min, or a number of samples. Of several, left-out recordings
    /// choose
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = span)]
    window: Option<Vec<Span>>,
    /// From one window to the next; divides the window [default: half of it]
    #[arg(long, value_name = "LENGTH", value_parser = span, requires = "window")]
    hop: Option<Span>,
    /// What is computed of a window: mean, sd, rms, min, max, p2p, slope, crossings, crest, skewness, kurtosis, diff, band:50-200Hz, of
    /// every channel, or `CHANNEL mean` of one; `mean relative` counts from --baseline [default: a few, chosen by left-out recordings]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "window")]
    window_features: Option<Vec<String>>,
    /// The magnitude of several channels is a channel too; may be repeated
    #[arg(long, value_name = "CHANNELS", requires = "window")]
    magnitude: Vec<String>,
    /// Features count from their mean over this long after the start: 5min, or a number of samples
    #[arg(long, value_name = "LENGTH", value_parser = span, requires = "window")]
    baseline: Option<Span>,
    /// CSV of what is known: recording,start,end and perhaps kind (fault or normal) [default: labels are in --label-column]
    #[arg(long, value_name = "FILE", requires = "window")]
    pub events: Option<PathBuf>,
    /// False alarms that the alarm may give, such as 1/day or 2/week [default: 1/day]
    #[arg(long, value_name = "RATE", value_parser = per_day, requires = "window")]
    false_alarms: Option<f64>,
}

impl LogFlags {
    pub fn options(&self) -> LogOptions {
        LogOptions {
            delimiter: self.delimiter,
            time: self.time_column.clone(),
            rate: self.rate,
            missing: self.missing.unwrap_or_default(),
            ..LogOptions::default()
        }
    }

    /// Refuses them where a model takes feature rows.
    pub fn refuse(&self, command: &str) -> Result<()> {
        match self.first_given() {
            None => Ok(()),
            Some(flag) => {
                let message = format!("{flag} is for recordings, and this model takes feature rows: it has no recipe");
                Err(usage_error(command, message))
            }
        }
    }

    /// A flag that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--time-column", self.time_column.is_some()),
            ("--rate", self.rate.is_some()),
            ("--delimiter", self.delimiter.is_some()),
            ("--missing", self.missing.is_some()),
        ];
        given.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag))
    }
}

impl WindowFlags {
    /// Given if data are recordings.
    pub fn options(&self) -> Option<StreamOptions> {
        let default = StreamOptions::default();
        let names = |list: &String| list.split(',').map(|name| name.trim().to_owned()).collect();
        Some(StreamOptions {
            windows: self.window.clone()?,
            hop: self.hop,
            features: self.window_features.clone(),
            baseline: self.baseline,
            magnitudes: self.magnitude.iter().map(names).collect(),
            false_alarms: self.false_alarms.unwrap_or(default.false_alarms),
        })
    }
}

/// "20s", "5min", "250ms", "1h", "200".
fn span(text: &str) -> Result<Span, String> {
    const UNITS: [(&str, f64); 9] = [
        ("ms", 1e-3),
        ("min", 60.0),
        ("us", 1e-6),
        ("sec", 1.0),
        ("day", 86_400.0),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
        ("d", 86_400.0),
    ];
    let text = text.trim();
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| *n > 0.0 && n.is_finite());
    for (unit, seconds) in UNITS {
        if let Some(number) = text.strip_suffix(unit).and_then(number) {
            return Ok(Span::Seconds(seconds * number));
        }
    }
    match text.parse() {
        Ok(samples) if samples > 0 => Ok(Span::Samples(samples)),
        _ => Err("expected a time such as 20s, 5min, 100ms or 1h, or a number of samples".to_owned()),
    }
}

/// "1/day" as a number per day.
fn per_day(text: &str) -> Result<f64, String> {
    const PER_DAY: [(&str, f64); 4] = [("hour", 24.0), ("day", 1.0), ("week", 1.0 / 7.0), ("month", 1.0 / 30.0)];
    let parts = text.split_once('/');
    let rate = parts.and_then(|(count, unit)| {
        let count: f64 = count.trim().parse().ok().filter(|count: &f64| *count >= 0.0 && count.is_finite())?;
        PER_DAY.iter().find_map(|(name, factor)| (*name == unit.trim()).then_some(count * factor))
    });
    rate.ok_or_else(|| "expected a rate such as 1/day; units are hour, day, week and month".to_owned())
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" | "\t" => Ok(b'\t'),
        "semicolon" => Ok(b';'),
        "comma" => Ok(b','),
        text if text.len() == 1 && text.is_ascii() => Ok(text.as_bytes()[0]),
        _ => Err("expected one character, or tab".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_rates_and_delimiters_are_read_as_people_write_them() {
        let seconds = ["20s", "5min", "250ms", "1h", "0.5 h", "2d"].map(span);
        assert_eq!(seconds, [20.0, 300.0, 0.25, 3600.0, 1800.0, 172_800.0].map(|s| Ok(Span::Seconds(s))));
        assert_eq!(span("200"), Ok(Span::Samples(200)));
        for wrong in ["", "s", "0", "-5s", "20 parsecs", "1.5", "NaNs"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
        assert_eq!(["1/day", "2/hour", "0.5/week"].map(per_day), [Ok(1.0), Ok(48.0), Ok(0.5 / 7.0)]);
        assert!(per_day("1").is_err() && per_day("1/year").is_err() && per_day("x/day").is_err());
        assert_eq!(["tab", ";", "\\t", ","].map(delimiter), [Ok(b'\t'), Ok(b';'), Ok(b'\t'), Ok(b',')]);
        assert!(delimiter("ab").is_err());
    }
}
