//! Command-line arguments.

pub(crate) mod computing;
pub(crate) mod filtering;
mod format_options;
pub(crate) mod fragments;
mod global;
mod labelling;
pub(crate) mod plotting;
pub(crate) mod reading;
mod reordering;
pub(crate) mod reporting;
pub(crate) mod sampling;
mod selecting;
pub(crate) mod topics;
mod values;

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Arg, Args as Group, Parser, Subcommand, ValueEnum};
use nnz::{
    Axis, Compression, Error, Location, Order, ValueType,
    engine::Measures,
    output::{CellAxis, DuplicatePolicy, StructurePolicy},
    whole::Join,
};

pub(crate) use format_options::{FormatArgs, ReadArgs};
pub(crate) use labelling::Labelling;
pub(crate) use selecting::{AxisArg, Selecting};
pub(crate) use values::{To, empty_list};
use values::{count, memory, number, threads};

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

    /// Whether a target that is there may be replaced.
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

/// Print format, shape, types and sizes of a matrix
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz info pbmc.bpcells")]
pub(crate) struct Info {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Print the stored entries: row, column and value, in storage order
///
/// Rows and columns are printed with their position in the source, counted from 0, in file order.
/// Ranges may extend past the end.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz cat pbmc.bpcells --cols 0:10 | head
  nnz cat filtered_feature_bc_matrix --rows CD3E,CD8A --names")]
pub(crate) struct Cat {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    #[command(flatten)]
    pub(crate) selecting: Selecting,

    /// Print names instead of positions, where rows or columns have names
    #[arg(long)]
    pub(crate) names: bool,

    /// Also print the implied entries of a symmetric matrix
    #[arg(long)]
    pub(crate) expand: bool,

    /// What to do with duplicate entries (same row and column) [default: error if the format of SRC does not
    /// allow them, otherwise keep]
    #[arg(long, value_name = "HOW")]
    pub(crate) duplicates: Option<Duplicates>,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Print the names of rows, columns, cells, features or chromosomes, one per line
///
/// If there are no names, prints only a note on standard error.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz names pbmc.bpcells rows")]
pub(crate) struct Names {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Names to print
    #[arg(value_name = "AXIS")]
    pub(crate) axis: NamesArg,

    #[command(flatten)]
    pub(crate) from: reading::From,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Print the names and annotations of rows or columns as a table
///
/// The first line is a header, followed by one line per row or column. Fields are separated by commas if
/// OUT ends in .csv, otherwise by tabs. Missing values are empty. If there are neither names
/// nor annotations, prints only a note on standard error; with OUT, that is an error.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz annotations study.h5ad rows cells.csv
  nnz annotations peaks.bpcells rows peaks.bed")]
pub(crate) struct Annotations {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Axis to print
    #[arg(value_name = "AXIS")]
    pub(crate) axis: AxisArg,

    /// File to write: .csv, .tsv or .txt, or .bed with the names as regions, such as chr1:100-200 [default: standard
    /// output]
    #[arg(value_name = "OUT")]
    pub(crate) target: Option<PathBuf>,

    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) from: reading::From,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Convert a matrix to another format
///
/// The target is written completely or not at all. Values are stored exactly; if one cannot be, the
/// error names the first, and nothing is written. An AnnData or Loom file is converted to
/// another with everything in it; FILE.h5ad::X is only its matrix, with names and annotations.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz convert filtered_feature_bc_matrix pbmc.bpcells
  nnz convert pbmc.bpcells pbmc.mtx.gz
  nnz convert pbmc.bpcells study.h5ad::bpcells/raw --to bpcells --compress gzip:1
  nnz convert pbmc.bpcells pbmc.rds --to dgCMatrix
  nnz convert study.h5ad study.zarr
  nnz convert counts.mtx counts.bpcells --order row --type double
  nnz convert pbmc.bpcells packed.bpcells --reorder rows=frequency
  nnz convert counts.mtx counts.dbdf --dialect daphne
  nnz convert counts.csv.gz counts.h5ad
  nnz convert people.csv people.dbdf --types si64,f64,ui8")]
pub(crate) struct Convert {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write it; with --to 10x, bpcells or binsparse, a name without an extension is a directory
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    #[command(flatten)]
    pub(crate) source_options: reading::SourceOptions,

