//! The `nnz` command: arguments in, one call on the library, output out.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    reason = "a program prints, and ends with a status"
)]

mod args;
mod interrupt;
mod limits;
mod output;
mod progress;
mod verbs;

use std::process::ExitCode;

use clap::Parser as _;
use nnz::{Error, ErrorKind};

use args::{Args, Verb};

/// How a run ends when nothing failed.
enum Outcome {
    /// Yes.
    Good,
    /// The answer is no: findings on standard output say why.
    Bad,
}

fn main() -> ExitCode {
    let args = Args::parse();
    interrupt::install();
    limits::raise();
    let done = match &args.verb {
        Verb::Info(verb) => verbs::info(verb),
        Verb::Cat(verb) => verbs::cat(verb),
        Verb::Names(verb) => verbs::names(verb),
        Verb::Convert(verb) => verbs::convert(verb, false, args.quiet),
        Verb::Transpose(verb) => verbs::convert(&verb.convert, true, args.quiet),
        Verb::Slice(verb) => verbs::slice(verb, args.quiet),
        Verb::Concat(verb) => verbs::concat(verb, args.quiet),
        Verb::Diff(verb) => verbs::diff(verb),
        Verb::Stats(verb) => verbs::stats(verb),
        Verb::Validate(verb) => verbs::validate(verb),
        Verb::Fragments(verb) => verbs::fragments::run(&verb.verb, args.quiet),
        Verb::Completions(verb) => verbs::completions(verb),
        Verb::Man(verb) => verbs::man(verb),
    };
    match done {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::Bad) => ExitCode::from(1),
        Err(error) => explain(&error),
    }
}

/// Says what went wrong, unless nobody listens any more, and chooses the status.
fn explain(error: &Error) -> ExitCode {
    match error.kind() {
        ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::BrokenPipe => {
            return ExitCode::SUCCESS;
        }
        ErrorKind::Exists => output::tell(&format!("nnz: {error}; --force replaces it")),
        ErrorKind::Memory { .. } => {
            output::tell(&format!("nnz: {error}; --memory allows more"));
        }
        _ => output::tell(&format!("nnz: {error}")),
    }
    // What was asked for makes no sense, whatever the files hold.
    let usage = matches!(error.kind(), ErrorKind::Argument(_)) && error.place().is_unknown();
    ExitCode::from(if usage { 2 } else { 1 })
}
