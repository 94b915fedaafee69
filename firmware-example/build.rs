//! Gives the linker the chosen board's memory map, and gives firmware for signed models its key.

use std::{env, fs, path::Path};

fn main() {
    let chosen: Vec<_> = boards()
        .into_iter()
        .filter(|board| env::var_os(format!("CARGO_FEATURE_{}", board.to_uppercase())).is_some())
        .collect();
    let [board] = &chosen[..] else {
        panic!("choose one board: --no-default-features --features {}", boards().join(" | "));
    };
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let map = fs::read_to_string(format!("memory/{board}.x")).expect("it was just listed");
    let model = fs::read_to_string("memory/model.x").expect("the model's section is part of the example");
    fs::write(Path::new(&out).join("memory.x"), map + &model).expect("OUT_DIR can be written to");
    println!("cargo:rustc-link-search={out}");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rerun-if-changed=memory");
    if env::var_os("CARGO_FEATURE_SIGNED").is_some() {
        let trust = format!(
            "const PUBLIC_KEY: [u8; 32] = {:?};\npub const MINIMUM_VERSION: u32 = {};\n",
            public_key(),
            minimum_version()
        );
        fs::write(Path::new(&out).join("trust.rs"), trust).expect("OUT_DIR can be written to");
    }
}

/// Every board has a memory map, and a feature of the same name.
fn boards() -> Vec<String> {
    let files = fs::read_dir("memory").expect("the memory maps are part of the example");
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let mut boards: Vec<_> =
        names.filter_map(|name| name.strip_suffix(".x").map(str::to_owned)).filter(|name| name != "model").collect();
    boards.sort();
    boards
}

fn public_key() -> [u8; 32] {
    println!("cargo:rerun-if-env-changed=PUAL_PUBLIC_KEY");
    let line = env::var("PUAL_PUBLIC_KEY").unwrap_or_default();
    let digits = line.trim().trim_start_matches("pual-public-key-1 ");
    assert!(
        digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()),
        "feature signed: PUAL_PUBLIC_KEY must hold a public key, as in PUAL_PUBLIC_KEY=\"$(cat fleet.public)\""
    );
    std::array::from_fn(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("hexadecimal digits"))
}

fn minimum_version() -> u32 {
    println!("cargo:rerun-if-env-changed=PUAL_MINIMUM_VERSION");
    env::var("PUAL_MINIMUM_VERSION").map_or(0, |version| version.parse().expect("PUAL_MINIMUM_VERSION is a number"))
}
