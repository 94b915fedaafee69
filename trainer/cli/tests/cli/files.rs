//! What happens to files: a good model is never lost to a failed command, and nothing is left lying about.

use super::{QUICK, Scratch};
use std::io::Read;
use std::process::Stdio;

#[test]
fn a_failed_training_leaves_the_old_model_alone() {
    let scratch = Scratch::with_model("keep");
    let good = scratch.bytes("m.pual");
    scratch.write("bad.csv", "temperature,slope,label\n1,2,1\n3,oops,0\n");
    scratch.pual("train bad.csv -o m.pual").fails(1, &["bad.csv:3"]);
    // A fit that would diverge.
    scratch.pual("train train.csv -o m.pual --solver algorithm2 --mu-1 1000").fails(1, &["mu_1", "diverge", "safe"]);
    assert_eq!(scratch.bytes("m.pual"), good);
    assert_eq!(scratch.files(), ["bad.csv", "m.pual", "test.csv", "train.csv"]);
    // And a good one replaces it.
    scratch.pual(&format!("train train.csv -o m.pual --supports 8 {QUICK}")).ok();
    assert_ne!(scratch.bytes("m.pual"), good);
}

#[test]
fn an_output_that_cannot_be_written_is_named_before_the_work_begins() {
    let scratch = Scratch::new("output");
    scratch.cold_chain();
    scratch.pual("train train.csv -o nowhere/m.pual").fails(1, &["--output nowhere/m.pual", "no directory nowhere"]);
    std::fs::create_dir(scratch.path("taken")).unwrap();
    scratch.pual("train train.csv -o taken").fails(1, &["--output taken", "is a directory"]);
    scratch.pual("synth cold-chain -o nowhere/rows.csv").fails(1, &["nowhere/rows.csv"]);
    assert_eq!(scratch.files(), ["taken", "test.csv", "train.csv"]);
}

#[cfg(unix)]
#[test]
fn a_read_only_directory_is_an_error_that_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("read-only");
    scratch.cold_chain();
    let locked = scratch.path("locked");
    std::fs::create_dir(&locked).unwrap();
    let mode = |mode| std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(mode));
    mode(0o555).unwrap();
    // Root may write anywhere: then there is nothing to see here.
    let refused = std::fs::write(locked.join("probe"), "").is_err();
    if refused {
        scratch.pual("train train.csv -o locked/m.pual").fails(1, &["cannot write locked/m.pual", "ermission"]);
        assert_eq!(std::fs::read_dir(&locked).unwrap().count(), 0);
    } else {
        println!("a_read_only_directory: left out, this user may write to read-only directories");
    }
    mode(0o755).unwrap();
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let scratch = Scratch::with_model("pipe");
    scratch.pual("synth cold-chain --rows 50000 -o big.csv").ok();
    for arguments in ["score m.pual big.csv", "synth cold-chain --rows 50000"] {
        let mut child = scratch.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 11];
        // The pipe is closed when `read` goes out of scope.
        let mut read = child.stdout.take().unwrap();
        read.read_exact(&mut first).unwrap();
        drop(read);
        assert_eq!(&first, b"temperature");
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && said.is_empty(), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_command_says_so_and_writes_nothing() {
    let scratch = Scratch::new("interrupted");
    scratch.cold_chain();
    let before = scratch.files();
    // On a busy machine it may not have begun, or have ended, when the signal comes: then it is tried again.
    let interrupted = (1..30).any(|tenths| {
        let mut command = scratch.command("train train.csv -o m.pual");
        let child = command.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
        let child = child.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100 * tenths));
        let signal = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let ended = child.wait_with_output().unwrap();
        let _ = std::fs::remove_file(scratch.path("m.pual")).map(|()| assert!(ended.status.success()));
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        signal.unwrap().success() && ended.status.code() == Some(130) && said.contains("interrupted")
    });
    assert!(interrupted, "no command could be interrupted before its end");
    assert_eq!(scratch.files(), before);
}
