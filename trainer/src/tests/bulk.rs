//! Training on many rows: the fit from sums is the fit from rows, and nothing depends on how the rows are divided.

use crate::tests::common::{cold_chain, on_threads};
use pual_trainer::base::random::Random;
use pual_trainer::base::watch::Silent;
use pual_trainer::bulk::{self, Part, Plan, Sampler};
use pual_trainer::choose::options::{Method, TrainOptions};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::data::synth;
use pual_trainer::data::table::Table;
use pual_trainer::learner::PualSolver;
use pual_trainer::pipeline::fit::fit_by_rules;

/// A plan whose sample is all of the data, with the settings of `options`.
fn plan(data: &Dataset, options: &TrainOptions) -> Plan {
    let trained = fit_by_rules(data, options).unwrap();
    let counts = (data.positives(), data.len() - data.positives());
    let plan = Plan::new(data, counts, options.method, &trained.settings, false, options, "label");
    match trained.settings.local {
        Some(local) => plan.unwrap().with_local_of_sample(local, &Silent).unwrap(),
        None => plan.unwrap(),
    }
}

/// Everything of the data in one part.
fn whole(data: &Dataset, plan: &Plan) -> Part {
    let mut part = Part::new(plan.clone());
    part.add(data.rows(), data.labeled(), &Silent);
    part
}

#[test]
fn the_fit_from_sums_is_the_fit_from_rows() {
    let data = cold_chain(1500, 3);
    for method in [
        Method::Pual(PualSolver::Exact),
        Method::Pual(PualSolver::Admm { mu_1: 1.0 }),
        Method::Pual(PualSolver::Mean),
        Method::Gllc,
        Method::BlsSvm,
    ] {
        let options = TrainOptions { method, supports: 40, ..TrainOptions::default() };
        let by_rows = fit_by_rules(&data, &options).unwrap();
        let by_sums = bulk::fit(&whole(&data, &plan(&data, &options)), &Silent).unwrap();
        assert_eq!(by_sums.settings, by_rows.settings, "{method:?}");
        let (a, b) = (by_rows.report.objective, by_sums.report.objective);
        assert!((a - b).abs() < 1e-5 * a.abs(), "{method:?}: {a} and {b}");
        let [rows, sums] = [&by_rows, &by_sums].map(|trained| trained.classifier.scores(data.rows()));
        let spread = rows.iter().fold(0.0f64, |most, f| most.max(f.abs()));
        for (a, b) in rows.iter().zip(&sums) {
            assert!((a - b).abs() < 2e-3 * spread, "{method:?}: {a} and {b}");
        }
        assert_eq!(by_sums.classifier.envelope, by_rows.classifier.envelope);
    }
}

#[test]
fn the_model_does_not_depend_on_how_rows_are_divided_nor_on_threads() {
    let data = cold_chain(4000, 3);
    let options = TrainOptions { supports: 30, ..TrainOptions::default() };
    let plan = plan(&data, &options);
    let expected = bulk::fit(&whole(&data, &plan), &Silent).unwrap().classifier.expansion;
    let features = data.features();
    let mut random = Random::new(1, 0);
    for threads in [1, 2, 3] {
        let mut order: Vec<usize> = (0..data.len()).collect();
        random.shuffle(&mut order);
        let merged = on_threads(threads, || {
            let mut parts: Vec<Part> = (order.chunks(1 + random.below(1500)))
                .map(|rows| {
                    let row = |&i: &usize| &data.rows()[i * features..(i + 1) * features];
                    let values: Vec<f64> = rows.iter().flat_map(row).copied().collect();
                    let labeled: Vec<bool> = rows.iter().map(|&i| data.labeled()[i]).collect();
                    let mut part = Part::new(plan.clone());
                    // In two goes: blocks do not matter either.
                    let cut = rows.len() / 3;
                    part.add(&values[..cut * features], &labeled[..cut], &Silent);
                    part.add(&values[cut * features..], &labeled[cut..], &Silent);
                    Part::from_bytes("part", &part.to_bytes()).unwrap()
                })
                .collect();
            random.shuffle(&mut parts);
            let whole = parts.into_iter().reduce(|a, b| a.merged(b).unwrap()).unwrap();
            bulk::fit(&whole, &Silent).unwrap()
        });
        assert_eq!(merged.classifier.expansion, expected, "{threads} threads");
    }
}

#[test]
fn weights_found_on_a_sample_pull_as_hard_on_all_rows() {
    let data = cold_chain(1200, 3);
    let options = TrainOptions::default();
    let found = fit_by_rules(&data, &options).unwrap().settings;
    let (n_p, n_u) = (data.positives(), data.len() - data.positives());
    let plan = |searched| Plan::new(&data, (n_p, n_u), options.method, &found, searched, &options, "label").unwrap();
    let searched = plan(true).settings(10 * n_p, 20 * n_u);
    assert!((searched.c_p - found.c_p / 10.0).abs() < 1e-12);
    assert!((searched.c_u - found.c_u / 20.0).abs() < 1e-12);
    assert_eq!(searched.lambda, found.lambda);
    // Rules of thumb are those for all rows.
    let by_rule = plan(false).settings(10 * n_p, 20 * n_u);
    assert_eq!(by_rule.c_p, found.c_p);
    assert!((by_rule.c_u - found.c_u / 2.0).abs() < 1e-12);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let data = cold_chain(800, 3);
    let options = TrainOptions { supports: 5, ..TrainOptions::default() };
    let part = whole(&data, &plan(&data, &options));
    let twice = part.clone().merged(part.clone()).unwrap_err().to_string();
    assert!(twice.contains("already been added"), "{twice}");
    let elsewhere = whole(&data, &plan(&data, &TrainOptions { seed: 1, ..options }));
    let said = part.merged(elsewhere).unwrap_err().to_string();
    assert!(said.contains("a different plan"), "{said}");
}

#[test]
fn damaged_plans_and_parts_are_refused_and_never_panic() {
    let data = cold_chain(300, 3);
    let options = TrainOptions { supports: 3, ..TrainOptions::default() };
    let plan = plan(&data, &options);
    let (as_plan, as_part) = (plan.to_bytes(), whole(&data, &plan).to_bytes());
    assert_eq!(Plan::from_bytes("p", &as_plan).unwrap(), plan);
    assert!(Plan::from_bytes("p", &as_part).unwrap_err().to_string().contains("not a plan"));
    assert!(Part::from_bytes("p", &as_plan).unwrap_err().to_string().contains("not a part"));
    for length in 0..as_part.len() {
        assert!(Part::from_bytes("p", &as_part[..length]).is_err(), "{length} bytes");
    }
    for at in 0..as_plan.len() {
        let mut changed = as_plan.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(Plan::from_bytes("p", &changed).is_err(), "byte {at}");
    }
    let mut newer = as_part.clone();
    newer[7] = 9;
    let said = Part::from_bytes("old.part", &newer).unwrap_err().to_string();
    assert!(said.contains("old.part") && said.contains("version 9"), "{said}");
}

#[test]
fn a_sample_of_a_table_can_be_trained_on() {
    let Table { names, rows, labeled, .. } = synth::label(synth::cold_chain(3000, 1), 0.5, 1);
    let mut sampler = Sampler::new(500, 9);
    for (row, labeled) in rows.chunks_exact(names.len()).zip(labeled.unwrap()) {
        sampler.push(row, labeled, false, None);
    }
    let sample = Dataset::new(sampler.finish().into_table(names)).unwrap();
    assert_eq!(sample.len(), 500);
    assert!(fit_by_rules(&sample, &TrainOptions::default()).is_ok());
}
