//! Recordings of raw samples: train, score, evaluate, inspect, and what is wrong with files and flags.

use crate::{QUICK, Scratch};
use std::fmt::Write as _;

/// The times and calls of a quick model are of no interest, its way through the commands is.
const TRAIN: &str = "train logs --window 20s --hop 10s --events events.csv --truth-column broken --ignore note";

impl Scratch {
    /// Logs of two channels at 1 Hz with decimal commas; the first channel is higher during the fault, from 200 to 299.
    fn logs(&self, count: usize) {
        std::fs::create_dir_all(self.path("logs")).unwrap();
        let mut events = "recording,start,end,kind\n".to_owned();
        for log in 0..count {
            let mut text = "datetime;current;flow;broken;note\n".to_owned();
            for t in 0..400 {
                let fault = (200..300).contains(&t);
                let noise = ((t * 37 + log * 11) % 17) as f64 / 17.0;
                let (current, flow) = (noise + if fault { 3.0 } else { 0.0 }, 20.0 - noise);
                let line = format!("2024-05-01 10:{:02}:{:02};{current:.4};{flow:.4};", t / 60, t % 60);
                text += &format!("{};{};x\n", line.replace('.', ",").trim_end_matches(';'), u8::from(fault));
            }
            self.write(&format!("logs/run{log}.csv"), &text);
            if log % 2 == 0 {
                let _ = writeln!(events, "run{log},2024-05-01 10:03:20,2024-05-01 10:04:10,fault");
            }
            let _ = writeln!(events, "run{log},2024-05-01 10:00:00,2024-05-01 10:02:00,normal");
        }
        self.write("events.csv", &events);
    }
}

#[test]
fn from_logs_to_verdicts_without_a_line_of_code() {
    let scratch = Scratch::new("recordings");
    scratch.logs(4);
    let flags = "--window-features mean,sd --ensemble 10 --report page";
    let text = scratch.pual(&format!("{TRAIN} {flags} -o m.pual")).says(&[
        "4 recordings, 1,600 samples of 2 channels at 1 Hz, 0 gaps",
        "20 samples (20 s), every 10 (10 s)",
        "current mean, current sd, flow mean, flow sd",
        "2 of 2 events found",
        "of time known to be normal",
        "Stream::<2, 2, 5>",
    ]);
    assert!(!text.contains("tried"), "{text}");
    let page = String::from_utf8(scratch.bytes("page/report.html")).unwrap();
    assert_eq!(page.matches("<title id=\"time-").count(), 4);
    scratch.pual("inspect m.pual").says(&["current, flow at 1 Hz", "20 samples (20 s), every 10 (10 s)", "recipe"]);
    let inspected = scratch.pual("inspect m.pual --json").json();
    assert_eq!((&inspected["format_version"], &inspected["recipe"]["hop"]), (&2.into(), &10.into()));

    let scored = scratch.pual("score m.pual logs/run1.csv").ok();
    let lines: Vec<&str> = scored.lines().collect();
    assert_eq!((lines[0], lines.len()), ("time,score,class,alarm,outside_envelope,drift", 40));
    assert!(lines[1].starts_with("2024-05-01 10:00:19,") && lines[26].starts_with("2024-05-01 10:04:29,"));
    let alarms = |line: &str| line.split(',').nth(3) == Some("1");
    assert!(alarms(lines[26]) && !alarms(lines[5]), "{scored}");
    let all = scratch.pual("score m.pual logs").ok();
    assert!(all.starts_with("recording,time,score") && all.contains("\nrun3,2024-05-01 10:00:19,"));

    let known = "--truth-column broken";
    scratch.pual(&format!("evaluate m.pual logs {known}")).says(&["4 of 4", "0 in ", "F1 of windows"]);
    let judged = scratch.pual(&format!("evaluate m.pual logs/run1.csv logs/run3.csv {known} --json")).json();
    assert_eq!((&judged["alarm"]["found"], &judged["alarm"]["false_alarms"]), (&2.into(), &0.into()));
    // Events of a file are the truth, too: only those are known then.
    let judged = scratch.pual("evaluate m.pual logs --events events.csv --json").json();
    assert_eq!(judged["alarm"]["events"], 2);
    // A smaller model is still a stream's.
    scratch.pual("compress m.pual --supports 2 -o s.pual").ok();
    assert_eq!(scratch.pual("inspect s.pual --json").json()["recipe"], inspected["recipe"]);
}

#[test]
fn what_is_wrong_with_recordings_names_file_line_and_flag() {
    let scratch = Scratch::new("recordings-wrong");
    scratch.logs(2);
    let train = format!("{TRAIN} {QUICK} -o m.pual");
    scratch.pual(&format!("{train} --hop 7")).fails(2, &[]);
    let bad = train.replace("--hop 10s", "--hop 7");
    scratch.pual(&bad).fails(1, &["a hop of 7 samples does not divide the window of 20", "--hop"]);
    let bad = train.replace("20s", "10min").replace("10s", "1min");
    scratch.pual(&bad).fails(1, &["a window of 600 samples is longer than every recording", "shorter --window"]);
    scratch
        .pual(&train.replace("note", "nite"))
        .fails(1, &["logs/run0.csv:1: no column `nite`", "did you mean `note`?"]);
    scratch.pual(&train.replace(" --ignore note", "")).fails(1, &["run0.csv:2: column `note`", "--ignore"]);
    scratch
        .pual(&format!("{train} --window-features meen"))
        .fails(1, &["unknown feature `meen`; did you mean `mean`?"]);
    scratch.pual(&format!("{train} --false-alarms 3")).fails(2, &["--false-alarms", "expected a rate such as 1/day"]);
    scratch.write("events.csv", "recording,start,end\nrun7,2024-05-01 10:00:00,2024-05-01 10:01:00\n");
    scratch.pual(&train).fails(1, &["events.csv:2: no recording `run7` is given"]);
    scratch.pual(&train.replace("--events events.csv ", "")).fails(1, &["no column `label` (labels)", "--events"]);
    // Flags for recordings, without one.
    scratch.pual("train logs/run0.csv --hop 10s -o m.pual").fails(2, &["--window"]);
    scratch.pual("train logs/run0.csv --rate 5 -o m.pual").fails(2, &["--rate is for recordings", "--window"]);
}

#[test]
fn a_model_gets_the_kind_of_rows_that_it_takes() {
    let scratch = Scratch::with_model("recordings-kinds");
    scratch.logs(2);
    scratch.pual(&format!("{TRAIN} {QUICK} -o stream.pual")).ok();
    let channels = ["recordings of raw samples with the channels current, flow", "no column `current`"];
    scratch.pual("score stream.pual train.csv").fails(1, &channels);
    scratch.pual("evaluate stream.pual train.csv --label-column label").fails(1, &channels);
    scratch.pual("score m.pual logs/run0.csv").fails(1, &["no column `temperature`"]);
    scratch.pual("score m.pual train.csv --rate 5").fails(2, &["--rate is for recordings", "no recipe"]);
    scratch.pual("evaluate m.pual train.csv --events events.csv").fails(2, &["--events is for recordings"]);
    // Another rate.
    let text = String::from_utf8(scratch.bytes("logs/run0.csv")).unwrap();
    let slow: String = text.lines().step_by(3).fold(String::new(), |all, line| all + line + "\n");
    scratch.write("slow.csv", &slow);
    scratch
        .pual("score stream.pual slow.csv")
        .fails(1, &["slow.csv: 0.3333 samples per second, expected 1 (the model's)"]);
}
