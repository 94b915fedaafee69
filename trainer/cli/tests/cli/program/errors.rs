//! Bad input, case by case: every error and warning of the guide, and every hint of the program, is really printed.

use crate::{QUICK, Scratch};
use pual_trainer::WarningId;
use std::collections::BTreeSet;
use std::process::Stdio;

const GUIDE: &str = include_str!("../../../../TROUBLESHOOTING.md");

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
    // Each says what it means and what to try.
    for name in names {
        let entry = GUIDE.split_once(&format!("### {name}\n")).unwrap().1;
        let entry = entry.split("\n##").next().unwrap();
        assert!(entry.contains("\nTry: "), "{name}");
    }
}

/// Commands that fail: the exit code, part of the message, and part of the hint.
#[rustfmt::skip]
const FAILURES: [(&str, i32, &str, &str); 70] = [
    ("train trian.csv -o x", 1, "No such file or directory", "did you mean train.csv?"),
    ("inspect m.paul", 1, "No such file or directory", "did you mean m.pual?"),
    ("score m.pual nowhere/rows.csv", 1, "No such file", "there is no directory nowhere"),
    ("train train.csv -o x --label-column lable", 1, "no column `lable`", "did you mean `label`?"),
    ("train train.csv -o x --features slpoe", 1, "no column `slpoe`", "did you mean `slope`?"),
    ("train semicolons.csv -o x", 1, "no column `label`", "separated by commas"),
    ("train gap.csv -o x", 1, "gap.csv:3: column `a`: expected a number", "fill the gap"),
    ("train nan.csv -o x", 1, "nan.csv:3: column `a`: expected a finite number", "fill the gap"),
    ("train none.csv -o x", 1, "0 of 2 rows labeled positive; expected at least 2", "1 marks a labeled row"),
    ("compare one.csv", 1, "1 of 1 rows labeled positive", "label at least ten"),
    ("train all.csv -o x", 1, "all 2 rows are labeled positive; expected unlabeled rows too", "everyday operation"),
    ("plan constant.csv -o x", 1, "every feature is constant (a)", "--features"),
    ("inspect train.csv", 1, "train.csv is not a usable model", "written by `pual train`"),
    ("score m.pual train.csv --features slope", 1, "the model takes 2 features", "--features"),
    ("calibrate m.pual train.csv --truth-column label -o x --best-f1 --features slope", 1, "the model takes 2 features", "--features"),
    ("calibrate m.pual positive.csv", 1, "all 3 rows are positive; a threshold is chosen", "rows of the other kind"),
    ("calibrate m.pual same.csv", 1, "the same score", "train a model that separates"),
    ("calibrate m.pual checked.csv --recall 1 -o x", 1, "--recall cannot be met", "a lower --recall"),
    ("calibrate m.pual checked.csv --false-alarms 0 -o x", 1, "--false-alarms cannot be met", "higher --false-alarms"),
    ("calibrate m.pual checked.csv --threshold 1e30 -o x", 1, "cannot have this threshold", "among the model's scores"),
    ("train train.csv --no-tune -o x --budget 10B", 1, "10 bytes are too few", "at least --budget"),
    ("train train.csv -o x --memory 1kB", 1, "its rows alone take about", "pual plan"),
    ("verify-signature m.pual --key fleet.public", 3, "m.pual is refused", "pual sign"),
    ("train train.csv -o x --config conflict.toml", 2, "cannot be used with", "conflict.toml:2"),
    ("train train.csv -o x --config unknown.toml", 2, "has no flag --budgte", "did you mean `budget`?"),
    ("train train.csv -o x --solver algorithm2 --mu-1 1000", 1, "Algorithm 2 would diverge", "is safe for --mu-1"),
    ("train train.csv -o x --no-tune --bandwidth 1e-30", 1, "change their class: the coefficients are too large", "raise --lambda"),
    ("train train.csv -o x --log train.csv --ensemble 1", 1, "train.csv exists", "--resume"),
    ("accumulate train.csv --plan m.pual -o x", 1, "m.pual is not a plan", "`pual plan`"),
    ("merge m.pual -o x", 1, "m.pual is not a part", "`pual accumulate`"),
    ("sign m.pual --model-version 1 --key fleet.public -o x", 1, "not a secret key", "`pual keygen` makes a pair"),
    ("keygen -o fleet", 1, "fleet.secret already exists", "another name"),
    ("train train.csv -o no/x", 1, "there is no directory no", "make it first"),
    ("push --status --device qemu", 1, "there is no emulated board yet", "push a model first"),
    ("train text.csv -o x", 1, "expected a number, found", "a column of text"),
    ("train twice.csv -o x", 1, "are both called `a`", "its own name"),
    ("train unnamed.csv -o x", 1, "column 1 has no name", "name it, or"),
    ("train train.csv -o x --features label", 1, "cannot be both", "choose one"),
    ("train alone.csv -o x --group machine", 1, "alone.csv:3: column `machine` (the group column): expected a name", "name the group of every row"),
    ("train one.csv alone.csv -o x", 1, "alone.csv:1: column `machine` is not in one.csv; expected the same features in every file", "--ignore"),
    ("train one.csv all.csv one.csv -o x", 1, "one.csv: the file is given twice", "name each file once"),
    ("train large.csv -o x", 1, "too large for the device", "larger unit"),
    ("train mark.csv -o x", 1, "column `label` (the label column)", "rewrite this one"),
    ("inspect .", 1, "Is a directory", "name a file in it"),
    ("compare tiny.csv", 1, "needs 2 labeled and 2 unlabeled rows", "use --no-tune"),
    ("train train.csv -o x --method gllc --resume train.csv", 1, "not a line of a tuning log", "written by --log"),
    ("train other.csv -o x --method gllc --folds 2 --repeats 1 --resume m.log", 1, "log of another search", "repeat the command"),
    ("train train.csv -o x --no-tune --kernel linear --encoding i8", 1, "f32 only", "train with --kernel rbf"),
    ("train long.csv -o x --no-tune", 1, "at most 255 bytes", "shorter names"),
    ("accumulate train.csv --plan cut.plan -o x", 1, "is a plan, but damaged", "make it again"),
    ("merge a.part b.part -o x", 1, "a different plan", "the same plan"),
    ("merge a.part a.part -o x", 1, "a.part", "counts once"),
    ("verify-signature m.signed --key other.public", 3, "does not match", "another pair"),
    ("verify-signature m.signed --key fleet.public --minimum-version 9", 3, "is too old", "a newer model"),
    ("score flipped.pual train.csv", 1, "checksum is wrong", "damaged"),
    ("score newer.pual train.csv", 1, "format version", "update this one"),
    ("push m.pual --device qemu --flash train.csv", 1, "not the flash of an emulated board", "--flash"),
    ("train many.csv -o x --no-tune --sample 100 --memory 1MB", 1, "training takes about", "fewer --supports"),
    ("train rec.csv -o x --window 20 --hop 10 --events late.csv", 1, "late.csv:2: the event lies outside of the recording `rec`", "in the log's zone?"),
    ("train rec.csv -o x --window 20 --hop 7 --events faults.csv", 1, "does not divide the window of 20", "divides the other"),
    ("train rec.csv -o x --window 20 --hop 10 --events faults.csv --features nope", 1, "rec.csv:1: no column `nope` (a channel)", "recording with this column"),
    ("train ragged.csv -o x --window 20 --hop 10 --events faults.csv", 1, "ragged.csv:2: expected 2 cells", "--delimiter"),
    ("train rec.csv rec2.csv -o x --window 20 --hop 10 --events faults.csv", 1, "rec2.csv:1: column `b` is not in rec.csv", "--ignore"),
    ("train rec.csv rec.csv -o x --window 20 --hop 10 --events faults.csv", 1, "given twice", "each recording once"),
    ("train rec.csv -o x --window 20 --hop 10 --events begins.csv", 1, "begins.csv:1: no column `start` (of an event)", "recording, start, end"),
    ("train rec.csv -o x --window 20 --hop 10", 1, "no column `label` (labels)", "file of --events"),
    ("train timeless.csv -o x --window 20 --hop 10 --events faults.csv", 1, "no column of times was found", "--time-column"),
    ("train rec.csv -o x --window 20 --hop 10 --events faults.csv --window-features nope", 1, "unknown feature `nope`", "--window-features"),
    ("train bare.csv -o x --window 20 --hop 10", 1, "bare.csv:1: ", "names above them"),
    ("train rec.csv -o x --window 400 --hop 200 --events faults.csv", 1, "longer than every recording", "shorter --window"),
];

