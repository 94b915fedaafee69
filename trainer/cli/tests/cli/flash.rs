//! `pual flash`: the files, read back by tools that are not ours.

use super::Scratch;
use super::device::write_model;
use pual_device::chips::CHIPS;
use pual_infer::{Encoding, ModelBytes};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// A directory with a model whose length is no multiple of anything.
fn scratch(test: &str) -> (Scratch, ModelBytes) {
    let scratch = Scratch::new(&format!("flash-{test}"));
    let model = write_model(&scratch, "m.pual", 61, 3, Encoding::I8);
    (scratch, model)
}

/// Where Rust is installed.
static SYSROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let path = String::from_utf8(output.unwrap().stdout).unwrap();
    path.trim().into()
});

/// What a tool prints.
pub fn tool(program: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    // Rust's objcopy has its library there.
    command.env("LD_LIBRARY_PATH", SYSROOT.join("lib"));
    let output = command
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; GNU's come with: apt-get install binutils"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// LLVM's objcopy, as it comes with Rust.
fn rust_objcopy() -> String {
    let host = tool("rustc", &["-vV"]);
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let path = SYSROOT.join("lib/rustlib").join(host.unwrap());
    path.join("bin/rust-objcopy").to_str().unwrap().to_owned()
}

/// A UF2 file by its specification: family, address of the first byte, bytes.
fn read_uf2(file: &[u8]) -> (u32, u32, Vec<u8>) {
    assert!(file.len().is_multiple_of(512) && !file.is_empty());
    let blocks = file.chunks(512);
    let count = blocks.len();
    let mut bytes = Vec::new();
    let (mut family, mut start) = (None, None);
    for (number, block) in blocks.enumerate() {
        let word = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap());
        assert_eq!(&block[..4], b"UF2\n");
        assert_eq!((word(4), word(508)), (0x9E5D_5157, 0x0AB1_6F30));
        // The family is given, and the block is for flash.
        assert_eq!(word(8), 0x2000);
        let (address, length) = (word(12), word(16) as usize);
        assert!(length <= 476 && address.is_multiple_of(256));
        assert_eq!((word(20) as usize, word(24) as usize), (number, count));
        assert_eq!(*family.get_or_insert(word(28)), word(28));
        assert_eq!(address as usize, *start.get_or_insert(address) as usize + bytes.len());
        bytes.extend_from_slice(&block[32..32 + length]);
    }
    (family.unwrap(), start.unwrap(), bytes)
}

#[test]
fn every_format_read_back_by_other_tools_is_the_plain_file() {
    let (scratch, model) = scratch("formats");
    let path = |name: &str| scratch.path(name).to_str().unwrap().to_owned();
    let rust_objcopy = rust_objcopy();
    for chip in &CHIPS {
        for (slot, start) in [
            ("", chip.model.start),
            ("--slot a", chip.slots[0].start),
            ("--slot b --sequence 7 --model-version 3", chip.slots[1].start),
        ] {
            let write = |file: &str| {
                let command = format!("flash m.pual --chip {} {slot} -o {file} --json", chip.name);
                scratch.pual(&command)
            };
            let report = write("m.bin").json();
            assert_eq!(report["address"], format!("{start:#010x}"));
            let plain = scratch.bytes("m.bin");
            assert_eq!(report["filled_to"], plain.len());
            match slot {
                // All of the region: of a longer model nothing is left.
                "" => {
                    assert!(plain.starts_with(&model) && plain.len() == chip.model.len());
                    assert!(plain[model.len()..].iter().all(|&byte| byte == 0xFF));
                }
                _ => assert!(plain.starts_with(b"PSLT") && plain.len().is_multiple_of(32)),
            }

            write("m.hex").ok();
            write("m.elf").ok();
            for objcopy in ["objcopy", &rust_objcopy] {
                let read_back = |file: &str, from: &[&str]| {
                    let (file, back) = (path(file), path("back"));
                    tool(objcopy, &[from, &["-O", "binary", &file, &back]].concat());
                    scratch.bytes("back")
                };
                assert!(read_back("m.hex", &["-I", "ihex"]) == plain, "{objcopy}, hex of {}", chip.name);
                // A GNU objcopy for other processors is told that it is ELF.
                let from: &[&str] = match objcopy {
                    "objcopy" => &["-I", "elf32-little"],
                    _ => &[],
                };
                assert!(read_back("m.elf", from) == plain, "{objcopy}, elf of {}", chip.name);
            }
            let segments = tool("readelf", &["-lW", &path("m.elf")]);
            let load: Vec<_> = { segments.lines() }.filter(|line| line.trim().starts_with("LOAD")).collect();
            let words: Vec<_> = load[0].split_whitespace().collect();
            let (address, length) = (format!("{start:#010x}"), format!("{:#07x}", plain.len()));
            assert_eq!((load.len(), words[2], words[3]), (1, &*address, &*address));
            assert_eq!((words[4], words[5]), (&*length, &*length));
            let sections = tool("objdump", &["-h", &path("m.hex")]);
            assert!(sections.contains(&format!("{start:08x}")), "{sections}");

            match chip.uf2_family {
                None => write("m.uf2").fails(1, &[chip.name, "no UF2 family"]),
                Some(family) => {
                    write("m.uf2").ok();
                    let (found, address, bytes) = read_uf2(&scratch.bytes("m.uf2"));
                    assert_eq!((found, address), (family, start));
                    let (image, filling) = bytes.split_at(plain.len());
                    assert!(image == plain && filling.iter().all(|&byte| byte == 0xFF));
                    assert!(bytes.len().is_multiple_of(4096) && filling.len() < 4096);
                }
            }
        }
    }
}

