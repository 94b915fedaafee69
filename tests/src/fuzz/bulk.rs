//! Plans and parts: what reads is sound enough to be used, and is written as it was read.
//!
//! Input: a byte that says how, then the file. Of the byte: 1 makes it a part (a plan else), 2 puts the checksum right, 4 goes
//! on to fit.

use super::checksum::fnv_1a;
use pual_trainer::Silent;
use pual_trainer::distributed::{Part, Plan};
use pual_trainer::internals::fit_part;

/// The target.
pub fn bulk(data: &[u8]) {
    let Some((&how, file)) = data.split_first() else {
        return;
    };
    let mut file = file.to_vec();
    if how & 2 != 0
        && let Some((covered, checksum)) = file.split_last_chunk_mut::<8>()
    {
        *checksum = fnv_1a(covered).to_le_bytes();
    }
    if how & 1 == 0 {
        if let Ok(plan) = Plan::from_bytes("plan", &file) {
            check_plan(&plan);
        }
    } else if let Ok(part) = Part::from_bytes("part", &file) {
        check_part(part, how & 4 != 0);
    }
}

fn check_plan(plan: &Plan) {
    let again = plan.to_bytes();
    let read = Plan::from_bytes("plan", &again).map(|plan| plan.to_bytes());
    assert_eq!(read.ok(), Some(again));
    let _ = (plan.settings(1, 1), plan.sample(), plan.graph_rows());
    // A row of zeros, labeled, and one that is not.
    let mut part = Part::new(plan.clone());
    part.add(&vec![0.0; 2 * plan.names().len()], &[true, false], &Silent);
    assert_eq!((part.positives(), part.unlabeled()), (1, 1));
}

fn check_part(part: Part, and_fit: bool) {
    let again = part.to_bytes();
    let read = Part::from_bytes("part", &again).map(|part| part.to_bytes());
    assert_eq!(read.ok(), Some(again));
    let mut other = Part::new(part.plan().clone());
    other.add(&vec![0.0; part.plan().names().len()], &[false], &Silent);
    if and_fit {
        let _ = fit_part(&part, &Silent);
    }
    let rows = part.positives() + part.unlabeled();
    if let Ok(both) = part.merged(other) {
        assert_eq!(both.positives() + both.unlabeled(), rows + 1);
    }
}
