//! Many rows: a sample for choosing, all rows for the fit; divided among files with the same bytes at the end.

use super::Scratch;

const TRAIN: &str = "train train.csv --method pual --no-tune --no-compress --supports 20 --sample 400";

impl Scratch {
    /// Cuts train.csv into files of its rows, each with the header.
    fn shards(&self, count: usize) -> Vec<String> {
        let text = String::from_utf8(self.bytes("train.csv")).unwrap();
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        let rows: Vec<&str> = lines.collect();
        let names: Vec<String> = (0..count).map(|at| format!("shard{at}.csv")).collect();
        for (name, rows) in names.iter().zip(rows.chunks(rows.len().div_ceil(count))) {
            self.write(name, &format!("{header}\n{}\n", rows.join("\n")));
        }
        names
    }
}

#[test]
fn the_model_is_fitted_to_all_rows_and_says_so() {
    let scratch = Scratch::new("many");
    scratch.cold_chain();
    let report = scratch.pual(&format!("{TRAIN} -o m.pual --json")).json();
    let rows = report["rows"].as_u64().unwrap();
    assert!(rows > 400);
    assert_eq!(report["many_rows"]["sample"], 400);
    assert_eq!(report["many_rows"]["fitted_to"], rows);
    assert_eq!(report["many_rows"]["graph_rows"], rows);
    for phase in ["read", "landmarks", "graph", "local_term", "sums", "solve", "export", "total"] {
        assert!(report["timing"][phase].is_f64(), "{phase}: {}", report["timing"]);
    }
    // Few rows: as ever.
    let report = scratch.pual("train train.csv -o n.pual --no-tune --json").json();
    assert!(report["many_rows"].is_null());
    // What sums cannot do is trained on the sample.
    let report =
        scratch.pual("train train.csv --method bsvm --no-tune --no-compress --sample 400 -o o.pual --json").json();
    assert_eq!(report["many_rows"]["fitted_to"], 400);
}

#[test]
fn the_fit_to_all_rows_is_as_good_as_one_in_memory() {
    let scratch = Scratch::new("many-quality");
    scratch.cold_chain();
    for method in ["pual", "gllc", "bls-svm"] {
        let f1 = |flags: &str| {
            let train = format!("train train.csv --method {method} --no-compress --repeats 1 {flags} -o m.pual");
            scratch.pual(&train).ok();
            let evaluated = scratch.pual("evaluate m.pual test.csv --truth-column truth --json").json();
            evaluated["truth"]["f1"].as_f64().unwrap()
        };
        let (in_memory, from_sums) = (f1(""), f1("--sample 500"));
        assert!(from_sums > in_memory - 0.03, "{method}: {in_memory} and {from_sums}");
    }
}

#[test]
fn threads_do_not_show_in_the_bytes() {
    let scratch = Scratch::new("many-threads");
    scratch.cold_chain();
    for threads in [1, 2, 3] {
        scratch.pual(&format!("{TRAIN} --threads {threads} -o m{threads}.pual")).ok();
    }
    assert_eq!(scratch.bytes("m1.pual"), scratch.bytes("m2.pual"));
    assert_eq!(scratch.bytes("m1.pual"), scratch.bytes("m3.pual"));
}

