//! Flags from a file, so that a run can be repeated: `pual.toml` in the current directory, or `--config FILE`.
//!
//! ```toml
//! [train]                  # one table per command ([bench.table2] for `pual bench table2`)
//! label-column = "alarm"   # one key per long flag
//! ignore = ["time", "room"]
//! budget = "512B"
//! no-tune = true           # a switch; false is the same as leaving it out
//! ```
//!
//! The file's flags become arguments after the command's name, so they are checked like those on the command line. The command line
//! wins: a flag on it replaces the file's flag of the same name, lists included, and those that conflict with it.

use crate::exit::Failure;
use crate::hints::file_error;
use crate::show;
use anyhow::Result;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use pual_trainer::internals::nearest;
use pual_trainer::{Warning, WarningId};
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The default file.
const FILE: &str = "pual.toml";
/// Flags that make sense only on the command line.
const NOT_IN_FILES: [&str; 4] = ["help", "version", "config", "no-config"];

#[derive(clap::Args)]
#[command(next_help_heading = "Flags from a file")]
pub struct ConfigFlags {
    /// Read flags from this file; the command line wins [default: pual.toml in the current directory]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Ignore pual.toml
    #[arg(long, global = true, conflicts_with = "config")]
    no_config: bool,
}

/// The flags that come from a file.
#[derive(Default)]
pub struct FileFlags {
    file: String,
    flags: Vec<FileFlag>,
}

/// A flag in a file.
struct FileFlag {
    /// Its long name.
    name: String,
    line: usize,
    /// As on a command line.
    arguments: Vec<String>,
}

impl FileFlags {
    /// Where a wrong flag may come from: the file's flags that the message names, or all of them if flags conflict.
    pub fn hint(&self, error: &clap::Error) -> Option<String> {
        let text = error.to_string();
        // The usage below the message repeats the flags that were given.
        let message = text.split("\nUsage:").next().unwrap_or_default();
        let named = |flag: &&FileFlag| message.contains(&format!("--{}", flag.name));
        let mut flags: Vec<&FileFlag> = self.flags.iter().filter(named).collect();
        if flags.is_empty() && error.kind() == ErrorKind::ArgumentConflict {
            flags = self.flags.iter().collect();
        }
        let places: Vec<String> =
            flags.iter().map(|flag| format!("{} ({}:{})", flag.arguments[0], self.file, flag.line)).collect();
        (!places.is_empty()).then(|| format!("from a file: {}", places.join(", ")))
    }
}

/// The command line with the file's flags in it.
pub fn with_file(root: &Command, mut arguments: Vec<OsString>) -> Result<(Vec<OsString>, FileFlags)> {
    let line = CommandLine::new(root, &arguments);
    let Some(path) = line.file() else {
        return Ok((arguments, FileFlags::default()));
    };
    let file = path.display().to_string();
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::usage(format!("{file}: {error}"), file_error(&path, &error)))?;
    let parser = Parser { file: &file, text: &text };
    let table = DeTable::parse(&text)
        .map_err(|error| parser.wrong(error.span().unwrap_or(0..0), error.message().to_owned(), None))?;
    let mut flags = Vec::new();
    parser.commands(root, table.get_ref(), &line.path, &mut flags)?;
    flags.retain(|flag| line.leaves(flag, &file));
    let added: Vec<&String> = flags.iter().flat_map(|flag| &flag.arguments).collect();
    for argument in &added {
        show::progress(&format!("{argument} from {file}"));
    }
    let behind = line.behind;
    arguments.splice(behind..behind, added.into_iter().map(Into::into));
    Ok((arguments, FileFlags { file, flags }))
}

/// The relevant parts of what the user typed.
struct CommandLine<'a> {
    command: &'a Command,
    /// Names of command and subcommand: `bench`, `table2`.
    path: Vec<String>,
    /// Index of its first argument.
    behind: usize,
    /// Its flags.
    given: Vec<&'a Arg>,
    config: Option<PathBuf>,
    no_config: bool,
}

