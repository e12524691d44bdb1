//! Makes arrays of NumPy from a matrix or tensor of Binsparse.
#![allow(clippy::exit, reason = "a program ends with a status")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nnz::Location;
use nnz::numpy::TensorArrays;

use nnz_binsparse_tools::{Writing, place, run as run_tool};

nnz_cli::occupy_closed_streams!();

const TOOL: &str = "binsparse_to_npy";

/// Write every cell of a matrix or tensor, which of them are stored, and what the others hold
///
/// What is there is replaced when all is written.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The matrix or tensor
    #[arg(value_name = "IN", value_parser = place())]
    source: Location,

    /// Where to write every cell
    #[arg(value_name = "TENSOR.npy")]
    tensor: PathBuf,

    /// Where to write which cells are stored
    #[arg(value_name = "PATTERN.npy")]
    pattern: PathBuf,

    /// Where to write what the other cells hold
    #[arg(value_name = "FILL.npy")]
    fill: PathBuf,

    #[command(flatten)]
    writing: Writing,
}

fn main() -> ExitCode {
    run_tool(TOOL, |args| {
        let Args { source, tensor, pattern, fill, writing } = args;
        let arrays = TensorArrays { tensor, pattern, fill };
        let write = writing.options();
        nnz::numpy::to_arrays(&source, &arrays, &nnz::OpenOptions::new(), write).map(|()| true)
    })
}
