//! What goes to the shell and the manual: completions and man pages.

use crate::Scratch;
use std::process::Command;

#[test]
fn bash_takes_the_script_and_completes_flags_and_commands() {
    let scratch = Scratch::new("bash");
    scratch.write("pual.bash", &scratch.pual("completions bash").ok());
    let bash = |arguments: &[&str]| {
        let mut command = Command::new("bash");
        command.current_dir(&scratch.0).args(["--norc", "--noprofile"]);
        let output = command.args(arguments).output().expect("bash is needed");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    bash(&["-n", "pual.bash"]);
    let complete = |words: &str, typed: &str| {
        let last = words.split(' ').count() - 1;
        bash(&[
            "-c",
            &format!(
                "source pual.bash; COMP_WORDS=({words}); COMP_CWORD={last}; _pual pual '{typed}' ''; echo \"${{COMPREPLY[*]}}\""
            ),
        ])
    };
    assert_eq!(complete("pual train --bud", "--bud").trim(), "--budget");
    assert_eq!(complete("pual comp", "comp").trim(), "compare compress completions");
    assert!(complete("pual bench table2 --", "--").contains("--repeats"));
}

#[test]
fn every_shell_has_a_script() {
    let scratch = Scratch::new("shells");
    for (shell, said) in [
        ("zsh", "#compdef pual"),
        ("fish", "complete -c pual"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion:arg-completer[pual]"),
    ] {
        let script = scratch.pual(&format!("completions {shell}")).ok();
        assert!(script.contains(said) && script.contains("tolerance"), "{shell}");
    }
    scratch.pual("completions tcsh").fails(2, &["tcsh", "bash"]);
}

#[test]
fn every_command_has_a_page_that_renders() {
    let scratch = Scratch::new("man");
    scratch.pual("man deep/pages").ok();
    let mut pages: Vec<_> = std::fs::read_dir(scratch.path("deep/pages")).unwrap().collect();
    pages.sort_by_key(|page| page.as_ref().unwrap().file_name());
    assert!(pages.len() > 20);
    for page in pages {
        let path = page.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(".TH pual"), "{path:?}");
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "EXIT STATUS"] {
            let line = [format!("\n.SH {section}\n"), format!("\n.SH \"{section}\"\n")];
            assert!(line.iter().any(|line| text.contains(line)), "{path:?}: {section}");
        }
        // Where it is installed, groff reads it without a word.
        let groff = Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(&path).output();
        match groff {
            Ok(output) => assert!(output.status.success() && output.stderr.is_empty(), "{path:?}: {output:?}"),
            Err(_) => println!("every_command_has_a_page: groff is not installed, structure was checked alone"),
        }
    }
    let train = std::fs::read_to_string(scratch.path("deep/pages/pual-train.1")).unwrap();
    // An example stays on a line of its own.
    assert!(train.contains("\n  pual train train.csv \\-o fridge.pual\n"), "{train}");
    scratch.write("file", "");
    scratch.pual("man file").fails(1, &["cannot make the directory file"]);
}