/// Hints of `src/hints.rs` that no command here brings out, by what they would take.
#[rustfmt::skip]
const SILENT_HINTS: [(&str, &str); 21] = [
    ("add --baseline, such as --baseline 5min", "a name with a space: recordings.rs"),
    ("build with `cargo install --path trainer --features parquet`, or convert the file", "Parquet: unit tests"),
    ("convert it, or leave it out with --ignore", "Parquet: unit tests"),
    ("convert the file to CSV", "Parquet: unit tests"),
    ("write or copy the file again", "NPY and Parquet: unit tests"),
    ("convert it with .astype('float32')", "NPY: unit tests"),
    ("store it with np.save(file, np.ascontiguousarray(array))", "NPY: unit tests"),
    ("give one row per reading: array.reshape(len(array), -1)", "NPY: unit tests"),
    ("name the column of labels with --label-column: x0, x1, ...", "NPY: unit tests"),
    ("choose another column with --group, or store the groups as text", "NPY: unit tests"),
    ("save the file as 'CSV UTF-8'", "unit tests"),
    ("check the permissions of the file and its directory", "root may read everything"),
    ("free some space, or write elsewhere", "a full disk"),
    ("give fewer --threads", "a machine out of threads"),
    ("use --no-tune, or give a larger --lambda", "no fit converges: unit tests"),
    ("raise --lambda or give fewer --supports", "a singular matrix"),
    ("raise --lambda, lower --c-p or --c-u, or use another --solver", "a solution that fails its certificate"),
    ("give readings in a larger unit, or train a single model: --ensemble 1", "a kernel matrix without decomposition"),
    ("is the board powered, does it run the firmware, and are port and --baud right?", "a port: verify.rs"),
    ("make the model smaller: `pual compress --budget`", "an emulator"),
    ("set PUAL_FIRMWARE to the directory `firmware-example` of the sources", "a program without its sources"),
];

