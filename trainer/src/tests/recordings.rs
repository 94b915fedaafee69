//! Rows that are not independent: recordings, blocks of time, known normals, a known share, fewer features.

use pual_trainer::{Dataset, Options, Outcome, Silent, Table, WarningId, train};

use crate::base::random::Random;
use crate::data::groups::Groups;

const FEATURES: usize = 3;
const LENGTH: usize = 80;
const FAULT: std::ops::Range<usize> = 30..60;

/// Recordings of three channels: autocorrelated noise around a level of their own. During a fault the first channel is `shift` higher. In
/// every second recording the first half of the fault is labeled.
fn recordings(count: usize, shift: f64, seed: u64) -> Table {
    let random = &mut Random::new(seed, 0);
    let mut table = Table { names: ["a", "b", "c"].map(str::to_owned).into(), ..Table::default() };
    let (mut labeled, mut truth, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for recording in 0..count {
        let level: Vec<f64> = (0..FEATURES).map(|_| 0.3 * random.normal()).collect();
        let mut state = [0.0; FEATURES];
        for row in 0..LENGTH {
            let is_fault = FAULT.contains(&row);
            for (at, x) in state.iter_mut().enumerate() {
                *x = 0.9 * *x + 0.44 * random.normal();
                table.rows.push(level[at] + *x + if at == 0 && is_fault { shift } else { 0.0 });
            }
            labeled.push(recording % 2 == 0 && is_fault && row < 45);
            truth.push(is_fault);
            names.push(recording.to_string());
        }
    }
    table.groups = Some(Groups::of_rows(names));
    (table.labeled, table.truth) = (Some(labeled), Some(truth));
    table
}

fn outcome(table: &Table, options: &Options) -> Outcome {
    train(&Dataset::new(table.clone()).unwrap(), options, &Silent).unwrap()
}

fn options() -> Options {
    Options { compress: false, ..Options::default() }
}

fn has(outcome: &Outcome, id: WarningId) -> bool {
    outcome.warnings.iter().any(|warning| warning.id == id)
}

/// F1 on other recordings.
fn f1(outcome: &Outcome, shift: f64) -> f64 {
    let test = recordings(8, shift, 99);
    let names = &outcome.summary.features;
    let kept: Vec<usize> = (0..FEATURES).filter(|&at| names.contains(&test.names[at])).collect();
    let rows: Vec<f64> = test.rows.chunks(FEATURES).flat_map(|row| kept.iter().map(|&at| row[at])).collect();
    let scores = outcome.learned.classifier().scores(&rows);
    let called: Vec<bool> = scores.iter().map(|&score| score > 0.0).collect();
    pual_trainer::Confusion::count(test.truth.as_ref().unwrap(), &called).f1()
}

fn events(outcome: &Outcome) -> Option<crate::ensemble::EventEvidence> {
    match &outcome.learned {
        pual_trainer::Learned::Ensemble { report, .. } => report.events.clone(),
        pual_trainer::Learned::One { .. } => None,
    }
}

#[test]
fn recordings_are_held_out_whole_and_events_are_counted() {
    let table = recordings(10, 4.0, 1);
    let learned = outcome(&table, &options());
    let evidence = events(&learned).unwrap();
    assert_eq!((evidence.events, evidence.recordings, evidence.by_time), (5, 10, false));
    assert!(evidence.p_value < 0.002 && !has(&learned, WarningId::FewEvents), "{evidence:?}");
    assert!(f1(&learned, 4.0) > 0.8, "{}", f1(&learned, 4.0));
    // Five events are not 75 rows: the error is wide.
    let crate::pipeline::approach::Evidence { puf, puf_error, .. } =
        learned.learned.evidence(learned.scenario).unwrap();
    assert!(puf_error > 0.2 * puf, "{puf} {puf_error}");
    // The same on another number of threads.
    let again = outcome(&table, &Options { threads: 3, ..options() });
    assert_eq!(learned.model.bytes()[..], again.model.bytes()[..]);
}

#[test]
fn noise_is_told_from_signal_and_one_event_is_no_evidence() {
    for seed in 0..6 {
        let learned = outcome(&recordings(6, 0.0, 100 + seed), &options());
        let warned = has(&learned, WarningId::FewEvents) || has(&learned, WarningId::AllPositive);
        assert!(warned, "{seed}: {:?}", events(&learned));
    }
    let mut one = recordings(6, 4.0, 2);
    let labeled = one.labeled.as_mut().unwrap();
    labeled[LENGTH..].fill(false);
    let learned = outcome(&one, &options());
    assert_eq!(events(&learned).unwrap().events, 1);
    assert!(has(&learned, WarningId::FewEvents));
}

#[test]
fn a_log_without_groups_is_noticed_and_can_be_overruled() {
    let mut table = recordings(8, 4.0, 3);
    table.groups = None;
    let learned = outcome(&table, &options());
    assert!(has(&learned, WarningId::RowsInSequence));
    let evidence = events(&learned).unwrap();
    assert_eq!((evidence.events, evidence.by_time), (4, true));
    let independent = outcome(&table, &Options { independent_rows: true, ..options() });
    assert!(!has(&independent, WarningId::RowsInSequence));
    assert_eq!(events(&independent), None);
}

#[test]
fn a_single_model_is_searched_on_held_out_recordings_too() {
    let table = recordings(8, 4.0, 4);
    let method = pual_trainer::MethodChoice::One(crate::learner::Method::Gllc);
    let search = |independent_rows: bool| {
        let options = Options { method: Some(method), independent_rows, ..options() };
        let learned = outcome(&table, &options);
        learned.learned.evidence(learned.scenario).unwrap()
    };
    let (by_recordings, by_rows) = (search(false), search(true));
    assert!(by_recordings.puf_error > 2.0 * by_rows.puf_error, "{by_recordings:?} {by_rows:?}");
}

#[test]
fn a_known_share_is_called() {
    let mut table = recordings(8, 2.0, 5);
    table.groups = None;
    for method in [None, Some(pual_trainer::MethodChoice::One(crate::learner::Method::BlsSvm))] {
        for share in [0.1, 0.375] {
            let options = Options { method, prior: Some(share), independent_rows: true, ..options() };
            let learned = outcome(&table, &options);
            let called = learned.scores.iter().filter(|&&score| score > 0.0).count() as f64;
            let called = called / learned.scores.len() as f64;
            assert!((called - share).abs() < 0.06, "{method:?} {share}: {called}");
        }
    }
}

#[test]
fn known_normals_are_believed() {
    // Nothing is shifted, but the second channel looks like a fault in rows that are known to be normal.
    let mut table = recordings(8, 3.0, 6);
    let is_normal = |row: usize| row % LENGTH >= 65;
    for row in (0..8 * LENGTH).filter(|&row| is_normal(row)) {
        table.rows[row * FEATURES] += 3.0;
    }
    let false_alarms = |table: &Table, options: &Options| {
        let learned = outcome(table, options);
        let called = |row: &usize| is_normal(*row) && learned.scores[*row] > 0.0;
        let report = match &learned.learned {
            pual_trainer::Learned::Ensemble { report, .. } => report.normals,
            pual_trainer::Learned::One { .. } => None,
        };
        ((0..8 * LENGTH).filter(called).count(), report)
    };
    let method = pual_trainer::MethodChoice::One(crate::learner::Method::Gllc);
    let one = Options { method: Some(method), tune: false, independent_rows: true, ..options() };
    let (unknown_to_one, _) = false_alarms(&table, &one);
    let (unknown, none) = false_alarms(&table, &options());
    assert_eq!(none, None);
    table.normal = Some((0..8 * LENGTH).map(|row| is_normal(row) && (row / LENGTH).is_multiple_of(2)).collect());
    let (known, report) = false_alarms(&table, &options());
    assert!(known < unknown, "{known} {unknown}");
    assert_eq!(report.unwrap().rows, 4 * 15);
    // A single model believes them too.
    let (known_to_one, _) = false_alarms(&table, &one);
    assert!(known_to_one < unknown_to_one, "{known_to_one} {unknown_to_one}");
}

#[test]
fn the_features_that_carry_over_are_kept() {
    for independent_rows in [false, true] {
        let options = Options { max_features: Some(1), independent_rows, ..options() };
        let learned = outcome(&recordings(8, 4.0, 7), &options);
        assert_eq!(learned.summary.features, ["a"]);
        assert!(f1(&learned, 4.0) > 0.7);
    }
}
