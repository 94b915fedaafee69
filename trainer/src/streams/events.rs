//! What somebody wrote down: stretches of a fault, or of time that was normal.
//!
//! `recording,start,end[,kind]`: the recording by its file's name, with or without its ending, and left out where there is one only; times
//! as the log writes them, or seconds from the start where the log has none; the kind `fault` (the default) or `normal`.

use std::path::Path;

use super::error::{LogError, LogProblem, did_you_mean, shown};
use super::read::Lines;
use super::{Recording, Recordings};

/// Recording and line of each column's name.
const RECORDING: [&str; 3] = ["recording", "file", "log"];

struct Event {
    line: u64,
    recording: usize,
    from: f64,
    to: f64,
    is_fault: bool,
}

impl Recordings {
    /// Marks the samples of the events in this file, as labels or as the truth.
    pub(super) fn mark(&mut self, events: &Path, is_truth: bool) -> Result<(), LogError> {
        let read = self.events(events)?;
        if is_truth {
            for recording in &mut self.all {
                recording.truth = Some(vec![false; recording.times.len()]);
            }
        }
        self.put(&read, events, is_truth)
    }

    fn events(&self, path: &Path) -> Result<Vec<Event>, LogError> {
        let file = path.display().to_string();
        let (mut lines, header) = Lines::open(path, None)?;
        let find = |names: &[&str]| header.iter().position(|name| names.iter().any(|n| name.eq_ignore_ascii_case(n)));
        let needed = |name: &'static str| {
            find(&[name]).ok_or_else(|| {
                let hint = did_you_mean(name, header.iter().map(String::as_str));
                let problem = LogProblem::MissingColumn { column: name.to_owned(), role: "of an event", hint };
                LogError::on_line(&file, 1, problem)
            })
        };
        let (start, end, kind) = (needed("start")?, needed("end")?, find(&["kind"]));
        let recording = match find(&RECORDING) {
            None if self.all.len() > 1 => Some(needed("recording")?),
            found => found,
        };
        let mut events = Vec::new();
        while let Some((line, cells)) = lines.next_line()? {
            if cells.len() != header.len() {
                let problem = LogProblem::Ragged { expected: header.len(), found: cells.len() };
                return Err(LogError::on_line(&file, line, problem));
            }
            let recording = match recording {
                None => 0,
                Some(at) => self.find(&cells[at]).map_err(|problem| LogError::on_line(&file, line, problem))?,
            };
            let wrong = |at: usize, expected: &'static str| {
                let problem = LogProblem::Cell { column: header[at].clone(), expected, found: shown(&cells[at]) };
                LogError::on_line(&file, line, problem)
            };
            let clock = self.all[recording].clock;
            let time = |at: usize| clock.parse(&cells[at]).ok_or_else(|| wrong(at, clock.expected()));
            let is_fault = match kind.map(|at| (at, cells[at].to_ascii_lowercase())) {
                None => true,
                Some((at, kind)) => match kind.as_str() {
                    "" | "fault" => true,
                    "normal" => false,
                    _ => return Err(wrong(at, "fault or normal")),
                },
            };
            events.push(Event { line, recording, from: time(start)?, to: time(end)?, is_fault });
        }
        Ok(events)
    }

    /// The recording of this name.
    fn find(&self, name: &str) -> Result<usize, LogProblem> {
        let file_name = |recording: &Recording| {
            Path::new(&recording.file).file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
        };
        let is_it =
            |recording: &Recording| name == recording.name || name == recording.file || name == file_name(recording);
        self.all.iter().position(is_it).ok_or_else(|| {
            let hint = did_you_mean(name, self.all.iter().map(|recording| recording.name.as_str()));
            LogProblem::UnknownRecording { name: name.to_owned(), hint }
        })
    }

    fn put(&mut self, events: &[Event], path: &Path, is_truth: bool) -> Result<(), LogError> {
        let file = path.display().to_string();
        for (at, event) in events.iter().enumerate() {
            let wrong = |problem| LogError::on_line(&file, event.line, problem);
            if event.to < event.from {
                return Err(wrong(LogProblem::EventBackwards));
            }
            let recording = &mut self.all[event.recording];
            let within = |time: f64| event.from <= time && time <= event.to;
            let samples: Vec<usize> = (0..recording.times.len()).filter(|&s| within(recording.times[s])).collect();
            if samples.is_empty() {
                let time = |at: usize| recording.clock.text(recording.times[at]);
                let (from, to) = (time(0), time(recording.times.len() - 1));
                return Err(wrong(LogProblem::EventOutside { name: recording.name.clone(), from, to }));
            }
            let other = events[..at].iter().find(|other| {
                other.recording == event.recording
                    && other.is_fault != event.is_fault
                    && samples.iter().any(|&s| (other.from..=other.to).contains(&recording.times[s]))
            });
            if let Some(other) = other {
                let name = |event: &Event| if event.is_fault { "fault" } else { "normal" };
                let (kind, other_kind) = (name(event), name(other));
                return Err(wrong(LogProblem::EventsOverlap { kind, other: other_kind, line: other.line }));
            }
            for sample in samples {
                match (&mut recording.truth, is_truth, event.is_fault) {
                    (Some(truth), true, true) => truth[sample] = true,
                    (_, true, _) => {}
                    (_, false, true) => (recording.labeled[sample], recording.normal[sample]) = (true, false),
                    (_, false, false) => (recording.labeled[sample], recording.normal[sample]) = (false, true),
                }
            }
        }
        Ok(())
    }
}
