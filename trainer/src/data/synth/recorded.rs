//! Generated recordings as a logger would leave them: a CSV file per recording, and one file of labeled stretches.

use std::fmt::Write;

/// What a logger recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct RawRecording {
    /// Its name, which is also the file's without the ending.
    pub name: String,
    /// When it begins, in seconds since 1970.
    pub start: i64,
    /// Seconds between two samples.
    pub period: f64,
    /// The channels' names.
    pub channels: Vec<String>,
    /// One sample after another, all channels of each.
    pub samples: Vec<f64>,
    /// When each sample was taken, in seconds from the start.
    pub seconds: Vec<f64>,
    /// Was the machine faulty then?
    pub truth: Vec<bool>,
    /// What somebody has noted.
    pub labeled: Vec<LabeledStretch>,
    decimals: usize,
}

/// A stretch of a recording that somebody has labeled, in seconds from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabeledStretch {
    /// The first second.
    pub from: usize,
    /// The second after the last.
    pub to: usize,
    /// A fault, or known to be normal.
    pub fault: bool,
}

impl RawRecording {
    /// Nothing recorded yet. Values are written with this many decimals.
    pub(super) fn new(name: String, start: i64, period: f64, channels: &[&str], decimals: usize) -> Self {
        Self {
            name,
            start,
            period,
            channels: channels.iter().map(|name| (*name).to_owned()).collect(),
            samples: Vec::new(),
            seconds: Vec::new(),
            truth: Vec::new(),
            labeled: Vec::new(),
            decimals,
        }
    }

    /// Adds the next sample, rounded to what the file will hold.
    pub(super) fn push(&mut self, values: &[f64], truth: bool) {
        self.seconds.push(self.seconds.len() as f64 * self.period);
        self.truth.push(truth);
        let scale = [1.0, 10.0, 100.0, 1000.0].get(self.decimals).copied().unwrap_or(1e4);
        self.samples.extend(values.iter().map(|value| (value * scale).round() / scale + 0.0));
    }

    /// Forgets the samples between these two numbers.
    pub(super) fn remove(&mut self, from: usize, to: usize) {
        let to = to.min(self.truth.len());
        let from = from.min(to);
        let width = self.channels.len();
        self.samples.drain(from * width..to * width);
        self.seconds.drain(from..to);
        self.truth.drain(from..to);
    }

    /// One sample after another.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.samples.chunks_exact(self.channels.len())
    }

    /// The file: a column `time`, the channels, and if wanted a column with the truth.
    #[must_use]
    pub fn csv(&self, truth_column: Option<&str>) -> String {
        let mut text = format!("time,{}", self.channels.join(","));
        if let Some(name) = truth_column {
            text += &format!(",{name}");
        }
        text.push('\n');
        for ((row, seconds), truth) in self.rows().zip(&self.seconds).zip(&self.truth) {
            text += &timestamp(self.start + *seconds as i64);
            for value in row {
                let _ = write!(text, ",{value:.*}", self.decimals);
            }
            if truth_column.is_some() {
                text += if *truth { ",1" } else { ",0" };
            }
            text.push('\n');
        }
        text
    }

    /// The file of labeled stretches of several recordings.
    #[must_use]
    pub fn events(recordings: &[Self]) -> String {
        let mut text = "recording,start,end,kind\n".to_owned();
        for recording in recordings {
            for stretch in &recording.labeled {
                let [from, to] = [stretch.from, stretch.to].map(|second| timestamp(recording.start + second as i64));
                let kind = if stretch.fault { "fault" } else { "normal" };
                let _ = writeln!(text, "{},{from},{to},{kind}", recording.name);
            }
        }
        text
    }
}

/// ISO 8601, in universal time: `2025-03-03T06:00:00Z`.
fn timestamp(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years begin in March here, so that a leap day is the last of its year; 400 of them are an era.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, year) } else { (month - 9, year + 1) };
    let (year, hour, minute) = (400 * era + year, second / 3600, second / 60 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_740_981_600, "2025-03-03T06:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(seconds), text);
        }
    }

    #[test]
    fn a_file_has_times_channels_and_truth() {
        let mut recording = RawRecording::new("fan".into(), 0, 1.0, &["a [V]", "b"], 2);
        for at in 0..4 {
            recording.push(&[f64::from(at) + 0.25, -1e-9], at == 3);
        }
        recording.remove(1, 3);
        assert_eq!(
            recording.csv(Some("truth")),
            "time,a [V],b,truth\n1970-01-01T00:00:00Z,0.25,0.00,0\n1970-01-01T00:00:03Z,3.25,0.00,1\n"
        );
        recording.labeled.push(LabeledStretch { from: 3, to: 4, fault: true });
        assert_eq!(
            RawRecording::events(&[recording]),
            "recording,start,end,kind\nfan,1970-01-01T00:00:03Z,1970-01-01T00:00:04Z,fault\n"
        );
    }
}
