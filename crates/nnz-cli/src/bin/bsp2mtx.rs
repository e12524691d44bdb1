//! Converts Binsparse to a Matrix Market file.
#![allow(clippy::exit, reason = "a program ends with a status")]

#[path = "tools/convert.rs"]
mod convert;
#[path = "tools/ending.rs"]
mod ending;
#[path = "tools/place.rs"]
mod place;
#[path = "tools/writing.rs"]
mod writing;

use std::process::ExitCode;

use clap::Parser;
use nnz::{ConvertOptions, Location};

const TOOL: &str = "bsp2mtx";

/// Convert a matrix of Binsparse to a Matrix Market file
///
/// What is there is replaced when all is written. The user's key "comment" becomes lines of comments;
/// other keys have no place in such a file, and are named on standard error.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The matrix
    #[arg(value_name = "IN[:GROUP]", value_parser = place::place())]
    source: Location,

    /// The file to write; - for standard output
    #[arg(value_name = "OUT.mtx", value_parser = place::place())]
    target: Location,

    #[command(flatten)]
    writing: writing::Writing,
}

fn main() -> ExitCode {
    ending::run(TOOL, |args: Args| {
        let format = Some("mtx");
        let write = args.writing.options();
        let options = ConvertOptions::default().format(format).write(write);
        let source = nnz::open(&args.source)?.into_matrix()?;
        convert::convert(TOOL, (&*source, &args.source), &args.target, &options).map(|()| true)
    })
}
