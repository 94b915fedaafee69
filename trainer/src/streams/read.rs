//! One log: a header, then a line per sample.
//!
//! The delimiter is the one of `;`, tab and `,` that the header has most of. Where it is the semicolon, `1,5` is one and a half.
//! A stretch ends where an interval is longer than 2.5 sampling periods, where the time goes back or repeats, and, unless missing
//! values are filled, where a cell is empty.

use std::io::{Cursor, Read};
use std::path::Path;

use super::clock::Clock;
use super::error::{LogError, LogProblem, did_you_mean, shown};
use super::{LogOptions, Missing, Recording};
use crate::base::statistics::median;
use crate::base::warnings::{Warning, WarningId};
use crate::data::table::{CsvProblem, Label, label_of, open_text, stem, truth_of};

/// An interval longer than this many periods is a gap.
const GAP: f64 = 2.5;
/// Cells that say that there is no value.
const EMPTY: [&str; 7] = ["", "nan", "na", "n/a", "null", "none", "?"];
const DELIMITERS: [u8; 3] = [b';', b'\t', b','];

/// What each column is for.
struct Plan {
    header: Vec<String>,
    /// Column of each channel.
    channels: Vec<usize>,
    time: Option<(usize, Clock)>,
    label: Option<usize>,
    truth: Option<usize>,
    decimal_comma: bool,
}

/// Lines of cells, with the number of each line.
pub(super) struct Lines {
    file: String,
    reader: csv::Reader<Cursor<Vec<u8>>>,
    record: csv::StringRecord,
    pub delimiter: u8,
}

impl Lines {
    /// Reads a file; the delimiter is found by the header.
    pub(super) fn open(path: &Path, delimiter: Option<u8>) -> Result<(Self, Vec<String>), LogError> {
        let file = path.display().to_string();
        let failed = |error: crate::data::table::CsvError| match error.problem {
            CsvProblem::Read(error) => LogError::new(&file, error),
            CsvProblem::NotUtf8 => LogError::on_line(&file, 1, LogProblem::NotUtf8),
            other => LogError::new(&file, std::io::Error::other(other.to_string())),
        };
        let mut bytes = Vec::new();
        open_text(path)
            .map_err(failed)?
            .read_to_end(&mut bytes)
            .map_err(|error: std::io::Error| LogError::new(&file, error))?;
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        let end = bytes[start..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| start + end);
        let delimiter = delimiter.unwrap_or_else(|| sniff(&bytes[start..end]));
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(Cursor::new(bytes));
        let mut lines = Self { file, reader, record: csv::StringRecord::new(), delimiter };
        match lines.next_line()? {
            Some((_, header)) => {
                let header = header.iter().map(str::to_owned).collect();
                Ok((lines, header))
            }
            None => Err(LogError::new(&lines.file, LogProblem::Empty)),
        }
    }

    /// The next line's number and cells.
    pub(super) fn next_line(&mut self) -> Result<Option<(u64, &csv::StringRecord)>, LogError> {
        loop {
            let start = self.reader.position().clone();
            let (line, is_blank) = self.line_after(&start);
            match self.reader.read_record(&mut self.record) {
                Ok(false) => return Ok(None),
                Ok(true) if is_blank && self.record.len() == 1 => {}
                Ok(true) => return Ok(Some((line, &self.record))),
                Err(error) => {
                    return Err(match error.into_kind() {
                        csv::ErrorKind::Io(error) => LogError::new(&self.file, error),
                        _ => LogError::on_line(&self.file, line, LogProblem::NotUtf8),
                    });
                }
            }
        }
    }

    /// The line of the first cell from here on, and whether it holds blanks alone: the reader skips empty lines, and the end of the
    /// line before.
    fn line_after(&self, start: &csv::Position) -> (u64, bool) {
        let rest = self.reader.get_ref().get_ref().get(start.byte() as usize..).unwrap_or_default();
        let skipped = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let lines = rest[..skipped].iter().filter(|&&byte| byte == b'\n').count() as u64;
        let text = rest[skipped..].split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
        (start.line() + lines, text.trim_ascii().is_empty())
    }
}

