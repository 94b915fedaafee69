//! Every fit on real data, over the corners of the paper's grids, is certified.

use crate::tests::common::{SETS, table};
use pual_trainer::base::random::Random;
use pual_trainer::data::scale::{Scaler, Scaling};
use pual_trainer::data::split::label_positives;
use pual_trainer::geometry::features::{FeatureSettings, Features};
use pual_trainer::geometry::graph::Graph;
use pual_trainer::geometry::instances::Instances;
use pual_trainer::geometry::kernel::Kernel;
use pual_trainer::learner::{BlsSvm, Bsvm, Design, Gllc, Learner, Pual, PualSolver};
use pual_trainer::solver::Status;

#[test]
fn every_fit_on_the_real_data_sets_is_certified() {
    for set in SETS {
        let Some(table) = table(set) else { return };
        let truth = table.truth.as_ref().unwrap();
        let labeled = label_positives(truth, 0.5, &mut Random::new(1, 0));
        let features = table.names.len();
        let rows = Scaler::fit(Scaling::ZScore, &table.rows, features).apply(&table.rows);
        let instances = Instances::arrange(&rows, features, &labeled).unwrap();
        let graph = Graph::mutual(&instances, 5);
        for bandwidth in [0.1, 1.0, 100.0] {
            let settings = FeatureSettings::new(Kernel::Rbf { bandwidth }, 100, 1);
            let features = Features::build(&instances, &settings).unwrap();
            let design = Design::new(features).with_local(graph.laplacian(1.0).unwrap());
            for (lambda, c_u) in [(1e-4, 0.5), (1e-4, 0.01), (1.0, 0.1), (1e4, 0.5), (1e4, 0.01)] {
                let algorithm2 = PualSolver::Algorithm2 { mu_1: None };
                let learners: [Box<dyn Learner>; 6] = [
                    Box::new(Pual::new(lambda, 1.0, c_u)),
                    Box::new(Pual::new(lambda, 1.0, c_u).with_solver(algorithm2)),
                    Box::new(Pual::new(lambda, 1.0, c_u).with_solver(PualSolver::Mean)),
                    Box::new(Gllc { lambda, c_p: 1.0, c_u }),
                    Box::new(BlsSvm { lambda, c_p: 1.0, c_u }),
                    Box::new(Bsvm::new(lambda, 1.0, c_u)),
                ];
                for learner in learners {
                    let report = learner.fit(&design).unwrap().report;
                    let name = learner.name();
                    assert_eq!(
                        report.status,
                        Status::Converged,
                        "{set}, {name}, bandwidth {bandwidth}, lambda {lambda}, C_u {c_u}: {report}"
                    );
                }
            }
        }
    }
}
