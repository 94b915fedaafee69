//! What can be wrong with a log or a file of events: every message names file and line.

use std::{error::Error, fmt, io};

/// Why a log, or a file of events, could not be read.
#[derive(Debug)]
pub struct LogError {
    /// The file as the user named it.
    pub file: String,
    /// The line, from 1; none if the problem is not one line's.
    pub line: Option<u64>,
    /// What is wrong.
    pub problem: LogProblem,
}

impl LogError {
    pub(crate) fn new(file: &str, problem: impl Into<LogProblem>) -> Self {
        Self { file: file.to_owned(), line: None, problem: problem.into() }
    }

    pub(crate) fn on_line(file: &str, line: u64, problem: LogProblem) -> Self {
        Self { file: file.to_owned(), line: Some(line), problem }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, problem } = self;
        match line {
            Some(line) => write!(f, "{file}:{line}: {problem}"),
            None => write!(f, "{file}: {problem}"),
        }
    }
}

impl Error for LogError {}

/// What can be wrong with a log or a file of events.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogProblem {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// No file has this name, or fits this pattern.
    #[error("no recording here: {0}")]
    NoFiles(&'static str),
    /// One file twice.
    #[error("this recording is given twice")]
    GivenTwice,
    /// Not text.
    #[error("expected UTF-8 text")]
    NotUtf8,
    /// A header at most.
    #[error("no samples; expected a line that names the columns, then one sample per line")]
    Empty,
    /// The first line holds numbers only.
    #[error("the first line must name the columns; it holds numbers")]
    NoHeader,
    /// Two columns have one name.
    #[error("two columns are called `{0}`")]
    DuplicateColumn(String),
    /// A column that is needed is not there.
    #[error("no column `{column}` ({role}){hint}")]
    MissingColumn {
        /// Its name.
        column: String,
        /// What it is needed for.
        role: &'static str,
        /// The nearest name there is; or nothing.
        hint: String,
    },
    /// A column that the first recording has not.
    #[error("column `{column}` is not in {first}; all recordings have the same channels")]
    OtherColumn {
        /// Its name.
        column: String,
        /// The first recording.
        first: String,
    },
    /// No column is left to learn from.
    #[error("no channel is left; expected a column of numbers besides times, labels and truth")]
    NoChannels,
    /// Nothing says when samples were taken.
    #[error("no column of times was found, and no rate is given")]
    NoTimes,
    /// More or fewer cells than the header.
    #[error("expected {expected} cells as in the header, found {found}")]
    Ragged {
        /// Cells in the header.
        expected: usize,
        /// Cells in this line.
        found: usize,
    },
    /// A cell that says something else than it should.
    #[error("column `{column}`: expected {expected}, found {found}")]
    Cell {
        /// The column's name.
        column: String,
        /// What it should hold.
        expected: &'static str,
        /// The cell's text, quoted and cut short.
        found: String,
    },
    /// Sampled at another rate than the others, or than the model's recordings.
    #[error("{found} samples per second, expected {expected} ({than}); resample it, or train a model for this rate")]
    OtherRate {
        /// Its rate, in Hz.
        found: String,
        /// The other rate, in Hz.
        expected: String,
        /// Whose.
        than: String,
    },
    /// An event of a recording that is not among those given.
    #[error("no recording `{name}` is given{hint}")]
    UnknownRecording {
        /// As the event names it.
        name: String,
        /// The nearest name there is; or nothing.
        hint: String,
    },
    /// An event during which nothing was recorded.
    #[error("the event lies outside of the recording `{name}`, which runs from {from} to {to}")]
    EventOutside {
        /// The recording.
        name: String,
        /// Its first time.
        from: String,
        /// Its last time.
        to: String,
    },
    /// An event that ends before it starts.
    #[error("the event ends before it starts")]
    EventBackwards,
    /// The same samples are said to be both.
    #[error("this {kind} event overlaps the {other} one of line {line}")]
    EventsOverlap {
        /// "fault" or "normal".
        kind: &'static str,
        /// The other kind.
        other: &'static str,
        /// Where the other one is.
        line: u64,
    },
    /// A window longer than every stretch without a gap.
    #[error("a window of {window} samples is longer than every recording; the longest stretch without a gap has {longest}{}", most_gaps(*gaps))]
    WindowTooLong {
        /// Samples of the window.
        window: usize,
        /// Samples of the longest stretch.
        longest: usize,
        /// Gaps in all recordings.
        gaps: usize,
    },
}

fn most_gaps(gaps: usize) -> String {
    match gaps {
        0 => String::new(),
        1 => " (there is 1 gap)".to_owned(),
        gaps => format!(" (there are {gaps} gaps)"),
    }
}

/// A cell as messages show it.
pub(super) fn shown(cell: &str) -> String {
    if cell.is_empty() {
        return "an empty cell".to_owned();
    }
    let cut: String = cell.chars().take(40).collect();
    let dots = if cut.len() < cell.len() { "..." } else { "" };
    format!("\"{}{dots}\"", cut.escape_debug())
}

/// "; did you mean `x`?"
pub(super) fn did_you_mean<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    crate::base::nearest::nearest(name, names).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}
