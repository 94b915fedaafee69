//! The command as one would type it again.

use crate::show;
use std::ffi::OsString;

/// Nothing depends on it, the page least of all.
const WITHOUT_EFFECT: &str = "--threads";

/// `pual` and its arguments, quoted where a shell would take them apart.
pub fn line(arguments: impl Iterator<Item = OsString>) -> String {
    let mut line = "pual".to_owned();
    let mut skip = false;
    for argument in arguments {
        let text = argument.to_string_lossy();
        let is_value = std::mem::replace(&mut skip, text == WITHOUT_EFFECT);
        let with_value = text.strip_prefix(WITHOUT_EFFECT).is_some_and(|rest| rest.starts_with('='));
        if is_value || skip || with_value {
            continue;
        }
        line.push(' ');
        line += &show::shell_word(&text);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::line;

    fn of(arguments: &[&str]) -> String {
        line(arguments.iter().map(Into::into))
    }

    #[test]
    fn it_can_be_typed_again() {
        assert_eq!(
            of(&["train", "my rows.csv", "-o", "it's.pual", "--tolerance", "0.5%"]),
            r"pual train 'my rows.csv' -o 'it'\''s.pual' --tolerance 0.5%"
        );
        assert_eq!(of(&["train", "", "$HOME"]), "pual train '' '$HOME'");
    }

    #[test]
    fn threads_are_left_out_because_nothing_depends_on_them() {
        let same = "pual train a.csv --seed 3";
        assert_eq!(of(&["train", "--threads", "2", "a.csv", "--seed", "3"]), same);
        assert_eq!(of(&["train", "--threads=2", "a.csv", "--seed", "3"]), same);
        assert_eq!(of(&["train", "a.csv", "--seed", "3", "--threads", "1"]), same);
    }
}
