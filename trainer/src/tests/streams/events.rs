//! Files of events: what they mark, and what is wrong with them.

use super::{Folder, message, open};
use pual_trainer::errors::LogError;
use pual_trainer::{LogOptions, Recordings};

/// Two recordings of ten seconds, from 10:00:00.
fn recordings(folder: &Folder) -> Recordings {
    let line = |t: usize| format!("2020-03-09 10:00:0{t},{t}\n");
    let text: String = std::iter::once("time,a\n".to_owned()).chain((0..10).map(line)).collect();
    let files = ["pump 1.csv", "pump 2.csv"].map(|name| folder.write(name, &text));
    open(&files, &LogOptions::default()).unwrap()
}

fn with(folder: &Folder, events: std::path::PathBuf) -> Result<Recordings, LogError> {
    recordings(folder);
    let options = LogOptions { events: Some(events), ..LogOptions::default() };
    open(&["pump 1.csv", "pump 2.csv"].map(|name| folder.path().join(name)), &options)
}

fn places(marks: &[bool]) -> Vec<usize> {
    (0..marks.len()).filter(|&at| marks[at]).collect()
}

#[test]
fn events_mark_their_samples() {
    let folder = Folder::new("events");
    recordings(&folder);
    let events = folder.write(
        "events.csv",
        "Recording;start;end;kind\npump 1.csv;2020-03-09 10:00:02;2020-03-09 10:00:04;fault\n\
         pump 2;2020-03-09 09:00:00;2020-03-09T10:00:01Z;normal\npump 2;2020-03-09 10:00:08.5;2020-03-09 10:01:00;\n",
    );
    let marked = |events_are_truth| {
        let options = LogOptions { events: Some(events.clone()), events_are_truth, ..LogOptions::default() };
        open(&["pump 1.csv", "pump 2.csv"].map(|name| folder.path().join(name)), &options).unwrap()
    };
    let all = marked(false);
    let [one, two] = &all.all[..] else { panic!() };
    assert_eq!((places(&one.labeled), places(&one.normal)), (vec![2, 3, 4], vec![]));
    assert_eq!((places(&two.labeled), places(&two.normal)), (vec![9], vec![0, 1]));
    assert!(one.truth.is_none());
    let judged = marked(true);
    assert_eq!(places(judged.all[0].truth.as_ref().unwrap()), [2, 3, 4]);
    assert!(!judged.all[0].labeled.contains(&true));
}

#[test]
fn a_single_recording_needs_no_name_and_a_rate_counts_seconds() {
    let folder = Folder::new("events-alone");
    let log = folder.write("log.csv", "a\n1\n2\n3\n4\n");
    let events = Some(folder.write("events.csv", "start,end\n0.5,1\n"));
    let all = open(&[log], &LogOptions { rate: Some(2.0), events, ..LogOptions::default() }).unwrap();
    assert_eq!(places(&all.all[0].labeled), [1, 2]);
}

#[test]
fn what_is_wrong_with_events_is_named_by_line() {
    let folder = Folder::new("events-wrong");
    let wrong = |text: &str| {
        let events = folder.write("events.csv", &format!("recording,start,end,kind\n{text}"));
        message(&folder, &with(&folder, events).unwrap_err())
    };
    let day = "2020-03-09";
    assert_eq!(
        wrong(&format!("pump 3,{day} 10:00:01,{day} 10:00:02,fault\n")),
        "events.csv:2: no recording `pump 3` is given; did you mean `pump 1`?"
    );
    assert_eq!(
        wrong(&format!("\npump 1,{day} 11:00:01,{day} 11:00:02,fault\n")),
        "events.csv:3: the event lies outside of the recording `pump 1`, which runs from 2020-03-09 10:00:00 to 2020-03-09 10:00:09"
    );
    assert_eq!(
        wrong(&format!(
            "pump 1,{day} 10:00:01,{day} 10:00:03,fault\npump 2,{day} 10:00:03,{day} 10:00:05,normal\npump 1,{day} 10:00:03,{day} 10:00:05,normal\n"
        )),
        "events.csv:4: this normal event overlaps the fault one of line 2"
    );
    assert_eq!(
        wrong(&format!("pump 1,{day} 10:00:05,{day} 10:00:03,fault\n")),
        "events.csv:2: the event ends before it starts"
    );
    assert_eq!(
        wrong(&format!("pump 1,noon,{day} 10:00:03,fault\n")),
        "events.csv:2: column `start`: expected a time like 2020-03-09 10:14:33, found \"noon\""
    );
    assert_eq!(
        wrong(&format!("pump 1,{day} 10:00:01,{day} 10:00:03,odd\n")),
        "events.csv:2: column `kind`: expected fault or normal, found \"odd\""
    );
    let events = folder.write("events.csv", "file,begin,end\npump 1,1,2\n");
    let found = message(&folder, &with(&folder, events).unwrap_err());
    assert_eq!(found, "events.csv:1: no column `start` (of an event)");
}
