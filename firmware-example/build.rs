//! Gives the linker the chosen board's memory map.

use std::{env, fs, path::Path};

fn main() {
    let chosen: Vec<_> = boards()
        .into_iter()
        .filter(|board| env::var_os(format!("CARGO_FEATURE_{}", board.to_uppercase())).is_some())
        .collect();
    let [board] = &chosen[..] else {
        panic!(
            "choose one board: --no-default-features --features {}",
            boards().join(" | ")
        );
    };
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let map = fs::read_to_string(format!("memory/{board}.x")).expect("it was just listed");
    let model =
        fs::read_to_string("memory/model.x").expect("the model's section is part of the example");
    fs::write(Path::new(&out).join("memory.x"), map + &model).expect("OUT_DIR can be written to");
    println!("cargo:rustc-link-search={out}");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rerun-if-changed=memory");
}

/// Every board has a memory map, and a feature of the same name.
fn boards() -> Vec<String> {
    let files = fs::read_dir("memory").expect("the memory maps are part of the example");
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let mut boards: Vec<_> = names
        .filter_map(|name| name.strip_suffix(".x").map(str::to_owned))
        .filter(|name| name != "model")
        .collect();
    boards.sort();
    boards
}