impl<'a> CommandLine<'a> {
    fn new(root: &'a Command, arguments: &[OsString]) -> Self {
        let mut line = Self {
            command: root,
            path: Vec::new(),
            behind: arguments.len(),
            given: Vec::new(),
            config: None,
            no_config: false,
        };
        let mut rest = arguments.iter().enumerate().skip(1);
        while let Some((at, argument)) = rest.next() {
            let text = argument.to_string_lossy();
            match text.strip_prefix("--") {
                Some("") => break,
                Some("help" | "version" | "no-config") => line.no_config = true,
                Some("config") => line.config = rest.next().map(|(_, file)| file.into()),
                Some(flag) => match flag.strip_prefix("config=") {
                    Some(file) => line.config = Some(file.into()),
                    None => line.give(|arg| arg.get_long() == flag.split('=').next()),
                },
                None => match text.strip_prefix('-').and_then(|text| text.chars().next()) {
                    Some('h' | 'V') => line.no_config = true,
                    Some(short) => line.give(|arg| arg.get_short() == Some(short)),
                    None => line.descend(&text, at + 1),
                },
            }
        }
        line
    }

    fn give(&mut self, is_it: impl Fn(&Arg) -> bool) {
        self.given.extend(self.command.get_arguments().find(|arg| is_it(arg)));
    }

    /// A word: perhaps the name of a command.
    fn descend(&mut self, word: &str, behind: usize) {
        if let Some(command) = self.command.find_subcommand(word) {
            self.command = command;
            self.path.push(word.to_owned());
            self.behind = behind;
        }
    }

    /// The file to read flags from.
    fn file(&self) -> Option<PathBuf> {
        let default = || Path::new(FILE).is_file().then(|| FILE.into());
        // Help works even if the file is wrong.
        let needs_none = self.path.first().is_none_or(|name| name == "help");
        if self.no_config || needs_none { None } else { self.config.clone().or_else(default) }
    }

    /// Whether a flag of the file is still needed next to those of the command line.
    fn leaves(&self, flag: &FileFlag, file: &str) -> bool {
        let Some(arg) = long(self.command, &flag.name) else {
            return false;
        };
        if self.given.iter().any(|given| given.get_id() == arg.get_id()) {
            return false;
        }
        let conflict = |a: &Arg, b: &Arg| {
            let conflicts = self.command.get_arg_conflicts_with(a);
            conflicts.iter().any(|other| other.get_id() == b.get_id())
        };
        let winner = (self.given.iter()).find(|given| conflict(given, arg) || conflict(arg, given));
        if let Some(winner) = winner {
            let text = format!(
                "{} ({file}:{}) gives way to --{} on the command line",
                flag.arguments[0],
                flag.line,
                winner.get_long().unwrap_or_default()
            );
            show::warn(Warning::new(WarningId::FlagGivesWay, text));
        }
        winner.is_none()
    }
}

fn long<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let mut all = command.get_arguments();
    all.find(|arg| arg.get_long() == Some(name) && !NOT_IN_FILES.contains(&name))
}

/// Parses a file. Every table and key is checked, whichever command runs.
struct Parser<'a> {
    file: &'a str,
    text: &'a str,
}

