//! Several files, groups and normal rows, from the command line to the model.

use crate::{QUICK, Scratch};

impl Scratch {
    /// The rows of train.csv in all.csv, with a column that names the machine, and each machine's in a file of its own.
    fn machines(&self) -> Vec<String> {
        let text = String::from_utf8(self.bytes("train.csv")).unwrap();
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        let rows: Vec<&str> = lines.collect();
        let mut all = format!("machine,{header}\n");
        let mut files = Vec::new();
        for (machine, rows) in ["pump", "fan", "press"].iter().zip(rows.chunks(rows.len().div_ceil(3))) {
            rows.iter().for_each(|row| all += &format!("the {machine},{row}\n"));
            files.push(format!("{machine}.csv"));
            self.write(&files[files.len() - 1], &format!("{header}\n{}\n", rows.join("\n")));
        }
        self.write("all.csv", &all);
        files
    }
}

#[test]
fn files_are_groups_as_if_a_column_named_them() {
    let scratch = Scratch::new("groups-files");
    scratch.rows(150);
    let files = scratch.machines().join(" ");
    scratch.pual(&format!("train {files} --method gllc --folds 2 -o files.pual --report page")).ok();
    scratch.pual("train all.csv --group machine --method gllc --folds 2 -o column.pual").ok();
    assert_eq!(scratch.bytes("files.pual"), scratch.bytes("column.pual"));
    let page = String::from_utf8(scratch.bytes("page/report.html")).unwrap();
    assert!(page.contains("rows of pump.csv, fan.csv and press.csv."), "{page}");
    // One of them may come from a pipe.
    let (first, rest) = files.split_once(' ').unwrap();
    let piped = format!("train - {rest} --method gllc --folds 2 -o piped.pual");
    scratch.pual_with_input(&piped, &scratch.bytes(first)).ok();
    assert_eq!(scratch.bytes("files.pual"), scratch.bytes("piped.pual"));
}

#[test]
fn the_group_can_be_kept_in_a_file_and_is_no_feature() {
    let scratch = Scratch::new("groups-config");
    scratch.rows(150);
    scratch.machines();
    scratch.write("pual.toml", "[train]\ngroup = \"machine\"\n");
    let report = scratch.pual(&format!("train all.csv {QUICK} -o m.pual --json")).json();
    assert_eq!(report["features"], serde_json::json!(["temperature", "slope"]));
    // The same rows can be scored and evaluated: other columns are not looked at.
    let scored = scratch.pual("score m.pual all.csv").ok();
    assert!(scored.starts_with("machine,temperature,slope,label,score,class"), "{scored}");
    scratch.pual("evaluate m.pual all.csv --label-column label").ok();
    scratch.pual("compress m.pual --rows all.csv --supports 2 -o s.pual").ok();
}

#[test]
fn a_log_of_a_search_is_resumed_with_the_same_groups_alone() {
    let scratch = Scratch::new("groups-log");
    scratch.rows(150);
    scratch.machines();
    let train = "train all.csv --method gllc --folds 2 --repeats 1 -o m.pual";
    scratch.pual(&format!("{train} --group machine --log m.log")).ok();
    scratch.pual(&format!("{train} --group machine --resume m.log")).ok();
    scratch.pual(&format!("{train} --ignore machine --resume m.log")).fails(1, &["log of another search"]);
}

#[test]
fn a_plan_reads_groups_and_its_parts_need_none() {
    let scratch = Scratch::new("groups-plan");
    scratch.rows(150);
    let files = scratch.machines();
    let plan = |data: &str, plan: &str| {
        scratch.pual(&format!("plan {data} --method gllc --folds 2 --sample 120 -o {plan} --json")).json()
    };
    assert_eq!(plan("all.csv --group machine", "column.plan")["rows"], 150);
    assert_eq!(plan(&files.join(" "), "files.plan")["rows"], 150);
    assert_eq!(scratch.bytes("column.plan"), scratch.bytes("files.plan"));
    scratch.pual("accumulate all.csv --plan column.plan -o all.part").ok();
    scratch.pual("merge all.part -o m.pual").ok();
}

#[test]
fn messages_name_the_file_that_is_wrong() {
    let scratch = Scratch::new("groups-messages");
    scratch.rows(150);
    let files = scratch.machines().join(" ");
    scratch.write("short.csv", "temperature,label\n5,1\n");
    scratch.pual(&format!("train {files} short.csv -o x")).fails(
        1,
        &[
            "cannot train on pump.csv, fan.csv, press.csv and 1 more file",
            "short.csv:1: no column `slope`",
            "pump.csv has it",
        ],
    );
    scratch
        .pual(&format!("train {files} -o x --group mashine"))
        .fails(1, &["pump.csv:1: no column `mashine` (the group column)"]);
    scratch
        .pual("train all.csv -o x --group machine --features machine")
        .fails(1, &["cannot be both the group column and a feature"]);
    // Without --group it is a column of text.
    scratch.pual("train all.csv -o x").fails(1, &["all.csv:2: column `machine`: expected a number"]);
    scratch.pual("train -o x").fails(2, &["<DATA>..."]);
}