#[test]
fn divided_rows_give_the_bytes_of_one_machine_in_any_order() {
    let scratch = Scratch::new("many-shards");
    scratch.cold_chain();
    scratch.pual(&format!("{TRAIN} --graph sample -o one.pual")).ok();
    let plan = "plan train.csv --method pual --no-tune --supports 20 --sample 400 -o plan.pual --json";
    let planned = scratch.pual(plan).json();
    assert_eq!((planned["sample"].as_u64(), planned["supports"].as_u64()), (Some(400), Some(20)));
    let mut parts = Vec::new();
    for shard in scratch.shards(5) {
        let part = shard.replace("csv", "part");
        scratch.pual(&format!("accumulate {shard} --plan plan.pual -o {part}")).ok();
        parts.push(part);
    }
    let merge = |parts: &[String], to: &str| {
        scratch.pual(&format!("merge {} --no-compress -o {to}", parts.join(" "))).ok();
        scratch.bytes(to)
    };
    let expected = scratch.bytes("one.pual");
    assert_eq!(merge(&parts, "a.pual"), expected);
    parts.reverse();
    parts.swap(0, 2);
    assert_eq!(merge(&parts, "b.pual"), expected);
    // A part that was lost is made again; parts of parts are parts.
    scratch.pual("accumulate shard1.csv --plan plan.pual -o shard1.part --threads 1").ok();
    scratch.pual("merge shard0.part shard1.part --to-part -o first.part").ok();
    let merged = ["first.part", "shard4.part", "shard2.part", "shard3.part"].map(str::to_owned);
    assert_eq!(merge(&merged, "c.pual"), expected);
    // Made small, it is still the same.
    scratch
        .pual(&format!("{} --graph sample -o s.pual", TRAIN.replace("--no-compress --supports 20", "--supports 8")))
        .ok();
    scratch.pual("plan train.csv --method pual --no-tune --sample 400 -o plan.pual").ok();
    scratch.pual("accumulate train.csv --plan plan.pual -o all.part").ok();
    scratch.pual("merge all.part --supports 8 -o t.pual").ok();
    assert_eq!(scratch.bytes("s.pual"), scratch.bytes("t.pual"));
}

#[test]
fn what_cannot_be_merged_or_planned_is_said() {
    let scratch = Scratch::new("many-errors");
    scratch.cold_chain();
    let plan = |flags: &str| scratch.pual(&format!("plan train.csv --no-tune --sample 400 -o plan.pual {flags}"));
    plan("--method bsvm").fails(2, &["pual, gllc or bls-svm"]);
    plan("--kernel linear").fails(2, &["--kernel rbf"]);
    plan("").ok();
    let shards = scratch.shards(2);
    let accumulate = |flags: &str| scratch.pual(&format!("accumulate {flags} -o a.part"));
    accumulate("shard0.csv --plan plan.pual").ok();
    scratch.pual("merge a.part a.part -o m.pual").fails(1, &["a.part", "already been added"]);
    accumulate("shard0.csv --plan train.csv").fails(1, &["train.csv is not a plan"]);
    accumulate("nowhere.csv --plan plan.pual").fails(1, &["nowhere.csv"]);
    scratch.pual("merge plan.pual -o m.pual").fails(1, &["plan.pual is not a part"]);
    let whole = scratch.bytes("a.part");
    std::fs::write(scratch.path("cut.part"), &whole[..whole.len() / 2]).unwrap();
    scratch.pual("merge cut.part -o m.pual").fails(1, &["cut.part", "damaged"]);
    plan("--seed 1").ok();
    scratch.pual(&format!("accumulate {} --plan plan.pual -o b.part", shards[1])).ok();
    scratch.pual("merge a.part b.part -o m.pual").fails(1, &["b.part", "a different plan"]);
    scratch.write("bad.csv", "temperature,slope,label\n4.5,0.1,0\n4.5,warm,0\n");
    accumulate("bad.csv --plan plan.pual").fails(1, &["bad.csv:3", "slope"]);
    scratch.write("other.csv", "temperature,label\n4.5,0\n");
    accumulate("other.csv --plan plan.pual").fails(1, &["other.csv", "slope"]);
    scratch.write("unlabeled.csv", "temperature,slope,label\n4.5,0.1,0\n4.6,0.1,0\n");
    accumulate("unlabeled.csv --plan plan.pual").ok();
    scratch.pual("merge a.part -o m.pual").fails(1, &["0 labeled and 2 unlabeled"]);
    assert!(!scratch.path("m.pual").exists());
    // Nothing half-written is left.
    let hidden: Vec<String> = (scratch.files().into_iter()).filter(|name| name.starts_with('.')).collect();
    assert!(hidden.is_empty(), "{hidden:?}");
}

#[test]
fn memory_is_respected() {
    let scratch = Scratch::new("many-memory");
    scratch.cold_chain();
    let train = |flags: &str| scratch.pual(&format!("{TRAIN} -o m.pual {flags}"));
    train("--memory 2kB").fails(1, &["train.csv", "rows alone", "2 kB may be used"]);
    train("--memory 50MB").fails(1, &["50 MB may be used", "rows", "pual plan --help"]);
    assert!(!scratch.path("m.pual").exists());
    train("--memory lots").fails(2, &["--memory", "2GB"]);
    train("--memory 1GB").ok();
}
