//! `pual flash` to emulated boards, as a programmer would do it: the firmware is there already, QEMU loads the file next to it,
//! and the board is asked over its serial port.

use super::device::write_model;
use super::{Scratch, flash};
use pual_device::firmware::{Board, UPDATABLE, build, build_for};
use pual_infer::Encoding;
use pual_tests::machine::SerialMachine;
use std::process::Command;

fn boot(scratch: &Scratch, machine: &str, arguments: &str) -> SerialMachine {
    let mut qemu = Command::new("qemu-system-arm");
    qemu.current_dir(&scratch.0);
    qemu.args(["-M", machine, "-display", "none", "-monitor", "none"]);
    qemu.args(["-semihosting-config", "enable=on,target=native"]);
    SerialMachine::boot(qemu.args(arguments.split_whitespace()))
}

fn verify(scratch: &Scratch, machine: &SerialMachine, model: &str) -> super::Run {
    let port = machine.port.display();
    scratch.pual(&format!("verify {model} rows.csv --device serial:{port} --timeout 15 --json"))
}

fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(&format!("boot-{test}"));
    let rows: Vec<_> = (0..50).map(|row| format!("{},{}\n", row % 7, row % 11)).collect();
    scratch.write("rows.csv", &format!("a,b\n{}", rows.concat()));
    for (name, supports) in [("m.pual", 30), ("other.pual", 9)] {
        write_model(&scratch, name, supports, 2, Encoding::F32);
    }
    scratch
}

#[test]
fn a_firmware_without_a_model_runs_the_one_that_is_flashed_beside_it() {
    let scratch = scratch("region");
    // None of the boards that `pual` boots by itself.
    let firmware = build_for("stm32f4", "thumbv7em-none-eabihf", "firmware-example");
    let firmware = firmware.unwrap_or_else(|error| panic!("{error}"));
    let without = scratch.path("firmware.hex");
    let (firmware, without) = (firmware.to_str().unwrap(), without.to_str().unwrap());
    let arguments = ["-I", "elf32-little", "-O", "ihex", "-R", ".model"];
    flash::tool("objcopy", &[&arguments[..], &[firmware, without]].concat());
    for file in ["m.elf", "m.hex", "m.bin"] {
        let flashed = scratch.pual(&format!("flash m.pual --chip stm32f405 -o {file} --json"));
        let address = flashed.json()["address"].as_str().unwrap().to_owned();
        let raw = match file {
            "m.bin" => format!(",addr={address},force-raw=on"),
            _ => String::new(),
        };
        // The firmware's USART2 is the machine's second.
        let arguments =
            format!("-serial null -serial pty -device loader,file=firmware.hex -device loader,file={file}{raw}");
        let machine = boot(&scratch, "netduinoplus2", &arguments);
        let report = verify(&scratch, &machine, "m.pual").json();
        assert_eq!(report["identical"], 50, "{file}");
        assert_eq!(report["cost_unit"], "cycles");
        verify(&scratch, &machine, "other.pual").fails(1, &["runs another model"]);
    }
}

#[test]
fn a_store_boots_the_slots_that_are_flashed() {
    let scratch = scratch("slots");
    let firmware = build(Board::CortexM4F, UPDATABLE).unwrap_or_else(|error| panic!("{error}"));
    let boot_with = |files: &[&str]| {
        let loaders = files.iter().map(|file| format!(" -device loader,file={file}"));
        let arguments = format!("-kernel {} -serial pty", firmware.display());
        let arguments = arguments + &loaders.collect::<String>();
        boot(&scratch, "mps2-an386", &arguments)
    };
    let flash = |arguments: &str| scratch.pual(&format!("flash {arguments} --chip mps2")).ok();
    let push = |machine: &SerialMachine, arguments: &str| {
        let port = machine.port.display();
        scratch.pual(&format!("push {arguments} --device serial:{port} --json")).json()
    };
    let status = |machine: &SerialMachine| push(machine, "--status");
    let runs = |machine: &SerialMachine, model: &str| {
        let report = verify(&scratch, machine, model).json();
        assert_eq!(report["identical"], 50);
    };
    flash("m.pual --slot a --model-version 5 -o a.elf");
    flash("other.pual --slot b -o b.hex");
    flash("other.pual --slot b --sequence 2 -o newer-b.hex");

    let machine = boot_with(&["a.elf"]);
    let found = status(&machine);
    assert_eq!((&found["runs"], &found["model_version"]), (&"first".into(), &5.into()));
    runs(&machine, "m.pual");

    let machine = boot_with(&["b.hex"]);
    assert_eq!(status(&machine)["runs"], "second");
    runs(&machine, "other.pual");

    // The newer one runs, and an update goes to the other slot.
    let machine = boot_with(&["a.elf", "newer-b.hex"]);
    let found = status(&machine);
    assert_eq!((&found["runs"], &found["sequence"]), (&"second".into(), &2.into()));
    assert_eq!(found["first_slot"], "older than the other");
    let pushed = push(&machine, "m.pual");
    assert_eq!((&pushed["runs"], &pushed["sequence"]), (&"first".into(), &3.into()));
    runs(&machine, "m.pual");
}
