//! Times one certified fit on the rows of a CSV file (last column: 1 labeled positive, 0 unlabeled), stage by stage.
//!
//!     cargo bench -p pual-trainer --bench speed -- ROWS.csv [--threads N] [--repeats N]
//!
//! `speed.sh` beside this file makes the rows, runs scikit-learn's SVC on the same ones, and prints the ratios.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use pual_trainer::internals::{Design, FeatureSettings, Features, Graph, Instances, Kernel, Learner, Pual};

const PIVOTS: usize = 256;
const NEIGHBOURS: usize = 5;
const BANDWIDTH: f64 = 2.0;
const SIGMA: f64 = 1.0;

fn main() -> Result<()> {
    let mut path = None;
    let (mut threads, mut repeats) = (0, 5);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || -> Result<usize> {
            let value = arguments.next().context("a flag without its number")?;
            Ok(value.parse()?)
        };
        match argument.as_str() {
            "--threads" => threads = number()?,
            "--repeats" => repeats = number()?,
            // Cargo adds it.
            "--bench" => {}
            _ => path = Some(argument),
        }
    }
    let Some(path) = path else {
        println!("speed: no CSV file given, nothing measured");
        return Ok(());
    };
    let (rows, features, labeled) = read(&path)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut best: Option<(f64, String)> = None;
    for _ in 0..repeats {
        let run = pool.install(|| fit(&rows, features, &labeled))?;
        if best.as_ref().is_none_or(|best| run.0 < best.0) {
            best = Some(run);
        }
    }
    let (seconds, stages) = best.context("--repeats must be at least 1")?;
    println!("{seconds:.4} {} {stages}", peak_megabytes());
    Ok(())
}

/// Seconds of the whole fit, and what its stages took.
fn fit(rows: &[f64], features: usize, labeled: &[bool]) -> Result<(f64, String)> {
    let start = Instant::now();
    let mut last = start;
    let mut stages = String::new();
    let mut stage = |name: &str| {
        stages += &format!("{name} {:.1} ms, ", last.elapsed().as_secs_f64() * 1e3);
        last = Instant::now();
    };
    let instances = Instances::arrange(rows, features, labeled)?;
    let graph = Graph::mutual(&instances, NEIGHBOURS);
    stage("graph");
    let kernel = Kernel::Rbf { bandwidth: BANDWIDTH };
    let built = Features::build(&instances, &FeatureSettings::new(kernel, PIVOTS, 1))?;
    stage("features");
    let design = Design::new(built);
    stage("grams");
    let design = design.with_local(graph.laplacian(SIGMA)?);
    stage("local term");
    let fit = Pual::new(1.0, 1.0, 0.1).fit(&design)?;
    let expansion = fit.expansion(&instances, design.features());
    stage("solve");
    let seconds = start.elapsed().as_secs_f64();
    stages += &format!("{} supports, {}", expansion.rows.len(), fit.report);
    Ok((seconds, stages))
}

fn read(path: &str) -> Result<(Vec<f64>, usize, Vec<bool>)> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    let (mut rows, mut labeled, mut features) = (Vec::new(), Vec::new(), 0);
    for line in text.lines() {
        let (cells, label) = line.rsplit_once(',').context("a row needs two cells or more")?;
        let before = rows.len();
        for cell in cells.split(',') {
            rows.push(cell.parse::<f64>()?);
        }
        features = rows.len() - before;
        labeled.push(label == "1");
    }
    if rows.len() != features * labeled.len() {
        bail!("{path}: rows of different lengths");
    }
    Ok((rows, features, labeled))
}

/// The process's largest resident size so far; 0 where the system does not tell.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
