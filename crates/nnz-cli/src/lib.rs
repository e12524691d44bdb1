//! The `nnz` command: parses arguments, calls the library, prints the result.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    reason = "a command prints and exits"
)]

mod allocator;
mod args;
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
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use nnz::{Context, Error, ErrorKind};

use args::{Args, Verb};

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
    let (mut args, resources): (Args, _) = match usage::parse_with_resources(arguments) {
        Ok(parsed) => parsed,
        Err(status) => return status,
    };
    let context = match context(&args, resources) {
        Ok(context) => context,
        Err(error) => return explain(&error, &args.verb),
    };
    if let Err(error) = args.verb.resolve_aliases() {
        return explain(&error, &args.verb);
    }
    let context = &context;
    interrupt::install();
    limits::raise();
    let done = match &args.verb {
        Verb::Info(verb) => verbs::info(verb, context),
        Verb::Cat(verb) => verbs::cat(verb, context),
        Verb::Head(verb) => verbs::head(verb, context),
        Verb::Names(verb) => verbs::names(verb, args.quiet, context),
        Verb::Annotations(verb) => verbs::annotations(verb, args.quiet, context),
        Verb::Convert(verb) => verbs::convert(verb, false, args.quiet, context),
        Verb::Transpose(verb) => verbs::convert(&verb.convert, true, args.quiet, context),
        Verb::Slice(verb) => verbs::slice(verb, args.quiet, context),
        Verb::Filter(verb) => verbs::filter(verb, args.quiet, context),
        Verb::Sample(verb) => verbs::sample(verb, args.quiet, context),
        Verb::Concat(verb) => verbs::concat(verb, args.quiet, context),
        Verb::Split(verb) => verbs::split(verb, args.quiet, context),
        Verb::Normalize(verb) => verbs::normalize(verb, args.quiet, context),
        Verb::Aggregate(verb) => verbs::aggregate(verb, args.quiet, context),
        Verb::Pca(verb) => verbs::pca(verb, args.quiet, context),
        Verb::Repair(verb) => verbs::repair(verb, args.quiet, context),
        Verb::Diff(verb) => verbs::diff(verb, context),
        Verb::Stats(verb) => verbs::stats(verb, context),
        Verb::Plot(verb) => verbs::plot(verb, context),
        Verb::Report(verb) => verbs::report(verb, args.quiet, context),
        Verb::Validate(verb) => verbs::validate(verb, context),
        Verb::Fragments(verb) => verbs::fragments::run(&verb.verb, args.quiet, context),
        Verb::Formats(verb) => verbs::formats(verb),
        Verb::Completions(verb) => verbs::completions(verb),
        Verb::Man(verb) => verbs::man(verb),
        Verb::Help(verb) => verbs::help(verb),
    };
    match done {
        Ok(Outcome::Good) => 0,
        Ok(Outcome::Bad) => 1,
        Err(error) => explain(&error, &args.verb),
    }
}

/// Returns the context of all verbs.
fn context(args: &Args, resources: usage::Resources) -> nnz::Result<Context> {
    let context = Context::default()
        .with_storage_options(storage_options(&args.storage_options)?)?
        .with_memory(resources.memory)
        .with_threads(resources.threads)
        .with_progress(Arc::new(progress::Bar::new(args.quiet)));
    match &args.temp_dir {
        Some(directory) => context.with_temporary_directory(directory),
        None => Ok(context),
    }
}

/// Splits `KEY=VALUE`. What is wrong is not shown: it may be a secret.
fn storage_options(given: &[String]) -> nnz::Result<Vec<(String, String)>> {
    let split = |text: &String| {
        let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
        let pair = pair.map(|(key, value)| (key.to_owned(), value.to_owned()));
        pair.ok_or_else(|| Error::argument("--storage-option takes KEY=VALUE"))
    };
    given.iter().map(split).collect()
}

/// Prints an error, unless standard output was closed by its reader, and returns the status.
fn explain(error: &Error, verb: &Verb) -> u8 {
    if stdio::is_closed_pipe(error) {
        return 0;
    }
    stdio::print_error("nnz", error, &hint(error, verb));
    // Wrong arguments, whatever the files contain.
    let usage = error.is_argument() && error.place().is_unknown();
    if usage || is_without_memory(error) || verb.answers_by_status() { 2 } else { 1 }
}

/// Returns a hint on an error.
fn hint(error: &Error, verb: &Verb) -> Cow<'static, str> {
    let hint = match error.kind() {
        _ if error.hint().is_some() => return hints::hint(error).into(),
        ErrorKind::Argument(what) | ErrorKind::UnknownName(what) => {
            return file_hint(what, &verb.lists()).into();
        }
        ErrorKind::Exists if verb.forced() => "; another process created it in the meantime",
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
fn file_hint(what: &str, lists: &[&OsStr]) -> String {
    let words = lists.iter().filter_map(|list| list.to_str()).flat_map(|list| list.split(','));
    let meant = words
        .filter(|word| what.contains(&format!("{word:?}")))
        .find(|word| Path::new(word).is_file());
    meant.map_or_else(String::new, |word| format!("; did you mean @{}?", nnz::text::escaped(word)))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use nnz::Place;

    use super::*;

    #[test]
    fn a_full_disk_is_that_of_temporary_files_where_the_target_is_a_url() {
        let args = Args::try_parse_from(["nnz", "convert", "a", "t"]).unwrap();
        for (target, expected) in [("s3://bucket/t", true), ("t", false)] {
            let full = Error::io(Path::new(target), std::io::ErrorKind::StorageFull.into());
            assert_eq!(hint(&full, &args.verb).contains("--temp-dir"), expected, "{target}");
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
                let args = Args::try_parse_from(&words).unwrap();
                let hint = hint(&exists, &args.verb);
                assert_eq!(hint.contains("--force"), force.is_empty(), "{words:?}: {hint}");
            }
        }
    }
}
