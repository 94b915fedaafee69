//! The flags that say how small a model is to be, and the ladder of sizes as people and programs see it.

use crate::show;
use anyhow::Result;
use clap::ValueEnum;
use pual_device::bench::encoding_name;
use pual_infer::Encoding;
use pual_trainer::base::warnings::Warning;
use pual_trainer::model::compress::{
    CompressError, CompressOptions, Goal, Ladder, Rung, TOLERANCE,
};
use serde::Serialize;
use std::io::Write;

#[derive(clap::Args)]
#[command(next_help_heading = "Size")]
pub struct SizeFlags {
    /// Bytes the model file may have, such as 512B or 2kB; the best model within them is taken
    #[arg(long, value_name = "BYTES", value_parser = bytes, conflicts_with = "supports")]
    budget: Option<usize>,
    /// Support instances of the model [default: as few as the tolerance allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub supports: Option<u16>,
    /// F1 that may be lost to size, with what the larger model is sure of as the truth [default: 0.5%]
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    tolerance: Option<f64>,
    /// How numbers are stored [default: the smallest within the tolerance]
    #[arg(long, value_enum)]
    encoding: Option<EncodingName>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum EncodingName {
    /// 32-bit floats, for cores with an FPU
    F32,
    /// 16-bit integers, for every core
    I16,
    /// 8-bit support instances, 16-bit coefficients, for every core
    I8,
}

impl SizeFlags {
    pub fn options(&self, seed: u64) -> CompressOptions {
        CompressOptions {
            goal: match (self.budget, self.supports) {
                (Some(budget), _) => Goal::Budget(budget),
                (None, Some(supports)) => Goal::Supports(supports.into()),
                (None, None) => Goal::Tolerance,
            },
            tolerance: self.tolerance.unwrap_or(TOLERANCE),
            encoding: self.encoding.map(|name| match name {
                EncodingName::F32 => Encoding::F32,
                EncodingName::I16 => Encoding::I16,
                EncodingName::I8 => Encoding::I8,
            }),
            seed,
        }
    }
}

/// 512, 512B, 2kB, 1.5KiB, 2GB.
pub fn bytes(text: &str) -> Result<usize, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let factor = match unit.trim() {
        "" | "B" => 1.0,
        "k" | "kB" | "KB" => 1000.0,
        "KiB" => 1024.0,
        "M" | "MB" => 1e6,
        "MiB" => f64::from(1 << 20),
        "G" | "GB" => 1e9,
        "GiB" => f64::from(1 << 30),
        _ => return Err("expected bytes, such as 512B, 2kB, 64KiB or 2GB".to_owned()),
    };
    match text[..text.len() - unit.len()].parse::<f64>() {
        Ok(number) if (1.0..1e15).contains(&(number * factor)) => Ok((number * factor) as usize),
        _ => Err("expected bytes, such as 512B, 2kB, 64KiB or 2GB".to_owned()),
    }
}

/// 0.5% as a share.
fn percentage(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').map(|number| number.trim().parse());
    match number {
        Some(Ok(percent)) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("expected a percentage from 0% to 100%, such as 0.5%".to_owned()),
    }
}

/// Names the flag that asked for what cannot be had.
pub fn explain(error: CompressError) -> anyhow::Error {
    let flag = match &error {
        CompressError::Budget { .. } => "--budget cannot be met",
        CompressError::Linear | CompressError::NothingFits => "--encoding cannot be had",
        _ => return error.into(),
    };
    anyhow::Error::new(error).context(flag)
}