/// Files that are wrong in one way each, a model, keys, plans and parts.
fn with_bad_files(test: &str) -> Scratch {
    let scratch = Scratch::with_model(test);
    let long = format!("{},label\n1,1\n2,1\n3,0\n4,0\n", "n".repeat(300));
    for (name, text) in [
        ("semicolons.csv", "a;label\n1;1\n"),
        ("gap.csv", "a,label\n1,1\n,0\n"),
        ("nan.csv", "a,label\n1,1\nnan,0\n"),
        ("none.csv", "a,label\n1,0\n2,0\n"),
        ("one.csv", "a,label\n1,1\n"),
        ("all.csv", "a,label\n1,1\n2,1\n"),
        ("alone.csv", "a,machine,label\n1,x,1\n2,,0\n"),
        ("tiny.csv", "a,label\n1,1\n2,1\n3,0\n"),
        ("constant.csv", "a,label\n1,1\n1,1\n1,0\n"),
        ("text.csv", "a,label\nred,1\n"),
        ("twice.csv", "a,a,label\n1,2,1\n"),
        ("unnamed.csv", ",a,label\n0,1,1\n"),
        ("large.csv", "a,label\n1e39,1\n2,1\n3,0\n"),
        ("mark.csv", "a,label\n1,x\n"),
        ("long.csv", &long),
        ("positive.csv", "temperature,slope,truth\n9,0,1\n10,0,1\n12,1,1\n"),
        ("same.csv", "temperature,slope,truth\n5,0,1\n5,0,0\n"),
        // Warm rows that are negative, and normal rows that are positive.
        ("checked.csv", "temperature,slope,truth\n12,0,0\n5,0,1\n9,0,0\n"),
        ("faults.csv", "recording,start,end\nrec,2024-05-01 10:01:00,2024-05-01 10:02:00\n"),
        ("late.csv", "recording,start,end\nrec,2025-05-01 10:01:00,2025-05-01 10:02:00\n"),
        ("begins.csv", "recording,begin,end\nrec,2024-05-01 10:01:00,2024-05-01 10:02:00\n"),
        ("timeless.csv", "a,b\n1,2\n3,4\n"),
        ("bare.csv", "1,2\n3,4\n"),
        ("conflict.toml", "[train]\nbudget = \"1kB\"\nsupports = 2\n"),
        ("unknown.toml", "[train]\nbudgte = \"1kB\"\n"),
    ] {
        scratch.write(name, text);
    }
    let sample = |t: usize| format!("2024-05-01 10:{:02}:{:02},{}\n", t / 60, t % 60, t * 37 % 17);
    let samples: String = (0..300).map(sample).collect();
    scratch.write("rec.csv", &format!("time,a\n{samples}"));
    scratch.write("rec2.csv", &format!("time,b\n{samples}"));
    scratch.write("ragged.csv", &format!("time,a\n2024-05-01 09:00:00,1,2\n{samples}"));
    for command in [
        "synth cold-chain --rows 120 --seed 5 -o other.csv",
        "synth cold-chain --rows 1000 -o many.csv",
        "train train.csv -o logged.pual --method gllc --folds 2 --repeats 1 --log m.log",
        "plan train.csv --no-tune -o p.plan",
        "plan train.csv --no-tune --seed 9 -o q.plan",
        "accumulate train.csv --plan p.plan -o a.part",
        "accumulate train.csv --plan q.plan -o b.part",
        "keygen -o fleet",
        "keygen -o other",
        "sign m.pual --key fleet.secret --model-version 3 -o m.signed",
    ] {
        scratch.pual(command).ok();
    }
    let plan = scratch.bytes("p.plan");
    std::fs::write(scratch.path("cut.plan"), &plan[..60]).unwrap();
    let model = scratch.bytes("m.pual");
    for (name, at) in [("flipped.pual", model.len() / 2), ("newer.pual", 4)] {
        let mut bytes = model.clone();
        bytes[at] ^= 64;
        std::fs::write(scratch.path(name), bytes).unwrap();
    }
    scratch
}

