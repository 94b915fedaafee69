//! `pual push`, to an emulated board and over a pseudo-terminal with a simulated device at its other end.

use super::device::write_model;
use super::{Scratch, port};
use pual_infer::Encoding;
use pual_trainer::signing::{KeyPair, hexadecimal};

#[path = "../../../../pual-infer/protocol/tests/device/mod.rs"]
mod device;
use device::{Device, model};

/// The port of a device that loses one byte in this many.
fn simulated(loses: usize) -> String {
    port::played_by(move || {
        let mut device = Device::new();
        let mut line = port::losing(loses);
        move |bytes| device.hear(&line(bytes))
    })
}

#[test]
fn a_serial_port_takes_models_and_tells_what_runs() {
    let scratch = Scratch::new("push-serial");
    let port = simulated(0);
    std::fs::write(scratch.path("a.pual"), &*model(4)).unwrap();
    std::fs::write(scratch.path("b.pual"), &*model(3)).unwrap();
    let push = |arguments: &str| {
        let command = format!("push {arguments} --json --device serial:{port}");
        scratch.pual(&command)
    };
    let status = push("--status").json();
    assert_eq!((&status["runs"], &status["sequence"]), (&"built-in".into(), &0.into()));
    let pushed = push("a.pual --model-version 4").json();
    assert_eq!(pushed["runs"], "first");
    assert_eq!(pushed["model_version"], 4);
    assert_eq!(pushed["model_bytes"], model(4).len());
    assert_eq!(pushed["second_slot"], "empty");
    assert_eq!(push("b.pual").json()["runs"], "second");
    let back = push("--rollback").json();
    assert_eq!((&back["runs"], &back["sequence"]), (&"first".into(), &3.into()));
    assert_eq!(back["second_slot"], "older than the other");

    write_model(&scratch, "wide.pual", 5, 3, Encoding::I8);
    push("wide.pual").fails(1, &["its readings have 2 features"]);
    assert_eq!(push("--status").json()["runs"], "first");
}

#[test]
fn a_port_that_loses_bytes_is_made_good() {
    let scratch = Scratch::new("push-losses");
    let port = simulated(700);
    std::fs::write(scratch.path("a.pual"), &*model(4)).unwrap();
    let command = format!("push a.pual --json --device serial:{port}");
    let pushed = scratch.pual(&command).json();
    assert_eq!(pushed["runs"], "first");
    assert!(pushed["repeated_commands"].as_u64().unwrap() > 0);
}

#[test]
fn an_emulated_board_keeps_its_models() {
    let scratch = Scratch::new("push-qemu");
    for (name, supports) in [("a.pual", 20), ("b.pual", 90)] {
        write_model(&scratch, name, supports, 3, Encoding::F32);
    }
    let push = |arguments: &str| scratch.pual(&format!("push {arguments} --device qemu"));
    push("--status").fails(1, &["push a model first"]);
    assert_eq!(push("a.pual --json").json()["runs"], "first");
    assert_eq!(push("b.pual --json").json()["runs"], "second");
    assert_eq!(push("--status --json").json()["sequence"], 2);
    assert_eq!(push("--rollback --json").json()["runs"], "first");
    let told = push("--status").ok();
    assert!(told.contains("second slot  older than the other"), "{told}");
}

#[test]
fn wrong_devices_are_named() {
    let scratch = Scratch::new("push-devices");
    scratch.write("a.pual", "");
    for (device, message) in [
        ("usb", "expected qemu, qemu:an385 or serial:PATH"),
        ("serial:", "expected qemu, qemu:an385 or serial:PATH"),
        ("qemu:an500", "choose one of an386, an385"),
    ] {
        let run = scratch.pual(&format!("push --status --device {device}"));
        run.fails(2, &[message]);
    }
    let run = scratch.pual("push --status --device serial:a.pual");
    run.fails(1, &["a.pual is not a serial port"]);
    let run = scratch.pual("push a.pual --device qemu");
    run.fails(1, &["a.pual is not a usable model"]);
    assert_eq!(scratch.files(), ["a.pual"]);
}

#[test]
fn a_board_with_a_key_takes_signed_models_only() {
    let scratch = Scratch::new("push-signed");
    for (name, supports) in [("a.pual", 20), ("b.pual", 30)] {
        write_model(&scratch, name, supports, 3, Encoding::F32);
    }
    // One key for all tests, so that the firmware is built once.
    for (name, digits) in [("fleet.secret", "07"), ("other.secret", "08")] {
        let line = format!("pual-secret-key-1 {}\n", digits.repeat(32));
        scratch.write(name, &line);
    }
    let public = KeyPair::new(&[7; 32]).public();
    scratch.write("fleet.public", &format!("pual-public-key-1 {}\n", hexadecimal(&public)));
    for (model, key, version, signed) in [
        ("a.pual", "fleet", 3, "a.signed"),
        ("b.pual", "fleet", 2, "older.signed"),
        ("b.pual", "fleet", 4, "b.signed"),
        ("b.pual", "other", 4, "other.signed"),
    ] {
        let run = format!("sign {model} --key {key}.secret --model-version {version} -o {signed}");
        scratch.pual(&run).ok();
    }
    let push = |arguments: &str| scratch.pual(&format!("push {arguments} --device qemu"));
    push("other.signed --public-key fleet.public").fails(1, &["does not match --public-key"]);
    push("a.pual --public-key fleet.public").fails(1, &["does not match --public-key"]);
    push("a.signed --model-version 4 --public-key fleet.public")
        .fails(1, &["is signed as version 3, --model-version says 4"]);
    let pushed = push("a.signed --public-key fleet.public --json").json();
    assert_eq!((&pushed["runs"], &pushed["model_version"]), (&"first".into(), &3.into()));
    // The board keeps its key; without the flag it is the device that refuses.
    assert_eq!(push("b.signed --json").json()["model_version"], 4);
    push("--rollback").fails(1, &["the signature is wrong, or the version is too old"]);
    for refused in ["b.pual", "other.signed", "older.signed"] {
        push(refused).fails(1, &["the signature is wrong, or the version is too old"]);
        assert_eq!(push("--status --json").json()["model_version"], 4);
    }
    assert_eq!(push("--status --json").json()["model_version"], 4);
}
