//! Models of integers: every command that reads a model reads them too.

use crate::Scratch;
use pual_infer::{Encoding, ModelSpec, SpecKernel, encode, encode_fixed};

const SUPPORTS: [f64; 6] = [-1.5, 0.25, 0.5, -0.75, 1.75, 1.0];

fn spec() -> ModelSpec<'static> {
    ModelSpec {
        kernel: SpecKernel::Rbf { bandwidth: 1.25 },
        offsets: &[5.0, 0.0],
        scales: &[0.25, 2.0],
        coefficients: &[1.0, -1.5, 0.75],
        supports: &SUPPORTS,
        bias: 0.125,
        threshold: 0.0,
        envelope: Some((&[-4.0, -1.0], &[14.0, 1.0])),
        names: Some(&["temperature", "slope"]),
        recipe: None,
    }
}

#[test]
fn every_command_reads_every_encoding() {
    let scratch = Scratch::new("integers");
    scratch.cold_chain();
    std::fs::write(scratch.path("f32.pual"), &*encode(&spec()).unwrap()).unwrap();
    let scores = |model: &str| -> Vec<f64> {
        let scored = scratch.pual(&format!("score {model} test.csv --only-scores"));
        let first = |line: &str| line.split(',').next().unwrap().parse().unwrap();
        scored.ok().lines().skip(1).map(first).collect()
    };
    let float = scores("f32.pual");
    // An i8 instance is off by 1/254 of the range at most.
    for (name, encoding, value_bytes, most) in [("i16", Encoding::I16, 2, 1e-3), ("i8", Encoding::I8, 1, 2e-2)] {
        let bytes = encode_fixed(&spec(), encoding).unwrap();
        std::fs::write(scratch.path("m.pual"), &*bytes).unwrap();
        let fixed = scores("m.pual");
        assert_eq!(fixed.len(), float.len());
        let error = { fixed.iter().zip(&float) }.map(|(a, b)| (a - b).abs());
        let error = error.fold(0.0, f64::max);
        assert!(error <= most, "{name}: {error:e}");

        let evaluated = scratch.pual("evaluate m.pual test.csv --truth-column truth --json").json();
        let positive = fixed.iter().filter(|&&score| score > 0.0).count();
        assert_eq!(evaluated["called_positive"], positive);

        let inspected = scratch.pual("inspect m.pual --json").json();
        assert_eq!(inspected["encoding"], name);
        assert_eq!(inspected["bytes"], bytes.len());
        let parts = inspected["bytes_by_part"].as_array().unwrap();
        let bytes_of = |part: &str| -> u64 {
            let part = { parts.iter() }.find(|found| found["part"] == part);
            part.unwrap()["bytes"].as_u64().unwrap()
        };
        let sum: u64 = parts.iter().map(|part| part["bytes"].as_u64().unwrap()).sum();
        assert_eq!(sum, bytes.len() as u64);
        assert_eq!(bytes_of("support instances"), 3 * 2 * value_bytes);
        assert_eq!(bytes_of("coefficients"), 3 * 2);
        for (at, support) in inspected["supports"].as_array().unwrap().iter().enumerate() {
            for (feature, offset, scale) in [(0, 5.0, 0.25), (1, 0.0, 2.0)] {
                let raw = support["values"][feature].as_f64().unwrap();
                let scaled = (raw - offset) * scale;
                assert!((scaled - SUPPORTS[2 * at + feature]).abs() < most, "{scaled}");
            }
            let coefficient = support["coefficient"].as_f64().unwrap();
            assert!((coefficient - spec().coefficients[at]).abs() < 1e-4);
        }
        scratch.pual("inspect m.pual --supports").ok();
    }
}
