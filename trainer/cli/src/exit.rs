//! How a command ends: exit codes are decided here and nowhere else, and so is what an error looks like.

use crate::config::Taken;
use crate::hints;
use crate::show;
use anyhow::Error;
use std::fmt;
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
    pub const ALL: [Self; 5] = [
        Self::Done,
        Self::Failed,
        Self::Usage,
        Self::Differs,
        Self::Interrupted,
    ];

    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done; or whoever read the output had enough of it",
            Self::Failed => "failed: the message says where, and what to do",
            Self::Usage => "the command line, or pual.toml, is wrong: nothing was begun",
            Self::Differs => {
                "done, but what was checked is not so: scores differ, a signature is refused"
            }
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

/// The exit codes, a line each, for the help and the manual.
pub fn table() -> String {
    let line = |exit: Exit| format!("  {:<4} {}", exit.code(), exit.meaning());
    Exit::ALL.map(line).join("\n")
}

/// An error of the program's own: how the command ends, what is wrong, and what to do about it.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// What could not be done.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    /// It was done, and what was to be checked is not so.
    pub fn differs(message: impl Into<String>, hint: Option<String>) -> Self {
        Self {
            exit: Exit::Differs,
            message: message.into(),
            hint,
        }
    }

    /// What was asked for is wrong.
    pub fn usage(message: impl Into<String>, hint: Option<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
            hint,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Says what went wrong, and which exit code that is.
pub fn report(error: &Error, taken: &Taken) -> Exit {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // Help and version arrive here too: they are no errors.
        let _ = usage.print();
        if !usage.use_stderr() {
            return Exit::Done;
        }
        if let Some(hint) = taken.hint(usage) {
            show::hint(&hint);
        }
        return Exit::Usage;
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
    let mut said: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if !said.iter().any(|before| before.contains(&cause)) {
            said.push(cause);
        }
    }
    said
}

/// Standard output. That its reader has gone is told apart from all other closed pipes: `pual score ... | head` is no error.
pub struct Output<W>(pub W);

#[derive(Debug)]
struct ReaderGone;

impl fmt::Display for ReaderGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody reads standard output any more")
    }
}

impl std::error::Error for ReaderGone {}

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
        error
            .and_then(io::Error::get_ref)
            .is_some_and(|inner| inner.is::<ReaderGone>())
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
        let taken = Taken::default();
        let code = |error: Error| report(&error, &taken);
        assert_eq!(code(anyhow::anyhow!("?")), Exit::Failed);
        assert_eq!(code(Failure::new("a", "b").into()), Exit::Failed);
        let differs = Error::from(Failure::differs("a", None));
        assert_eq!(code(differs.context("while comparing")), Exit::Differs);
        assert_eq!(code(Failure::usage("a", None).into()), Exit::Usage);
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        let ours = Error::from(Output::<()>::error(pipe()));
        assert_eq!(code(ours.context("a row")), Exit::Done);
        // Another's closed pipe is no success.
        assert_eq!(code(pipe().into()), Exit::Failed);
    }
}
