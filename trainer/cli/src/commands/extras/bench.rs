//! `pual bench`: the paper's two tables, rare positives, and recordings, with our methods.

use crate::show;
use anyhow::{Context, Result};
use clap::Subcommand;
use indicatif::ProgressBar;
use pual_trainer::experiments;
use pual_trainer::experiments::{
    BenchMethod, Cell, Record, Results, TableSummary, cells_of_rare, cells_of_streams, cells_of_table2,
    cells_of_table4, paper_data_sets, rare_data_sets,
};
use pual_trainer::internals::TrainOptions;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle, available_parallelism};

/// Repeat the paper's experiments, or measure models on emulated chips
///
/// Splits, labels and tests as the paper does, prints F1 next to the paper's numbers, and compares each method with PUAL on the same
/// splits. With --out every result is stored as soon as it is known; rerun the command to resume.
///
/// Methods: auto (the default of `pual train`), pual, gllc, bls-svm, bsvm, algorithm2 (the paper's kernel algorithm, literally), wus-svm,
/// llsvm, spy-svm, upu, nnpu and imbalanced-nnpu. They learn as in `pual train`: pual is an ensemble of PUAL models, pual-one a single
/// model, ensemble an ensemble of all methods. With the suffix -fixed they use rules of thumb, with -paper (not upu, nnpu and
/// imbalanced-nnpu) the paper's grid, rule and refinement. upu-mlp and nnpu-mlp are the published networks, which no chip runs. Class
/// priors are estimated; with the suffix -share the true one is given.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual bench table2 --repeats 2 --methods pual,gllc-paper
  pual bench table4 --data data --datasets seeds,wifi --repeats 3 --out seeds.csv")]
pub struct Args {
    #[command(subcommand)]
    table: BenchTable,
}

#[derive(Subcommand)]
enum BenchTable {
    Table2(Table2),
    Table4(Table4),
    Rare(Rare),
    Streams(Streams),
    Biased(crate::commands::extras::bench_biased::Args),
    Device(crate::commands::chips::bench_device::Args),
}

/// Synthetic data: positives on both sides, one side farther and farther away (Section 4.1)
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual bench table2 --repeats 2 --methods pual,gllc-paper")]
struct Table2 {
    /// Data sets, by the distance of the farther positives
    #[arg(long, value_delimiter = ',', value_name = "DISTANCES", default_value = "50,100,200,500,1000", value_parser = crate::flags::values::positive)]
    datasets: Vec<f64>,
    /// Data sets for each distance
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    #[command(flatten)]
    run: BenchRun,
}