impl Parser<'_> {
    fn line(&self, span: &Range<usize>) -> usize {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    fn wrong(&self, span: Range<usize>, message: String, hint: Option<String>) -> Failure {
        Failure::usage(format!("{}:{}: {message}", self.file, self.line(&span)), hint)
    }

    /// The tables of a command's subcommands. `wanted` leads to the one whose flags are collected.
    fn commands(
        &self,
        command: &Command,
        table: &DeTable<'_>,
        wanted: &[String],
        flags: &mut Vec<FileFlag>,
    ) -> Result<(), Failure> {
        for (key, value) in table {
            let (name, span) = (key.get_ref().as_ref(), key.span());
            let names = || command.get_subcommands().map(Command::get_name);
            let DeValue::Table(inner) = value.get_ref() else {
                let message = format!("`{name}` is outside the table of a command, such as [train]");
                return Err(self.wrong(span, message, None));
            };
            let Some(next) = command.find_subcommand(name).filter(|_| name != "help") else {
                let message = format!("there is no command for the table [{name}]");
                return Err(self.wrong(span, message, meant(name, names())));
            };
            let (is_next, rest) = match wanted.split_first() {
                Some((first, rest)) => (first == name, rest),
                None => (false, wanted),
            };
            let mut unwanted = Vec::new();
            let flags = if is_next { &mut *flags } else { &mut unwanted };
            if next.has_subcommands() {
                self.commands(next, inner, rest, flags)?
            } else {
                self.flags(next, inner, flags)?
            }
        }
        Ok(())
    }

    /// The flags of one command.
    fn flags(&self, command: &Command, table: &DeTable<'_>, flags: &mut Vec<FileFlag>) -> Result<(), Failure> {
        for (key, value) in table {
            let (name, span) = (key.get_ref().as_ref(), key.span());
            let Some(arg) = long(command, name) else {
                let bin = command.get_bin_name().unwrap_or_default();
                let message = format!("`{bin}` has no flag --{name}");
                let known = command.get_arguments().filter_map(Arg::get_long);
                let known = known.filter(|name| !NOT_IN_FILES.contains(name));
                return Err(self.wrong(span, message, meant(name, known)));
            };
            let arguments = arguments(arg, name, value.get_ref())
                .map_err(|expected| self.wrong(value.span(), format!("{name}: expected {expected}"), None))?;
            if !arguments.is_empty() {
                flags.push(FileFlag { name: name.to_owned(), line: self.line(&span), arguments });
            }
        }
        Ok(())
    }
}

/// The nearest name, or all of them.
fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.collect();
    Some(match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    })
}

/// A key and its value as arguments, or what was expected.
fn arguments(arg: &Arg, name: &str, value: &DeValue<'_>) -> Result<Vec<String>, &'static str> {
    if !arg.get_action().takes_values() {
        return match value {
            DeValue::Boolean(true) => Ok(vec![format!("--{name}")]),
            DeValue::Boolean(false) => Ok(Vec::new()),
            _ => Err("true or false"),
        };
    }
    let one = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Some(format!("--{name}={text}")),
        DeValue::Integer(number) if number.radix() == 10 => Some(format!("--{name}={}", number.as_str())),
        DeValue::Float(number) => Some(format!("--{name}={}", number.as_str())),
        _ => None,
    };
    match value {
        DeValue::Array(values) if matches!(arg.get_action(), ArgAction::Append) => {
            let all: Option<Vec<String>> = values.iter().map(|value| one(value.get_ref())).collect();
            all.ok_or("strings or numbers")
        }
        DeValue::Array(_) => Err("one value, not a list"),
        value => one(value).map(|one| vec![one]).ok_or("a string or a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_behind_the_command_is_found() {
        let option = |name| Arg::new(name).long(name).action(ArgAction::Set);
        let train = Command::new("train").args([option("output").short('o'), option("budget")]);
        let table2 = Command::new("table2").arg(option("seed"));
        let bench = Command::new("bench").subcommand(table2);
        let root = Command::new("pual").subcommands([train, bench]);
        for (line, path, behind, given) in [
            ("pual train train.csv -o m --budget=1kB", "train", 2, "output budget"),
            ("pual --config train bench --no-config table2 --seed 1 -- --out", "bench table2", 6, "seed"),
            ("pual", "", 1, ""),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let line = CommandLine::new(&root, &arguments);
            let names: Vec<&str> = (line.given.iter()).filter_map(|arg| arg.get_long()).collect();
            let found = (line.path.join(" "), line.behind, names.join(" "));
            assert_eq!(found, (path.to_owned(), behind, given.to_owned()));
        }
    }
}