    #[command(flatten)]
    pub(crate) reordering: reordering::Reorderings,

    /// Choose what is not set by other options. fast: for reading; integers are packed in BPCells, nothing is
    /// compressed, and features are ordered by frequency if SRC is stored by cell. small: the same order, and the best
    /// compression that usual programs read. share: gzip, which all programs read
    #[arg(long, value_name = "PURPOSE", value_parser = ["fast", "small", "share"])]
    pub(crate) profile: Option<String>,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// `transpose` exchanges rows and columns by default, whatever the format.
const TRANSPOSED_CELL_AXIS: &str = "Axis of the cells in DST: the matrix is transposed only if needed; as-is \
                                    always transposes it [default: as-is]";

/// Transpose a matrix, in any format
///
/// The storage order stays the same: a matrix stored by column is written by column.
#[derive(Debug, Group)]
#[command(mut_arg("types", |arg| arg.hide(true)))]
#[command(mut_arg("cell_axis", |arg| arg.help(TRANSPOSED_CELL_AXIS)))]
#[command(after_help = "Example:\n  nnz transpose pbmc.bpcells cells_by_genes.bpcells")]
pub(crate) struct Transpose {
    #[command(flatten)]
    pub(crate) convert: Convert,
}

/// Extract selected rows and columns of a matrix, in the given order
///
/// A LIST has ranges A:B (from A to B - 1; either may be omitted), positions counted from 0, and
/// names, separated by commas. @FILE reads positions or names from a file, one per line. The target
/// has the order of the list. A row or column can be selected only once, and names must be unique.
/// From AnnData to AnnData, everything that belongs to the selected rows and columns is written. Any
/// annotation whose values are unique can be used as names, such as gene ids or symbols.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz slice pbmc.bpcells first.bpcells --cols 0:1000
  nnz slice filtered_feature_bc_matrix markers.mtx --rows CD3E,CD8A,MS4A1
  nnz slice pbmc.bpcells kept.bpcells --cols @barcodes.txt --rows @genes.txt
  nnz slice study.h5ad tumor.h5ad --cells \"tissue=tumor\" --cells \"n_counts>=500\"")]
pub(crate) struct Slice {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write the selection
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    #[command(flatten)]
    pub(crate) selecting: Selecting,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

const COMMON_TYPE: &str = "Value type: int8 to int64, uint8 to uint64, float32, float64, bint8 (bool), \
                           complex[float32] or complex[float64], if the target supports it; int, uint, \
                           float and double are int32, uint32, float32 and float64 [default: the smallest \
                           type that holds the values of all matrices]";

/// Concatenate matrices along an axis
///
/// With --axis rows, the rows of each matrix follow those of the one before; with --axis cols, the
/// columns. The other axis must have the same size and, if present, the same names. The target has the
/// smallest value type that holds the values of all matrices exactly. AnnData files are concatenated along
/// rows with all layers, raw, obs and obsm; genes are matched by name. FILE.h5ad::X is only the matrix.
#[derive(Debug, Group)]
#[command(mut_arg("value_type", |arg| arg.help(COMMON_TYPE)))]
#[command(after_help = "\
Examples:
  nnz concat monday.bpcells tuesday.bpcells all.bpcells --axis cols
  nnz concat a.h5ad b.h5ad all.h5ad --axis rows --join outer --label batch")]
pub(crate) struct Concat {
    /// The matrices, at least two
    #[arg(value_name = "SRC", value_parser = location(), required = true)]
    pub(crate) sources: Vec<Location>,