/// The hints in the program's source: texts of several words, up to the first value that is filled in.
fn hints() -> BTreeSet<String> {
    let source = include_str!("../../../src/hints.rs");
    let source = source.split("#[cfg(test)]").next().unwrap();
    let source = source.replace("\\\"", "'");
    let texts = source.split('"').skip(1).step_by(2);
    let fixed = |text: &str| {
        let mut parts = text.split(['{', '}']).step_by(2);
        parts.find(|part| part.contains(' ')).map(str::to_owned)
    };
    texts.filter_map(fixed).collect()
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /dev/full")]
fn every_error_of_the_guide_and_every_hint_is_heard() {
    let scratch = with_bad_files("errors");
    let mut heard = String::new();
    for (command, code, said, hint) in FAILURES {
        let run = scratch.pual(command);
        run.fails(code, &[said]);
        let stderr = run.stderr();
        let advice = stderr.split_once("hint: ").expect(&stderr).1;
        assert!(advice.contains(hint), "no `{hint}` in:\n{stderr}");
        assert_eq!(stderr.matches("hint: ").count(), 1, "{stderr}");
        heard += &stderr;
    }
    assert!(!scratch.files().contains(&"x".to_owned()));
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut command = scratch.command("synth cold-chain");
    let child = command.stdout(full.unwrap()).stderr(Stdio::piped()).spawn();
    let output = child.unwrap().wait_with_output().unwrap();
    heard += &String::from_utf8(output.stderr).unwrap();
    for heading in headings("Errors") {
        assert!(heard.contains(heading), "no error says: {heading}");
    }
    let heard = heard.replace('"', "'");
    let silent: BTreeSet<String> = (hints().into_iter()).filter(|hint| !heard.contains(hint)).collect();
    let excepted = SILENT_HINTS.map(|(hint, _)| hint.to_owned());
    assert_eq!(silent, BTreeSet::from(excepted));
}

/// Warnings that no command here brings out, by what they would take.
const SILENT_WARNINGS: [(&str, &str); 2] =
    [("false-alarms-above-target", "noisy recordings: unit tests of the alarm"), ("other-compiler", "an emulator")];

/// Every warning is heard, and its advice stands on the page.
#[test]
fn every_warning_is_heard_with_its_advice() {
    let scratch = Scratch::with_model("all-warnings");
    let csv = String::from_utf8(scratch.bytes("train.csv")).unwrap();
    // The rows with a column more, of which each value comes from the row's number and label.
    let with_column = |name: &str, value: &dyn Fn(usize, &str) -> usize| -> String {
        let cell = |(at, line): (usize, &str)| match at {
            0 => format!("{line},{name}\n"),
            _ => format!("{line},{}\n", value(at, line.rsplit(',').next().unwrap())),
        };
        csv.lines().enumerate().map(cell).collect()
    };
    let is_labeled = |label: &str| usize::from(label == "1");
    let rows = csv.split_once('\n').unwrap().1;
    let few = (csv.lines().enumerate()).map(|(at, line)| match at {
        0 => format!("{line}\n"),
        _ => format!("{},{}\n", line.rsplit_once(',').unwrap().0, usize::from(at < 4)),
    });
    let noise = (0..150).map(|at| format!("{},{},{}\n", at * 37 % 101, at * 53 % 97, usize::from(at % 4 == 0)));
    // Every second row is positive, half of these are labeled, and those have an offset in b.
    let biased = (0..300).map(|at| {
        let (is_positive, is_labeled) = (at % 2 == 0, at % 4 == 0);
        let (a, b) = (at * 37 % 101 + 90 * usize::from(is_positive), at * 53 % 97 + 70 * usize::from(is_labeled));
        format!("{a},{b},{}\n", usize::from(is_labeled))
    });
    // Positives on two sides of the normal rows; of one side none is labeled.
    let sides = (0..400).map(|at| {
        let (a, b) = (at * 37 % 101, at * 53 % 97);
        let (a, b, label) = match at % 8 {
            0 => (a + 300, b, 1),
            1 => (a + 300, b, 0),
            2 => (a, b + 400, 0),
            _ => (a, b, 0),
        };
        format!("{a},{b},{label}\n")
    });
    let log = (0..400).map(|at| {
        let time = at as f64;
        format!("{},{},{}\n", (time / 15.0).sin(), (time / 23.0).cos(), usize::from((100..120).contains(&at)))
    });
    // A recording whose clock goes back once.
    let samples = (0..900).map(|at| {
        let (time, is_faulty) = (at - 30 * usize::from(at >= 700), at / 60 % 4 == 1);
        let current = at * 37 % 17 + 30 * usize::from(is_faulty);
        format!("2024-05-01 10:{:02}:{:02},{current}\n", time / 60, time % 60)
    });
    for (name, text) in [
        ("pump.csv", format!("time,current\n{}", samples.collect::<String>())),
        ("faults.csv", "recording,start,end\npump,2024-05-01 10:01:00,2024-05-01 10:02:00\n".to_owned()),
        ("unit.csv", with_column("unit", &|_, _| 7)),
        ("counter.csv", with_column("row", &|at, _| at)),
        ("biased.csv", format!("a,b,label\n{}", biased.collect::<String>())),
        ("sides.csv", format!("a,b,label\n{}", sides.collect::<String>())),
        ("log.csv", format!("a,b,label\n{}", log.collect::<String>())),
        ("time.csv", with_column("time", &|at, _| 1_763_400_000 + at)),
        ("alarm.csv", with_column("alarm", &|at, label| is_labeled(label) | usize::from(at % 3 == 0))),
        ("copies.csv", format!("{csv}{rows}")),
        ("normal.csv", csv.replace(",0\n", ",-1\n")),
        ("few.csv", few.collect()),
        ("tiny.csv", "a,label\n1,1\n2,1\n3,0\n".to_owned()),
        ("noise.csv", format!("a,b,label\n{}", noise.collect::<String>())),
        ("pual.toml", "[train]\nbudget = \"2kB\"\n".to_owned()),
    ] {
        scratch.write(name, &text);
    }
    scratch.pual("synth cold-chain --rows 20000 -o many.csv").ok();
    let mut heard = BTreeSet::new();
    for (command, warning) in [
        (format!("train unit.csv {QUICK}"), "constant-column"),
        (format!("train copies.csv {QUICK}"), "duplicate-rows"),
        (format!("train alarm.csv {QUICK}"), "may-be-the-answer"),
        (format!("train time.csv {QUICK}"), "coarse-column"),
        (format!("train counter.csv {QUICK}"), "order-among-features"),
        ("train biased.csv --method pual".to_owned(), "labels-look-biased"),
        ("train sides.csv --method pual".to_owned(), "unlabeled-group"),
        ("train log.csv --method pual".to_owned(), "few-events"),
        (format!("train log.csv {QUICK}"), "rows-in-sequence"),
        (format!("train pump.csv --window 20 --hop 10 --events faults.csv {QUICK}"), "times-out-of-order"),
        ("train many.csv --method pual --sample 200".to_owned(), "most-rows-unused"),
        ("train few.csv --method gllc --folds 2 --repeats 1".to_owned(), "few-labels"),
        (format!("train normal.csv {QUICK}"), "no-unlabeled-rows"),
        ("train tiny.csv".to_owned(), "too-few-rows"),
        ("train noise.csv --method gllc --folds 2 --repeats 1".to_owned(), "no-better-than-all-positive"),
        (
            "train train.csv --method bls-svm --folds 2 --repeats 1 --bandwidth 1e9".to_owned(),
            "every-setting-collapsed",
        ),
        ("train noise.csv --method pual".to_owned(), "all-positive"),
        ("train train.csv --no-tune --c-u 1e9".to_owned(), "learned-nothing"),
        ("train train.csv --no-tune --bandwidth 400 --lambda 1e-4".to_owned(), "classes-changed"),
        ("train train.csv --no-tune --budget 80B".to_owned(), "left-out"),
        ("train train.csv --no-tune --supports 1".to_owned(), "tolerance-exceeded"),
        (
            "train many.csv --no-tune --no-compress --sample 100 --supports 4 --threads 1 --memory 110MB".to_owned(),
            "graph-of-sample",
        ),
        (format!("train train.csv --supports 5 --config pual.toml {QUICK}"), "flag-gives-way"),
    ] {
        let no_config = if command.contains("--config") { "" } else { "--no-config" };
        let run = scratch.pual(&format!("{command} {no_config} -o w.pual --report out"));
        run.ok();
        assert!(run.stderr().contains(&format!("warning[{warning}]: ")), "{command}: {}", run.stderr());
        let page = String::from_utf8(scratch.bytes("out/report.html")).unwrap();
        let entry = page.split_once(&format!("<li><code>{warning}</code>")).expect(warning).1;
        let advice = entry.split_once("<b>What to do.</b> ").unwrap().1;
        let advice = advice.split_once("</p>").unwrap().0;
        assert!(advice.len() > 20 && advice.ends_with('.'), "{warning}: {advice}");
        heard.insert(warning);
    }
    let run = scratch.pual("compress m.pual --supports 2 -o s.pual --no-config");
    assert!(run.stderr().contains("warning[stand-in-rows]: "), "{}", run.stderr());
    heard.insert("stand-in-rows");
    // Up to 30 degrees, which no training row has; and few rows.
    let far: String = (0..30).map(|at| format!("{at},0,{}\n", usize::from(at > 2))).collect();
    scratch.write("far.csv", &format!("temperature,slope,truth\n{far}"));
    let run = scratch.pual("calibrate m.pual far.csv --threshold 9 --report out --no-config");
    run.ok();
    let page = String::from_utf8(scratch.bytes("out/calibration.html")).unwrap();
    for warning in ["worse-than-all-positive", "far-from-training", "few-checked-rows"] {
        assert!(run.stderr().contains(&format!("warning[{warning}]: ")), "{}", run.stderr());
        assert!(page.contains(&format!("<li><code>{warning}</code>")), "{warning}");
        heard.insert(warning);
    }
    let silent = WarningId::ALL.map(WarningId::name).into_iter().filter(|name| !heard.contains(name));
    assert!(silent.eq(SILENT_WARNINGS.map(|(name, _)| name)));
}
