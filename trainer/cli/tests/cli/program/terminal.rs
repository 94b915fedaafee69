//! Colours and bars: on a terminal, and nowhere else.

use crate::Scratch;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read;
use std::process::Stdio;

/// What a command writes to a terminal of 100 columns that is its standard output and error.
fn on_terminal(scratch: &Scratch, arguments: &str, settings: &[(&str, &str)]) -> String {
    on_terminal_of(100, scratch, arguments, settings)
}

fn on_terminal_of(columns: u16, scratch: &Scratch, arguments: &str, settings: &[(&str, &str)]) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let path = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = File::options().read(true).write(true).open(path).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size).unwrap();
    let mut command = scratch.command(arguments);
    command
        .env_remove("NO_COLOR")
        // Where it is set, colours are taken to be welcome.
        .env_remove("CI")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("CLICOLOR")
        .env("TERM", "xterm")
        .envs(settings.iter().copied())
        .stdin(Stdio::null())
        .stdout(theirs.try_clone().unwrap())
        .stderr(theirs);
    let mut child = command.spawn().unwrap();
    // Its copies of the other end: the reading below ends when all are closed.
    drop(command);
    let mut seen = Vec::new();
    // Linux says EIO, not end of file, when the other end is closed.
    let _ = File::from(ours).read_to_end(&mut seen);
    child.wait().unwrap();
    String::from_utf8_lossy(&seen).into_owned()
}

const ESCAPE: char = '\u{1b}';
const TRAIN: &str = "train train.csv -o m.pual --method gllc";

/// Whether colour or weight of letters is set anywhere: ESC [ numbers m.
fn is_styled(seen: &str) -> bool {
    let number = |c: char| c.is_ascii_digit() || c == ';';
    let mut codes = seen.split(ESCAPE).skip(1).filter_map(|code| code.strip_prefix('['));
    codes.any(|code| code.trim_start_matches(number).starts_with('m'))
}

fn has_bar(seen: &str) -> bool {
    seen.contains(" %  search") && seen.contains(ESCAPE)
}

#[test]
fn a_terminal_has_bars_and_colours() {
    let scratch = Scratch::new("terminal");
    scratch.pual("synth cold-chain --rows 300 -o train.csv").ok();
    let seen = on_terminal(&scratch, TRAIN, &[]);
    assert!(has_bar(&seen), "{seen:?}");
    let (error, warning) = ("train nowhere.csv -o m.pual", "train train.csv -o m.pual --no-tune --budget 80B");
    for (arguments, said) in [
        (error, "error:"),
        (error, "because:"),
        (warning, "warning[left-out]:"),
        ("inspect m.pul", "hint:"),
        ("inspect --help", "Usage:"),
    ] {
        let seen = on_terminal(&scratch, arguments, &[]);
        assert!(is_styled(&seen) && seen.contains(said), "{seen:?}");
        // Programs that ask for none get none, nor do terminals that cannot.
        for plain in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let seen = on_terminal(&scratch, arguments, &[plain]);
            let is_plain = !is_styled(&seen) && seen.contains(said);
            assert!(is_plain, "{plain:?}: {seen:?}");
        }
    }
    // Without colour there are bars still.
    let seen = on_terminal(&scratch, TRAIN, &[("NO_COLOR", "1")]);
    assert!(has_bar(&seen) && !is_styled(&seen), "{seen:?}");
}

/// Without what only moves the cursor or sets colours: ESC [ numbers letter.
fn text(seen: &str) -> String {
    let mut parts = seen.split(ESCAPE);
    let first = parts.next().unwrap_or_default().to_owned();
    let after =
        |part: &str| part.find(|c: char| c.is_ascii_alphabetic()).map_or(String::new(), |at| part[at + 1..].to_owned());
    parts.map(after).fold(first, |text, part| text + &part)
}

#[test]
fn the_bar_fits_its_terminal_tells_an_honest_time_and_erases_no_warning() {
    let scratch = Scratch::new("bar");
    scratch.pual("synth cold-chain --rows 300 -o train.csv").ok();
    // The budget is too small for the names: a warning while the bar is shown.
    let arguments = "train train.csv -o m.pual --budget 80B";
    for columns in [80, 120] {
        let seen = on_terminal_of(columns, &scratch, arguments, &[("NO_COLOR", "1")]);
        let text = text(&seen);
        // The ladder of sizes has percentages, too; its lines begin with a number.
        let is_bar = |line: &&str| line.contains(" %  ") && !line.starts_with(|first: char| first.is_ascii_digit());
        let bars: Vec<&str> = text.split(['\r', '\n']).filter(is_bar).collect();
        assert!(bars.len() > 3, "{seen:?}");
        let mut shares = Vec::new();
        for bar in &bars {
            assert!(bar.trim_end().chars().count() < columns.into(), "{bar:?}");
            let (share, rest) = bar.split_once(" %  ").unwrap();
            let share: u32 = share.rsplit(' ').next().unwrap().parse().unwrap();
            assert!(share > 90 || !rest.contains(", 0 s left"), "{bar:?}");
            shares.push(share);
        }
        assert!(shares.is_sorted(), "{shares:?}");
        // All phases are on one bar: its end is the end.
        assert!(bars.iter().any(|bar| bar.contains("compress")), "{bars:?}");
        let warning = text.split(['\r', '\n']).find(|line| line.starts_with("warning[left-out]:"));
        let plain = scratch.pual(arguments).stderr();
        let expected = plain.lines().find(|line| line.starts_with("warning[left-out]:"));
        assert_eq!(warning, expected, "{seen:?}");
    }
}

#[test]
fn a_dumb_terminal_has_neither() {
    let scratch = Scratch::new("dumb");
    scratch.pual("synth cold-chain --rows 300 -o train.csv").ok();
    let seen = on_terminal(&scratch, TRAIN, &[("TERM", "dumb")]);
    assert!(seen.contains("settings") && !seen.contains(ESCAPE), "{seen:?}");
    assert!(!seen.contains(" %  search"), "{seen:?}");
}

#[test]
fn a_pipe_has_neither() {
    let scratch = Scratch::new("piped");
    scratch.pual("synth cold-chain --rows 300 -o train.csv").ok();
    let run = scratch.pual(&format!("{TRAIN} --json"));
    assert!(!run.ok().contains(ESCAPE) && run.stderr().is_empty());
    for arguments in ["train nowhere.csv -o m.pual", "train --frobnicate", "inspect --help"] {
        let run = scratch.pual(arguments);
        let all = run.stdout() + &run.stderr();
        assert!(!all.is_empty() && !all.contains(ESCAPE), "{all:?}");
    }
}
