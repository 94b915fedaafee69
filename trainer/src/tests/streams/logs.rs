//! Logs as people have them.

use super::{Folder, message, open};
use pual_trainer::{LogOptions, Missing, Recordings};

fn read(text: &str, options: &LogOptions) -> Result<Recordings, String> {
    // Tests run at the same time.
    let folder = Folder::new(&format!("log-{:x}-{:?}", text.len(), std::thread::current().id()));
    let file = folder.write("log.csv", text);
    open(&[file], options).map_err(|error| message(&folder, &error))
}

fn plain(text: &str) -> Recordings {
    read(text, &LogOptions::default()).unwrap()
}

#[test]
fn one_log_in_every_spelling_is_the_same_recording() {
    let expected = plain("time,a,b\n2020-03-09 10:00:00,1.5,-2\n2020-03-09 10:00:01,2.5,4\n2020-03-09 10:00:02,3,5\n");
    let recording = &expected.all[0];
    assert_eq!((&expected.channels[..], expected.period), (&["a".to_owned(), "b".to_owned()][..], 1.0));
    assert_eq!(recording.samples, [1.5, -2.0, 2.5, 4.0, 3.0, 5.0]);
    assert_eq!(recording.times, [1_583_748_000.0, 1_583_748_001.0, 1_583_748_002.0]);
    assert_eq!((recording.stretches.len(), recording.stretches[0].clone(), recording.name.as_str()), (1, 0..3, "log"));
    for text in [
        "\u{feff}time;a;b\r\n2020-03-09T10:00:00Z;1,5;-2\r\n2020-03-09T10:00:01Z;2,5;4,0\r\n2020-03-09T11:00:02+01:00;3;5\r\n",
        "\"time\"\ta\tb\n\n2020/03/09 10:00\t1.5\t-2\n\n2020/03/09 10:00:01\t2.5\t4\n2020/03/09 10:00:02\t3\t5",
        "a,Timestamp [s],b\n1.5,1583748000,-2\n2.5,1583748001,4\n3,1583748002,5\n",
        "when;a;b\n1583748000000;1,5;-2\n1583748001000;2,5;4\n1583748002000;3;5\n",
    ] {
        let read = plain(text);
        assert_eq!(read.channels, expected.channels, "{text}");
        assert_eq!((&read.all[0].samples, &read.all[0].times), (&recording.samples, &recording.times), "{text}");
    }
}

#[test]
fn a_rate_stands_in_for_times() {
    let rate = LogOptions { rate: Some(50.0), ..LogOptions::default() };
    let read = read("a,b\n1,2\n3,4\n5,6\n", &rate).unwrap();
    assert_eq!((read.period, &read.all[0].times[..]), (0.02, &[0.0, 0.02, 0.04][..]));
}

#[test]
fn gaps_and_odd_times_end_a_stretch_and_are_named_by_line() {
    // Two periods are no gap, three are.
    let read = plain("time,a\n0,1\n1,1\n2,1\n4,1\n5,1\n8,1\n9,1\n10,1\n");
    assert_eq!((read.all[0].stretches.as_slice(), read.gaps()), (&[0..5, 5..8][..], 1));
    assert!(read.warnings.is_empty());
    let read = plain("time,a\n0,1\n1,1\n2,1\n\n1,1\n2,1\n2,1\n,1\n3,1\n");
    assert_eq!(read.all[0].stretches, [0..3, 3..5, 5..6, 6..7]);
    let text = &read.warnings[0].text;
    assert!(text.contains("log.csv:6: the time goes back from 2 to 1"), "{text}");
    assert!(text.ends_with("and 2 more, in line 8, 9"), "{text}");
}

#[test]
fn empty_cells_are_gaps_held_or_dropped() {
    let text = "time,a,b\n0,1,1\n1,2,2\n2,,3\n3,4,nan\n4,5,5\n5,6,6\n";
    let with = |missing| read(text, &LogOptions { missing, ..LogOptions::default() }).unwrap();
    let gap = with(Missing::Gap);
    assert_eq!((gap.all[0].stretches.as_slice(), gap.all[0].empty_cells), (&[0..2, 2..4][..], 2));
    assert_eq!(gap.all[0].samples, [1.0, 1.0, 2.0, 2.0, 5.0, 5.0, 6.0, 6.0]);
    let held = with(Missing::Hold);
    assert_eq!(held.all[0].samples, [1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 3.0, 5.0, 5.0, 6.0, 6.0]);
    assert_eq!((held.all[0].stretches.len(), held.all[0].stretches[0].clone()), (1, 0..6));
    // Three seconds are a gap all the same; without times nothing is.
    assert_eq!(with(Missing::Drop).all[0].stretches, [0..2, 2..4]);
    let rate = LogOptions { missing: Missing::Drop, rate: Some(1.0), ..LogOptions::default() };
    assert_eq!(read("a\n1\n\"\"\n3\n", &rate).unwrap().all[0].times, [0.0, 1.0]);
    let rate = LogOptions { rate: Some(1.0), ..LogOptions::default() };
    let with_gap = read("a\n1\n\"\"\n3\n", &rate).unwrap();
    assert_eq!((&with_gap.all[0].times[..], with_gap.gaps()), (&[0.0, 2.0][..], 1));
}

