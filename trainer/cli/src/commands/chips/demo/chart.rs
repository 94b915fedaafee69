//! A chart that grows in a terminal: temperature, score, alarm.
//!
//! A Braille character has two columns of four dots, so one column of the chart holds two readings.

use std::io::{self, Write};

/// Characters left of the panels.
const AXIS: usize = 7;
/// Rows of characters of the two panels.
const TEMPERATURE_ROWS: usize = 8;
const SCORE_ROWS: usize = 4;
/// Lines of the whole chart.
pub const LINES: usize = TEMPERATURE_ROWS + SCORE_ROWS + 4;
/// A narrower chart is unreadable.
const LEAST_WIDTH: usize = 40;
const MOST_WIDTH: usize = 100;

const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const FAINT: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// One reading.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub temperature: f64,
    pub score: Option<f64>,
    pub alarm: bool,
}

/// All readings so far.
pub struct Chart {
    points: Vec<Point>,
    /// The safe range of temperatures.
    limits: [f64; 2],
    /// The lowest score that raises an alarm.
    threshold: f64,
    colour: bool,
    drawn: bool,
}

impl Chart {
    pub fn new(limits: [f64; 2], threshold: f64, colour: bool) -> Self {
        Self { points: Vec::new(), limits, threshold, colour, drawn: false }
    }

    /// Adds a reading and redraws the chart in place.
    pub fn push(&mut self, point: Point, status: &str, width: usize, out: &mut impl Write) -> io::Result<()> {
        self.points.push(point);
        if self.drawn {
            write!(out, "\x1b[{LINES}A")?;
        }
        self.drawn = true;
        for line in self.lines(status, width) {
            // Clears what a longer line left behind.
            writeln!(out, "\r{line}\x1b[K")?;
        }
        out.flush()
    }

    fn lines(&self, status: &str, width: usize) -> Vec<String> {
        let columns = width.clamp(LEAST_WIDTH, MOST_WIDTH) - AXIS - 1;
        let first = self.points.len().saturating_sub(2 * columns);
        // Columns keep their pairs of readings while the chart scrolls.
        let shown = &self.points[first.next_multiple_of(2).min(self.points.len())..];
        let temperatures: Vec<_> = shown.iter().map(|point| Some(point.temperature)).collect();
        let scores: Vec<_> = shown.iter().map(|point| point.score).collect();
        let alarms: Vec<_> = shown.chunks(2).map(|pair| pair.iter().any(|point| point.alarm)).collect();
        let all = || self.points.iter();
        let range = |least: f64, most: f64, values: &dyn Fn(&Point) -> Option<f64>| {
            let values = || all().filter_map(values);
            [values().fold(least, f64::min), values().fold(most, f64::max)]
        };
        let [cold, warm] = self.limits;
        let temperature = Panel {
            rows: TEMPERATURE_ROWS,
            range: range(cold - 4.0, warm + 4.0, &|point| Some(point.temperature)),
            marks: &[(warm, format!("{warm} °C")), (cold, format!("{cold} °C"))],
        };
        let score = Panel {
            rows: SCORE_ROWS,
            range: range(self.threshold - 1.0, self.threshold + 1.0, &|point| point.score),
            marks: &[(self.threshold, "alarm >".into())],
        };
        let paint =
            |colour: &str, text: &str| if self.colour { format!("{colour}{text}{PLAIN}") } else { text.to_owned() };
        // A longer line would wrap, and the next chart would start one line too low.
        let cut = |text: &str| text.chars().take(width.saturating_sub(1)).collect::<String>();
        let mut lines = vec![paint(FAINT, &cut("thermometer, in degrees Celsius; dashed: safe range of the load"))];
        lines.extend(temperature.lines(&temperatures, columns, &alarms, &paint));
        lines.push(paint(FAINT, &cut("score of level, slope and spread; dashed: the model's threshold")));
        lines.extend(score.lines(&scores, columns, &alarms, &paint));
        let marks: String = alarms.iter().map(|&on| if on { paint(RED, "█") } else { paint(GREEN, "·") }).collect();
        lines.push(format!("{:>AXIS$} {marks}", "alarm"));
        lines.push(cut(status));
        lines
    }
}

/// A panel of dots.
struct Panel<'a> {
    rows: usize,
    range: [f64; 2],
    /// Dashed lines, and their names on the axis.
    marks: &'a [(f64, String)],
}

