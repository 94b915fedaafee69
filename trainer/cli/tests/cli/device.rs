//! `pual bench device`, and what `pual inspect` states without it.

use super::Scratch;
use pual_infer::{Encoding, ModelBytes};
use pual_trainer::experiments::random_model;

/// Writes a random model.
pub fn write_model(scratch: &Scratch, name: &str, supports: usize, features: usize, encoding: Encoding) -> ModelBytes {
    let model = random_model(supports, features, encoding).unwrap();
    std::fs::write(scratch.path(name), &*model).unwrap();
    model
}

#[test]
fn inspect_states_what_the_bench_measures() {
    let scratch = Scratch::new("device");
    let models = [("f32.pual", Encoding::F32), ("i16.pual", Encoding::I16), ("i8.pual", Encoding::I8)];
    for (name, encoding) in models {
        write_model(&scratch, name, 13, 3, encoding);
    }
    // An f32 model is measured as integers too; costs depend on the size alone.
    let measured = scratch.pual("bench device --model f32.pual --cores m0,m4f --json");
    let measured = measured.json();
    let rows = measured["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    for (name, _) in models {
        let inspected = scratch.pual(&format!("inspect {name} --json")).json();
        let same = |row: &&serde_json::Value| row["encoding"] == inspected["encoding"];
        for row in rows.iter().filter(same) {
            let cores = inspected["cores"].as_array().unwrap().iter();
            let stated = { cores }.find(|core| core["core"] == row["core"]).unwrap();
            let near = |stated: &serde_json::Value, measured: &serde_json::Value| {
                assert_eq!(stated.is_null(), measured.is_null(), "{row}");
                let ratio = stated.as_f64().unwrap_or(1.0) / measured.as_f64().unwrap_or(1.0);
                assert!((ratio - 1.0).abs() <= 0.03, "{stated} stated: {row}");
            };
            near(&stated["instructions_per_score"], &row["score"]);
            near(&stated["instructions_per_score_of_counts"], &row["score_counts"]);
            near(&stated["code_bytes"], &row["code_bytes"]);
            assert_eq!(row["model_bytes"], inspected["bytes"]);
        }
    }
}

#[test]
fn random_models_stand_beside_their_peers() {
    let scratch = Scratch::new("device-table");
    let table = scratch.pual("bench device --cores m4f --sizes 64x4,20x3");
    table.says(&["Cortex-M4F 64x4 i16", "Cortex-M4F 20x3 i8", "CMSIS-DSP arm_svm_rbf_predict_f32", "6,854"]);
}

#[test]
fn what_cannot_be_measured_is_said() {
    let scratch = Scratch::new("device-errors");
    scratch.pual("bench device --cores m5").fails(2, &["--cores", "m0, m3, m4f, m7, m33"]);
    for size in ["7", "0x4", "8x65"] {
        scratch.pual(&format!("bench device --sizes {size}")).fails(2, &["--sizes", "256x7"]);
    }
    scratch.write("no.pual", "what?");
    scratch.pual("bench device --model no.pual").fails(1, &["no.pual is not a usable model"]);
    scratch.pual("bench device --cores m4f --sizes 10000x7").fails(1, &["10000x7", "flash region"]);
}
