//! `pual flash` to emulated boards, as a programmer would: the firmware is there already, the file is loaded beside it by QEMU,
//! and the board is asked over its serial port.

use super::{Scratch, flash};
use pual_device::bench::random_model;
use pual_device::firmware::{Board, UPDATABLE, build, need_qemu, sources};
use pual_infer::Encoding;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A machine whose UART is a pseudo-terminal. It ends with this.
struct Machine {
    qemu: Child,
    port: String,
}

impl Machine {
    fn boot(scratch: &Scratch, machine: &str, arguments: &str) -> Self {
        need_qemu().unwrap();
        let mut qemu = Command::new("qemu-system-arm")
            .current_dir(&scratch.0)
            .args(["-M", machine, "-display", "none", "-monitor", "none"])
            .args(["-semihosting-config", "enable=on,target=native"])
            .args(arguments.split_whitespace())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut stdout = BufReader::new(qemu.stdout.take().unwrap());
        // "char device redirected to /dev/pts/3 (label serial0)"
        while !said.contains("/dev/") {
            said.clear();
            assert_ne!(
                stdout.read_line(&mut said).unwrap(),
                0,
                "QEMU ended: {said}"
            );
        }
        let port = said
            .split_whitespace()
            .find(|word| word.starts_with("/dev/"));
        let port = port.unwrap().to_owned();
        // Nobody reads further, and nothing is said further.
        std::mem::forget(stdout);
        // What comes before the firmware has turned its UART on is lost: `pual` would ask again, after a while.
        std::thread::sleep(Duration::from_secs(1));
        Self { qemu, port }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
    }
}

fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(&format!("boot-{test}"));
    let rows: Vec<_> = (0..50)
        .map(|row| format!("{},{}\n", row % 7, row % 11))
        .collect();
    scratch.write("rows.csv", &format!("a,b\n{}", rows.concat()));
    for (name, supports) in [("m.pual", 30), ("other.pual", 9)] {
        let model = random_model(supports, 2, Encoding::F32).unwrap();
        std::fs::write(scratch.path(name), &*model).unwrap();
    }
    scratch
}

/// The example firmware for the STM32F4, which is none of the boards that `pual` boots by itself.
fn stm32f4_firmware() -> PathBuf {
    let sources = sources().unwrap();
    let target = "thumbv7em-none-eabihf";
    let directory = sources.join("target/stm32f4");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&sources);
    cargo.args([
        "build",
        "--release",
        "--quiet",
        "--locked",
        "--no-default-features",
    ]);
    cargo.args([
        "--features",
        "stm32f4",
        "--bin",
        "firmware-example",
        "--target",
        target,
    ]);
    cargo.arg("--target-dir").arg(&directory);
    cargo.env("RUSTC_WRAPPER", sources.join("rustc.sh"));
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_TARGET_DIR",
        "RUSTC",
    ] {
        cargo.env_remove(name);
    }
    assert!(cargo.status().unwrap().success());
    directory.join(target).join("release/firmware-example")
}

#[test]
fn a_firmware_without_a_model_runs_the_one_that_is_flashed_beside_it() {
    let scratch = scratch("region");
    let firmware = stm32f4_firmware();
    let without = scratch.path("firmware.hex");
    let (firmware, without) = (firmware.to_str().unwrap(), without.to_str().unwrap());
    let arguments = ["-I", "elf32-little", "-O", "ihex", "-R", ".model"];
    flash::tool("objcopy", &[&arguments[..], &[firmware, without]].concat());
    for file in ["m.elf", "m.hex", "m.bin"] {
        let flashed = scratch.pual(&format!("flash m.pual --chip stm32f405 -o {file} --json"));
        let address = flashed.json()["address"].as_str().unwrap().to_owned();
        let raw = if file == "m.bin" {
            format!(",addr={address},force-raw=on")
        } else {
            String::new()
        };
        // The firmware's USART2 is the machine's second.
        let arguments = format!(
            "-serial null -serial pty -device loader,file=firmware.hex -device loader,file={file}{raw}"
        );
        let machine = Machine::boot(&scratch, "netduinoplus2", &arguments);
        let verify = |model: &str| {
            let port = &machine.port;
            scratch.pual(&format!(
                "verify {model} rows.csv --device serial:{port} --timeout 15 --json"
            ))
        };
        let report = verify("m.pual").json();
        assert_eq!(report["identical"], 50, "{file}");
        assert_eq!(report["cost_unit"], "cycles");
        verify("other.pual").fails(1, &["runs another model"]);
    }
}

#[test]
fn a_store_boots_the_slots_that_are_flashed() {
    let scratch = scratch("slots");
    let firmware = build(Board::CortexM4F, UPDATABLE).unwrap_or_else(|error| panic!("{error}"));
    let boot = |files: &[&str]| {
        let loaders = files
            .iter()
            .map(|file| format!(" -device loader,file={file}"));
        let arguments = format!("-kernel {} -serial pty", firmware.display());
        Machine::boot(
            &scratch,
            "mps2-an386",
            &(arguments + &loaders.collect::<String>()),
        )
    };
    let flash = |arguments: &str| scratch.pual(&format!("flash {arguments} --chip mps2")).ok();
    let status = |machine: &Machine| {
        let port = &machine.port;
        scratch
            .pual(&format!("push --status --device serial:{port} --json"))
            .json()
    };
    let verify = |machine: &Machine, model: &str| {
        let port = &machine.port;
        let run = scratch.pual(&format!(
            "verify {model} rows.csv --device serial:{port} --timeout 15 --json"
        ));
        assert_eq!(run.json()["identical"], 50);
    };
    flash("m.pual --slot a --model-version 5 -o a.elf");
    flash("other.pual --slot b -o b.hex");
    flash("other.pual --slot b --sequence 2 -o newer-b.hex");

    let machine = boot(&["a.elf"]);
    let found = status(&machine);
    assert_eq!(
        (&found["runs"], &found["model_version"]),
        (&"first".into(), &5.into())
    );
    verify(&machine, "m.pual");

    let machine = boot(&["b.hex"]);
    assert_eq!(status(&machine)["runs"], "second");
    verify(&machine, "other.pual");

    // The newer one runs, and an update goes to the other slot.
    let machine = boot(&["a.elf", "newer-b.hex"]);
    let found = status(&machine);
    assert_eq!(
        (&found["runs"], &found["sequence"]),
        (&"second".into(), &2.into())
    );
    assert_eq!(found["first_slot"], "older than the other");
    let port = &machine.port;
    let pushed = scratch
        .pual(&format!("push m.pual --device serial:{port} --json"))
        .json();
    assert_eq!(
        (&pushed["runs"], &pushed["sequence"]),
        (&"first".into(), &3.into())
    );
    verify(&machine, "m.pual");
}
