//! What a fit from exact sums over all rows, with support instances from a sample, loses against the exact solution that keeps every row.
//!
//! ```text
//! cargo run --release -p pual-trainer --example many_rows_table -- [AVILA.csv] [SEED...]
//! ```
//!
//! Settings are searched on the sample and are the same for all fits of a line (weights count as many rows as there are). `sums` has its
//! support instances from the sample, and fits them to all rows; `rows` keeps all rows and draws its support instances among them. Both with
//! [`SUPPORTS`], each. F1 on rows that no fit has seen.
//!
//! AVILA.csv is the Avila data, whole: its column `class` says which scribe wrote (A is positive), `split` which rows train.

use pual_trainer::Confusion;
use pual_trainer::Dataset;
use pual_trainer::GraphRows;
use pual_trainer::Silent;
use pual_trainer::Table;
use pual_trainer::distributed::Plan;
use pual_trainer::distributed::RowSample;
use pual_trainer::internals::KernelChoice;
use pual_trainer::internals::Method;
use pual_trainer::internals::PualSolver;
use pual_trainer::internals::Random;
use pual_trainer::internals::TrainOptions;
use pual_trainer::internals::TuneOptions;
use pual_trainer::internals::fit_by_rules;
use pual_trainer::internals::fit_tuned;
use pual_trainer::internals::train_on_all;
use pual_trainer::report::Trained;
use pual_trainer::synth;

type Failure = Box<dyn std::error::Error>;

const SUPPORTS: [usize; 2] = [256, 1000];
const SAMPLE: usize = 2500;
const ROWS: usize = 20_000;
const LABEL_FREQUENCY: f64 = 0.5;

/// Draws a problem by a seed.
type Draw = Box<dyn Fn(u64) -> Result<Problem, Failure>>;

/// Rows to train on, and rows to test on with their truth.
struct Problem {
    train: Table,
    test: Table,
}

fn main() -> Result<(), Failure> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let avila = match arguments.first().is_some_and(|first| first.parse::<u64>().is_err()) {
        true => Some(arguments.remove(0)),
        false => None,
    };
    let seeds: Vec<u64> = match arguments.is_empty() {
        true => vec![1, 2, 3],
        false => arguments.iter().map(|seed| seed.parse()).collect::<Result<_, _>>()?,
    };
    println!("| set | method | rows | supports | F1 from sums | F1 from rows | difference |");
    println!("|---|---|---|---|---|---|---|");
    let mut sets: Vec<(&str, Draw)> = vec![("trifurcate", Box::new(trifurcate)), ("magic-like", Box::new(magic_like))];
    match avila {
        Some(path) => sets.push(("avila", Box::new(move |_| read_avila(&path)))),
        None => eprintln!("no AVILA.csv given: left out"),
    }
    for (name, problem) in sets {
        for method in [Method::Pual(PualSolver::Exact), Method::Gllc, Method::BlsSvm] {
            let mut means = [[0.0; 2]; SUPPORTS.len()];
            let mut rows = 0;
            for &seed in &seeds {
                let problem = problem(seed)?;
                rows = problem.train.len();
                for (mean, pair) in means.iter_mut().zip(compare(&problem, method, seed)?) {
                    mean[0] += 100.0 * pair[0] / seeds.len() as f64;
                    mean[1] += 100.0 * pair[1] / seeds.len() as f64;
                }
            }
            for (supports, [from_sums, from_rows]) in SUPPORTS.into_iter().zip(means) {
                println!(
                    "| {name} | {} | {rows} | {supports} | {from_sums:.2} | {from_rows:.2} | {:+.2} |",
                    method.name(),
                    from_sums - from_rows
                );
            }
        }
    }
    Ok(())
}