/// The delimiter that the header has most of, outside of quotes; of equals the first.
fn sniff(header: &[u8]) -> u8 {
    let mut counts = [0usize; DELIMITERS.len()];
    let mut quoted = false;
    for byte in header {
        quoted ^= *byte == b'"';
        if let (false, Some(at)) = (quoted, DELIMITERS.iter().position(|delimiter| delimiter == byte)) {
            counts[at] += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    counts.iter().position(|&count| count == most && most > 0).map_or(b',', |at| DELIMITERS[at])
}

impl Plan {
    fn new(
        file: &str,
        header: Vec<String>,
        first: &[String],
        options: &LogOptions,
        before: Option<(&str, &[String])>,
        decimal_comma: bool,
    ) -> Result<Self, LogError> {
        let on_header = |problem| LogError::on_line(file, 1, problem);
        for (at, name) in header.iter().enumerate() {
            if header[..at].contains(name) {
                return Err(on_header(LogProblem::DuplicateColumn(name.clone())));
            }
        }
        if header.iter().all(|name| name.parse::<f64>().is_ok()) {
            return Err(on_header(LogProblem::NoHeader));
        }
        let find = |column: &str, role| {
            header.iter().position(|name| name == column).ok_or_else(|| {
                let hint = did_you_mean(column, header.iter().map(String::as_str));
                on_header(LogProblem::MissingColumn { column: column.to_owned(), role, hint })
            })
        };
        for name in options.channels.iter().flatten() {
            find(name, "a channel")?;
        }
        let optional = |column: &Option<String>, role| column.as_deref().map(|name| find(name, role)).transpose();
        let label = optional(&options.label, "labels")?;
        let truth = optional(&options.truth, "the truth")?;
        let ignored = options.ignore.iter().map(|name| find(name, "to leave out")).collect::<Result<Vec<_>, _>>()?;
        let time = match (&options.time, options.rate) {
            (Some(name), _) => {
                let at = find(name, "times")?;
                let text = first.get(at).map_or("", String::as_str);
                let clock = Clock::of(text).ok_or_else(|| {
                    let expected = "a time: ISO 8601, or seconds or milliseconds since 1970";
                    let problem = LogProblem::Cell { column: name.clone(), expected, found: shown(text) };
                    LogError::on_line(file, 2, problem)
                })?;
                Some((at, clock))
            }
            (None, _) => Clock::find(&header, first).filter(|(at, _)| !ignored.contains(at)),
        };
        if time.is_none() && options.rate.is_none() {
            return Err(on_header(LogProblem::NoTimes));
        }
        let has_job = |at: usize| {
            Some(at) == time.map(|(at, _)| at) || Some(at) == label || Some(at) == truth || ignored.contains(&at)
        };
        let free: Vec<usize> = (0..header.len()).filter(|&at| !has_job(at)).collect();
        let channels = match (&options.channels, before) {
            (Some(names), _) => names.iter().map(|name| find(name, "a channel")).collect::<Result<_, _>>()?,
            (None, Some((first, names))) => {
                if let Some(&other) = free.iter().find(|&&at| !names.contains(&header[at])) {
                    let (column, first) = (header[other].clone(), first.to_owned());
                    return Err(on_header(LogProblem::OtherColumn { column, first }));
                }
                names.iter().map(|name| find(name, "a channel of the first recording")).collect::<Result<_, _>>()?
            }
            (None, None) => free,
        };
        if channels.is_empty() {
            return Err(on_header(LogProblem::NoChannels));
        }
        Ok(Self { header, channels, time, label, truth, decimal_comma })
    }

    /// A channel's value; none for an empty cell.
    fn value(&self, cell: &str) -> Result<Option<f32>, ()> {
        if EMPTY.iter().any(|empty| cell.eq_ignore_ascii_case(empty)) {
            return Ok(None);
        }
        let number: Result<f64, _> = match self.decimal_comma && cell.contains(',') {
            true => cell.replacen(',', ".", 1).parse(),
            false => cell.parse(),
        };
        let number = number.map_err(|_| ())? as f32;
        if number.is_finite() { Ok(Some(number)) } else { Err(()) }
    }
}

/// Reads a log. `before` are the name of the first recording and its channels.
pub(super) fn recording(
    path: &Path,
    options: &LogOptions,
    before: Option<(&str, &[String])>,
) -> Result<(Recording, Vec<String>, Vec<Warning>), LogError> {
    let (mut lines, header) = Lines::open(path, options.delimiter)?;
    let file = lines.file.clone();
    let decimal_comma = lines.delimiter == b';';
    let mut next = lines.next_line()?.map(|(line, cells)| (line, cells.clone()));
    let first: Vec<String> =
        next.iter().flat_map(|(_, cells)| cells.iter().map(str::to_owned).collect::<Vec<_>>()).collect();
    if first.is_empty() {
        return Err(LogError::new(&file, LogProblem::Empty));
    }
    let plan = Plan::new(&file, header, &first, options, before, decimal_comma)?;
    let mut builder = Builder::new(&plan, &file, options);
    while let Some((line, cells)) = next {
        builder.add(line, &cells)?;
        next = lines.next_line()?.map(|(line, cells)| (line, cells.clone()));
    }
    let names = plan.channels.iter().map(|&at| plan.header[at].clone()).collect();
    let (recording, warnings) = builder.finish(path)?;
    Ok((recording, names, warnings))
}

/// A recording as it is read.
struct Builder<'a> {
    plan: &'a Plan,
    file: &'a str,
    options: &'a LogOptions,
    recording: Recording,
    /// Samples at which a stretch begins.
    breaks: Vec<usize>,
    /// Whether the next sample begins one.
    broken: bool,
    /// Lines whose time goes back, repeats or is missing, with what is wrong.
    odd_times: Vec<(u64, String)>,
    /// Lines so far, but for dropped ones.
    steps: usize,
    last: Vec<f32>,
}

impl<'a> Builder<'a> {
    fn new(plan: &'a Plan, file: &'a str, options: &'a LogOptions) -> Self {
        Self {
            plan,
            file,
            options,
            recording: Recording {
                clock: plan.time.map_or(Clock::FromStart, |(_, clock)| clock),
                truth: plan.truth.map(|_| Vec::new()),
                ..Recording::default()
            },
            breaks: vec![0],
            broken: false,
            odd_times: Vec::new(),
            steps: 0,
            last: Vec::new(),
        }
    }

    fn add(&mut self, line: u64, cells: &csv::StringRecord) -> Result<(), LogError> {
        let expected = self.plan.header.len();
        if cells.len() != expected {
            return Err(LogError::on_line(self.file, line, LogProblem::Ragged { expected, found: cells.len() }));
        }
        let wrong = |at: usize, expected: &'static str| {
            let column = self.plan.header[at].clone();
            LogError::on_line(self.file, line, LogProblem::Cell { column, expected, found: shown(&cells[at]) })
        };
        let mut values = Vec::with_capacity(self.plan.channels.len());
        let mut is_missing = false;
        for (channel, &at) in self.plan.channels.iter().enumerate() {
            match self.plan.value(&cells[at]).map_err(|()| wrong(at, "a number"))? {
                Some(value) => values.push(value),
                None => {
                    is_missing |= self.options.missing != Missing::Hold || self.last.is_empty();
                    values.push(self.last.get(channel).copied().unwrap_or(0.0));
                }
            }
        }
        let label = match self.plan.label {
            None => Label::Unlabeled,
            Some(at) => label_of(cells[at].as_bytes()).ok_or_else(|| wrong(at, "1, 0 or nothing, or -1"))?,
        };
        let truth = match self.plan.truth {
            None => None,
            Some(at) => Some(truth_of(cells[at].as_bytes()).ok_or_else(|| wrong(at, "1, or 0 or -1"))?),
        };
        let time = match self.plan.time {
            None => None,
            Some((at, _)) if cells[at].is_empty() => {
                self.odd_times.push((line, "has no time".to_owned()));
                self.broken = true;
                return Ok(());
            }
            Some((at, clock)) => Some(clock.parse(&cells[at]).ok_or_else(|| wrong(at, clock.expected()))?),
        };
        if is_missing {
            self.recording.empty_cells += 1;
            if self.options.missing != Missing::Drop {
                self.broken = true;
                self.steps += 1;
            }
            return Ok(());
        }
        let time = time.unwrap_or(self.steps as f64 / self.options.rate.unwrap_or(1.0));
        self.steps += 1;
        if let Some(&before) = self.recording.times.last()
            && time <= before
        {
            let clock = self.recording.clock;
            let what = match time == before {
                true => format!("repeats {}", clock.text(time)),
                false => format!("goes back from {} to {}", clock.text(before), clock.text(time)),
            };
            self.odd_times.push((line, what));
            self.broken = true;
        }
        let sample = self.recording.times.len();
        if std::mem::take(&mut self.broken) && sample > 0 {
            self.breaks.push(sample);
        }
        self.recording.times.push(time);
        self.recording.lines.push(line);
        self.recording.labeled.push(label == Label::Positive);
        self.recording.normal.push(label == Label::Normal);
        if let (Some(all), Some(truth)) = (&mut self.recording.truth, truth) {
            all.push(truth);
        }
        self.recording.samples.extend_from_slice(&values);
        self.last = values;
        Ok(())
    }

    fn finish(self, path: &Path) -> Result<(Recording, Vec<Warning>), LogError> {
        let mut recording = self.recording;
        let count = recording.times.len();
        if count == 0 {
            return Err(LogError::new(self.file, LogProblem::Empty));
        }
        let mut intervals: Vec<f64> =
            recording.times.windows(2).map(|pair| pair[1] - pair[0]).filter(|&interval| interval > 0.0).collect();
        recording.period = match self.options.rate {
            Some(rate) => 1.0 / rate,
            None => median(&mut intervals).ok_or_else(|| LogError::new(self.file, LogProblem::NoTimes))?,
        };
        let mut breaks = self.breaks;
        if self.plan.time.is_some() {
            let is_gap = |at: &usize| recording.times[*at] - recording.times[*at - 1] > GAP * recording.period;
            breaks.extend((1..count).filter(is_gap));
            breaks.sort_unstable();
            breaks.dedup();
        }
        let ends = breaks.iter().skip(1).copied().chain([count]);
        recording.stretches = breaks.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
        recording.name = stem(path);
        recording.file = self.file.to_owned();
        let warning = (!self.odd_times.is_empty()).then(|| odd_times(self.file, &self.odd_times));
        Ok((recording, warning.into_iter().collect()))
    }
}