    /// Where to write the result
    #[arg(value_name = "DST", value_parser = location(), required = true)]
    pub(crate) target: Location,

    /// Axis to concatenate along
    #[arg(long, value_name = "AXIS")]
    pub(crate) axis: AxisArg,

    /// Use the names of the other axis of the first matrix with names, even if they differ
    #[arg(long)]
    pub(crate) ignore_names: bool,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) files: ConcatFiles,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

const WHOLE_FILES: &str = "Options for whole AnnData files";

/// How whole files are concatenated.
#[derive(Debug, Group)]
pub(crate) struct ConcatFiles {
    /// Keep the genes and the columns of obs that all files have (inner) or that any file has (outer);
    /// genes are matched by name [default: all files must have the same genes]
    #[arg(long, value_name = "HOW", help_heading = WHOLE_FILES)]
    pub(crate) join: Option<JoinArg>,

    /// Add a column to obs with the number of the file (0, 1, ...)
    #[arg(long, value_name = "COLUMN", help_heading = WHOLE_FILES)]
    pub(crate) label: Option<String>,

    /// Make the names of cells unique: append SEPARATOR and the file number
    #[arg(long, value_name = "SEPARATOR", help_heading = WHOLE_FILES)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) index_unique: Option<String>,

    /// Value of missing elements of dense arrays with --join outer [default: NaN]; those of sparse arrays
    /// are 0, so if there are any, another NUMBER is an error
    #[arg(long, value_name = "NUMBER", help_heading = WHOLE_FILES)]
    #[arg(allow_negative_numbers = true, value_parser = number)]
    pub(crate) fill: Option<f64>,
}

/// Which genes and columns are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JoinArg {
    Inner,
    Outer,
}

/// Write the cells of an AnnData file to one file per value of a column
///
/// Each file is named after its value and has everything that belongs to its cells, as with slice. Characters that
/// not every system allows in names of files become _, which a note says. Cells without a value are not written. All
/// files appear when the last one is complete; if splitting fails or is interrupted, nothing is written.
#[derive(Debug, Group)]
#[command(mut_args(of_split))]
#[command(after_help = "Example:\n  nnz split study.h5ad samples --by sample")]
pub(crate) struct Split {
    /// The AnnData file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Directory for the files; created if it does not exist
    #[arg(value_name = "DIR")]
    pub(crate) target: PathBuf,

    /// Column of obs
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: String,

    /// Extension (and format) of the files
    #[arg(long, value_name = "EXTENSION", default_value = "h5ad", value_parser = ["h5ad", "zarr"])]
    pub(crate) extension: String,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

const REPAIRED_FORMAT: &str = "Format to write: a name from nnz formats, or a Binsparse format such as CSR, \
                               COOR or \"dense(sparse(element))\" [default: from the extension of DST; \
                               without a known extension, the format of SRC]";

/// Write a corrected copy of a broken file
///
/// Corrects and lists what has a single possible correction: overflowed indptr of AnnData, 10x and SciPy; a wrong
/// number of entries in the header; unsorted entries; end_max of fragments. Anything else is an error, and nothing
/// is written. An AnnData file is written with everything in it.
#[derive(Debug, Group)]
#[command(mut_arg("to", |arg| arg.help(REPAIRED_FORMAT)))]
#[command(after_help = "Example:\n  nnz repair broken.h5ad good.h5ad")]
pub(crate) struct Repair {
    /// The file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write it, in the format of SRC unless the extension or --to selects another
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Correct the number of entries of a Matrix Market file even if the file may be truncated: if it has fewer
    /// entries than it states, or no newline at its end
    #[arg(long)]
    pub(crate) complete: bool,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// Hides the options of single matrices and of formats of single matrices, which do not apply to files that
/// are split.
fn of_split(arg: Arg) -> Arg {
    const SINGLE: [&str; 10] = [
        "cell_axis",
        "duplicates",
        "expand",
        "from_dialect",
        "from_format",
        "lossy",
        "order",
        "structure",
        "to",
        "value_type",
    ];
    match arg.get_id().as_str() {
        id if SINGLE.contains(&id) => arg.hide(true),
        "force" => arg.help("Replace existing files"),
        "compress" => {
            arg.help("Compression: none, gzip:N (1 to 9) or zstd:N (1 to 22) [default: none]")
        }
        _ => format_options::of_whole_files(arg),
    }
}

impl Writing {
    /// Replaces `--format`, and values of `--to` that are not names of formats, by options.
    fn resolve_format(&mut self) -> Result<(), Error> {
        if let Some(format) = self.format.take() {
            if matches!(&*format, "coordinate" | "array") {
                self.format_options.add("layout", &format, "--format")?;
            } else if self.to.is_some() {
                return Err(Error::argument("--format and --to cannot be used together"));
            } else {
                self.to = Some(format.parse().map_err(Error::argument)?);
            }
        }
        let Some(to) = &self.to else { return Ok(()) };
        let mut claimed = to.options.names().filter_map(|name| Some((name, to.options.get(name)?)));
        claimed.try_for_each(|(name, value)| self.format_options.add(name, value, "--to"))
    }
}

/// Options of all verbs that write a matrix.
#[derive(Debug, Group)]
pub(crate) struct Writing {
    /// Format to write: a name from nnz formats, or a Binsparse format such as CSR, COOR or
    /// "dense(sparse(element))" [default: from the extension of DST]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<To>,

