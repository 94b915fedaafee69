//! How results look: aligned tables for people, JSON for programs, warnings and progress apart from both.

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use pual_device::cost::CoreCost;
use pual_trainer::{TruthQuality, Warning};
use serde::Serialize;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

// Styles arrive on a terminal alone, and not where NO_COLOR is set or TERM is dumb: `anstream` sees to it.
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default().bold();

/// Names and values, the values in one column.
pub fn facts(out: &mut impl Write, facts: &[(&str, String)]) -> Result<()> {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max();
    for (name, value) in facts {
        writeln!(out, "{name:<width$}  {value}", width = width.unwrap_or(0))?;
    }
    Ok(())
}

/// A table: names in the first column, numbers right-aligned in the others.
pub fn table(out: &mut impl Write, header: &[&str], rows: &[Vec<String>]) -> Result<()> {
    let mut widths: Vec<usize> = header.iter().map(|cell| cell.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::new();
        for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            line += &match at {
                0 => format!("{cell:<width$}"),
                _ => format!("  {cell:>width$}"),
            };
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// What this command has warned of: JSON has it too.
static WARNED: Mutex<Vec<Warning>> = Mutex::new(Vec::new());

/// A command's JSON: what it has to say, and what it has warned of.
#[derive(Serialize)]
struct Json<'a, T> {
    #[serde(flatten)]
    value: &'a T,
    warnings: Vec<Warning>,
}

/// A command's result: JSON, or text that `show` writes.
pub fn result<T: Serialize, W: Write>(
    json: bool,
    out: &mut W,
    value: &T,
    show: impl FnOnce(&T, &mut W) -> Result<()>,
) -> Result<()> {
    if json { self::json(out, value) } else { show(value, out) }
}

/// One JSON object, on several lines.
pub fn json(out: &mut impl Write, value: &impl Serialize) -> Result<()> {
    let warnings = warnings();
    // A closed pipe must arrive as an I/O error, not as a JSON one.
    serde_json::to_writer_pretty(&mut *out, &Json { value, warnings }).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}

/// Something the user should know although the command goes on.
pub fn warn(warning: Warning) {
    let Warning { id, text } = &warning;
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{YELLOW}warning[{}]:{YELLOW:#} {text}", id.name());
    WARNED.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
}

/// Every warning so far.
pub fn warnings() -> Vec<Warning> {
    WARNED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// An error and its causes.
pub fn error(causes: &[String]) {
    let mut stderr = anstream::stderr().lock();
    for (at, cause) in causes.iter().enumerate() {
        let _ = match at {
            0 => writeln!(stderr, "{RED}error:{RED:#} {cause}"),
            _ => writeln!(stderr, "  because: {cause}"),
        };
    }
}

/// What to do about it.
pub fn hint(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{CYAN}hint:{CYAN:#} {text}");
}

/// What takes a while, for someone who watches.
pub fn progress(step: &str) {
    if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr(), "{step} ...");
    }
}

/// Steps of the bar of all work.
pub const STEPS: u64 = 1000;

/// A bar for all the work of a command, with the present phase as its message; nothing when standard error is no terminal.
pub fn work_bar(phase: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(STEPS).with_style(style("{bar:30} {percent:>3} %  {msg}{left}")).with_message(phase);
    // The time passes between steps too.
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// A bar that counts, for someone who watches; nothing when standard error is no terminal.
pub fn bar(unit: &str) -> ProgressBar {
    ProgressBar::new(0).with_style(style(&format!("{{bar:30}} {{pos}} of {{len}} {unit}{{left}} {{msg}}")))
}

/// ", 12 s left": in proportion to what is done, and nothing as long as too little is. Rounded up: only what is done has 0 s left.
fn left(elapsed: Duration, position: u64, length: u64) -> String {
    if position * 50 < length || position >= length || elapsed < Duration::from_millis(500) {
        return String::new();
    }
    let seconds = elapsed.as_secs_f64() * (length - position) as f64 / position as f64;
    let seconds = seconds.ceil() as u64;
    match seconds {
        0..120 => format!(", {seconds} s left"),
        120..7200 => format!(", {} min left", seconds.div_ceil(60)),
        _ => format!(", {} h left", seconds.div_ceil(3600)),
    }
}

/// A bar for a phase that goes through rows; a line that turns for one that does not.
pub fn rows_bar(phase: &str, rows: u64) -> ProgressBar {
    let counts = "{human_pos} of {human_len} rows{left}";
    phase_bar(phase, Some(rows).filter(|&rows| rows > 0), counts)
}

/// A bar for a phase that reads a file.
pub fn bytes_bar(phase: &str, total: Option<u64>) -> ProgressBar {
    phase_bar(phase, total, "{bytes} of {total_bytes}{left}")
}

fn phase_bar(phase: &str, length: Option<u64>, counts: &str) -> ProgressBar {
    match length {
        Some(length) => ProgressBar::new(length).with_style(style(&format!("{{bar:20}} {phase}: {counts}"))),
        None => ProgressBar::new_spinner().with_style(style(&format!("{{spinner}} {phase} {{elapsed}}"))),
    }
}

fn style(template: &str) -> ProgressStyle {
    let left = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = out.write_str(&left(state.elapsed(), state.pos(), state.len().unwrap_or_default()));
    };
    // The templates are ours and valid; should one not be, the plain bar does.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("left", left)
}

/// 12345 as `12,345`.
pub fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "1 support instance", "4 support instances".
pub fn supports(count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} support instance{plural}", grouped(count))
}

/// "12 labeled and 1,234 unlabeled".
pub fn rows(labeled: usize, unlabeled: usize) -> String {
    format!("{} labeled and {} unlabeled", grouped(labeled), grouped(unlabeled))
}

/// "98 bytes, 4 support instances, i8".
pub fn model(bytes: usize, count: usize, encoding: &str) -> String {
    format!("{} bytes, {}, {encoding}", grouped(bytes), supports(count))
}

/// A core's bytes and instructions for a model.
pub fn core(cost: &CoreCost) -> Vec<String> {
    vec![
        cost.core.to_owned(),
        grouped(cost.code_bytes),
        grouped(cost.flash_bytes),
        grouped(cost.ram_bytes),
        grouped(cost.stack_bytes),
        grouped(cost.instructions),
        cost.counts_instructions.map_or("-".to_owned(), grouped),
    ]
}

/// A word, quoted if a shell would take it apart.
pub fn shell_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=,:+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A share as percent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// "94.1 %  (calling every row positive: 52.0 %)".
pub fn f1(truth: &TruthQuality) -> String {
    format!("{}  (calling every row positive: {})", percent(truth.f1), percent(truth.f1_of_all_positive))
}

/// A share with its standard error, as percent: "97.7 ± 1.0 %".
pub fn with_error(share: f64, error: f64) -> String {
    format!("{:.1} ± {:.1} %", 100.0 * share, 100.0 * error)
}

/// The shortest text that reads back as the same 32-bit float.
pub fn exact(value: f32) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A length of time: "20 s", "1.5 h", "3.2 days".
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1.0 => (1e3 * s, "ms"),
        s if s < 120.0 => (s, "s"),
        s if s < 7200.0 => (s / 60.0, "min"),
        s if s < 172_800.0 => (s / 3600.0, "h"),
        s => (s / 86_400.0, "days"),
    };
    let text = format!("{value:.1}");
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// A setting, with four digits that count.
pub fn number(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let rounded = format!("{value:.4}");
    rounded.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0u64, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.0, 1.0, -0.25, 12.34567, 1e-5, 2e7].map(number),
            ["0", "1", "-0.25", "12.3457", "1.000e-5", "2.000e7"]
        );
        assert_eq!([0.0, -0.31, 12.0, 2e-9, 3e20].map(exact), ["0", "-0.31", "12", "2e-9", "3e20"]);
        assert_eq!(
            [0.02, 20.0, 90.0, 300.0, 9000.0, 1e6].map(duration),
            ["20 ms", "20 s", "90 s", "5 min", "2.5 h", "11.6 days"]
        );
        assert_eq!(with_error(0.9775, 0.01), "97.8 ± 1.0 %");
    }

    #[test]
    fn the_time_left_is_in_proportion_and_not_0_before_the_end() {
        let left = |seconds: f64, position| left(Duration::from_secs_f64(seconds), position, 1000);
        assert_eq!([left(10.0, 10), left(0.1, 500), left(9.0, 1000)], ["", "", ""]);
        assert_eq!(left(10.0, 500), ", 10 s left");
        assert_eq!(left(1.0, 999), ", 1 s left");
        assert_eq!([left(100.0, 400), left(3600.0, 100)], [", 3 min left", ", 9 h left"]);
    }

    #[test]
    fn a_table_is_aligned() {
        let mut out = Vec::new();
        let rows = [vec!["a".into(), "10".into()], vec!["long".into(), "9".into()]];
        table(&mut out, &["name", "n"], &rows).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "name   n\na     10\nlong   9\n");
    }
}
