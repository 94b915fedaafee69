//! Bad input, one by one: what is said, what is advised, and that the guide has it.

use super::Scratch;
use pual_trainer::base::warnings::WarningId;

const GUIDE: &str = include_str!("../../../TROUBLESHOOTING.md");

/// The headings of a part of the guide.
fn headings(part: &str) -> Vec<&'static str> {
    let part = GUIDE.split_once(&format!("\n## {part}\n")).unwrap().1;
    let part = part.split("\n## ").next().unwrap();
    let heading = |line: &'static str| line.strip_prefix("### ");
    part.lines().filter_map(heading).collect()
}

#[test]
fn the_guide_has_every_warning_and_no_other() {
    let names = WarningId::ALL.map(WarningId::name);
    assert_eq!(headings("Warnings"), names);
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), names.len(), "a name is there twice");
    // None is left out of the list: as many as there are kinds.
    let code = include_str!("../../../src/base/warnings.rs");
    let kinds = code.split("match self {").nth(1).unwrap();
    assert_eq!(kinds.matches("=> \"").count(), names.len());
    // Each says what it means and what to try.
    for name in names {
        let entry = GUIDE.split_once(&format!("### {name}\n")).unwrap().1;
        let entry = entry.split("\n##").next().unwrap();
        assert!(entry.contains("\nTry: "), "{name}");
    }
}

#[test]
fn every_error_of_the_guide_is_met_and_has_a_hint() {
    let scratch = Scratch::new("errors");
    scratch
        .pual("synth cold-chain --rows 150 -o train.csv")
        .ok();
    let train = "--no-tune --no-compress -o m.pual";
    scratch.pual(&format!("train train.csv {train}")).ok();
    scratch.pual("keygen -o fleet").ok();
    for (name, text) in [
        ("semicolons.csv", "a;label\n1;1\n"),
        ("gap.csv", "a,label\n1,1\n,0\n"),
        ("nan.csv", "a,label\n1,1\nnan,0\n"),
        ("none.csv", "a,label\n1,0\n2,0\n"),
        ("one.csv", "a,label\n1,1\n"),
        ("all.csv", "a,label\n1,1\n2,1\n"),
        ("constant.csv", "a,label\n1,1\n1,1\n1,0\n"),
        ("conflict.toml", "[train]\nbudget = \"1kB\"\nsupports = 2\n"),
        ("unknown.toml", "[train]\nbudgte = \"1kB\"\n"),
    ] {
        scratch.write(name, text);
    }
    let mut heard = String::new();
    for (command, code, said, hint) in [
        (
            "train trian.csv -o x",
            1,
            "No such file or directory",
            "did you mean train.csv?",
        ),
        (
            "inspect m.paul",
            1,
            "No such file or directory",
            "did you mean m.pual?",
        ),
        (
            "score m.pual nowhere/rows.csv",
            1,
            "No such file",
            "there is no directory nowhere",
        ),
        (
            "train train.csv -o x --label-column lable",
            1,
            "no column `lable`",
            "did you mean `label`?",
        ),
        (
            "train train.csv -o x --features slpoe",
            1,
            "no column `slpoe`",
            "did you mean `slope`?",
        ),
        (
            "train semicolons.csv -o x",
            1,
            "no column `label`",
            "separated by commas",
        ),
        (
            "train gap.csv -o x",
            1,
            "gap.csv:3: column `a`: expected a number",
            "fill the gap",
        ),
        (
            "train nan.csv -o x",
            1,
            "nan.csv:3: column `a`: expected a finite number",
            "fill the gap",
        ),
        (
            "train none.csv -o x",
            1,
            "0 of 2 rows labeled positive; expected at least 2",
            "1 marks a labeled row",
        ),
        (
            "compare one.csv",
            1,
            "1 of 1 rows labeled positive",
            "label a few readings",
        ),
        (
            "train all.csv -o x",
            1,
            "all 2 rows are labeled positive; expected unlabeled rows too",
            "everyday operation",
        ),
        (
            "plan constant.csv -o x",
            1,
            "every feature is constant (a)",
            "--features",
        ),
        (
            "inspect train.csv",
            1,
            "train.csv is not a usable model",
            "written by `pual train`",
        ),
        (
            "score m.pual train.csv --features slope",
            1,
            "the model takes 2 features",
            "--features",
        ),
        (
            "train train.csv --no-tune -o x --budget 10B",
            1,
            "10 bytes are too few",
            "at least --budget",
        ),
        (
            "train train.csv -o x --memory 1kB",
            1,
            "its rows alone take about",
            "pual plan",
        ),
        (
            "verify-signature m.pual --key fleet.public",
            3,
            "m.pual is refused",
            "pual sign",
        ),
        (
            "train train.csv -o x --config conflict.toml",
            2,
            "cannot be used with",
            "conflict.toml:2",
        ),
        (
            "train train.csv -o x --config unknown.toml",
            2,
            "has no flag --budgte",
            "did you mean `budget`?",
        ),
        (
            "train train.csv -o x --solver algorithm2 --mu-1 1000",
            1,
            "Algorithm 2 would diverge",
            "is safe for --mu-1",
        ),
        (
            "train train.csv -o x --no-tune --bandwidth 1e-30",
            1,
            "change their class: the coefficients are too large",
            "raise --lambda",
        ),
        (
            "train train.csv -o x --log train.csv --ensemble 1",
            1,
            "train.csv exists",
            "--resume",
        ),
        (
            "accumulate train.csv --plan m.pual -o x",
            1,
            "m.pual is not a plan",
            "`pual plan`",
        ),
        (
            "merge m.pual -o x",
            1,
            "m.pual is not a part",
            "`pual accumulate`",
        ),
        (
            "sign m.pual --model-version 1 --key fleet.public -o x",
            1,
            "not a secret key",
            "`pual keygen` makes a pair",
        ),
        (
            "keygen -o fleet",
            1,
            "fleet.secret already exists",
            "another name",
        ),
        (
            "train train.csv -o no/x",
            1,
            "there is no directory no",
            "make it first",
        ),
        (
            "push --status --device qemu",
            1,
            "there is no board whose flash is",
            "push a model first",
        ),
    ] {
        let run = scratch.pual(command);
        run.fails(code, &[said]);
        let stderr = run.stderr();
        let advice = stderr.split_once("hint: ").expect(&stderr).1;
        assert!(advice.contains(hint), "no `{hint}` in:\n{stderr}");
        assert_eq!(stderr.matches("hint: ").count(), 1, "{stderr}");
        heard += &stderr;
    }
    // These need gigabytes of rows, or a full disk: their words are the code's.
    heard += include_str!("../../src/flags/many.rs");
    heard += "No space left on device";
    for heading in headings("Errors") {
        assert!(heard.contains(heading), "no error says: {heading}");
    }
    assert!(!scratch.files().contains(&"x".to_owned()));
}

