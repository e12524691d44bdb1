//! Command-line arguments: options of all verbs, and of several.

pub(crate) mod format_options;
pub(crate) mod fragments;
mod global;
mod labelling;
pub(crate) mod reading;
pub(crate) mod reordering;
mod resources;
pub(crate) mod selecting;
pub(crate) mod topics;
pub(crate) mod values;
pub(crate) mod writing;

use clap::Parser;
use clap::builder::{OsStringValueParser, TypedValueParser};
use nnz::{Error, Location};

use crate::verbs::Verb;

pub(crate) use format_options::{FormatArgs, ReadArgs};
pub(crate) use labelling::Labelling;
pub(crate) use resources::{Memory, Threads};
pub(crate) use selecting::{AxisArg, Selecting};
pub(crate) use values::{To, empty_list};
pub(crate) use writing::{Duplicates, Writing};

const ABOUT: &str = "Read, write, check and convert sparse matrices on disk, exactly and in \
                     bounded memory.";

const AFTER_HELP: &str = "\
A location is a file, a directory, or FILE::GROUP for a group in an HDF5, NetCDF or Zarr container, or \
a variable of a MAT-file; \
- is standard input or output (Matrix Market and fragments; other text formats with --from and --to). If nnz was built with the feature \
remote, a location may also be a URL: s3://, gs:// or az://, and https:// for a source. Without ::GROUP, nnz reads the root if it is a \
matrix, otherwise the only matrix in the file. The format of a source is detected from its content; \
the format of a target follows from its extension or --to.

Annotations are columns of data about rows or columns: obs and var in AnnData, features.tsv in 10x.

Reads:  BPCells directories, R objects (.rds), HDF5, NetCDF, Zarr and npz; R
        matrices (.rds): base R and classes of the Matrix package; Matrix Market
        (.mtx, in .tar and .zip); 10x HDF5, and 10x directories (matrix.mtx,
        barcodes.tsv, features.tsv or genes.tsv); DAPHNE
        matrices and data frames (.dbdf), and directories of segments
        (.dbdf.hdfs); Binsparse in HDF5, NetCDF, Zarr, npz and directories of
        .npy; AnnData (.h5ad, Zarr): X, or FILE::layers/counts, raw/X, obsm/...,
        obsp/...; Loom (.loom): matrix, or FILE::layers/spliced, col_graphs/...;
        SciPy and PyData sparse arrays (.npz); NumPy arrays (.npy); MATLAB
        variables (.mat); SVMlight (.svm), edge lists (.el, .wel, KONECT) and
        METIS graphs (.graph); tables of numbers (.csv, .tsv, .txt, .gct);
        text also compressed (.gz, .bz2, .xz, .zst, .zip)
Writes: BPCells directories (.bpcells), R objects (.rds), and with --to bpcells
        .h5, .nc, .zarr and .npz; R matrices (.rds with --to dgCMatrix); Matrix
        Market (.mtx, .mtx.gz); 10x directories, and 10x HDF5 (.h5 with --to 10x);
        DAPHNE (.dbdf, .dbdf.hdfs); Binsparse (.bsp.h5, .nc, .zarr, .bsp.npz,
        .bsp); AnnData (.h5ad; .zarr if the source is AnnData); Loom (.loom);
        SciPy sparse matrices (.npz); NumPy arrays (.npy); MATLAB variables
        (.mat); SVMlight, edge lists and METIS graphs; tables of numbers

nnz convert also converts DAPHNE data frames (.dbdf) to and from .csv.

See also nnz help formats and nnz help locations.

Exit status:
  0    success; validate: valid; diff: equal; also if the pipe on standard
       output is closed early
  1    error: invalid data, unsupported conversion, existing target, or I/O
       error; validate: invalid or not recognized; diff: different
  2    wrong arguments; validate and diff: could not be determined, for example
       a missing file
  129  interrupted by SIGHUP
  130  interrupted by SIGINT (Ctrl-C)
  143  interrupted by SIGTERM

If nnz is interrupted, no output is written and an existing target is unchanged. A signal that \
arrives after the output is in place does not change the status.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "nnz", version, about = ABOUT, after_help = AFTER_HELP)]
#[command(subcommand_required = true, arg_required_else_help = true, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
#[command(mut_subcommands(global::adapt))]
pub(crate) struct Args {
    /// The command to run
    #[command(subcommand)]
    pub(crate) verb: Verb,

    #[command(flatten)]
    pub(crate) global: global::Global,
}

/// Parses a location; names of files need not be UTF-8.
pub(crate) fn location() -> impl TypedValueParser<Value = Location> {
    OsStringValueParser::new().try_map(|text| match text.is_empty() {
        true => Err(Error::argument("the path is empty")),
        false => Location::try_parse(text),
    })
}
