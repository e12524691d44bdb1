//! Converts a Matrix Market file to Binsparse, with the smallest types that fit.
#![allow(clippy::exit, reason = "a program ends with a status")]

use std::process::ExitCode;

use clap::Parser;
use nnz::binsparse::Format;
use nnz::{Compression, ConvertOptions, Error, Location, formats::FormatOptions, matrix::Storage};

use nnz_binsparse_tools::{Writing, convert, place, run as run_tool, target};

nnz_cli::occupy_closed_streams!();

const TOOL: &str = "mtx2bsp";

/// Convert a Matrix Market file to Binsparse
///
/// Indices, pointers and values get the smallest types that fit. A pattern becomes one shared
/// value, the structure is kept, an array becomes DMAT, and comments are stored as the user key
/// "comment". An existing target is replaced when everything is written.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The Matrix Market file, gzipped or not
    #[arg(value_name = "IN.mtx", value_parser = place())]
    source: Location,

    /// The file to write: .h5, .hdf5, .nc or .zarr, optionally with a group after a colon; .npz;
    /// .bsp
    #[arg(value_name = "OUT[:GROUP]", value_parser = target())]
    target: Location,

    /// COO, CSR, DMAT or another format of Binsparse [default: COO, and DMAT for arrays]
    #[arg(value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,

    /// The gzip level: 0 (not compressed) to 9
    #[arg(value_name = "LEVEL", default_value = "0", value_parser = clap::value_parser!(u32).range(0..=9))]
    level: u32,

    #[command(flatten)]
    writing: Writing,
}

fn format(text: &str) -> Result<Format, String> {
    Format::named(&text.to_ascii_uppercase()).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        format!("expected DMAT, COO, {}", names.join(", "))
    })
}

fn main() -> ExitCode {
    run_tool(TOOL, |args| run(&args).map(|()| true))
}

fn run(args: &Args) -> Result<(), Error> {
    // Opened only once, because standard input can be read only once.
    let source = nnz::open(&args.source)?.into_matrix()?;
    let dense = source.header().storage == Storage::Dense;
    let default = if dense { Format::Dmatr } else { Format::Coor };
    let format = args.format.unwrap_or(default);
    let options = ConvertOptions::default()
        .format("binsparse")
        .format_options(
            FormatOptions::new()
                .with("levels", format.layout().to_string())
                .with("minimize", "true"),
        )
        .compress(match args.level {
            0 => Compression::None,
            level => Compression::Gzip(level),
        })
        .overwrite(true)
        .sync(args.writing.syncs());
    convert(TOOL, &*source, &args.target, &options)
}
