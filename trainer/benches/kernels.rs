//! Runs one kernel once, for an instruction counter to look at: everything but the kernel itself is set-up.
//!
//!     cargo bench -p pual-trainer --bench kernels -- NAME N
//!
//! Prints how many items of work N rows make, and what an item is. `kernels.sh` beside this file counts instructions with
//! callgrind, which is told to look only inside [`counted_region`]. One thread, on which everything runs: counts repeat.
//!
//! | name | what is measured |
//! |---|---|
//! | column | [`Kernel::column`]: RBF of all rows against one, 64 times |
//! | features | [`Features::build`]: randomly pivoted Cholesky, 256 pivots |
//! | gram | [`Design::new`]: Psi'Psi of positives and unlabeled rows |
//! | neighbours | [`nearest`]: tree and queries, 5 neighbours |
//! | local | [`Design::with_local`]: R Psi, then Psi'R Psi |
//! | box-qp | [`box_qp::solve`]: the dual of PUAL, to a duality gap of 1e-6 |
//! | accumulate | [`Part::add`]: features of given pivots and their exact sum, for rows by the million |
//! | csv | [`Table::read`]: eight features and a label |
//! | score-f32, score-i16 | [`device_scores`]: the chip's code, 256 supports |

use pual_trainer::distributed::{Part, Plan};
use pual_trainer::internals::{
    Cholesky, Design, FeatureSettings, Features, Graph, Instances, Kernel, Random, Stopping, TrainOptions,
    box_qp::{self, BoxQp},
    fit_by_rules, nearest_neighbours,
};
use pual_trainer::{Columns, Dataset, Silent, Table, device_scores, experiments::random_model};
use std::hint::black_box;

use anyhow::{Context, Result, bail};
use faer::Mat;
use pual_infer::Encoding;

const FEATURES: usize = 8;
const PIVOTS: usize = 256;
const NEIGHBOURS: usize = 5;
const COLUMNS: usize = 64;
/// Rows a plan is made from.
const SAMPLE: usize = 1000;
const RBF: Kernel = Kernel::Rbf { bandwidth: 2.0 };
const SIGMA: f64 = 8.0;

fn main() -> Result<()> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let [name, n] = arguments.as_slice() else {
        println!("kernels: no kernel and size given, nothing measured");
        return Ok(());
    };
    let n: usize = n.parse().with_context(|| format!("{n} is no size"))?;
    if n < 300 {
        bail!("{n} rows are too few: at least 300");
    }
    // This very thread is the pool: callgrind's switch belongs to a thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global()?;
    let (items, item) = run(name, n)?;
    println!("{items} {item}");
    Ok(())
}

/// What callgrind counts: the call of `work` and all below it. Its name is in `kernels.sh`.
#[inline(never)]
fn counted_region(work: &mut dyn FnMut()) {
    work();
    // So that the call above is no jump, which would end the region before it began.
    black_box(());
}

/// Counts `work`, and keeps what it makes until afterwards.
fn count<T>(mut work: impl FnMut() -> T) -> T {
    let mut made = None;
    counted_region(&mut || made = Some(black_box(work())));
    made.expect("the region runs its work")
}

/// Runs a kernel. Returns its items of work and what one is.
fn run(name: &str, n: usize) -> Result<(usize, String)> {
    let (rows, labeled) = trifurcate(n);
    let instances = || Instances::arrange(&rows, FEATURES, &labeled);
    let settings = FeatureSettings::new(RBF, PIVOTS, 1);
    // Features are PIVOTS columns and a 1: so many pairs in the lower triangle.
    let pairs = (PIVOTS + 1) * (PIVOTS + 2) / 2;
    match name {
        "column" => {
            let instances = instances()?;
            let points: Vec<Vec<f64>> = (0..COLUMNS).map(|at| instances.point(at)).collect();
            let mut out = vec![0.0; n];
            count(|| {
                for z in &points {
                    RBF.column(&instances, z, black_box(&mut out));
                }
            });
            Ok((n * COLUMNS, "row x column".into()))
        }
        "features" => {
            let instances = instances()?;
            let built = count(|| Features::build(&instances, &settings))?;
            Ok((n * built.rank(), "row x pivot".into()))
        }
        "gram" => {
            let features = Features::build(&instances()?, &settings)?;
            let mut features = Some(features);
            count(|| features.take().map(Design::new));
            Ok((n * pairs, "row x pair of pivots".into()))
        }
        "neighbours" => {
            let instances = instances()?;
            count(|| nearest_neighbours(&instances, NEIGHBOURS));
            Ok((n, "row".into()))
        }
        "local" => {
            let instances = instances()?;
            let laplacian = Graph::mutual(&instances, NEIGHBOURS).laplacian(SIGMA)?;
            let design = Design::new(Features::build(&instances, &settings)?);
            let mut laplacian = Some(laplacian);
            count(|| laplacian.take().map(|r| design.with_local(r)));
            Ok((n * pairs, "row x pair of pivots".into()))
        }
        "box-qp" => {
            let features = Features::build(&instances()?, &settings)?;
            dual(&features)
        }
        "accumulate" => {
            let mut part = Part::new(plan()?);
            let pairs = (part.plan().supports() + 1) * (part.plan().supports() + 2) / 2;
            count(|| part.add(&rows, &labeled, &Silent));
            Ok((part.unlabeled() * pairs, "unlabeled row x pair of pivots".into()))
        }
        "csv" => {
            let text = csv_text(rows, labeled)?;
            let columns = Columns::labeled_by("label");
            count(|| Table::read("rows.csv", text.as_slice(), &columns))?;
            Ok((n, "row".into()))
        }
        "score-f32" | "score-i16" => {
            let encoding = if name == "score-f32" { Encoding::F32 } else { Encoding::I16 };
            let bytes = random_model(PIVOTS, FEATURES, encoding)?;
            let model = bytes.decode()?;
            // Readings in the model's units.
            let (offsets, scales) = (model.description().offsets(), model.description().scales());
            let mut readings = rows;
            for reading in readings.chunks_exact_mut(FEATURES) {
                for (at, value) in reading.iter_mut().enumerate() {
                    *value = f64::from(offsets[at]) + *value / f64::from(scales[at]);
                }
            }
            count(|| device_scores(&model, &readings))?;
            Ok((n * PIVOTS, "row x support".into()))
        }
        _ => bail!("no kernel `{name}`; kernels.sh lists them"),
    }
}