    /// Write both triangles of a symmetric, skew-symmetric or Hermitian matrix
    #[arg(long)]
    pub(crate) expand: bool,

    /// Symmetric storage: keep (as in SRC), auto (one triangle if the matrix is symmetric, skew-symmetric or
    /// Hermitian), or general (both triangles, as --expand) [default: keep]
    #[arg(long, value_name = "HOW", conflicts_with = "expand")]
    pub(crate) structure: Option<StructureArg>,

    /// Store by row or by column [default: same as SRC; col if SRC is unordered]
    #[arg(long)]
    pub(crate) order: Option<OrderArg>,

    /// Value type: int8 to int64, uint8 to uint64, float32, float64, bint8 (bool), complex[float32] or
    /// complex[float64], if the target supports it; int, uint, float and double are int32, uint32, float32 and
    /// float64 [default: same as SRC; uint32 for integers if the target supports no others]
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) value_type: Option<ValueType>,

    /// Axis of the cells in DST: the matrix is transposed if needed; as-is never transposes it
    /// [default: as the format of DST requires, if SRC states which axis has cells]
    #[arg(long, value_name = "AXIS")]
    pub(crate) cell_axis: Option<CellAxisArg>,

    /// Allow rounding to a narrower floating-point type; integers must still fit exactly
    #[arg(long)]
    pub(crate) lossy: bool,

    /// What to do with duplicate entries (same row and column) [default: error if SRC or DST does not allow
    /// them, otherwise keep]
    #[arg(long, value_name = "HOW")]
    pub(crate) duplicates: Option<Duplicates>,

    /// Compression of HDF5, NetCDF-4, Zarr, .npz and .rds: none, gzip:N (1 to 9), zstd:N (1 to 22; HDF5,
    /// NetCDF-4 and Zarr only) or blosc (the same); for Zarr also pcodec:N (0 to 12) and, after gzip:N and zstd:N,
    /// +delta, +shuffle or both, such as zstd:9+delta+shuffle [default: none; .rds gzip:6; 10x gzip:1]
    #[arg(long, value_name = "HOW")]
    pub(crate) compress: Option<Compression>,

    /// Alias of --to, or of --layout for its values
    #[arg(long, value_name = "FORMAT", hide = true)]
    pub(crate) format: Option<String>,

    #[command(flatten)]
    pub(crate) format_options: FormatArgs,

    #[command(flatten)]
    pub(crate) labelling: Labelling,

