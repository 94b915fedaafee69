//! A chart that grows in a terminal: a panel per quantity, and the alarm.
//!
//! A Braille character has two columns of four dots, so one column of the chart holds two points.

#[cfg(unix)]
use std::io::IsTerminal;
use std::io::{self, Write};

/// Characters left of the panels.
const AXIS: usize = 7;
/// A narrower chart is unreadable.
const LEAST_WIDTH: usize = 40;
const MOST_WIDTH: usize = 100;

const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const FAINT: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// A point in time.
#[derive(Clone, Debug)]
pub struct Point {
    /// A value for each panel.
    pub values: Vec<Option<f64>>,
    pub alarm: bool,
}

/// What a panel shows.
#[derive(Clone, Debug)]
pub struct Quantity {
    pub title: String,
    /// Rows of characters.
    pub rows: usize,
    /// Shown at least.
    pub range: [f64; 2],
    /// Dashed lines, and their names on the axis. Without any, the axis shows the range.
    pub marks: Vec<(f64, String)>,
}

impl Quantity {
    /// A score, with the threshold above which it is positive.
    pub fn score(title: &str, rows: usize, threshold: f32) -> Self {
        let threshold = f64::from(threshold);
        let range = [threshold - 1.0, threshold + 1.0];
        Self { title: title.to_owned(), rows, range, marks: vec![(threshold, "alarm >".into())] }
    }
}

/// All points so far.
pub struct Chart {
    quantities: Vec<Quantity>,
    points: Vec<Point>,
    colour: bool,
    drawn: bool,
}

impl Chart {
    /// In colour, unless `NO_COLOR` is set.
    pub fn new(quantities: Vec<Quantity>) -> Self {
        let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { quantities, points: Vec::new(), colour, drawn: false }
    }

    /// Lines of the whole chart.
    pub fn height(&self) -> usize {
        self.quantities.iter().map(|quantity| quantity.rows + 1).sum::<usize>() + 2
    }

    /// Adds a point and redraws the chart in place.
    pub fn push(&mut self, point: Point, status: &str, width: usize, out: &mut impl Write) -> io::Result<()> {
        self.points.push(point);
        if self.drawn {
            write!(out, "\x1b[{}A", self.height())?;
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
        // Columns keep their pairs of points while the chart scrolls.
        let shown = &self.points[first.next_multiple_of(2).min(self.points.len())..];
        let alarms: Vec<_> = shown.chunks(2).map(|pair| pair.iter().any(|point| point.alarm)).collect();
        let paint =
            |colour: &str, text: &str| if self.colour { format!("{colour}{text}{PLAIN}") } else { text.to_owned() };
        // A longer line would wrap, and the next chart would start one line too low.
        let cut = |text: &str| text.chars().take(width.saturating_sub(1)).collect::<String>();
        let mut lines = Vec::new();
        for (at, quantity) in self.quantities.iter().enumerate() {
            let value = |point: &Point| point.values.get(at).copied().flatten();
            let all = || self.points.iter().filter_map(value);
            let [least, most] = quantity.range;
            let panel = Panel {
                rows: quantity.rows,
                range: [all().fold(least, f64::min), all().fold(most, f64::max)],
                marks: &quantity.marks,
            };
            let values: Vec<_> = shown.iter().map(value).collect();
            lines.push(paint(FAINT, &cut(&quantity.title)));
            lines.extend(panel.lines(&values, columns, &alarms, &paint));
        }
        let marks: String = alarms.iter().map(|&on| if on { paint(RED, "█") } else { paint(GREEN, "·") }).collect();
        lines.push(format!("{:>AXIS$} {marks}", "alarm"));
        lines.push(cut(status));
        lines
    }
}

/// Columns and rows, if standard output is a terminal.
#[cfg(unix)]
pub fn size_of_terminal() -> Option<(usize, usize)> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&stdout).ok()?;
    Some((size.ws_col.into(), size.ws_row.into()))
}

/// Charts are for Unix only.
#[cfg(not(unix))]
pub fn size_of_terminal() -> Option<(usize, usize)> {
    None
}

/// A panel of dots.
struct Panel<'a> {
    rows: usize,
    range: [f64; 2],
    marks: &'a [(f64, String)],
}

impl Panel<'_> {
    /// Which row of dots, from the top.
    fn dot(&self, value: f64) -> usize {
        let [least, most] = self.range;
        let share = if most > least { (most - value) / (most - least) } else { 0.5 };
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
            let name = match (mark, self.marks.is_empty()) {
                (Some(mark), _) => mark.1.clone(),
                (None, true) if row == 0 => brief(self.range[1]),
                (None, true) if row + 1 == self.rows => brief(self.range[0]),
                _ => String::new(),
            };
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

/// In the width of the axis.
fn brief(value: f64) -> String {
    let digits = match value.abs() {
        ..10.0 => 2,
        ..1000.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

/// Bits of the Braille block, by column and row of dots.
const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: usize) -> Chart {
        let temperature = Quantity {
            title: "temperature".into(),
            rows: 8,
            range: [-2.0, 12.0],
            marks: vec![(8.0, "8 °C".into()), (2.0, "2 °C".into())],
        };
        let load = Quantity { title: "load".into(), rows: 2, range: [0.0, 1.5], marks: Vec::new() };
        let mut chart = Chart::new(vec![temperature, load, Quantity::score("score", 4, 0.0)]);
        chart.colour = false;
        chart.points = (0..points)
            .map(|at| Point {
                values: vec![
                    Some(if at < 4 { 5.0 } else { 11.9 }),
                    None,
                    (at > 0).then_some(if at < 4 { -0.9 } else { 0.9 }),
                ],
                alarm: at >= 4,
            })
            .collect();
        chart
    }

    #[test]
    fn a_jump_is_one_line_and_the_alarm_is_below_it() {
        let chart = chart(6);
        let lines = chart.lines("status", 60);
        assert_eq!(lines.len(), chart.height());
        let column = |line: &str, at: usize| line.chars().nth(AXIS + 1 + at).unwrap_or(' ');
        // 12 degrees are at the top, 5 in the middle; the third column holds the jump, all rows above the middle.
        let in_jump: String = lines[1..=8].iter().map(|line| column(line, 2)).collect();
        assert!(in_jump.chars().take(4).all(|dots| dots > '\u{2800}'), "{in_jump}");
        assert!(lines[lines.len() - 2].ends_with("··█"));
        assert!(lines.iter().any(|line| line.trim_start().starts_with("8 °C ")));
        assert!(lines.iter().any(|line| line.trim_start().starts_with("1.50")));
        assert_eq!(lines[lines.len() - 1], "status");
    }

    #[test]
    fn nothing_is_wider_than_the_terminal_and_the_newest_point_is_shown() {
        for (points, width) in [(1, 80), (500, 80), (501, 41), (499, 300), (3, 10)] {
            let lines = chart(points).lines(&"x".repeat(400), width);
            let widest = lines.iter().map(|line| line.chars().count()).max();
            assert!(widest < Some(width.clamp(LEAST_WIDTH, 400) + 1), "{points} {width}");
            if points > 100 {
                assert!(lines[lines.len() - 2].ends_with('█'));
            }
        }
    }

    #[test]
    fn the_next_chart_covers_the_one_before() {
        let mut chart = chart(0);
        let mut out = Vec::new();
        for _ in 0..2 {
            let point = Point { values: vec![Some(5.0), Some(1.0), None], alarm: false };
            chart.push(point, "", 80, &mut out).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.matches('\n').count(), 2 * chart.height());
        assert_eq!(text.matches(&format!("\x1b[{}A", chart.height())).count(), 1);
    }
}
