//! Copies a Binsparse matrix or tensor into another container.
#![allow(clippy::exit, reason = "a program ends with a status")]

use std::process::ExitCode;

use clap::Parser;
use nnz::Location;

use nnz_binsparse_tools::{Writing, place, run as run_tool, target};

nnz_cli::occupy_closed_streams!();

const TOOL: &str = "binsparse_to_binsparse";

/// Copy a Binsparse matrix or tensor, array by array, into a container of any kind
///
/// An existing target is replaced when everything is written.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The matrix or tensor
    #[arg(value_name = "IN", value_parser = place())]
    source: Location,

    /// The file to write: .npz, .zarr, .h5, .hdf5, .nc or .bsp
    #[arg(value_name = "OUT", value_parser = target())]
    target: Location,

    #[command(flatten)]
    writing: Writing,
}

fn main() -> ExitCode {
    run_tool(TOOL, |args| {
        let Args { source, target, writing } = args;
        let (options, context) = (nnz::OpenOptions::new(), nnz::Context::default());
        let write = writing.options();
        nnz::numpy::copy(&source, &target, &options, write, &context).map(|()| true)
    })
}
