//! firmware-example/PORTING.md, followed to the letter in a copy of the sources, up to a board that answers.

use pual_device::serial::{self, Serial};
use pual_device::verify::{Answer, Asker, on_workstation};
use pual_infer::ModelBytes;
use pual_tests::machine::SerialMachine;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PAGE: &str = include_str!("../../firmware-example/PORTING.md");

/// The page's blocks: the paragraph before each, its language, its text.
fn blocks() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut blocks = Vec::new();
    let mut rest = PAGE;
    while let Some((before, block)) = rest.split_once("\n```") {
        let (block, after) = block.split_once("\n```").unwrap();
        let (language, text) = block.split_once('\n').unwrap();
        let paragraph = before.trim().rsplit("\n\n").next().unwrap();
        blocks.push((paragraph, language, text));
        rest = after;
    }
    blocks
}

/// Copies a directory, without what was built in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_file() {
            fs::copy(from, to).unwrap();
        } else if entry.file_name() != "target" {
            copy(&from, &to);
        }
    }
}

/// The sources, in a place where they can be changed.
fn sources() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("porting");
    for directory in ["firmware-example/src", "firmware-example/memory"] {
        let _ = fs::remove_dir_all(place.join(directory));
    }
    copy(&root.join("firmware-example"), &place.join("firmware-example"));
    copy(&root.join("pual-infer"), &place.join("pual-infer"));
    fs::copy(root.join("Cargo.toml"), place.join("Cargo.toml")).unwrap();
    place.join("firmware-example")
}

fn shell(directory: &Path, line: &str) -> Command {
    let mut command = Command::new("sh");
    command.current_dir(directory).args(["-c", line]);
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR", "RUSTC"] {
        command.env_remove(name);
    }
    command
}

#[test]
fn the_page_leads_to_a_board_that_answers() {
    let firmware = sources();
    let (mut written, mut commands) = (0, Vec::new());
    for (paragraph, language, text) in blocks() {
        if language == "sh" {
            commands.extend(text.lines());
            continue;
        }
        // The paragraph names the file first.
        let name = paragraph.split('`').nth(1).unwrap();
        let path = firmware.join(name);
        let before = fs::read_to_string(&path).unwrap_or_default();
        let after = match before.split_once("[features]\n") {
            Some((above, below)) => format!("{above}[features]\n{text}\n{below}"),
            None => format!("{before}\n{text}\n"),
        };
        fs::write(path, after.trim_start()).unwrap();
        written += 1;
    }
    let [build, emulate, verify] = commands[..] else { panic!("{commands:?}") };
    assert_eq!(written, 4);
    assert!(verify.starts_with("pual verify "));

    let output = shell(&firmware, build).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let machine = SerialMachine::boot(&mut shell(&firmware, &format!("exec {emulate}")));

    // As `pual verify` does, with the model that the page says is built in.
    let model = firmware.join("../pual-infer/tests/golden/v1-rbf-named.pual");
    let bytes = ModelBytes::new(&fs::read(model).unwrap());
    let model = bytes.decode().unwrap();
    let port = serial::open(&machine.port, 115_200).unwrap();
    let mut board = Asker::new(Serial::new(port, Duration::from_secs(20)));
    let hello = board.hello().unwrap().unwrap();
    assert_eq!(hello.model_checksum, model.checksum());
    for row in 0..50 {
        let reading = [row as f32 / 4.0, 3.0 - row as f32 / 8.0];
        let answer = board.score(&reading).unwrap().map(Answer::from);
        assert_eq!(answer, on_workstation(&model, &reading).ok(), "row {row}");
    }
}
