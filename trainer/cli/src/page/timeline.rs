//! A recording over time: its channels, what is labeled, the score when it was left out, and the alarm.
//!
//! A channel is drawn as the range of its values in each of 160 slices, so that a short spike stays visible.

use crate::page::axis::Axis;
use crate::page::svg::{Anchor, Figure, WIDTH, place};

const SLICES: usize = 160;
const LEFT: f64 = 6.0;
const RIGHT: f64 = WIDTH - 6.0;
const TOP: f64 = 20.0;
/// Of a channel with its name, and of its curve.
const ROW: f64 = 36.0;
const CURVE: f64 = 20.0;
const SCORE: f64 = 44.0;
const BAR: f64 = 7.0;
/// Channels drawn, at most.
const MOST_CHANNELS: usize = 8;

/// What is drawn of a recording. Places are shares of its length.
pub struct Timeline {
    pub name: String,
    /// First and last time, as the log writes them.
    pub ends: (String, String),
    /// Names and values, sample by sample.
    pub channels: Vec<(String, Vec<f32>)>,
    /// Labeled positive.
    pub labeled: Vec<(f64, f64)>,
    /// Really positive, where that is known.
    pub truth: Vec<(f64, f64)>,
    /// Where each window ends, and its score; above 0 is positive.
    pub scores: Vec<(f64, f64)>,
    /// With the alarm on.
    pub alarms: Vec<(f64, f64)>,
}

/// Shares of the length, of the samples that are marked.
pub fn stretches(marks: &[bool]) -> Vec<(f64, f64)> {
    let length = marks.len().max(1) as f64;
    let mut found = Vec::new();
    let mut start = None;
    for at in 0..=marks.len() {
        match (marks.get(at) == Some(&true), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from as f64 / length, at as f64 / length));
                start = None;
            }
            _ => {}
        }
    }
    found
}

impl Timeline {
    /// The figure; `number` keeps it apart from others on the page.
    pub fn draw(&self, number: usize) -> String {
        let shown = &self.channels[..self.channels.len().min(MOST_CHANNELS)];
        let score_top = TOP + ROW * shown.len() as f64 + 14.0;
        let bars = score_top + SCORE + 8.0;
        let height = bars + 3.0 * BAR + 22.0;
        let told = format!(
            "{}, from {} to {}: {} labeled stretches, {} alarms.",
            self.name,
            self.ends.0,
            self.ends.1,
            self.labeled.len(),
            self.alarms.len()
        );
        let mut figure = Figure::new(&format!("time-{number}"), height, &format!("Recording {}", self.name), &told);
        figure.name((LEFT, 12.0), "b", &self.name, 40);
        let across = |share: f64| LEFT + share.clamp(0.0, 1.0) * (RIGHT - LEFT);
        for &(from, to) in &self.labeled {
            let size = ((across(to) - across(from)).max(1.0), bars - TOP);
            figure.rect((across(from), TOP), size, "lab faint", "labeled");
        }
        for (at, (name, values)) in shown.iter().enumerate() {
            let top = TOP + ROW * at as f64;
            figure.name((LEFT, top + 10.0), "s", name, 40);
            figure.raw(&format!("<path d=\"{}\" class=\"unl\"/>", curve(values, top + 13.0)));
        }
        self.draw_scores(&mut figure, score_top);
        for (row, (stretches, class, what)) in
            [(&self.alarms, "warned", "alarm"), (&self.labeled, "lab", "labeled"), (&self.truth, "truth", "truth")]
                .into_iter()
                .enumerate()
        {
            for &(from, to) in stretches {
                let size = ((across(to) - across(from)).max(1.5), BAR - 2.0);
                figure.rect((across(from), bars + BAR * row as f64), size, class, what);
            }
        }
        figure.text((LEFT, height - 4.0), Anchor::Start, "s", &self.ends.0);
        figure.text((RIGHT, height - 4.0), Anchor::End, "s", &self.ends.1);
        figure.svg()
    }

    fn draw_scores(&self, figure: &mut Figure, top: f64) {
        figure.text((LEFT, top - 2.0), Anchor::Start, "s", "score when left out, and the cut");
        let most = self.scores.iter().map(|(_, score)| score.abs()).fold(1e-9, f64::max);
        let axis = Axis::new((-most, most), (top + SCORE, top + 4.0));
        let points: Vec<String> = (self.scores.iter())
            .map(|&(at, score)| format!("{} {}", place(LEFT + at * (RIGHT - LEFT)), place(axis.at(score))))
            .collect();
        if !points.is_empty() {
            figure.raw(&format!("<path d=\"M{}\" class=\"track\"/>", points.join("L")));
        }
        figure.line((LEFT, axis.at(0.0)), (RIGHT, axis.at(0.0)), "cut");
    }
}

/// The ranges of the slices as one path.
fn curve(values: &[f32], top: f64) -> String {
    let finite = |of: &[f32]| {
        of.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x.into()), high.max(x.into())))
    };
    let axis = Axis::new(finite(values), (top + CURVE, top));
    let slices = SLICES.min(values.len()).max(1);
    let x = |slice: usize| place(LEFT + (RIGHT - LEFT) * (slice as f64 + 0.5) / slices as f64);
    let ranges: Vec<(f64, f64)> = (0..slices)
        .map(|slice| {
            let part = &values[slice * values.len() / slices..(slice + 1) * values.len() / slices];
            let (low, high) = finite(part);
            (axis.at(low) + 0.4, axis.at(high) - 0.4)
        })
        .collect();
    let upper = ranges.iter().enumerate().map(|(at, (_, high))| format!("{} {}", x(at), place(*high)));
    let lower = ranges.iter().enumerate().rev().map(|(at, (low, _))| format!("{} {}", x(at), place(*low)));
    format!("M{}z", upper.chain(lower).collect::<Vec<_>>().join("L"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_shares_of_the_length() {
        let marks = [true, false, false, true, true, false, false, true];
        assert_eq!(stretches(&marks), [(0.0, 0.125), (0.375, 0.625), (0.875, 1.0)]);
        assert!(stretches(&[]).is_empty());
    }

    #[test]
    fn a_recording_is_drawn_with_its_alarms() {
        let timeline = Timeline {
            name: "<pump>".to_owned(),
            ends: ("10:00".to_owned(), "11:00".to_owned()),
            channels: vec![("a".to_owned(), vec![1.0; 500]), ("b".to_owned(), (0..500).map(|x| x as f32).collect())],
            labeled: vec![(0.25, 0.5)],
            truth: vec![(0.2, 0.5)],
            scores: vec![(0.1, -0.2), (0.3, 0.4)],
            alarms: vec![(0.3, 0.6), (0.8, 0.9)],
        };
        let svg = timeline.draw(3);
        assert!(svg.contains("id=\"time-3\"") && svg.contains("&lt;pump&gt;") && !svg.contains("NaN"));
        assert_eq!((svg.matches("class=\"warned\"").count(), svg.matches("class=\"unl\"").count()), (2, 2));
        assert!(svg.contains("1 labeled stretches, 2 alarms"));
    }
}
