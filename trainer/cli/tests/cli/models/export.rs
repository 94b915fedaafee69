//! `pual export`: the sources are compiled, and the program prints the bytes that it has.

use crate::Scratch;
use std::path::Path;
use std::process::Command;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../pual-infer/tests/golden/v1-i16-named.pual");

fn scratch(test: &str) -> (Scratch, Vec<u8>) {
    let scratch = Scratch::new(&format!("export-{test}"));
    let bytes = std::fs::read(Path::new(MODEL)).unwrap();
    std::fs::write(scratch.path("m.pual"), &bytes).unwrap();
    (scratch, bytes)
}

fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output.stdout
}

#[test]
fn rust_holds_the_models_bytes_aligned() {
    let (scratch, bytes) = scratch("rust");
    scratch.pual("export m.pual --format rust -o model.rs").ok();
    // pual-infer's own `Aligned`, and as much around it as it needs: not everything has to be built for this.
    let aligned = concat!(env!("CARGO_MANIFEST_DIR"), "/../../pual-infer/src/format/aligned.rs");
    let main = format!(
        "#![deny(warnings)]
mod format {{ pub mod wire {{ pub const ALIGNMENT: usize = 4; }} }}
#[path = {aligned:?}]
#[allow(unused_macros)]
mod pual_infer;
mod model;
use model::MODEL;
use std::io::Write;
fn main() {{
    assert!((&raw const MODEL.0).addr().is_multiple_of(4));
    std::io::stdout().write_all(&MODEL.0).unwrap();
}}
"
    );
    scratch
        .write("main.rs", &main.replace("mod model;", "mod model { use crate::pual_infer; include!(\"model.rs\"); }"));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut compile = Command::new(rustc);
    compile.current_dir(&scratch.0);
    run(compile.args(["--edition", "2024", "-o", "program", "main.rs"]));
    assert_eq!(run(&mut Command::new(scratch.path("program"))), bytes);
}

#[test]
fn c_and_cpp_hold_the_models_bytes_aligned() {
    let (scratch, bytes) = scratch("c");
    let command = "export m.pual --format c --name fridge -o fridge.c --json";
    assert_eq!(scratch.pual(command).json()["model_bytes"], bytes.len());
    scratch.write(
        "main.c",
        "#include <stdint.h>
#include <stdio.h>
extern const unsigned char fridge[];
extern const unsigned long fridge_length;
int main(void) {
    if ((uintptr_t)fridge % 4 != 0) return 1;
    return fwrite(fridge, 1, fridge_length, stdout) != fridge_length;
}
",
    );
    // What C++ compiles must be found by C.
    for (compiler, standard, language) in
        [("cc", "-std=c89", "c"), ("cc", "-std=c11", "c"), ("cc", "-std=c++11", "c++")]
    {
        let compile = |file: &str, language: &str, standard: &str, object: &str| {
            let mut command = Command::new(compiler);
            command.current_dir(&scratch.0);
            command.args(["-Wall", "-Wextra", "-Werror", "-x", language, standard]);
            run(command.args(["-c", file, "-o", object]));
        };
        compile("fridge.c", language, standard, "fridge.o");
        compile("main.c", "c", "-std=c11", "main.o");
        let mut link = Command::new(compiler);
        run(link.current_dir(&scratch.0).args(["fridge.o", "main.o", "-o", "program"]));
        assert_eq!(run(&mut Command::new(scratch.path("program"))), bytes, "{standard}");
    }
}

#[test]
fn what_cannot_be_exported_is_said() {
    let (scratch, _) = scratch("errors");
    scratch.pual("export m.pual -o m.rs").fails(2, &["--format"]);
    let named = |name: &str| format!("export m.pual --format c --name {name} -o m.c");
    for name in ["7up", "a-b", "é"] {
        scratch.pual(&named(name)).fails(2, &["--name", "not starting with a digit"]);
    }
    scratch.write("no.pual", "what?");
    scratch.pual("export no.pual --format rust -o m.rs").fails(1, &["no.pual is not a usable model"]);
    assert_eq!(scratch.files(), ["m.pual", "no.pual"]);
}