/// What compression did.
#[derive(Serialize)]
pub struct Compression {
    /// Rows compared on.
    rows: usize,
    /// Points between rows compared on.
    points: usize,
    tolerance: f64,
    within_tolerance: bool,
    /// Bytes of the model that is written.
    bytes: usize,
    /// What had to be left out to meet the budget.
    left_out: Vec<&'static str>,
    /// PUF of the large model on the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    puf: Option<f64>,
    ladder: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    supports: usize,
    encoding: &'static str,
    /// With names and envelope.
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    puf: Option<f64>,
    /// Root mean square, in parts of what scores are clipped at.
    score_error: f64,
    changed_classes: usize,
    /// F1 lost, with what the large model is sure of as the truth.
    loss: f64,
    as_trained: bool,
    taken: bool,
}

impl Compression {
    pub fn new(ladder: &Ladder, options: &CompressOptions) -> Self {
        let step = |rung: &Rung| Step {
            supports: rung.supports,
            encoding: encoding_name(rung.encoding),
            bytes: rung.bytes,
            puf: rung.measured.puf,
            score_error: rung.measured.score_error,
            changed_classes: rung.measured.changed_classes,
            loss: rung.measured.loss,
            as_trained: rung.as_trained,
            taken: rung.taken,
        };
        Self {
            rows: ladder.rows,
            points: ladder.points,
            tolerance: options.tolerance,
            within_tolerance: ladder.taken().measured.loss <= options.tolerance,
            bytes: ladder.bytes.len(),
            left_out: ladder.left_out.clone(),
            puf: ladder.puf,
            ladder: ladder.rungs.iter().map(step).collect(),
        }
    }

    /// What the user must know before relying on the model.
    pub fn warnings(&self) -> Vec<Warning> {
        let left_out = (!self.left_out.is_empty()).then(|| Warning::left_out(&self.left_out));
        let taken = self.ladder.iter().find(|step| step.taken);
        let lost = taken
            .filter(|_| !self.within_tolerance)
            .map(|taken| Warning::over_tolerance(taken.loss, self.tolerance));
        left_out.into_iter().chain(lost).collect()
    }

    /// The ladder as a table.
    pub fn show(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out)?;
        let mut header = vec!["supports", "encoding", "bytes"];
        if self.puf.is_some() {
            header.push("PUF");
        }
        header.extend(["score error", "classes changed", "F1 lost", ""]);
        let rows: Vec<Vec<String>> = self.ladder.iter().map(|step| self.row(step)).collect();
        show::table(out, &header, &rows)?;
        let puf = self
            .puf
            .map_or(String::new(), |puf| format!("; PUF as trained {puf:.3}"));
        writeln!(
            out,
            "(on {} rows and {} points between them{puf})",
            show::grouped(self.rows as u64),
            show::grouped(self.points as u64)
        )?;
        Ok(())
    }

    fn row(&self, step: &Step) -> Vec<String> {
        let mut row = vec![
            step.supports.to_string(),
            step.encoding.to_owned(),
            show::grouped(step.bytes as u64),
        ];
        if self.puf.is_some() {
            row.push(step.puf.map_or(String::new(), |puf| format!("{puf:.3}")));
        }
        row.push(show::percent(step.score_error));
        let share = step.changed_classes as f64 / self.rows.max(1) as f64;
        row.push(fine_percent(share));
        row.push(fine_percent(step.loss));
        row.push(match (step.taken, step.as_trained) {
            (true, true) => "<- taken, as trained".to_owned(),
            (true, false) => "<- taken".to_owned(),
            (false, true) => "as trained".to_owned(),
            (false, false) => String::new(),
        });
        row
    }
}

/// A small share as percent.
fn fine_percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(
            ["512B", "2kB", "1.5k", "1KiB", "2GB"].map(bytes),
            [Ok(512), Ok(2000), Ok(1500), Ok(1024), Ok(2_000_000_000)]
        );
        for wrong in ["", "B", "0", "-5", "12TB", "kB2", "1e3", "1.2.3"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
        assert_eq!(percentage("0.5%"), Ok(0.005));
        for wrong in ["0.5", "%", "-1%", "101%", "x%", "NaN%"] {
            assert!(percentage(wrong).is_err(), "{wrong}");
        }
    }
}