    /// Overwrite DST. With ::GROUP, that group is replaced; without, the whole file
    #[arg(long)]
    pub(crate) force: bool,

    /// Fail instead of dropping names or other data that the target cannot store
    #[arg(long)]
    pub(crate) strict: bool,

    /// Do not wait until the data is on disk (fsync)
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Check a file for errors; prints nothing if it is valid
///
/// Errors are printed one per line with their position, and the exit status is 1, also if the format
/// of SRC is not recognized. It is 2 if SRC is missing or cannot be read. All matrices of a file are
/// checked, unless SRC names one; the check of the entries of a matrix stops at the first error.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz validate pbmc.bpcells && echo valid")]
pub(crate) struct Validate {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Also print what is unusual but allowed, such as unsorted rows or missing chunks of Zarr
    #[arg(long)]
    pub(crate) notes: bool,

    /// Print errors and notes as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Compare two matrices of any formats, or two AnnData files; prints nothing if they are equal
///
/// Matrices are equal if all elements have equal values; types and storage order are ignored. -0.0 differs
/// from 0.0, also from an implicit one. If matrices differ, the first differences are printed as
/// row, column and both values, with - for a missing one, and the exit status is 1. It is 2 if the
/// matrices cannot be compared: one is missing, unreadable, broken, or not a matrix.
///
/// AnnData files are compared with all tables, matrices and uns. Each line starts with the part that
/// differs (obs, X, ...). A.h5ad::X is only the matrix.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz diff counts.mtx counts.bpcells && echo equal
  nnz diff before.h5ad after.h5ad
  nnz diff pbmc.bpcells packed.bpcells --by-name
  nnz diff before.h5ad::X after.h5ad::X")]
pub(crate) struct Diff {
    /// The first matrix
    #[arg(value_name = "A", value_parser = location())]
    pub(crate) first: Location,

    /// The second matrix
    #[arg(value_name = "B", value_parser = location())]
    pub(crate) second: Location,

    /// Compare stored entries, including explicit zeros; for AnnData files also types
    #[arg(long)]
    pub(crate) stored: bool,

    /// Match rows and columns by name: only their order may differ; an axis without names is compared by position
    #[arg(long)]
    pub(crate) by_name: bool,

    /// Maximum number of differences to print; for AnnData files, of each part
    #[arg(long, value_name = "N", default_value = "10")]
    #[arg(value_parser = count, allow_negative_numbers = true)]
    pub(crate) max_diffs: usize,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) from: reading::From,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Print sum, mean, variance, minimum and maximum of a matrix, or of each row or column
///
/// Elements that are not stored count as zeros; nnz is the number of stored entries, in a dense matrix of
/// nonzero elements. The variance is the sample variance, with n - 1 in the denominator. With --rows or
/// --cols, only the selected rows and columns are included; they are printed with their position in the
/// source, in file order. Ranges may extend past the end.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz stats pbmc.bpcells
  nnz stats pbmc.bpcells --axis rows > genes.tsv
  nnz stats pbmc.bpcells --axis rows --cols @tumor.txt > genes.tsv
  nnz stats pbmc.bpcells --axis cols --measures sums > depth.tsv")]
pub(crate) struct Stats {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    #[command(flatten)]
    pub(crate) selecting: Selecting,

    /// Print a table with a line for each row or column; repeat it for both, in one pass
    #[arg(long, value_name = "AXIS")]
    pub(crate) axis: Vec<AxisArg>,

    /// What to compute; fewer measures are faster, because unused data is not decoded
    #[arg(long, value_name = "WHAT", default_value = "all")]
    pub(crate) measures: MeasuresArg,

