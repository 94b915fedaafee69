//! BSVM gives libsvm's decision values. The golden file and the script that wrote it are in `golden/`.

use pual_trainer::geometry::features::{FeatureSettings, Features};
use pual_trainer::geometry::instances::Instances;
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::learner::{Bsvm, Design, Learner};
use pual_trainer::solver::Status;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    features: usize,
    rows: Vec<f64>,
    labeled: Vec<bool>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    /// None for the linear kernel.
    bandwidth: Option<f64>,
    lambda: f64,
    c_p: f64,
    c_u: f64,
    scores: Vec<f64>,
}

#[test]
fn decision_values_equal_libsvms() {
    let golden: Golden = serde_json::from_str(include_str!("../golden/bsvm.json")).unwrap();
    assert_eq!(golden.cases.len(), 12);
    let instances = Instances::arrange(&golden.rows, golden.features, &golden.labeled).unwrap();
    let mut worst: f64 = 0.0;
    for case in &golden.cases {
        let kernel = case.bandwidth.map_or(Kernel::Linear, |bandwidth| Kernel::Rbf { bandwidth });
        let settings = FeatureSettings::new(kernel, golden.labeled.len(), 1);
        let design = Design::new(Features::build(&instances, &settings).unwrap());
        // The default stopping rule: what users get.
        let fit = Bsvm::new(case.lambda, case.c_p, case.c_u).fit(&design).unwrap();
        assert_eq!(fit.report.status, Status::Converged);
        let ours = fit.expansion(&instances, design.features()).scores(&golden.rows);
        for (ours, libsvm) in ours.iter().zip(&case.scores) {
            let difference = (ours - libsvm).abs();
            let Case { lambda, c_p, c_u, .. } = case;
            assert!(difference < 1e-3, "{kernel:?}, lambda {lambda}, C_p {c_p}, C_u {c_u}: {ours} against {libsvm}");
            worst = worst.max(difference);
        }
    }
    println!("largest difference from libsvm: {worst:e}");
}