/// F1 from sums and from rows, for each number of support instances.
fn compare(problem: &Problem, method: Method, seed: u64) -> Result<[[f64; 2]; SUPPORTS.len()], Failure> {
    let data = Dataset::new(synth::label(problem.train.clone(), LABEL_FREQUENCY, seed))?;
    let sample = RowSample::of(&data, SAMPLE, seed);
    let drawn_from = sample.drawn_from;
    let sample = Dataset::new(sample.into_table(data.names().to_vec()))?;
    let data = data.with_features(sample.names());
    let options = TrainOptions { method, supports: SUPPORTS[0], seed, ..TrainOptions::default() };
    let tuning = TuneOptions { repeats: 1, final_repeats: 1, ..TuneOptions::default() };
    let (found, _) = fit_tuned(&sample, &options, &tuning, None, &Silent)?;
    let fit_both = |supports: usize| -> Result<[Trained; 2], Failure> {
        let options = TrainOptions { supports, ..options.clone() };
        let settings = &found.settings;
        let plan = Plan::new(&sample, drawn_from, method, settings, true, &options, "label")?;
        let local = settings.local.map(|local| (local, GraphRows::All));
        let from_sums = train_on_all(&data, plan, local, &Silent)?;
        let settings = from_sums.settings;
        let options = TrainOptions {
            kernel: KernelChoice::Rbf { bandwidth: settings.bandwidth() },
            lambda: Some(settings.lambda),
            c_p: Some(settings.c_p),
            c_u: Some(settings.c_u),
            sigma: settings.local.map(|local| local.sigma),
            ..options
        };
        Ok([from_sums, fit_by_rules(&data, &options)?])
    };
    let f1 = |trained: &Trained| {
        let names = &problem.test.names;
        let kept: Vec<usize> =
            (names.iter().enumerate()).filter(|(_, name)| data.names().contains(name)).map(|(at, _)| at).collect();
        let rows: Vec<f64> =
            (problem.test.rows.chunks_exact(names.len())).flat_map(|row| kept.iter().map(|&at| row[at])).collect();
        let scores = trained.classifier.scores(&rows);
        let called: Vec<bool> = scores.iter().map(|&score| score > 0.0).collect();
        Confusion::count(problem.test.truth.as_deref().unwrap_or_default(), &called).f1()
    };
    let mut pairs = [[0.0; 2]; SUPPORTS.len()];
    for (pair, supports) in pairs.iter_mut().zip(SUPPORTS) {
        *pair = fit_both(supports)?.map(|trained| f1(&trained));
    }
    Ok(pairs)
}

/// The paper's synthetic data, larger.
fn trifurcate(seed: u64) -> Result<Problem, Failure> {
    Ok(Problem { train: synth::trifurcate(ROWS, 100.0, seed), test: synth::trifurcate(ROWS, 100.0, seed + 1000) })
}

/// Ten features like those of gamma and hadron showers in a telescope: skewed, of different sizes, two of them correlated with the others, the
/// classes overlapping around a curved border.
fn magic_like(seed: u64) -> Result<Problem, Failure> {
    let draw = |seed: u64| {
        let mut random = Random::new(seed, 0);
        let mut table = Table { names: (0..10).map(|at| format!("x{at}")).collect(), ..Table::default() };
        let mut truth = Vec::new();
        for _ in 0..ROWS {
            let is_gamma = random.uniform() < 0.65;
            let width = if is_gamma { 0.45 } else { 0.8 };
            let size = random.normal();
            let angle = if is_gamma { 0.3 } else { 1.0 } * random.normal();
            for at in 0..10 {
                let own = random.normal();
                table.rows.push(f64::from(match at {
                    0..=2 => (3.0 + 0.5 * size + width * own).exp(),
                    3 | 4 => size * own + 0.4 * f64::from(u8::from(!is_gamma)),
                    5..=7 => 30.0 * own * width + 10.0 * size * angle,
                    8 => 20.0 * angle.abs(),
                    _ => 190.0 + 50.0 * own + 20.0 * angle * size,
                } as f32));
            }
            truth.push(is_gamma);
        }
        table.truth = Some(truth);
        table
    };
    Ok(Problem { train: draw(seed), test: draw(seed + 1000) })
}

fn read_avila(path: &str) -> Result<Problem, Failure> {
    let mut raw = Vec::new();
    let file = std::fs::File::open(path)?;
    match path.ends_with(".gz") {
        true => std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut raw)?,
        false => std::io::Read::read_to_end(&mut std::io::BufReader::new(file), &mut raw)?,
    };
    let mut reader = csv::Reader::from_reader(&raw[..]);
    let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let features = names.len() - 2;
    let mut parts =
        [(); 2].map(|()| Table { names: names[..features].to_vec(), truth: Some(Vec::new()), ..Table::default() });
    for record in reader.records() {
        let record = record?;
        let part = &mut parts[usize::from(&record[features + 1] == "ts")];
        for cell in record.iter().take(features) {
            part.rows.push(f64::from(cell.parse::<f32>()?));
        }
        part.truth.get_or_insert_default().push(&record[features] == "A");
    }
    let [train, test] = parts;
    Ok(Problem { train, test })
}
