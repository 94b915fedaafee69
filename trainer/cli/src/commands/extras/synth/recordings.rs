//! `pual synth machine`: a folder of raw recordings.

use crate::exit::usage_error;
use crate::show;
use anyhow::{Context, Result, bail};
use pual_trainer::synth::{MachineOptions, RawRecording, machine};
use pual_trainer::write_file;
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// The file of labeled stretches.
const EVENTS: &str = "events.csv";

#[derive(clap::Args)]
pub struct MachineFlags {
    /// Recordings, each of another day
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    recordings: u16,
    /// Length of each recording
    #[arg(long, default_value_t = 120, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=1_440))]
    minutes: u32,
    /// Random seed; the same seed gives the same files on every machine
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Write integers, as a 12-bit analog-to-digital converter gives them, in place of physical units
    #[arg(long)]
    counts: bool,
    /// Add a column of this name with the truth of each sample
    #[arg(long, value_name = "NAME")]
    truth_column: Option<String>,
    /// Folder to write to; it must be empty or new
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Print JSON about what was written
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct RecordingsReport {
    output: String,
    recordings: Vec<String>,
    events: String,
    channels: Vec<String>,
    samples: usize,
    faulty_samples: usize,
    labeled_stretches: usize,
}

impl MachineFlags {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let options = MachineOptions {
            recordings: self.recordings.into(),
            minutes: self.minutes as usize,
            counts: self.counts,
            seed: self.seed,
        };
        let recordings = machine(&options);
        if let Some(name) = &self.truth_column
            && (name == "time" || recordings.iter().any(|recording| recording.channels.contains(name)))
        {
            return Err(usage_error("synth", format!("--truth-column: there is a column `{name}` already")));
        }
        let report = self.write(&recordings)?;
        if self.json { show::json(out, &report) } else { Ok(()) }
    }

    fn write(&self, recordings: &[RawRecording]) -> Result<RecordingsReport> {
        let folder = self.output.display();
        fs::create_dir_all(&self.output).with_context(|| format!("cannot create {folder}"))?;
        let mut found = fs::read_dir(&self.output).with_context(|| format!("cannot read {folder}"))?;
        if let Some(entry) = found.next() {
            let name = entry.with_context(|| format!("cannot read {folder}"))?.file_name();
            bail!("{folder} is not empty: there is {}; choose a new folder", name.display());
        }
        let mut names = Vec::new();
        for recording in recordings {
            let name = format!("{}.csv", recording.name);
            write_file(&self.output.join(&name), recording.csv(self.truth_column.as_deref()).as_bytes())?;
            names.push(name);
        }
        write_file(&self.output.join(EVENTS), RawRecording::events(recordings).as_bytes())?;
        let truth = || recordings.iter().flat_map(|recording| &recording.truth);
        Ok(RecordingsReport {
            output: folder.to_string(),
            recordings: names,
            events: EVENTS.to_owned(),
            channels: recordings.first().map(|recording| recording.channels.clone()).unwrap_or_default(),
            samples: truth().count(),
            faulty_samples: truth().filter(|&&truth| truth).count(),
            labeled_stretches: recordings.iter().map(|recording| recording.labeled.len()).sum(),
        })
    }
}
