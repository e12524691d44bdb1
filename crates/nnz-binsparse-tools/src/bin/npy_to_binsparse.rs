//! Makes a tensor of Binsparse from arrays of NumPy.
#![allow(clippy::exit, reason = "a program ends with a status")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nnz::Location;
use nnz::numpy::TensorArrays;

use nnz_binsparse_tools::{Writing, run as run_tool, target};

nnz_cli::occupy_closed_streams!();

const TOOL: &str = "npy_to_binsparse";

/// Make a tensor of Binsparse from every cell, which of them are stored, and what the others hold
///
/// HEADER is the object that stands under "binsparse", or the one around it, and stays as it is; what
/// it leaves out is added. What is there is replaced when all is written.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// Every cell
    #[arg(value_name = "TENSOR.npy")]
    tensor: PathBuf,

    /// Which cells are stored: truth values
    #[arg(value_name = "PATTERN.npy")]
    pattern: PathBuf,

    /// What the other cells hold: one value
    #[arg(value_name = "FILL.npy")]
    fill: PathBuf,

    /// The description, of which all but the format may be left out
    #[arg(value_name = "HEADER.json")]
    header: PathBuf,

    /// Where to write: .npz, .zarr, .h5, .hdf5, .nc or .bsp
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
        let options = nnz::OpenOptions::new();
        nnz::numpy::from_arrays(&arrays, &header, &target, &options, write).map(|()| true)
    })
}