#[test]
fn the_families_are_the_registered_ones() {
    for (name, family) in [("stm32f411", 0x57755a57), ("nrf52840", 0xada52840), ("rp2040", 0xe48bff56)] {
        let chip = CHIPS.iter().find(|chip| chip.name == name).unwrap();
        assert_eq!(chip.uf2_family, Some(family));
    }
}

#[test]
fn the_commands_are_the_ones_to_type_and_run_runs_them() {
    let (scratch, _) = scratch("run");
    let flash = |arguments: &str| scratch.pual(&format!("flash m.pual {arguments}"));
    let download = "probe-rs download --chip STM32F411RETx --binary-format bin --base-address 0x08010000 m.bin";
    flash("--chip stm32f411 -o m.bin").says(&[download, "probe-rs reset --chip STM32F411RETx"]);
    flash("--chip STM32F411CEUx --address 0x0804_0000 --fill 4096 -o m.hex")
        .says(&["probe-rs download --chip STM32F411CEUx --binary-format hex m.hex"]);
    flash("--chip rp2040 -o m.uf2").says(&["copy it to the bootloader's drive"]);
    flash("--chip mps2 --slot b -o m.bin").says(&["loader,file=m.bin,addr=0x21010000,force-raw=on"]);

    // Without probe-rs, and with one that writes down what it is asked.
    let run = |program: &str| {
        std::fs::create_dir_all(scratch.path("programs")).unwrap();
        if !program.is_empty() {
            let path = scratch.path("programs/probe-rs");
            std::fs::write(&path, program).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut command = scratch.command("flash m.pual --chip rp2040 -o m.elf --run --json");
        command.env("PATH", scratch.path("programs"));
        super::Run(command.output().unwrap())
    };
    let missing = run("");
    missing.fails(1, &["cargo install probe-rs-tools", "probe-rs download --chip RP2040"]);
    assert!(scratch.path("m.elf").is_file());
    let report = run("#!/bin/sh\necho \"$@\" >>asked\necho said\n").json();
    assert_eq!(report["flashed"], true);
    assert_eq!(
        String::from_utf8(scratch.bytes("asked")).unwrap(),
        "download --chip RP2040 --binary-format elf m.elf\nreset --chip RP2040\n"
    );
    run("#!/bin/sh\nexit 3\n").fails(1, &["`probe-rs download --chip RP2040", "failed"]);
}

#[test]
fn what_cannot_be_flashed_is_said() {
    let (scratch, _) = scratch("errors");
    scratch.write("no.pual", "what?");
    write_model(&scratch, "large.pual", 5000, 3, Encoding::F32);
    #[rustfmt::skip]
    let cases: [(i32, &str, &[&str]); 15] = [
        (2, "m.pual --chip z80 -o m.bin", &["--chip", "stm32f411", "nrf52840", "rp2040"]),
        (2, "m.pual --chip rp2040 -o m.img", &["m.img", ".uf2", "--format"]),
        (2, "m.pual --chip rp2040 --address zero -o m.bin", &["--address", "0x08010000"]),
        (2, "m.pual --chip rp2040 --sequence 2 -o m.bin", &["--slot"]),
        (2, "m.pual --chip mps2 --run -o m.bin", &["mps2 is emulated"]),
        (1, "m.pual --chip nrf52840 --address 0x100000 -o m.bin", &["0x00100000 is not in the flash of nrf52840: 0x00000000 to 0x00100000"]),
        (1, "m.pual --chip rp2040 --address 0x10080002 -o m.bin", &["multiple of 4 "]),
        (1, "m.pual --chip rp2040 --slot a --address 0x10080010 -o m.bin", &["multiple of 32 "]),
        (1, "m.pual --chip rp2040 --address 0x10080100 -o m.uf2", &["multiple of 4096"]),
        (1, "m.pual --chip rp2040 --fill 100 -o m.bin", &["--fill has 100"]),
        (1, "m.pual --chip rp2040 --fill 70000 -o m.bin", &["--fill 70000", "has 65,536 bytes"]),
        (1, "m.pual --chip rp2040 -o nowhere/m.bin", &["no directory nowhere"]),
        (1, "large.pual --chip rp2040 -o m.bin", &["large.pual takes", "the model's region of rp2040 has 65,536", "pual compress"]),
        (1, "large.pual --chip nrf51822 --slot b -o m.bin", &["slot b of nrf51822 has 32,768"]),
        (1, "no.pual --chip rp2040 -o m.bin", &["no.pual is not a usable model"]),
    ];
    for (code, arguments, message) in cases {
        scratch.pual(&format!("flash {arguments}")).fails(code, message);
    }
    assert_eq!(scratch.files(), ["large.pual", "m.pual", "no.pual"]);
}