#[test]
fn labels_and_truth_come_from_columns_and_ignored_columns_are_not_read() {
    let options = LogOptions {
        label: Some("fault".into()),
        truth: Some("anomaly".into()),
        ignore: vec!["note".into()],
        ..LogOptions::default()
    };
    let read = read("time,a,fault,note,anomaly\n0,1,1,x,1.0\n1,2,,y,1\n2,3,-1,z,0.0\n", &options).unwrap();
    assert_eq!(read.channels, ["a"]);
    let recording = &read.all[0];
    assert_eq!((&recording.labeled[..], &recording.normal[..]), (&[true, false, false][..], &[false, false, true][..]));
    assert_eq!(recording.truth.as_deref(), Some(&[true, true, false][..]));
}

#[test]
fn what_is_wrong_with_a_log_is_named_by_line() {
    let wrong = |text: &str| read(text, &LogOptions::default()).unwrap_err();
    for (text, expected) in [
        ("", "log.csv: no samples; expected a line"),
        ("time,a\n", "log.csv: no samples; expected a line"),
        ("0,1\n1,2\n", "log.csv:1: the first line must name the columns"),
        ("a,b\n1,2\n", "log.csv:1: no column of times was found"),
        ("time\n0\n1\n", "log.csv:1: no channel is left"),
        ("time,a,a\n0,1,2\n", "log.csv:1: two columns are called `a`"),
        ("time,a\r\n0,1\r\n\r\n  \r\n1,2,3\r\n", "log.csv:5: expected 2 cells"),
        ("time,a\n0,1\n\n1,2,3\n", "log.csv:4: expected 2 cells as in the header, found 3"),
        ("time,a\n0,1\n1,x\n", "log.csv:3: column `a`: expected a number, found \"x\""),
        ("time,a\n0,1\n1,1e99\n", "log.csv:3: column `a`: expected a number, found \"1e99\""),
        ("time,a\n0,1\n1,\"1,5\"\n", "log.csv:3: column `a`: expected a number, found \"1,5\""),
        ("time,a\n2020-03-09 10:00:00,1\nnoon,2\n", "log.csv:3: column `time`: expected a time like"),
    ] {
        let found = wrong(text);
        assert!(found.starts_with(expected), "{found}");
    }
    let missing = |options: LogOptions| read("time,speed\n0,1\n1,2\n", &options).unwrap_err();
    let channels = LogOptions { channels: Some(vec!["sped".into()]), ..LogOptions::default() };
    assert_eq!(missing(channels), "log.csv:1: no column `sped` (a channel); did you mean `speed`?");
    let truth = LogOptions { truth: Some("anomaly".into()), ..LogOptions::default() };
    assert_eq!(missing(truth), "log.csv:1: no column `anomaly` (the truth)");
    let time = LogOptions { time: Some("clock".into()), ..LogOptions::default() };
    assert_eq!(missing(time), "log.csv:1: no column `clock` (times)");
}

#[test]
fn several_files_a_folder_and_a_pattern_are_recordings() {
    let folder = Folder::new("several");
    let line = |t: usize| format!("{t},{}\n", t % 3);
    let text: String = std::iter::once("time,a\n".to_owned()).chain((0..9).map(line)).collect();
    let files: Vec<_> = ["10.csv", "2.csv", "1.csv"].map(|name| folder.write(name, &text)).to_vec();
    folder.write("notes.md", "nothing");
    let names = |recordings: Recordings| recordings.all.into_iter().map(|r| r.name).collect::<Vec<_>>();
    let options = LogOptions::default();
    assert_eq!(names(open(&files, &options).unwrap()), ["10", "2", "1"]);
    assert_eq!(names(open(&[folder.path().to_owned()], &options).unwrap()), ["1", "2", "10"]);
    assert_eq!(names(open(&[folder.path().join("1*.csv")], &options).unwrap()), ["1", "10"]);
    // What is known lies among them.
    let events = Some(folder.write("events.csv", "recording,start,end\n2,1,3\n"));
    let with_events = open(&[folder.path().to_owned()], &LogOptions { events, ..LogOptions::default() }).unwrap();
    assert!(with_events.all[1].labeled[2] && !with_events.all[0].labeled[2]);
    assert_eq!(names(with_events), ["1", "2", "10"]);
    std::fs::remove_file(folder.path().join("events.csv")).unwrap();
    let wrong = |paths: &[std::path::PathBuf]| message(&folder, &open(paths, &options).unwrap_err());
    assert_eq!(wrong(&[files[0].clone(), files[0].clone()]), "10.csv: this recording is given twice");
    assert!(wrong(&[folder.path().join("x*.csv")]).contains("no recording here: no file fits"));
    assert!(wrong(&[folder.path().join("none.csv")]).starts_with("none.csv: No such file"));
    // Columns may stand in another order, but all must be there, and at the same rate.
    folder.write("3.csv", "b,time,a\n1,0,5\n1,1,6\n1,2,7\n");
    assert!(wrong(&[files[0].clone(), folder.path().join("3.csv")]).starts_with("3.csv:1: column `b` is not in"));
    folder.write("4.csv", "time,b\n0,5\n1,6\n");
    assert!(wrong(&[files[0].clone(), folder.path().join("4.csv")]).starts_with("4.csv:1: column `b` is not in"));
    folder.write("5.csv", "a,time\n5,0\n6,2\n7,4\n");
    assert_eq!(
        wrong(&[files[0].clone(), files[1].clone(), folder.path().join("5.csv")]),
        "5.csv: 0.5 samples per second, expected 1 (most of the recordings); resample it, or train a model for this rate"
    );
}
