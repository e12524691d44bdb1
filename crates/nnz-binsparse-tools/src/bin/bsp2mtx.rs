//! Converts Binsparse to a Matrix Market file.
#![allow(clippy::exit, reason = "a program ends with a status")]

use std::process::ExitCode;

use clap::Parser;
use nnz::{ConvertOptions, Location};

use nnz_binsparse_tools::{Writing, convert, place, run as run_tool};

nnz_cli::occupy_closed_streams!();

const TOOL: &str = "bsp2mtx";

/// Convert a Binsparse matrix to a Matrix Market file
///
/// An existing file is replaced when everything is written. The user key "comment" becomes comment
/// lines; other keys are dropped with a message on standard error.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The matrix
    #[arg(value_name = "IN[:GROUP]", value_parser = place())]
    source: Location,

    /// The file to write; - for standard output
    #[arg(value_name = "OUT.mtx", value_parser = place())]
    target: Location,

    #[command(flatten)]
    writing: Writing,
}

fn main() -> ExitCode {
    run_tool(TOOL, |args: Args| {
        let options =
            ConvertOptions::default().format("mtx").overwrite(true).sync(args.writing.syncs());
        let source = nnz::open(&args.source)?.into_matrix()?;
        convert(TOOL, &*source, &args.target, &options).map(|()| true)
    })
}