impl Panel<'_> {
    /// Which row of dots, from the top.
    fn dot(&self, value: f64) -> usize {
        let [least, most] = self.range;
        let share = (most - value) / (most - least);
        ((share * (4 * self.rows) as f64) as usize).min(4 * self.rows - 1)
    }

    fn lines(
        &self,
        values: &[Option<f64>],
        columns: usize,
        alarms: &[bool],
        paint: &impl Fn(&str, &str) -> String,
    ) -> Vec<String> {
        let mut cells = vec![vec![0_u8; columns]; self.rows];
        let mut before = None;
        for (at, value) in values.iter().enumerate() {
            let Some(dot) = value.map(|value| self.dot(value)) else {
                continue;
            };
            // Starts next to the dot before, so a jump stays connected.
            let from = match before {
                Some(before) if before < dot => before + 1,
                Some(before) if before > dot => before - 1,
                _ => dot,
            };
            for dot in from.min(dot)..=from.max(dot) {
                cells[dot / 4][at / 2] |= BITS[at % 2][dot % 4];
            }
            before = Some(dot);
        }
        let line = |(row, cells): (usize, &Vec<u8>)| {
            let mark = self.marks.iter().find(|mark| self.dot(mark.0) / 4 == row);
            let name = mark.map_or("", |mark| &mark.1);
            let dots = cells.iter().enumerate().map(|(column, &bits)| {
                let alarm = alarms.get(column).is_some_and(|&on| on);
                match (bits, mark) {
                    (0, None) => " ".to_owned(),
                    (0, Some(_)) => paint(FAINT, "╌"),
                    (bits, _) => {
                        let dots = char::from_u32(0x2800 + u32::from(bits)).unwrap_or(' ');
                        paint(if alarm { RED } else { GREEN }, &dots.to_string())
                    }
                }
            });
            format!("{name:>AXIS$} {}", dots.collect::<String>())
        };
        cells.iter().enumerate().map(line).collect()
    }
}

/// Bits of the Braille block, by column and row of dots.
const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: usize) -> Chart {
        let mut chart = Chart::new([2.0, 8.0], 0.0, false);
        chart.points = (0..points)
            .map(|at| Point {
                temperature: if at < 4 { 5.0 } else { 11.9 },
                score: (at > 0).then_some(if at < 4 { -0.9 } else { 0.9 }),
                alarm: at >= 4,
            })
            .collect();
        chart
    }

    #[test]
    fn a_jump_is_one_line_and_the_alarm_is_below_it() {
        let lines = chart(6).lines("status", 60);
        assert_eq!(lines.len(), LINES);
        let column = |line: &str, at: usize| line.chars().nth(AXIS + 1 + at).unwrap_or(' ');
        // 12 degrees are at the top, 5 in the middle; the third column holds the jump, all rows above the middle.
        let in_jump: String = lines[1..=TEMPERATURE_ROWS].iter().map(|line| column(line, 2)).collect();
        assert!(in_jump.chars().take(4).all(|dots| dots > '\u{2800}'), "{in_jump}");
        assert!(lines[TEMPERATURE_ROWS + SCORE_ROWS + 2].ends_with("··█"));
        assert!(lines.iter().any(|line| line.trim_start().starts_with("8 °C ")));
        assert_eq!(lines[LINES - 1], "status");
    }

    #[test]
    fn nothing_is_wider_than_the_terminal_and_the_newest_reading_is_shown() {
        for (points, width) in [(1, 80), (500, 80), (501, 41), (499, 300), (3, 10)] {
            let lines = chart(points).lines(&"x".repeat(400), width);
            let widest = lines.iter().map(|line| line.chars().count()).max();
            assert!(widest < Some(width.clamp(LEAST_WIDTH, 400) + 1), "{points} {width}");
            if points > 100 {
                assert!(lines[LINES - 2].ends_with('█'));
            }
        }
    }

    #[test]
    fn the_next_chart_covers_the_one_before() {
        let mut chart = chart(0);
        let mut out = Vec::new();
        let point = Point { temperature: 5.0, score: None, alarm: false };
        for _ in 0..2 {
            chart.push(point, "", 80, &mut out).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.matches('\n').count(), 2 * LINES);
        assert_eq!(text.matches(&format!("\x1b[{LINES}A")).count(), 1);
    }
}
