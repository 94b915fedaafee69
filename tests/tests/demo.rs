//! The README's first command, end to end: `cargo demo` trains, exports, boots the firmware, leads it through a day and compares bits.

use std::process::Command;

use pual_tests::program::pual;

/// Runs `pual demo` as the alias does, but with the profile of the tests.
fn demo(arguments: &[&str]) -> String {
    let output = Command::new(pual())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .arg("demo")
        .args(arguments)
        .output()
        .unwrap();
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{error}");
    out.into_owned()
}

/// The number after `"key":`.
fn number(json: &str, key: &str) -> f64 {
    let (_, rest) = json.split_once(&format!("\"{key}\":")).unwrap_or_else(|| panic!("no {key} in {json}"));
    rest.trim_start().split([',', '\n', '}']).next().unwrap().trim().parse().unwrap()
}

#[test]
fn the_demo_finds_the_day_s_faults_with_identical_bits() {
    let json = demo(&["--json", "--seed", "5"]);
    assert_eq!(number(&json, "identical_windows"), number(&json, "windows"));
    assert!(number(&json, "windows") > 900.0 && number(&json, "day_samples") > 28_000.0, "{json}");
    // Of the day; before it there are those of the training.
    let day = json.split_once("\"day_samples\"").unwrap().1;
    assert_eq!((number(day, "events"), number(day, "found")), (2.0, 2.0), "{json}");
    assert!(number(&json, "instructions_per_sample") > 10.0 && json.starts_with('{'), "{json}");
}

#[test]
fn without_a_terminal_the_pump_s_alarms_are_lines() {
    let table = demo(&[]);
    assert!(table.lines().all(|line| line.chars().count() < 160) && !table.contains('\x1b'), "{table}");
    let switched = |to: &str| table.lines().filter(|line| line.starts_with("2025-") && line.contains(to)).count();
    assert!(switched("  on ") >= 2 && switched("  off ") >= 2, "{table}");
    assert!(table.contains("2 of 2 faults found"), "{table}");
}

#[test]
fn the_thermometer_s_day_ends_with_identical_bits() {
    let json = demo(&["cold-chain", "--json", "--seed", "5"]);
    assert_eq!(number(&json, "identical_scores"), number(&json, "test_rows"));
    assert!(number(&json, "test_rows") >= 1000.0);
    assert!(number(&json, "f1") > 0.9, "{json}");
    // The live part: readings of a day, all of them the workstation's, and nothing but JSON on standard output.
    assert_eq!(number(&json, "identical"), number(&json, "readings"));
    assert!(number(&json, "readings") > 100.0 && number(&json, "normal") > 50.0);
    assert!(json.starts_with('{') && json.contains("\"delays\""), "{json}");
    assert!(number(&json, "instructions_per_score") > 100.0);
    assert!(number(&json, "model_bytes") < 300.0, "small by default");
}

#[test]
fn the_demo_tells_people() {
    let table = demo(&["cold-chain", "--seed", "6", "--supports", "16"]);
    assert!(table.contains("1,000 of 1,000 scores identical to the bit"), "{table}");
    assert!(table.contains("16 support instances"), "{table}");
    // No terminal: a line for each reading, without an escape sequence; the alarm was on, and was off again.
    let readings: Vec<_> = table.lines().filter(|line| line.get(2..3) == Some(":")).collect();
    let alarms = readings.iter().filter(|line| line.ends_with("ALARM"));
    assert!((10..readings.len() / 2).contains(&alarms.count()), "{table}");
    assert!(!readings.last().unwrap().ends_with("ALARM"), "{table}");
    assert!(!table.contains('\x1b'), "{table}");
    let measured = format!("{0} of {0} temperatures, features", readings.len());
    assert!(table.contains(&measured), "{table}");
}

#[test]
fn the_second_example_scores_scans() {
    let json = demo(&["wifi-rooms", "--json"]);
    assert_eq!(number(&json, "identical_scores"), number(&json, "test_rows"));
    assert!(number(&json, "f1") > 0.85, "{json}");
    assert!(!json.contains("delays"), "{json}");
}

#[test]
fn the_alias_is_the_same_command() {
    let config = include_str!("../../.cargo/config.toml");
    assert!(config.contains("demo = \"run --release --quiet --package pual -- demo\""));
}
