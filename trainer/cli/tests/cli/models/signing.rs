//! Keys and signed models on the command line.

use crate::Scratch;
use std::path::Path;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../pual-infer/tests/golden/v1-rbf-named.pual");

/// A scratch directory with keys and a model in it.
fn with_keys(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    std::fs::copy(Path::new(MODEL), scratch.path("m.pual")).unwrap();
    scratch.pual("keygen -o fleet").ok();
    scratch
}

#[test]
fn what_is_signed_is_verified() {
    let scratch = with_keys("signing");
    let said = scratch.pual("sign m.pual --key fleet.secret --model-version 3 -o m.signed --json").ok();
    assert!(said.contains("\"model_version\": 3") && said.contains("\"bytes\": 258"));
    let said = scratch.pual("verify-signature m.signed --key fleet.public --minimum-version 3").ok();
    assert!(said.contains("2 features"), "{said}");
    let model = scratch.bytes("m.pual");
    let signed = scratch.bytes("m.signed");
    assert_eq!(signed[..model.len()], model);
    // The same again gives the same bytes.
    scratch.pual("sign m.pual --key fleet.secret --model-version 3 -o again.signed").ok();
    assert_eq!(scratch.bytes("again.signed"), signed);
}

#[test]
fn older_unsigned_forged_and_foreign_models_are_refused() {
    let scratch = with_keys("refusals");
    scratch.pual("sign m.pual --key fleet.secret --model-version 3 -o m.signed").ok();
    let verify = |arguments: &str| scratch.pual(&format!("verify-signature {arguments}"));
    verify("m.signed --key fleet.public --minimum-version 4").fails(3, &["m.signed", "3, is too old"]);
    verify("m.pual --key fleet.public").fails(3, &["m.pual", "not signed"]);
    scratch.pual("keygen -o other").ok();
    verify("m.signed --key other.public").fails(3, &["does not match the model and the key"]);
    let mut forged = scratch.bytes("m.signed");
    forged[40] ^= 1;
    std::fs::write(scratch.path("forged"), forged).unwrap();
    verify("forged --key fleet.public").fails(3, &["forged", "does not match"]);
    verify("m.signed --key fleet.secret").fails(1, &["--key", "fleet.secret is not a public key"]);
    verify("missing --key fleet.public").fails(1, &["missing"]);
    let sign = "sign m.pual --model-version 1 -o out --key";
    scratch.pual(&format!("{sign} fleet.public")).fails(1, &["fleet.public is not a secret key"]);
    scratch.write("text", "hello");
    scratch
        .pual("sign text --model-version 1 -o out --key fleet.secret")
        .fails(1, &["text", "not a model that a device could run"]);
    assert!(!scratch.files().contains(&"out".to_owned()));
}

#[test]
fn keys_are_never_overwritten() {
    let scratch = with_keys("keys");
    let read = || scratch.bytes("fleet.secret");
    let before = read();
    scratch.pual("keygen -o fleet").fails(1, &["fleet.secret already exists"]);
    assert_eq!(read(), before);
    // Half a pair is not written either.
    std::fs::remove_file(scratch.path("fleet.secret")).unwrap();
    scratch.pual("keygen -o fleet").fails(1, &["fleet.public already exists"]);
    assert_eq!(scratch.files(), ["fleet.public", "m.pual"]);
    scratch.pual("keygen -o nowhere/fleet").fails(1, &["nowhere"]);
    // Two pairs differ.
    scratch.pual("keygen -o a").ok();
    scratch.pual("keygen -o b").ok();
    let public = |name: &str| scratch.bytes(name);
    assert_ne!(public("a.public"), public("b.public"));
}

#[cfg(unix)]
#[test]
fn a_secret_key_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = with_keys("mode");
    let mode = |name: &str| {
        let metadata = std::fs::metadata(scratch.path(name)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode("fleet.secret"), 0o600);
}

#[test]
fn a_signed_model_is_a_model() {
    let scratch = Scratch::with_model("signed-model");
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
    scratch.pual("evaluate m.signed train.csv --label-column label").ok();
    // What is smaller is not signed.
    scratch.pual("compress m.signed --rows train.csv --supports 2 -o s.pual").ok();
    assert!(scratch.pual("inspect s.pual --json").json()["signed_version"].is_null());
    // A new signature replaces the old one.
    let sign = "--key fleet.secret -o again.signed --model-version";
    scratch.pual(&format!("sign m.signed {sign} 4")).ok();
    let again = scratch.bytes("again.signed");
    assert_eq!(again.len(), scratch.bytes("m.signed").len());
    scratch.pual("verify-signature again.signed --key fleet.public --minimum-version 4").ok();
}
