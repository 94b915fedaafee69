//! `pual bench`: cells that are kept are not computed again, and the choice does not see the test rows' truth.

#[path = "cli/scratch.rs"]
mod scratch;

use scratch::Scratch;
use std::path::Path;

/// The header, then records in a fixed order, without the time they took.
fn records(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let without_time = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let mut records: Vec<String> = text.lines().map(without_time).collect();
    // They are written as they come.
    records[1..].sort();
    records
}

#[test]
fn a_run_goes_on_where_it_was_and_prints_the_same_table() {
    let folder = Scratch::new("resume");
    let bench = "bench table2 --repeats 2 --methods pual-one,bls-svm-fixed --out r.csv";
    let whole = folder.pual(bench).says(&[
        "95.1 ± 0.8",
        "all positive",
        "bls-svm-fixed - pual-one",
        "pual-one, calling as many test rows as there are positives: 9",
    ]);
    let all = records(&folder.path("r.csv"));
    assert_eq!(all.len(), 1 + 5 * 2 * 2);
    // As if it had died in the midst of a line.
    let text = std::fs::read_to_string(folder.path("r.csv")).unwrap();
    std::fs::write(folder.path("r.csv"), &text[..text.len() / 2]).unwrap();
    assert_eq!(folder.pual(bench).ok(), whole);
    let mut again = records(&folder.path("r.csv"));
    assert_eq!(again, all);
    // Nothing is left to do, and other methods' records in the file are not mixed in.
    assert_eq!(folder.pual(bench).ok(), whole);
    let one = folder.pual("bench table2 --repeats 2 --methods pual-one --out r.csv --markdown").ok();
    assert!(!one.contains("bls-svm") && one.contains("| mean |"), "{one}");
    again = records(&folder.path("r.csv"));
    assert_eq!(again.len(), all.len());
}

#[test]
fn table4_reads_any_folder_of_files() {
    let folder = Scratch::new("table4");
    let rows = folder.pual("synth cold-chain --rows 300 --truth-column truth").ok();
    // As the real data come: the truth in a last column `label`.
    let lines = rows.lines().map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let truth = if cells[3] == "truth" { "label" } else { cells[3] };
        format!("{},{},{truth}\n", cells[0], cells[1])
    });
    std::fs::write(folder.path("fridge.csv"), lines.collect::<String>()).unwrap();
    let table = folder.pual("bench table4 --data . --datasets fridge --repeats 1 --methods auto,pual,gllc-fixed --label-frequencies 0.4").ok();
    assert!(table.contains("fridge") && table.contains("0.4"), "{table}");
    assert!(table.contains("auto - pual: "), "{table}");
}