/// The box QP of PUAL with lambda = 1, C_p = 1, C_u = n_p / n_u and no local term: V = L^{-1} Psi_p', LL' = H, c = 2.
fn dual(features: &Features) -> Result<(usize, String)> {
    let (psi_p, psi_u) = (features.psi_p(), features.psi_u());
    let c_u = psi_p.nrows() as f64 / psi_u.nrows() as f64;
    let gram = psi_u.transpose() * psi_u;
    let hessian = Mat::from_fn(gram.nrows(), gram.ncols(), |i, j| {
        let ridge = if i == j && i < features.rank() { 1.0 } else { 0.0 };
        2.0 * c_u * gram[(i, j)] + ridge
    });
    let factor = Cholesky::new(hessian.as_ref())?;
    let mut v = psi_p.transpose().to_owned();
    factor.forward(v.as_mut());
    let c = vec![2.0; psi_p.nrows()];
    let problem = BoxQp { v: v.as_ref(), c: &c, upper: &vec![1.0; c.len()] };
    let stopping = Stopping { tolerance: 1e-6, max_iterations: 20_000 };
    let solution = count(|| box_qp::solve(&problem, stopping));
    let items = psi_p.nrows() * v.nrows();
    let item = format!("labeled row x pivot, {} sweeps", solution.iterations);
    Ok((items, item))
}

/// PUAL by rules of thumb, planned on a sample of fixed size.
fn plan() -> Result<Plan> {
    let (rows, labeled) = trifurcate(SAMPLE);
    let positives = labeled.iter().filter(|&&labeled| labeled).count();
    let sample = Dataset::new(table(rows, labeled))?;
    let options = TrainOptions { supports: PIVOTS, threads: 1, ..TrainOptions::default() };
    let trained = fit_by_rules(&sample, &options)?;
    let drawn_from = (positives, SAMPLE - positives);
    Ok(Plan::new(&sample, drawn_from, trained.method, &trained.settings, false, &options, "label")?)
}

/// The rows of `speed.py`, but for the random numbers: positives on both sides of the rest, half of them labeled.
fn trifurcate(n: usize) -> (Vec<f64>, Vec<bool>) {
    let mut random = Random::new(1, 0);
    let (mut rows, mut labeled) = (Vec::with_capacity(n * FEATURES), Vec::with_capacity(n));
    for _ in 0..n {
        let side = [-1.5, 0.0, 0.0, 1.5][random.below(4)];
        for feature in 0..FEATURES {
            let mean = if feature < 2 { side } else { 0.0 };
            // As 32-bit floats, which is what files have.
            rows.push(f64::from((mean + random.normal()) as f32));
        }
        labeled.push(side != 0.0 && random.uniform() < 0.5);
    }
    (rows, labeled)
}

fn csv_text(rows: Vec<f64>, labeled: Vec<bool>) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    table(rows, labeled).write(&mut text, "label", "")?;
    Ok(text)
}

fn table(rows: Vec<f64>, labeled: Vec<bool>) -> Table {
    Table {
        names: (0..FEATURES).map(|feature| format!("x{feature}")).collect(),
        rows,
        labeled: Some(labeled),
        ..Table::default()
    }
}