#[test]
fn a_signed_model_is_a_model() {
    let scratch = Scratch::new("signed-model");
    scratch
        .pual("synth cold-chain --rows 150 -o train.csv")
        .ok();
    scratch.pual("train train.csv --no-tune -o m.pual").ok();
    scratch.pual("keygen -o fleet").ok();
    let sign = "--key fleet.secret -o m.signed --model-version";
    scratch.pual(&format!("sign m.pual {sign} 3")).ok();
    let score = |model: &str| scratch.pual(&format!("score {model} train.csv")).ok();
    assert_eq!(score("m.pual"), score("m.signed"));
    let inspected = scratch.pual("inspect m.signed");
    assert!(inspected.ok().contains("as version 3, not checked here"));
    let inspected = scratch.pual("inspect m.signed --json").json();
    assert_eq!(inspected["signed_version"], 3);
    assert_eq!(inspected["bytes"], scratch.bytes("m.pual").len());
    scratch
        .pual("evaluate m.signed train.csv --label-column label")
        .ok();
    // What is smaller is not signed.
    scratch
        .pual("compress m.signed --rows train.csv --supports 2 -o s.pual")
        .ok();
    assert!(scratch.pual("inspect s.pual --json").json()["signed_version"].is_null());
    // A new signature replaces the old one.
    let sign = "--key fleet.secret -o again.signed --model-version";
    scratch.pual(&format!("sign m.signed {sign} 4")).ok();
    let again = scratch.bytes("again.signed");
    assert_eq!(again.len(), scratch.bytes("m.signed").len());
    scratch
        .pual("verify-signature again.signed --key fleet.public --minimum-version 4")
        .ok();
}
