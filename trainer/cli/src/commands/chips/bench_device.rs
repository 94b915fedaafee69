//! `pual bench device`: what inference costs on emulated chips, next to other libraries.

use crate::exit::Failure;
use crate::{model_file, show};
use anyhow::{Context, Result};
use pual_device::bench::{BOARDS, Baseline, Bench, BenchRow, PEERS, Peer, SIZES, in_every_encoding, random_models};
use pual_device::firmware::Board;
use pual_infer::ModelBytes;
use pual_trainer::{Warning, WarningId, write_file};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Measure inference on emulated chips
///
/// Builds the bench firmware for each core, runs it in QEMU and counts: instructions (not cycles) per score of f32 readings and, for
/// integer models, of counts; bytes of code, stack and model. Counts are exact and repeatable. Measures random models of several sizes in
/// every encoding, or your own with --model. Recorded figures of other libraries are shown for comparison. QEMU and the bare-metal targets
/// are installed if they are missing.
///
/// Figures are compared with firmware-example/baseline.csv: more than 2 % above it is an error.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual bench device --cores m0,m4f --sizes 64x4
  pual bench device --model fridge.pual --json")]
pub struct Args {
    /// Cores to measure
    #[arg(long, value_delimiter = ',', value_name = "NAMES", default_value = "m0,m3,m4f,m7,m33", value_parser = core)]
    cores: Vec<Board>,
    /// Sizes of the random models, supports x features
    #[arg(long, value_delimiter = ',', value_name = "SIZES", default_value = "64x4,256x7,700x7,256x16", value_parser = size)]
    sizes: Vec<(usize, usize)>,
    /// Measure this model instead; an f32 model is also measured rounded to integers
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Make the measured figures the new baseline (all cores and sizes)
    #[arg(long, conflicts_with_all = ["cores", "sizes", "model"])]
    write_baseline: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A core by its short name.
fn core(name: &str) -> Result<Board, String> {
    let short = |board: &Board| board.core().to_lowercase().replace("cortex-", "");
    BOARDS.into_iter().find(|board| short(board) == name.to_lowercase()).ok_or_else(|| {
        let names = BOARDS.map(|board| short(&board));
        format!("expected one of {}", names.join(", "))
    })
}

fn size(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('x').and_then(|(supports, features)| {
        let (supports, features) = (supports.parse().ok()?, features.parse().ok()?);
        ((1..=u16::MAX.into()).contains(&supports) && (1..=64).contains(&features)).then_some((supports, features))
    });
    numbers.ok_or_else(|| "expected supports x features, such as 256x7; at most 64 features".to_owned())
}

#[derive(Serialize)]
struct BenchReport<'a> {
    rows: &'a [BenchRow],
    peers: &'a [Peer],
    /// Figures that are more than 2 % above the committed baseline.
    above_baseline: &'a [String],
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let mut rows = Vec::new();
        let models = self.models()?;
        for board in &self.cores {
            let bench = Bench::new(*board)?;
            for (name, bytes) in &models {
                show::progress(&format!("{}: {name}", board.name()));
                let model = bytes.decode().context("the model is not usable")?;
                let row =
                    { bench.measure(bytes, &model, name) }.with_context(|| format!("{name} on {}", board.name()))?;
                rows.push(row);
            }
        }
        let grown = self.compare_with_baseline(&rows)?;
        let report = BenchReport { rows: &rows, peers: &PEERS, above_baseline: &grown };
        let own = self.model.is_some();
        show::result(self.json, out, &report, |report, out| show_rows(out, report.rows, &self.sizes, own))?;
        if !grown.is_empty() {
            out.flush()?;
            let message = format!(
                "{} figures are more than 2 % above {}\n{}",
                grown.len(),
                Baseline::path()?.display(),
                grown.join("\n")
            );
            let hint = "if this is intended: pual bench device --write-baseline";
            return Err(Failure::differs(message, Some(hint.to_owned())).into());
        }
        Ok(())
    }

    /// The user's model, or random ones of all sizes, in all encodings.
    fn models(&self) -> Result<Vec<(String, ModelBytes)>> {
        if let Some(path) = &self.model {
            let bytes = model_file::read(path)?;
            let model = model_file::decode(&bytes, path)?;
            let name = path.file_name().unwrap_or(path.as_os_str());
            let name = name.to_string_lossy().into_owned();
            let plain = ModelBytes::new(&bytes[..model.length()]);
            let models = in_every_encoding(&plain, &model).into_iter();
            return Ok(models.map(|bytes| (name.clone(), bytes)).collect());
        }
        Ok(random_models(&self.sizes)?)
    }

    /// The figures that have grown. A user's own model or another size has no baseline.
    fn compare_with_baseline(&self, rows: &[BenchRow]) -> Result<Vec<String>> {
        let path = Baseline::path()?;
        if self.write_baseline {
            write_file(&path, Baseline::new(rows)?.text().as_bytes())?;
            return Ok(Vec::new());
        }
        if self.model.is_some() {
            return Ok(Vec::new());
        }
        let (baseline, new) = (Baseline::read(&path)?, Baseline::new(rows)?);
        if baseline.compiler != new.compiler {
            let (old, new) = (&baseline.compiler, &new.compiler);
            let text = format!("the baseline was measured with {old}, this with {new}");
            show::warn(Warning::new(WarningId::OtherCompiler, text));
        }
        Ok(baseline.grown(&new))
    }
}

fn show_rows(out: &mut impl Write, rows: &[BenchRow], sizes: &[(usize, usize)], own: bool) -> Result<()> {
    let number = |number: Option<u32>| number.map_or("-".to_owned(), show::grouped);
    let cells = rows.iter().map(|row| {
        vec![
            format!("{} {} {}", row.core, row.model, row.encoding),
            show::grouped(row.score),
            number(row.score_counts),
            show::grouped(row.decode),
            show::grouped(row.code_bytes),
            show::grouped(row.ram_bytes),
            show::grouped(row.stack_bytes),
            show::grouped(row.model_bytes),
        ]
    });
    let header = ["instructions, bytes", "score", "of counts", "decode", "code", "RAM", "stack", "model"];
    show::table(out, &header, &cells.collect::<Vec<_>>())?;
    if own {
        return Ok(());
    }
    // One column per size that was measured.
    let columns: Vec<usize> = (0..SIZES.len()).filter(|&at| sizes.contains(&SIZES[at])).collect();
    let peers: Vec<Vec<String>> = PEERS
        .iter()
        .filter(|peer| rows.iter().any(|row| row.core == peer.core))
        .filter(|peer| columns.iter().any(|&at| peer.instructions[at].is_some()))
        .map(|peer| {
            let mut cells = vec![format!("{} {}", peer.core, peer.name)];
            cells.extend(columns.iter().map(|&at| number(peer.instructions[at])));
            cells.extend([number(peer.code_bytes), number(peer.stack_bytes)]);
            cells
        })
        .collect();
    if peers.is_empty() {
        return Ok(());
    }
    let sizes = columns.iter().map(|&at| SIZES[at]);
    let sizes: Vec<_> = sizes.map(|(n, d)| format!("{n}x{d}")).collect();
    let mut header = vec!["other libraries (recorded)"];
    header.extend(sizes.iter().map(String::as_str));
    header.extend(["code", "stack"]);
    writeln!(out)?;
    show::table(out, &header, &peers)
}
