//! Folders of generated recordings.

use super::Scratch;

#[test]
fn recordings_are_files_of_samples_beside_their_events() {
    let scratch = Scratch::new("machine");
    let machine = "synth machine --recordings 3 --minutes 60";
    scratch.pual(&format!("{machine} -o pump")).ok();
    scratch.pual(&format!("{machine} --counts --truth-column truth -o counts")).ok();
    let text = |name: &str| String::from_utf8(scratch.bytes(name)).unwrap();
    let first = text("pump/pump-1.csv");
    assert!(
        first.starts_with("time,vibration [mm/s],current [A],temperature [C]\n2025-03-03T06:00:00Z,"),
        "{first:.80}"
    );
    assert_eq!(first.lines().count(), 3601);
    // The third logger was off for two minutes.
    assert_eq!(text("pump/pump-3.csv").lines().count(), 3601 - 120);
    let events = text("pump/events.csv");
    assert!(events.starts_with("recording,start,end,kind\npump-1,2025-03-03T06:00:00Z,"), "{events}");
    assert!(events.contains(",normal\n") && events.contains(",fault\n"), "{events}");
    let counts = text("counts/pump-1.csv");
    assert!(counts.starts_with("time,vibration,current,temperature,truth\n"), "{counts:.80}");
    assert!(!counts.contains('.') && counts.contains(",1\n"), "integers, and a fault");
}

#[test]
fn the_same_seed_writes_the_same_files_and_none_is_overwritten() {
    let scratch = Scratch::new("machine-again");
    let machine = "synth machine --recordings 1 --minutes 10 --json";
    let report = scratch.pual(&format!("{machine} -o a")).json();
    assert_eq!((report["samples"].as_u64(), report["recordings"][0].as_str()), (Some(600), Some("pump-1.csv")));
    scratch.pual(&format!("{machine} -o b")).ok();
    assert_eq!(scratch.bytes("a/pump-1.csv"), scratch.bytes("b/pump-1.csv"));
    scratch.write("b/notes.txt", "");
    std::fs::remove_file(scratch.path("b/pump-1.csv")).unwrap();
    scratch.pual(&format!("{machine} -o b")).fails(1, &["b is not empty", "new folder"]);
    scratch.pual(&format!("{machine} -o a")).fails(1, &["a is not empty"]);
    scratch.pual(&format!("{machine} --truth-column time -o c")).fails(2, &["--truth-column", "`time`"]);
    assert!(!scratch.path("c").exists() && !scratch.path("b/pump-1.csv").exists());
}
