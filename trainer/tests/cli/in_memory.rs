//! What the Python package calls: the command without its files.

use super::Scratch;
use pual_trainer::cli::train::in_memory::{Made, Stopped, Training, text_of};
use pual_trainer::csv::{Columns, Table};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn table(scratch: &Scratch) -> Table {
    let columns = Columns::labeled_by("label");
    Table::open(&scratch.path("train.csv"), &columns).unwrap()
}

fn training(flags: &str) -> Result<Training, String> {
    let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
    Training::parse(&flags).map_err(|error| text_of(&error))
}

fn train(flags: &str, table: Table) -> Result<Made, String> {
    let never = Arc::new(AtomicBool::new(false));
    training(flags)?
        .run(table, never)
        .map_err(|error| text_of(&error))
}

#[test]
fn rows_in_memory_give_the_bytes_of_the_file() {
    let scratch = Scratch::new("in-memory");
    scratch
        .pual("synth cold-chain --rows 300 -o train.csv")
        .ok();
    for flags in [
        "--method gllc",
        "--method bsvm --no-compress --seed 4",
        "--no-tune --budget 200B",
        "--method bls-svm --sample 150",
    ] {
        scratch
            .pual(&format!("train train.csv -o model.pual {flags}"))
            .ok();
        let made = train(flags, table(&scratch)).unwrap();
        assert_eq!(made.model, scratch.bytes("model.pual"), "{flags}");
        assert!(made.report.contains("\"timing\""), "{}", made.report);
    }
}

#[test]
fn warnings_and_refusals_are_handed_over() {
    let scratch = Scratch::new("in-memory-words");
    scratch.write("train.csv", "a,b,label\n1,7,1\n2,7,1\n3,7,0\n4,7,0\n");
    let made = train("--no-tune", table(&scratch)).unwrap();
    assert!(
        made.warnings[0].contains("column `b` is 7 in every row"),
        "{:?}",
        made.warnings
    );
    let words = |flags| train(flags, table(&scratch)).err().unwrap_or_default();
    assert_eq!(
        words("--method=gllc --solver=admm"),
        "--solver goes with --method pual; the others have one solver each"
    );
    assert_eq!(
        words("--c-p=-1"),
        "invalid value '-1' for '--c-p <NUMBER>': expected a positive number"
    );
    let budget = words("--no-tune --budget=10");
    assert!(budget.starts_with("--budget cannot be met: 10 bytes are too few"));
    let mut unlabeled = table(&scratch);
    unlabeled.labeled = Some(vec![false; 4]);
    assert_eq!(
        train("--no-tune", unlabeled).err().unwrap_or_default(),
        "0 of 4 rows labeled positive; expected at least 2"
    );
}

#[test]
fn a_caller_who_has_had_enough_is_heard() {
    let scratch = Scratch::new("in-memory-stop");
    scratch
        .pual("synth cold-chain --rows 300 -o train.csv")
        .ok();
    let stop = Arc::new(AtomicBool::new(true));
    let training = training("").unwrap();
    let stopped = catch_unwind(AssertUnwindSafe(|| training.run(table(&scratch), stop)));
    assert!(stopped.is_err_and(|payload| payload.is::<Stopped>()));
}
