//! `--json`: one object on standard output, from every command that prints results.

use crate::Scratch;
use serde_json::Value;

/// Commands whose output is no result: a script; and those that need an emulator, or thousands of rows, to be tried here.
const WITHOUT: [&str; 1] = ["completions"];
const EMULATED: [&str; 6] = ["demo", "push", "verify", "watch", "bench device", "bench rare"];

#[test]
fn every_command_prints_one_json_object() {
    let scratch = Scratch::new("json");
    let mut tried = Vec::new();
    let mut object = |command: &str| {
        let json: Value = scratch.pual(&format!("{command} --json")).json();
        assert!(json.is_object(), "{command}");
        assert!(json["warnings"].is_array(), "{command}");
        tried.push(command.to_owned());
        json
    };
    assert_eq!(object("synth cold-chain --rows 150 -o train.csv")["rows"], 150);
    object("synth trifurcate --rows 150 -o other.csv");
    object("synth monitor --rows 150 -o other.csv");
    object("synth wifi-rooms --rows 150 -o other.csv");
    object("synth machine -o pump");
    object("train train.csv --no-tune -o m.pual");
    object("flash m.pual --chip nrf52840 -o m.hex");
    object("export m.pual --format c -o m.h");
    object("compare train.csv --folds 2 --repeats 1 --supports 8");
    object("compress m.pual --rows train.csv -o s.pual");
    object("plan train.csv --no-tune -o p.plan");
    object("accumulate train.csv --plan p.plan -o a.part");
    assert_eq!(object("merge a.part --to-part -o b.part")["rows"], 150);
    object("merge b.part -o merged.pual");
    let scored = object("score m.pual train.csv");
    let rows = scored["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 150);
    // The same numbers as in the CSV.
    let csv = scratch.pual("score m.pual train.csv --only-scores").ok();
    for (row, line) in rows.iter().zip(csv.lines().skip(1)) {
        let cells: Vec<&str> = line.split(',').collect();
        let score: f32 = cells[0].parse().unwrap();
        assert_eq!(row["score"].as_f64().unwrap() as f32, score);
        assert_eq!(row["class"].to_string(), cells[1]);
        assert_eq!(row["outside_envelope"], cells[2] == "1");
    }
    object("evaluate m.pual train.csv --label-column label");
    object("synth cold-chain --seed 2 --truth-column truth -o checked.csv");
    assert!(object("calibrate m.pual checked.csv --best-f1 -o c.pual")["chosen"].is_object());
    object("inspect m.pual");
    object("keygen -o fleet");
    object("sign m.pual --key fleet.secret --model-version 1 -o m.signed");
    object("verify-signature m.signed --key fleet.public");
    object("man pages");
    let table = object("bench table2 --repeats 1 --methods pual-fixed,gllc-fixed");
    assert_eq!(table["differences"].as_array().unwrap().len(), 1);
    let biased = object("bench biased --runs 1 --situations good");
    assert_eq!(biased["results"][0]["runs"].as_array().unwrap().len(), 1);
    std::fs::create_dir(scratch.path("recordings")).unwrap();
    for recording in 0..4 {
        let sample =
            |t: usize| format!("{t};{};{}\n", (t * t / 7 + recording) % 17, usize::from((200..400).contains(&t)));
        let samples: String = (0..600).map(sample).collect();
        scratch.write(&format!("recordings/{recording}.csv"), &format!("time;a;anomaly\n{samples}"));
    }
    let streams = object("bench streams --data recordings --repeats 1 --methods gllc-fixed");
    assert!(streams["results"][0]["events"].is_number());
    let header = "a,b,label\n";
    let line = |at: usize| format!("{},{},{}\n", at % 7, at % 11, usize::from(at.is_multiple_of(3)));
    let text: String = (0..120).map(line).collect();
    scratch.write("set.csv", &format!("{header}{text}"));
    let table = "bench table4 --data . --datasets set --repeats 1 --methods gllc-fixed --label-frequencies 0.5";
    assert_eq!(object(table)["results"].as_array().unwrap().len(), 1);

    // None was forgotten: every page of the manual that has no pages below it is one of these.
    let names = commands(&scratch);
    for command in &names {
        let has_below = names.iter().any(|other| other.starts_with(&format!("{command} ")));
        let known = |list: &[&str]| list.contains(&command.as_str());
        let is_tried = tried.iter().any(|tried| tried.starts_with(&format!("{command} ")));
        let is_fine = has_below || known(&WITHOUT) || known(&EMULATED) || is_tried;
        assert!(is_fine || command.is_empty(), "{command} was not tried with --json");
        if known(&EMULATED) {
            assert!(scratch.pual(&format!("{command} --help")).ok().contains("--json"));
        }
    }
}

/// Every command, as the manual has a page for each; the first is `pual` itself, without a name.
pub fn commands(scratch: &Scratch) -> Vec<String> {
    let pages = scratch.pual("man pages --json").json();
    pages["pages"].as_array().unwrap().iter().map(name).collect()
}

/// "pual-bench-table2.1" as `bench table2`.
fn name(page: &Value) -> String {
    let page = page.as_str().unwrap();
    let name = page.strip_prefix("pual").unwrap().strip_suffix(".1").unwrap();
    let name = name.trim_start_matches('-');
    // Names of commands have hyphens of their own.
    for parent in ["bench", "synth"] {
        if let Some(rest) = name.strip_prefix(&format!("{parent}-")) {
            return format!("{parent} {rest}");
        }
    }
    name.to_owned()
}
