//! Converts NumPy arrays to a Binsparse tensor.
#![allow(clippy::exit, reason = "a program ends with a status")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nnz::Location;
use nnz::numpy::TensorArrays;

use nnz_binsparse_tools::{Writing, run as run_tool, target};

nnz_cli::occupy_closed_streams!();

const TOOL: &str = "npy_to_binsparse";

/// Create a Binsparse tensor from all elements, the pattern of stored elements, and the fill value
///
/// HEADER is the object "binsparse", or the object that contains it. It is kept literally; what is
/// missing is added. An existing target is replaced when everything is written.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// All elements
    #[arg(value_name = "TENSOR.npy")]
    tensor: PathBuf,

    /// Which elements are stored: booleans
    #[arg(value_name = "PATTERN.npy")]
    pattern: PathBuf,

    /// The value of the other elements: one value
    #[arg(value_name = "FILL.npy")]
    fill: PathBuf,

    /// The descriptor; everything but the format may be missing
    #[arg(value_name = "HEADER.json")]
    header: PathBuf,

    /// The file to write: .npz, .zarr, .h5, .hdf5, .nc or .bsp
    #[arg(value_name = "OUT", value_parser = target())]
    target: Location,

    #[command(flatten)]
    writing: Writing,
}

fn main() -> ExitCode {
    run_tool(TOOL, |args| {
        let Args { tensor, pattern, fill, header, target, writing } = args;
        let arrays = TensorArrays { tensor, pattern, fill };
        let write = writing.options();
        let context = nnz::Context::default();
        nnz::numpy::from_arrays(&arrays, &header, &target, write, &context).map(|()| true)
    })
}
