//! Mean F1 of the ensemble over the paper's data sets, label frequencies and fresh case-control splits.
//!
//! ```text
//! cargo run --release --example ensemble_table -- DATA_DIRECTORY SEED...
//! ```
//!
//! DATA_DIRECTORY holds one CSV file a data set, its last column `label`. The truth is used to draw the splits and to count; what is
//! fitted sees rows and labels.

use std::path::Path;
use std::time::Instant;

use pual_trainer::csv::{Columns, Table};
use pual_trainer::ensemble::{Ensemble, EnsembleOptions, Members, StudentKernels, fit};
use pual_trainer::metrics::{Confusion, Scenario};
use pual_trainer::random::Random;
use pual_trainer::split::case_control;

const SETS: [&str; 16] = [
    "acc", "ecoli", "pen", "or1", "or2", "ssmcr", "pb", "od", "umd", "seeds", "enb", "wifi",
    "avila", "rd", "ld", "hd",
];
/// Sets on which nothing much can be learned.
const HARD: [&str; 4] = ["enb", "ld", "ssmcr", "acc"];
/// Shares of the positives to label, for label frequencies 1/2 and 1/4.
const SHARES: [f64; 2] = [7.0 / 17.0, 7.0 / 37.0];
const COLUMNS: [&str; 8] = [
    "all positive",
    "teacher",
    "student 160",
    "student 80",
    "student 40",
    "with Laplace",
    "PUAL teacher",
    "PUAL student",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("expected a directory of data")?;
    let seeds = arguments
        .map(|seed| seed.parse())
        .collect::<Result<Vec<u64>, _>>()?;
    println!("{:<8}{}", "", COLUMNS.map(|c| format!("{c:>14}")).concat());
    let mut cells: Vec<(&str, [f64; 8])> = Vec::new();
    let mut seconds = 0.0f64;
    for (number, set) in SETS.into_iter().enumerate() {
        let columns = Columns {
            truth: Some("label".to_owned()),
            ..Columns::default()
        };
        let table = Table::open(&Path::new(&folder).join(format!("{set}.csv")), &columns)?;
        for (at, share) in SHARES.into_iter().enumerate() {
            let mut sum = [0.0; 8];
            for &seed in &seeds {
                // Each cell draws from a stream of its own.
                let random = &mut Random::new(seed, (2 * number + at) as u64);
                let (f1, longest) = one_split(&table, share, seed, random)?;
                sum.iter_mut().zip(f1).for_each(|(sum, f1)| *sum += f1);
                seconds = seconds.max(longest);
                cells.push((set, f1));
            }
            let mean = sum.map(|sum| format!("{:>14.1}", 100.0 * sum / seeds.len() as f64));
            println!(
                "{:<8}{}",
                format!("{set} {}", ["1/2", "1/4"][at]),
                mean.concat()
            );
        }
    }
    let mean = |wanted: &dyn Fn(&str) -> bool| {
        let cells: Vec<_> = cells.iter().filter(|(set, _)| wanted(set)).collect();
        let mean = |c: usize| cells.iter().map(|(_, f1)| f1[c]).sum::<f64>() / cells.len() as f64;
        std::array::from_fn::<_, 8, _>(|c| format!("{:>14.2}", 100.0 * mean(c))).concat()
    };
    println!("{:<8}{}", "mean", mean(&|_| true));
    println!("{:<8}{}", "learn", mean(&|set| !HARD.contains(&set)));
    println!("{:<8}{}", "hard", mean(&|set| HARD.contains(&set)));
    let learnable = || cells.iter().filter(|(set, _)| !HARD.contains(set));
    let worst = |c: usize| {
        let above = learnable().map(|(_, f1)| f1[c] - f1[0]);
        format!("{:>14.1}", 100.0 * above.fold(f64::INFINITY, f64::min))
    };
    let worst = std::array::from_fn::<_, 8, _>(worst).concat();
    println!(
        "{:<8}{worst}   (least gain over all positive, learnable sets)",
        "worst"
    );
    println!("longest fit: {seconds:.1} s");
    Ok(())
}

/// F1 of every column on one split, and the seconds that the first fit took.
fn one_split(
    table: &Table,
    share: f64,
    seed: u64,
    random: &mut Random,
) -> Result<([f64; 8], f64), Box<dyn std::error::Error>> {
    let truth = table.truth.as_deref().ok_or("no column `label`")?;
    let features = table.names.len();
    let split = case_control(truth, 0.7, share, random);
    let take = |rows: &[usize]| -> Vec<f64> {
        let row = |&row: &usize| &table.rows[row * features..(row + 1) * features];
        rows.iter().flat_map(row).copied().collect()
    };
    let (train, test) = (take(&split.train), take(&split.test));
    let test_truth: Vec<bool> = split.test.iter().map(|&row| truth[row]).collect();
    let f1 = |scores: &[f64]| {
        let called: Vec<bool> = scores.iter().map(|&score| score > 0.0).collect();
        Confusion::count(&test_truth, &called).f1()
    };
    let ensemble = |members: Members, student_supports: usize, student_kernels: StudentKernels| {
        let options = EnsembleOptions {
            members,
            student_supports,
            student_kernels,
            scenario: Scenario::CaseControl,
            seed,
            ..EnsembleOptions::default()
        };
        fit(&train, features, &split.labeled, &options, &())
    };
    let student = |ensemble: &Ensemble| f1(&ensemble.scores(&test));
    let start = Instant::now();
    let all = ensemble(Members::All, 160, StudentKernels::Rbf)?;
    let seconds = start.elapsed().as_secs_f64();
    let pual = ensemble(Members::PualOnly, 160, StudentKernels::Rbf)?;
    let other = |supports, kernels| ensemble(Members::All, supports, kernels).map(|e| student(&e));
    let f1 = [
        f1(&vec![1.0; test_truth.len()]),
        f1(&all.teacher_scores(&test)),
        student(&all),
        other(80, StudentKernels::Rbf)?,
        other(40, StudentKernels::Rbf)?,
        other(160, StudentKernels::RbfAndLaplace)?,
        f1(&pual.teacher_scores(&test)),
        student(&pual),
    ];
    Ok((f1, seconds))
}
