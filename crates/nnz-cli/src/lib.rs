//! The `nnz` command: parses arguments, calls the library, prints the result.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    reason = "a command prints and exits"
)]

mod allocator;
mod args;
pub mod captured;
pub mod hints;
pub mod interrupt;
mod limits;
mod output;
mod progress;
mod startup;
pub mod stdio;
pub mod usage;
mod verbs;

pub use allocator::Allocator;
#[doc(hidden)]
pub use {ctor, startup::occupy_closed_streams};

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use nnz::{Error, ErrorKind};

use args::Args;
use usage::Shared;
use verbs::Run;

/// The result of a run without an error.
enum Outcome {
    /// The answer is yes.
    Good,
    /// The answer is no; the findings on standard output give the reason.
    Bad,
}

/// Runs the command and returns its exit status. The first argument is the name of the program.
///
/// Signals that end a process are handled from then on: they remove unfinished outputs and exit. So do allocations
/// that fail, if the program has the [`Allocator`].
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    limits::read();
    interrupt::end_without_memory();
    let (mut args, shared): (Args, _) = match usage::parse_with_shared(arguments) {
        Ok(parsed) => parsed,
        Err(status) => return status,
    };
    match run_verb(&mut args, &shared) {
        Ok(Outcome::Good) => 0,
        Ok(Outcome::Bad) => 1,
        Err(error) => explain(&error, args.verb.command(), &shared),
    }
}

fn run_verb(args: &mut Args, shared: &Shared) -> nnz::Result<Outcome> {
    let context = args.global.context(shared)?;
    if let Some(writing) = args.verb.command_mut().writing() {
        writing.resolve_format()?;
    }
    interrupt::install();
    limits::raise();
    args.verb.command().run(args.global.quiet, &context)
}

/// Prints an error, unless standard output was closed by its reader, and returns the status.
fn explain(error: &Error, command: &dyn Run, shared: &Shared) -> u8 {
    if stdio::is_closed_pipe(error) {
        return 0;
    }
    stdio::print_error("nnz", error, &hint(error, shared));
    // Wrong arguments, whatever the files contain.
    let usage = error.is_argument() && error.place().is_unknown();
    if usage || is_without_memory(error) || command.answers_by_status() { 2 } else { 1 }
}

/// Returns a hint on an error.
fn hint(error: &Error, shared: &Shared) -> Cow<'static, str> {
    let hint = match error.kind() {
        _ if error.hint().is_some() => return hints::hint(error).into(),
        ErrorKind::Argument(what) | ErrorKind::UnknownName(what) => {
            return file_hint(what, &shared.lists).into();
        }
        ErrorKind::Exists if shared.force => "; another process created it in the meantime",
        ErrorKind::Exists => "; --force replaces it",
        ErrorKind::Memory { .. } => "; --memory raises the limit",
        ErrorKind::Changed => "; run the command again",
        _ if is_without_memory(error) => interrupt::MEMORY_HINT,
        ErrorKind::Io(io)
            if is_full(io) && error.place().path.as_deref().is_some_and(nnz::storage::is_url) =>
        {
            "; uploads are first written to the directory for temporary files; --temp-dir sets it"
        }
        _ => "",
    };
    hint.into()
}

/// Returns whether the system has no memory left.
fn is_without_memory(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::OutOfMemory)
}

/// Returns whether a disk is full.
fn is_full(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
}

/// Suggests `@FILE` if a name that was not found is a file.
fn file_hint(what: &str, lists: &[OsString]) -> String {
    let words = lists.iter().filter_map(|list| list.to_str());
    let words = words.flat_map(|list| list.split([',', '=']));
    let meant = words
        .filter(|word| what.contains(&format!("{word:?}")))
        .find(|word| Path::new(word).is_file());
    meant.map_or_else(String::new, |word| format!("; did you mean @{}?", nnz::text::escaped(word)))
}

#[cfg(test)]
mod tests {
    use nnz::Place;

    use super::*;

    fn parsed(words: &[&str]) -> Shared {
        let words = words.iter().map(OsString::from);
        let (_, shared): (Args, _) = usage::parse_with_shared(words).unwrap();
        shared
    }

    #[test]
    fn a_full_disk_is_that_of_temporary_files_where_the_target_is_a_url() {
        let shared = parsed(&["nnz", "convert", "a", "t"]);
        for (target, expected) in [("s3://bucket/t", true), ("t", false)] {
            let full = Error::io(Path::new(target), std::io::ErrorKind::StorageFull.into());
            assert_eq!(hint(&full, &shared).contains("--temp-dir"), expected, "{target}");
        }
    }

    #[test]
    fn force_is_not_advised_where_it_was_given() {
        let exists = Error::new(ErrorKind::Exists, Place::path("t"));
        for verb in [
            &["convert", "a", "t"][..],
            &["transpose", "a", "t"],
            &["slice", "a", "t", "--rows", "0:1"],
            &["filter", "a", "t", "--rows", "nnz>1"],
            &["sample", "a", "t", "--rows", "1"],
            &["concat", "a", "b", "t", "--axis", "rows"],
            &["fragments", "import", "a", "t"],
            &["fragments", "export", "a", "t.tsv"],
            &["fragments", "merge", "a", "b", "t"],
            &["fragments", "select", "a", "t"],
            &["fragments", "count", "a", "t", "--tiles", "5"],
            &["man", "t"],
            &["plot", "a", "t.svg"],
        ] {
            for force in [&[][..], &["--force"]] {
                let words = [&["nnz"], verb, force].concat();
                let hint = hint(&exists, &parsed(&words));
                assert_eq!(hint.contains("--force"), force.is_empty(), "{words:?}: {hint}");
            }
        }
    }
}
