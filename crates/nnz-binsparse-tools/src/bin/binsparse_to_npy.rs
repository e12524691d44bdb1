//! Converts a Binsparse matrix or tensor to NumPy arrays.
#![allow(clippy::exit, reason = "a program ends with a status")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nnz::Location;
use nnz::numpy::TensorArrays;

use nnz_binsparse_tools::{Writing, place, run as run_tool};

nnz_cli::occupy_closed_streams!();

const TOOL: &str = "binsparse_to_npy";

/// Write the elements of a matrix or tensor, which of them are stored, and the fill value
///
/// Existing files are replaced when everything is written.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The matrix or tensor
    #[arg(value_name = "IN", value_parser = place())]
    source: Location,

    /// The file for all elements
    #[arg(value_name = "TENSOR.npy")]
    tensor: PathBuf,

    /// The file for the pattern of stored elements
    #[arg(value_name = "PATTERN.npy")]
    pattern: PathBuf,

    /// The file for the value of the other elements
    #[arg(value_name = "FILL.npy")]
    fill: PathBuf,

    #[command(flatten)]
    writing: Writing,
}

fn main() -> ExitCode {
    run_tool(TOOL, |args| {
        let Args { source, tensor, pattern, fill, writing } = args;
        let arrays = TensorArrays { tensor, pattern, fill };
        let (options, context) = (nnz::OpenOptions::new(), nnz::Context::default());
        let write = writing.options();
        nnz::numpy::to_arrays(&source, &arrays, &options, write, &context).map(|()| true)
    })
}
