//! Gives the linker the chosen board's memory map.

use std::{env, fs, path::Path};

const BOARDS: [&str; 6] = ["mps2", "an505", "microbit", "nrf52840", "rp2040", "stm32f4"];

fn main() {
    let chosen: Vec<_> = BOARDS
        .into_iter()
        .filter(|board| env::var_os(format!("CARGO_FEATURE_{}", board.to_uppercase())).is_some())
        .collect();
    let [board] = chosen[..] else {
        panic!(
            "choose one board: --no-default-features --features {}",
            BOARDS.join(" | ")
        );
    };
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let memory = format!("memory/{board}.x");
    let map = fs::read_to_string(&memory).expect("every board has a memory map");
    let model =
        fs::read_to_string("memory/model.x").expect("the model's section is part of the example");
    fs::write(Path::new(&out).join("memory.x"), map + &model).expect("OUT_DIR can be written to");
    println!("cargo:rustc-link-search={out}");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rerun-if-changed={memory}");
    println!("cargo:rerun-if-changed=memory/model.x");
}
