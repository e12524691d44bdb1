//! Copies a matrix or tensor of Binsparse into another container.
#![allow(clippy::exit, reason = "a program ends with a status")]

#[path = "tools/ending.rs"]
mod ending;
#[path = "tools/place.rs"]
mod place;
#[path = "tools/target.rs"]
mod target;
#[path = "tools/writing.rs"]
mod writing;

use std::process::ExitCode;

use clap::Parser;
use nnz::Location;

const TOOL: &str = "binsparse_to_binsparse";

/// Copy a matrix or tensor of Binsparse, array by array, into the same or another container
///
/// What is there is replaced when all is written.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The matrix or tensor
    #[arg(value_name = "IN", value_parser = place::place())]
    source: Location,

    /// Where to write: .npz, .zarr, .h5, .hdf5, .nc or .bsp
    #[arg(value_name = "OUT", value_parser = target::target())]
    target: Location,

    #[command(flatten)]
    writing: writing::Writing,
}

fn main() -> ExitCode {
    ending::run(TOOL, |args| {
        let Args { source, target, writing } = args;
        let write = writing.options();
        nnz::numpy::copy(&source, &target, &nnz::OpenOptions::new(), write).map(|()| true)
    })
}
