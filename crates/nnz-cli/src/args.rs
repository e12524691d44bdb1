//! Command-line arguments.

pub(crate) mod checking;
pub(crate) mod computing;
pub(crate) mod filtering;
mod format_options;
pub(crate) mod fragments;
mod general;
mod global;
mod labelling;
pub(crate) mod plotting;
mod printing;
pub(crate) mod reading;
mod reordering;
pub(crate) mod reporting;
mod resources;
pub(crate) mod sampling;
mod selecting;
pub(crate) mod topics;
mod values;
mod writing;

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Parser, Subcommand};
use nnz::{Error, Location};

pub(crate) use checking::{Diff, Stats, Validate};
pub(crate) use format_options::{FormatArgs, ReadArgs};
pub(crate) use general::{Completions, Formats, Help, Man};
pub(crate) use labelling::Labelling;
pub(crate) use printing::{Annotations, Cat, Info, Names, NamesArg};
pub(crate) use resources::{Memory, Threads};
pub(crate) use selecting::{AxisArg, Selecting};
pub(crate) use values::{To, empty_list};
pub(crate) use writing::{Concat, Convert, Duplicates, Repair, Slice, Split, Transpose, Writing};

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
        (.mtx, .mtx.gz, in .tar.gz); 10x HDF5, and 10x directories (matrix.mtx,
        barcodes.tsv, features.tsv or genes.tsv, each also with .gz); DAPHNE
        matrices and data frames (.dbdf), and directories of segments
        (.dbdf.hdfs); Binsparse in HDF5, NetCDF, Zarr, npz and directories of
        .npy; AnnData (.h5ad, Zarr): X, or FILE::layers/counts, raw/X, obsm/...,
        obsp/...; Loom (.loom): matrix, or FILE::layers/spliced, col_graphs/...;
        SciPy and PyData sparse arrays (.npz); NumPy arrays (.npy); MATLAB
        variables (.mat); SVMlight (.svm), edge lists (.el, .wel, KONECT) and
        METIS graphs (.graph), each also with .gz; tables of numbers (.csv, .tsv, .txt, .gct)
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

    /// Print no summaries, notes or progress
    #[arg(long, short, global = true, display_order = 900)]
    pub(crate) quiet: bool,

    /// Directory for temporary files [default: the directory of DST when sorting, otherwise $TMPDIR or
    /// /tmp]
    #[arg(long, global = true, value_name = "DIR", display_order = 901)]
    pub(crate) temp_dir: Option<PathBuf>,

    /// An option of s3://, gs://, az:// or https://, such as region=eu-west-1, endpoint=URL or anon=true
    /// [may be repeated; default: environment variables]
    #[arg(long = "storage-option", global = true, value_name = "KEY=VALUE")]
    pub(crate) storage_options: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Info(Info),
    Cat(Cat),
    Head(sampling::Head),
    Names(Names),
    Annotations(Annotations),
    Convert(Box<Convert>),
    Transpose(Box<Transpose>),
    Slice(Box<Slice>),
    Filter(Box<filtering::Filter>),
    Sample(Box<sampling::Sample>),
    Concat(Box<Concat>),
    Split(Box<Split>),
    Normalize(Box<computing::Normalize>),
    Aggregate(Box<computing::Aggregate>),
    Pca(Box<computing::PrincipalComponents>),
    Repair(Box<Repair>),
    Validate(Validate),
    Diff(Diff),
    Stats(Stats),
    Plot(Box<plotting::Plot>),
    Report(reporting::Report),
    Fragments(fragments::Fragments),
    Formats(Formats),
    Completions(Completions),
    Man(Man),
    Help(Help),
}

impl Verb {
    /// Replaces aliases whose meaning depends on their value by the options they mean.
    ///
    /// # Errors
    ///
    /// Fails if both an option and its alias are given.
    pub(crate) fn resolve_aliases(&mut self) -> Result<(), Error> {
        match self {
            Self::Convert(verb) => verb.writing.resolve_format(),
            Self::Transpose(verb) => verb.convert.writing.resolve_format(),
            Self::Slice(verb) => verb.writing.resolve_format(),
            Self::Filter(verb) => verb.writing.resolve_format(),
            Self::Sample(verb) => verb.writing.resolve_format(),
            Self::Concat(verb) => verb.writing.resolve_format(),
            Self::Split(verb) => verb.writing.resolve_format(),
            Self::Normalize(verb) => verb.writing.resolve_format(),
            Self::Aggregate(verb) => verb.writing.resolve_format(),
            Self::Repair(verb) => verb.writing.resolve_format(),
            Self::Fragments(fragments::Fragments {
                verb: fragments::FragmentsVerb::Count(verb),
            }) => verb.writing.resolve_format(),
            _ => Ok(()),
        }
    }

    /// Whether status 1 is the answer "no", so that errors need another status.
    pub(crate) fn answers_by_status(&self) -> bool {
        matches!(self, Self::Validate(_) | Self::Diff(_))
    }

    /// Returns lists of rows, columns, cells and chromosomes that were given without @FILE.
    pub(crate) fn lists(&self) -> Vec<&OsStr> {
        match self {
            Self::Cat(verb) => verb.selecting.texts(),
            Self::Slice(verb) => verb.selecting.texts(),
            Self::Convert(verb) => verb.reordering.texts(),
            Self::Transpose(verb) => verb.convert.reordering.texts(),
            Self::Filter(verb) => verb.filtering.texts(),
            Self::Stats(verb) => verb.selecting.texts(),
            Self::Plot(verb) => verb.selecting.texts(),
            Self::Fragments(fragments::Fragments {
                verb: fragments::FragmentsVerb::Select(verb),
            }) => [&verb.cells, &verb.chromosomes].into_iter().flatten().map(|s| &**s).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether an existing target may be replaced.
    pub(crate) fn forced(&self) -> bool {
        match self {
            Self::Convert(verb) => verb.writing.force,
            Self::Transpose(verb) => verb.convert.writing.force,
            Self::Slice(verb) => verb.writing.force,
            Self::Filter(verb) => verb.writing.force,
            Self::Sample(verb) => verb.writing.force,
            Self::Concat(verb) => verb.writing.force,
            Self::Split(verb) => verb.writing.force,
            Self::Normalize(verb) => verb.writing.force,
            Self::Aggregate(verb) => verb.writing.force,
            Self::Pca(verb) => verb.force,
            Self::Repair(verb) => verb.writing.force,
            Self::Fragments(verb) => verb.verb.forced(),
            Self::Man(verb) => verb.force,
            Self::Annotations(verb) => verb.force,
            Self::Plot(verb) => verb.force,
            Self::Report(verb) => verb.force,
            Self::Info(_)
            | Self::Cat(_)
            | Self::Head(_)
            | Self::Names(_)
            | Self::Validate(_)
            | Self::Diff(_)
            | Self::Stats(_)
            | Self::Formats(_)
            | Self::Completions(_)
            | Self::Help(_) => false,
        }
    }
}

/// Parses a location; names of files need not be UTF-8.
fn location() -> impl TypedValueParser<Value = Location> {
    OsStringValueParser::new().try_map(|text| match text.is_empty() {
        true => Err(Error::argument("the path is empty")),
        false => Location::try_parse(text),
    })
}