/// Sixteen real data sets (Section 4.2)
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual bench table4 --data data --datasets seeds,wifi --repeats 3 --out seeds.csv")]
struct Table4 {
    /// Folder of CSV files, one per data set, with the truth in column `label`
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Data sets, by file name [default: the paper's 16]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    datasets: Option<Vec<String>>,
    /// Shares of the training positives that are labeled
    #[arg(long, value_delimiter = ',', value_name = "SHARES", default_value = "0.5,0.25", value_parser = crate::flags::values::share)]
    label_frequencies: Vec<f64>,
    /// Splits of each data set
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    #[command(flatten)]
    run: BenchRun,
}

/// Rare positives: 1 % or 3 % of the rows of three whole data sets
///
/// 4,000 negatives and as few positives as make up the share are drawn. Half of the rows are for training, each of their positives
/// labeled with probability 1/2; the other half is for testing. Besides F1 it prints the share of the test rows that are positive and
/// the share that each method calls.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual bench rare --data full --methods auto --seed 101 --out rare.csv
  pual bench rare --data full --datasets pen --shares 0.003 --write-splits splits")]
struct Rare {
    /// Folder of avila.csv, od.csv and pen.csv, plain or gzip: whole UCI data sets with their class column
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Data sets: avila, od, pen [default: all three]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    datasets: Option<Vec<String>>,
    /// Shares of positives
    #[arg(long, value_delimiter = ',', value_name = "SHARES", default_value = "0.01,0.03", value_parser = crate::flags::values::share)]
    shares: Vec<f64>,
    /// Splits of each data set
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    /// Also write the splits to this folder, as CSV files for other programs
    #[arg(long, value_name = "DIR")]
    write_splits: Option<PathBuf>,
    #[command(flatten)]
    run: BenchRun,
}

/// Recordings: stretches of a few are labeled, and whole other recordings tested on
///
/// Half of the recordings are for training; in every second of those that have a fault, one half of it is labeled. Features are mean and
/// standard deviation of each channel over 20 samples. Besides F1 of windows it prints found events, false alarms per split, and on how
/// many splits the user is warned.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual bench streams --data skab-valve1 --methods auto --seed 2000 --out streams.csv")]
struct Streams {
    /// Folder of recordings, a CSV file each: time first, the truth in column `anomaly`
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Splits
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    /// Also write the splits to this folder, as CSV files for other programs
    #[arg(long, value_name = "DIR")]
    write_splits: Option<PathBuf>,
    #[command(flatten)]
    run: BenchRun,
}

#[derive(clap::Args)]
struct BenchRun {
    /// Methods to train
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        default_value = "auto,pual,pual-one,gllc,bls-svm,bsvm,upu,nnpu,upu-mlp,nnpu-mlp"
    )]
    methods: Vec<BenchMethod>,
    /// Seed of data, splits and folds
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Maximum number of support instances [default: as `pual train`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    supports: Option<u16>,
    /// Threads; the result does not depend on it [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// CSV file of all results; results already in it are not computed again
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the table in Markdown
    #[arg(long)]
    markdown: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
}

#[derive(Serialize)]
struct BenchReport<'a> {
    /// The lines of --out.
    results: Vec<&'a Record>,
    /// Each method against PUAL, on the same splits.
    differences: Vec<MethodDifference>,
}

#[derive(Serialize)]
struct MethodDifference {
    method: String,
    from: String,
    /// Of F1, in points.
    mean: f64,
    standard_error: f64,
    splits: usize,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        match &self.table {
            BenchTable::Biased(biased) => biased.run(out),
            BenchTable::Device(device) => device.run(out),
            BenchTable::Table2(table) => {
                let cells = cells_of_table2(&table.datasets, table.repeats, table.run.seed);
                table.run.run(&cells, out)
            }
            BenchTable::Table4(table) => {
                let data_sets = table.datasets.clone().unwrap_or_else(paper_data_sets);
                let cells =
                    cells_of_table4(&table.data, &data_sets, &table.label_frequencies, table.repeats, table.run.seed)?;
                table.run.run(&cells, out)
            }
            BenchTable::Rare(rare) => {
                let data_sets = rare.datasets.clone().unwrap_or_else(rare_data_sets);
                let cells = cells_of_rare(&rare.data, &data_sets, &rare.shares, rare.repeats, rare.run.seed)?;
                write_splits(&cells, rare.write_splits.as_deref())?;
                rare.run.run(&cells, out)
            }
            BenchTable::Streams(streams) => {
                let cells = cells_of_streams(&streams.data, streams.repeats, streams.run.seed)?;
                write_splits(&cells, streams.write_splits.as_deref())?;
                streams.run.run(&cells, out)
            }
        }
    }
}

fn write_splits(cells: &[Cell], folder: Option<&Path>) -> Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for cell in cells {
        cell.write_split(folder)?;
    }
    Ok(())
}

