//! How a command ends: the only place that decides exit codes and what an error looks like.

use crate::hints;
use crate::show;
use anyhow::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Differs = 3,
    Interrupted = 130,
}

impl Exit {
    pub const ALL: [Self; 5] = [Self::Done, Self::Failed, Self::Usage, Self::Differs, Self::Interrupted];

    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done; or the reader closed the pipe",
            Self::Failed => "failed: the message says where, and what to do",
            Self::Usage => "the command line or pual.toml is wrong: nothing was started",
            Self::Differs => "completed, but the check failed: scores differ, a signature is refused",
            Self::Interrupted => "interrupted (Ctrl-C): no file is left half-written",
        }
    }

    /// The number a shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// The exit codes, one per line, for the help and the manual.
pub fn table() -> String {
    let line = |exit: Exit| format!("  {:<4} {}", exit.code(), exit.meaning());
    Exit::ALL.map(line).join("\n")
}

/// An error of the program's own: how the command ends, what is wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    exit: Exit,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// What could not be done.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into(), hint: Some(hint.into()) }
    }

    /// The command completed, but its check failed.
    pub fn differs(message: impl Into<String>, hint: Option<String>) -> Self {
        Self { exit: Exit::Differs, message: message.into(), hint }
    }

    /// The command line or `pual.toml` is wrong.
    pub fn usage(message: impl Into<String>, hint: Option<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), hint }
    }
}

/// Flags that cannot go together, which shows only after parsing. `cli` adds the command's usage.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Misuse {
    pub command: String,
    pub message: String,
}

pub fn usage_error(command: &str, message: String) -> Error {
    let command = command.to_owned();
    Misuse { command, message }.into()
}

/// Prints the error with its hint, and returns the exit code.
pub fn report(error: &Error) -> Exit {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // Help and version arrive here too: they are not errors.
        let _ = usage.print();
        return if usage.use_stderr() { Exit::Usage } else { Exit::Done };
    }
    if error.chain().any(Output::is_closed) {
        return Exit::Done;
    }
    show::error(&causes(error));
    if let Some(hint) = hint(error) {
        show::hint(&hint);
    }
    failure(error).map_or(Exit::Failed, |failure| failure.exit)
}

fn failure(error: &Error) -> Option<&Failure> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

fn hint(error: &Error) -> Option<String> {
    let own = failure(error).and_then(|failure| failure.hint.clone());
    own.or_else(|| hints::hint(error.as_ref()))
}

/// The error and its causes, each once: many messages already end with their cause.
fn causes(error: &Error) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if !causes.iter().any(|before| before.contains(&cause)) {
            causes.push(cause);
        }
    }
    causes
}

/// Standard output. Its closed pipe is told apart from all others: `pual score ... | head` is not an error.
pub struct Output<W>(pub W);

#[derive(Debug, thiserror::Error)]
#[error("standard output is closed")]
struct ReaderGone;

impl<W> Output<W> {
    fn error(error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::BrokenPipe => io::Error::new(io::ErrorKind::BrokenPipe, ReaderGone),
            kind => io::Error::new(kind, format!("standard output: {error}")),
        }
    }
}

impl Output<()> {
    fn is_closed(cause: &(dyn std::error::Error + 'static)) -> bool {
        let error = cause.downcast_ref::<io::Error>();
        error.and_then(io::Error::get_ref).is_some_and(|inner| inner.is::<ReaderGone>())
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(Self::error)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(Self::error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_its_exit_code() {
        let code = |error: Error| report(&error);
        assert_eq!(code(anyhow::anyhow!("?")), Exit::Failed);
        assert_eq!(code(Failure::new("a", "b").into()), Exit::Failed);
        let differs = Error::from(Failure::differs("a", None));
        assert_eq!(code(differs.context("while comparing")), Exit::Differs);
        assert_eq!(code(Failure::usage("a", None).into()), Exit::Usage);
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        let ours = Error::from(Output::<()>::error(pipe()));
        assert_eq!(code(ours.context("a row")), Exit::Done);
        // Another closed pipe is an error.
        assert_eq!(code(pipe().into()), Exit::Failed);
    }
}
