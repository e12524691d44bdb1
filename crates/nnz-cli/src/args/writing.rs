//! Arguments of commands that write matrices and files.

use std::path::PathBuf;

use clap::{Arg, Args as Group, ValueEnum};
use nnz::output::{CellAxis, DuplicatePolicy, StructurePolicy};
use nnz::whole::Join;
use nnz::{Axis, Compression, Error, Location, Order, ValueType};

use super::values::number;
use super::{
    AxisArg, FormatArgs, Labelling, Memory, Selecting, Threads, To, format_options, location,
    reading, reordering,
};

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

    /// Set the options that are not given. fast: for reading; integers are packed in BPCells, nothing is
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
/// With --axis rows, the rows of each matrix follow the rows of the previous matrix; with --axis cols,
/// the columns. The other axis must have the same size and, if present, the same names. The target has the
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

    /// Value of missing elements of dense arrays with --join outer [default: NaN]; missing elements
    /// of sparse arrays are 0, so if there are any, another NUMBER is an error
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
/// not every system allows in names of files become _, with a note. Cells without a value are not written. All
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
/// Corrects and lists errors with a single possible correction: overflowed indptr of AnnData, 10x and SciPy; a wrong
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
    pub(crate) fn resolve_format(&mut self) -> Result<(), Error> {
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

    /// How to handle duplicate entries (same row and column) [default: error if SRC or DST does not allow
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