impl BenchRun {
    fn run(&self, cells: &[Cell], out: &mut impl Write) -> Result<()> {
        // Most data sets are too small for several threads: each result is computed on one thread, several at a time.
        let mut options = TrainOptions { threads: 1, ..TrainOptions::default() };
        if let Some(supports) = self.supports {
            options.supports = supports.into();
            options.student_supports = supports.into();
        }
        let results = match &self.out {
            Some(path) => Results::open(path)?,
            None => Results::new(),
        };
        let bar = show::bar("results");
        let of_cell = |cell| self.methods.iter().map(move |method| (cell, method));
        let pairs: Vec<(&Cell, &BenchMethod)> = cells.iter().flat_map(of_cell).collect();
        let left: Vec<_> = (pairs.iter()).copied().filter(|(cell, method)| !results.contains(cell, method)).collect();
        bar.set_length(left.len() as u64);
        let results = Mutex::new(results);
        let next = AtomicUsize::new(0);
        // Plain threads: a pool's thread that waits for another pool would start on the next result meanwhile.
        let work = || -> Result<()> {
            while let Some(&(cell, method)) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                let record = self.one(cell, method, &options, &bar);
                if record.is_err() {
                    // The other threads stop too.
                    next.store(left.len(), Ordering::Relaxed);
                }
                let record = record?;
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                results.add(record)?;
            }
            Ok(())
        };
        let threads = match self.threads {
            Some(threads) => threads.into(),
            None => available_parallelism().map_or(1, usize::from),
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let ended = |worker: ScopedJoinHandle<'_, Result<()>>| match worker.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            workers.into_iter().try_for_each(ended)
        })?;
        bar.finish_and_clear();
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Results arrive in any order, and the file may hold those of other runs.
        let chosen = (pairs.iter()).filter_map(|(cell, method)| results.get(cell, method));
        let chosen: Vec<&Record> = chosen.collect();
        let summary = TableSummary::new(chosen.iter().copied(), &self.methods);
        let report = BenchReport::new(chosen, &summary);
        show::result(self.json, out, &report, |_, out| show_summary(&summary, self.markdown, out))
    }

    fn one(&self, cell: &Cell, method: &BenchMethod, options: &TrainOptions, bar: &ProgressBar) -> Result<Record> {
        bar.set_message(format!("{} {method}", cell.data_set));
        let record = experiments::run(cell, method, options).with_context(|| {
            format!(
                "{}, label frequency {}, split {}, method {method}",
                cell.data_set, cell.label_frequency, cell.repeat
            )
        })?;
        bar.inc(1);
        Ok(record)
    }
}

impl<'a> BenchReport<'a> {
    fn new(results: Vec<&'a Record>, summary: &TableSummary<'_>) -> Self {
        let of = |reference: BenchMethod| {
            let all = summary.paired_differences(&reference).into_iter();
            all.map(move |(method, mean, standard_error, splits)| MethodDifference {
                method: method.to_string(),
                from: reference.to_string(),
                mean,
                standard_error,
                splits,
            })
        };
        Self { results, differences: summary.reference().into_iter().flat_map(of).collect() }
    }
}

fn show_summary(summary: &TableSummary<'_>, markdown: bool, out: &mut impl Write) -> Result<()> {
    writeln!(out, "F1 in percent, mean ± standard deviation over the splits\n")?;
    if markdown {
        writeln!(out, "{}", summary.markdown())?;
    } else {
        let (header, rows) = summary.table();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        show::table(out, &header, &rows)?;
        writeln!(out)?;
    }
    if let Some(reference) = summary.reference() {
        for (method, mean, error, splits) in summary.paired_differences(&reference) {
            writeln!(out, "{method} - {reference}: {mean:+.2} ± {error:.2} points (standard error, {splits} splits)")?;
        }
    }
    for (method, f1) in summary.with_true_counts() {
        writeln!(out, "{method}, calling as many test rows as there are positives: {f1:.2} on average")?;
    }
    for (method, record, lead) in summary.worst_splits() {
        writeln!(
            out,
            "{method}, worst split against calling every row positive: {lead:+.1} points ({} {}, split {})",
            record.data_set, record.label_frequency, record.repeat
        )?;
    }
    Ok(())
}
