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

use pual_trainer::internals::{Method, PualSolver, Random};
use pual_trainer::{Confusion, Dataset, GraphRows, Learned, MethodChoice, Options, Silent, Table, synth, train};

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
    let has_path = arguments.first().is_some_and(|first| first.parse::<u64>().is_err());
    let avila = has_path.then(|| arguments.remove(0));
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
    let f1 = |learned: &Learned| {
        let (classifier, all) = (learned.classifier(), &problem.test.names);
        let kept = |(at, _): &(usize, &f64)| classifier.names.contains(&all[at % all.len()]);
        let rows: Vec<f64> = problem.test.rows.iter().enumerate().filter(kept).map(|(_, &x)| x).collect();
        let called: Vec<bool> = classifier.scores(&rows).iter().map(|&score| score > 0.0).collect();
        Confusion::count(problem.test.truth.as_deref().unwrap_or_default(), &called).f1()
    };
    let mut pairs = [[0.0; 2]; SUPPORTS.len()];
    for (pair, supports) in pairs.iter_mut().zip(SUPPORTS) {
        let options = Options {
            method: Some(MethodChoice::One(method)),
            ensemble: matches!(method, Method::Pual(_)).then_some(1),
            supports: Some(supports),
            compress: false,
            seed,
            ..Options::default()
        };
        let on_sample = Options { repeats: Some(1), sample: SAMPLE, graph: Some(GraphRows::All), ..options.clone() };
        let from_sums = train(&data, &on_sample, &Silent)?.learned;
        let Learned::One { trained, .. } = &from_sums else { return Err("not a single model".into()) };
        let settings = trained.settings;
        let on_all = Options {
            bandwidth: settings.bandwidth(),
            lambda: Some(settings.lambda),
            c_p: Some(settings.c_p),
            c_u: Some(settings.c_u),
            sigma: settings.local.map(|local| local.sigma),
            tune: false,
            sample: usize::MAX,
            ..options
        };
        *pair = [f1(&from_sums), f1(&train(&data, &on_all, &Silent)?.learned)];
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
    let file = std::fs::File::open(path)?;
    let raw: Box<dyn std::io::Read> = match path.ends_with(".gz") {
        true => Box::new(flate2::read::GzDecoder::new(file)),
        false => Box::new(file),
    };
    let mut reader = csv::Reader::from_reader(raw);
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