/// The first line is named in full, more by their numbers.
fn odd_times(file: &str, lines: &[(u64, String)]) -> Warning {
    const MOST: usize = 5;
    let (line, what) = &lines[0];
    let mut text = format!("{file}:{line}: the time {what}; a new stretch begins there");
    if what.starts_with("has") {
        text = format!("{file}:{line}: the line {what} and is left out; a new stretch begins there");
    }
    if lines.len() > 1 {
        let more: Vec<String> = lines[1..].iter().take(MOST).map(|(line, _)| line.to_string()).collect();
        let dots = if lines.len() > MOST + 1 { ", ..." } else { "" };
        text += &format!("; and {} more, in line {}{dots}", lines.len() - 1, more.join(", "));
    }
    Warning::new(WarningId::TimesOutOfOrder, text)
}

#[cfg(test)]
mod tests {
    use super::sniff;

    #[test]
    fn the_delimiter_is_the_one_the_header_has_most_of() {
        assert_eq!(sniff(b"a;b;c\n"), b';');
        assert_eq!(sniff(b"a\tb [m,s]\tc\n"), b'\t');
        assert_eq!(sniff(b"a,b;,c\n"), b',');
        assert_eq!(sniff(b"\"a;b;c\",d\n"), b',');
        assert_eq!(sniff(b"alone\n"), b',');
    }
}