    /// Print comma-separated values, for one axis at most
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasuresArg {
    /// The number of stored entries, in a dense matrix of nonzero elements
    Nnz,
    /// nnz, sum and mean
    Sums,
    /// nnz, sum, mean, variance, minimum and maximum
    All,
}

impl From<MeasuresArg> for Measures {
    fn from(measures: MeasuresArg) -> Self {
        match measures {
            MeasuresArg::Nnz => Self::Nnz,
            MeasuresArg::Sums => Self::Sums,
            MeasuresArg::All => Self::All,
        }
    }
}

/// List the formats that are read and written, and their extensions
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz formats")]
pub(crate) struct Formats {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a completion script for a shell
#[derive(Debug, Group)]
#[command(after_help = "\
Example:
  nnz completions bash > ~/.local/share/bash-completion/completions/nnz")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Write man pages, one for nnz and one for each command
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz man ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Directory to write to; created if it does not exist
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    /// Replace existing pages
    #[arg(long)]
    pub(crate) force: bool,
}

/// Show help for a command, or one of the topics formats and locations
#[derive(Debug, Group)]
#[command(after_long_help = topics::all())]
#[command(after_help = "Examples:\n  nnz help convert\n  nnz help formats\n  nnz help locations")]
pub(crate) struct Help {
    /// A command (for fragments, optionally followed by one of its commands), formats, or locations
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Vec<String>,
}

#[derive(Debug, Group)]
pub(crate) struct Threads {
    /// Maximum number of threads; fewer are used if the limit of memory is too small for all [default: all cores]
    #[arg(long = "threads", value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    number: Option<usize>,
}

#[derive(Debug, Group)]
pub(crate) struct Memory {
    /// Memory limit for external sorting, buffers of threads and loading .rds files, such as 500M or 4G [default: a
    /// quarter of the free memory, taking ulimit and cgroup limits (SLURM, Docker) into account]
    #[arg(long, value_name = "SIZE", value_parser = memory, allow_negative_numbers = true)]
    memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CellAxisArg {
    Rows,
    Cols,
    AsIs,
}

impl From<CellAxisArg> for CellAxis {
    fn from(axis: CellAxisArg) -> Self {
        match axis {
            CellAxisArg::Rows => Self::Axis(Axis::Rows),
            CellAxisArg::Cols => Self::Axis(Axis::Cols),
            CellAxisArg::AsIs => Self::AsIs,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NamesArg {
    Rows,
    Cols,
    /// The cells of fragments, or the axis of the matrix that has cells
    Cells,
    /// The axis that has features
    Features,
    /// The chromosomes of fragments
    Chromosomes,
}

impl NamesArg {
    /// Returns the axis of a matrix that is meant, if any.
    pub(crate) fn of_matrix(self) -> Option<AxisArg> {
        match self {
            Self::Rows => Some(AxisArg::Rows),
            Self::Cols => Some(AxisArg::Cols),
            Self::Cells => Some(AxisArg::Cells),
            Self::Features => Some(AxisArg::Features),
            Self::Chromosomes => None,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum OrderArg {
    Row,
    Col,
}

impl From<OrderArg> for Order {
    fn from(order: OrderArg) -> Self {
        match order {
            OrderArg::Row => Self::Row,
            OrderArg::Col => Self::Col,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum StructureArg {
    Auto,
    General,
    Keep,
}

impl From<JoinArg> for Join {
    fn from(join: JoinArg) -> Self {
        match join {
            JoinArg::Inner => Self::Inner,
            JoinArg::Outer => Self::Outer,
        }
    }
}

impl From<StructureArg> for StructurePolicy {
    fn from(structure: StructureArg) -> Self {
        match structure {
            StructureArg::Auto => Self::Auto,
            StructureArg::General => Self::General,
            StructureArg::Keep => Self::Keep,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Duplicates {
    /// Fail and report the first duplicate
    #[value(alias = "refuse")]
    Error,
    /// Sum them into one entry
    Sum,
    /// Keep all of them
    Keep,
}

impl From<Duplicates> for DuplicatePolicy {
    fn from(how: Duplicates) -> Self {
        match how {
            Duplicates::Error => Self::Refuse,
            Duplicates::Sum => Self::Sum,
            Duplicates::Keep => Self::Keep,
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
