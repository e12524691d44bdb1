//! What the command line can say.

pub(crate) mod daphne;
mod format_options;
pub(crate) mod fragments;
mod labelling;
mod selecting;
pub(crate) mod topics;
mod values;

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args as Group, Parser, Subcommand, ValueEnum};
use nnz::{
    Axis, Compression, ConvertOptions, Error, Location, Order, ValueType,
    engine::Measures,
    output::{CellAxis, DuplicatePolicy, StructurePolicy},
    whole::Join,
};

pub(crate) use format_options::FormatArgs;
pub(crate) use labelling::Labelling;
pub(crate) use selecting::{AxisArg, Selecting};
use values::threads;
pub(crate) use values::{To, empty_list};

const ABOUT: &str = "Read, write, check and convert sparse matrices on disk, exactly and in \
                     bounded memory.";

const PLACES: &str = "\
A place is a file, a directory, or FILE.h5::GROUP, a group in an HDF5, NetCDF or Zarr store; - is \
standard input or output, for text. What is read may be s3://, gs://, az:// or https:// too. Without a \
group, the root is read if it is a matrix, and else the only group that is. What is read is recognised by its content, what is written by the ending of its \
name or --to.

Reads:  BPCells directories, HDF5 groups and objects of R (.rds); matrices of R and its package
        Matrix (.rds); Matrix Market (.mtx, .mtx.gz); 10x folders (matrix.mtx, barcodes.tsv,
        features.tsv or genes.tsv, each also with .gz); matrices and frames of DAPHNE (.dbdf), and
        directories of segments (.dbdf.hdfs); Binsparse in HDF5, NetCDF, Zarr, npz and directories
        of .npy; AnnData (.h5ad, Zarr): X, or FILE::layers/counts, raw/X, obsm/..., obsp/...;
        10x HDF5; SciPy sparse matrices (.npz); NumPy arrays (.npy)
Writes: BPCells directories (.bpcells), objects of R (.rds) and HDF5 groups (.h5 with --to bpcells);
        matrices of R (.rds with --to dgCMatrix); Matrix Market (.mtx, .mtx.gz);
        DAPHNE (.dbdf, .dbdf.hdfs); Binsparse (.bsp.h5, .nc, .zarr, .bsp.npz, .bsp); AnnData
        (.h5ad; of AnnData also .zarr); SciPy sparse matrices (.npz); NumPy arrays (.npy); 10x
        folders, and HDF5 (.h5 with --to 10x)

Frames are read from .csv and .dbdf, and written to both, by convert.

See nnz help formats and nnz help places for more.

Exit status:
  0    done, or the answer is yes; also if whoever reads standard output closes it early
  1    refused, or an error of the system; validate: invalid, not recognised; diff: different
  2    wrong arguments; validate and diff: no answer, such as for a missing file
  129  ended by SIGHUP
  130  ended by SIGINT (Ctrl-C)
  143  ended by SIGTERM

After the last three there is no output, and what --force would have replaced is as it was. A signal
that comes once the output is in its place changes no status.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "nnz", version, about = ABOUT, after_help = PLACES)]
#[command(subcommand_required = true, arg_required_else_help = true, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
pub(crate) struct Args {
    /// What to do
    #[command(subcommand)]
    pub(crate) verb: Verb,

    /// Say nothing but errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// The directory for temporary files [default: that of DST for sorting, and $TMPDIR or /tmp]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) temp_dir: Option<PathBuf>,

    /// An option of s3://, gs://, az:// or https://, such as region=eu-west-1, endpoint=URL or anon=true
    /// [may be repeated; else from the environment]
    #[arg(long = "storage-option", global = true, value_name = "KEY=VALUE")]
    pub(crate) storage_options: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Info(Info),
    Cat(Cat),
    Names(Names),
    Annotations(Annotations),
    Convert(Box<Convert>),
    Transpose(Box<Transpose>),
    Slice(Box<Slice>),
    Concat(Box<Concat>),
    Split(Box<Split>),
    Repair(Box<Repair>),
    Validate(Validate),
    Diff(Diff),
    Stats(Stats),
    Fragments(fragments::Fragments),
    Formats(Formats),
    Completions(Completions),
    Man(Man),
    Help(Help),
}

impl Verb {
    /// Replaces aliases whose meaning depends on their value.
    ///
    /// # Errors
    ///
    /// Fails where an option and its alias are given.
    pub(crate) fn resolve_aliases(&mut self) -> Result<(), Error> {
        match self {
            Self::Convert(verb) => verb.writing.resolve_format(),
            Self::Transpose(verb) => verb.convert.writing.resolve_format(),
            Self::Slice(verb) => verb.writing.resolve_format(),
            Self::Concat(verb) => verb.writing.resolve_format(),
            Self::Split(verb) => verb.writing.resolve_format(),
            Self::Repair(verb) => verb.writing.resolve_format(),
            Self::Fragments(fragments::Fragments {
                verb: fragments::FragmentsVerb::Count(verb),
            }) => verb.writing.resolve_format(),
            _ => Ok(()),
        }
    }

    /// Whether status 1 is the answer "no", so that errors need another one.
    pub(crate) fn answers_by_status(&self) -> bool {
        matches!(self, Self::Validate(_) | Self::Diff(_))
    }

    /// Returns lists of rows, columns, cells and chromosomes that were given as they are, without @FILE.
    pub(crate) fn lists(&self) -> Vec<&OsStr> {
        match self {
            Self::Cat(verb) => verb.selecting.texts(),
            Self::Slice(verb) => verb.selecting.texts(),
            Self::Stats(verb) => verb.selecting.texts(),
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
            Self::Concat(verb) => verb.writing.force,
            Self::Split(verb) => verb.writing.force,
            Self::Repair(verb) => verb.writing.force,
            Self::Fragments(verb) => verb.verb.forced(),
            Self::Man(verb) => verb.force,
            Self::Annotations(verb) => verb.force,
            Self::Info(_)
            | Self::Cat(_)
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

/// Tell what a matrix is: format, shape, types, sizes
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz info pbmc.bpcells")]
pub(crate) struct Info {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: daphne::Reading,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Print stored entries: row, column and value, counted from 0, in storage order
///
/// Rows and columns that are selected keep the positions they have in the file, and its order,
/// whatever the order of the list. Ranges may go past the end.
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

    /// Print names in place of positions, where rows or columns have names
    #[arg(long)]
    pub(crate) names: bool,

    /// Also print the entries that follow from the symmetry of a matrix
    #[arg(long)]
    pub(crate) expand: bool,

    /// What to do with entries at one place, where the format leaves that open
    #[arg(long, value_name = "HOW", default_value = "refuse")]
    pub(crate) duplicates: Duplicates,

    #[command(flatten)]
    pub(crate) reading: daphne::Reading,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Print the names of rows or columns, or of cells or chromosomes, one a line
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz names pbmc.bpcells rows")]
pub(crate) struct Names {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Which names
    #[arg(value_name = "AXIS")]
    pub(crate) axis: NamesArg,

    #[command(flatten)]
    pub(crate) from: daphne::From,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Print the table that describes rows or columns: their names, and what else the file says of each
///
/// There is a header, and a line for each row or column, with commas between where OUT ends in .csv, else
/// tabs. Missing values are empty.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz annotations study.h5ad rows cells.csv")]
pub(crate) struct Annotations {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Of which axis
    #[arg(value_name = "AXIS")]
    pub(crate) axis: AxisArg,

    /// A file to write: .csv or .tsv [default: standard output]
    #[arg(value_name = "OUT")]
    pub(crate) target: Option<PathBuf>,

    /// Replace OUT if it is there
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Convert a matrix to another format
///
/// The target appears when it is complete and on disk, or not at all. Values are stored exactly,
/// or the first that cannot be is named and nothing is written. An AnnData file goes to another with
/// all that is in it; FILE.h5ad::X is its matrix alone, with names and annotations.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz convert filtered_feature_bc_matrix pbmc.bpcells
  nnz convert pbmc.bpcells pbmc.mtx.gz
  nnz convert pbmc.bpcells study.h5ad::bpcells/raw --to bpcells --compress gzip:1
  nnz convert pbmc.bpcells pbmc.rds --to dgCMatrix
  nnz convert study.h5ad study.zarr
  nnz convert counts.mtx counts.bpcells --order row --type double
  nnz convert counts.mtx counts.dbdf --dialect daphne
  nnz convert people.csv people.dbdf --types si64,f64,ui8")]
pub(crate) struct Convert {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write it; arrays under a name without an ending become a directory
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    #[command(flatten)]
    pub(crate) source_is: daphne::SourceIs,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// Exchange the rows and columns of a matrix, in any format
///
/// The storage order stays as it is, so that what was read by column is read by column afterwards.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz transpose pbmc.bpcells cells_by_genes.bpcells")]
pub(crate) struct Transpose {
    #[command(flatten)]
    pub(crate) convert: Convert,
}

/// Write some rows and columns of a matrix, in any order
///
/// A list has commas between: ranges A:B (from A to B - 1; either may be left out), positions
/// counted from 0, and names. @FILE reads positions or names from a file, one a line. What is
/// written has the order of the list. Nothing may be selected twice, and a name has to be that of
/// one row or column only. From an AnnData file to another, all that belongs to the rows and columns is
/// written. In a 10x folder, names of rows are any column of features.tsv, such as
/// ids and symbols.
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

    /// Where to write them
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    #[command(flatten)]
    pub(crate) selecting: Selecting,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// Write matrices one behind the other
///
/// With --axis rows each comes below the one before it, with --axis cols to its right. In the
/// other dimension they have to agree, in its names too where there are any. Values become the
/// smallest type that holds those of all matrices exactly. AnnData files are put together as wholes along
/// rows: genes by name, and with them layers, raw, obs and obsm.
#[derive(Debug, Group)]
#[command(after_help = "\
Example:
  nnz concat monday.bpcells tuesday.bpcells all.bpcells --axis cols
  nnz concat a.h5ad b.h5ad all.h5ad --axis rows --join outer --label batch")]
pub(crate) struct Concat {
    /// The matrices
    #[arg(value_name = "SRC", value_parser = location(), required = true)]
    pub(crate) sources: Vec<Location>,

    /// Where to write them
    #[arg(value_name = "DST", value_parser = location(), required = true)]
    pub(crate) target: Location,

    /// Axis to concatenate along
    #[arg(long, value_name = "AXIS")]
    pub(crate) axis: AxisArg,

    /// Take the names of the other axis from the first matrix that has any, whatever the rest say
    #[arg(long)]
    pub(crate) ignore_names: bool,

    #[command(flatten)]
    pub(crate) files: ConcatFiles,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// How files are put together that are written as a whole.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options of whole AnnData files")]
pub(crate) struct ConcatFiles {
    /// Keep the genes, and the columns of obs, that all files have (inner) or any has (outer); genes go by
    /// name [default: all files have to have the same genes]
    #[arg(long, value_name = "HOW")]
    pub(crate) join: Option<JoinArg>,

    /// Add a column of this name to obs, with the number of the file from 0; _index is no such name
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label: Option<String>,

    /// Add the number of the file to the names of cells, with this between
    #[arg(long, value_name = "SEPARATOR", allow_hyphen_values = true)]
    pub(crate) index_unique: Option<String>,

    /// The value of what a file does not have in dense arrays, for --join outer [default: not a number]; in sparse
    /// ones it is zero, and any other is refused
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) fill: Option<f64>,
}

/// Which of what several files have is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JoinArg {
    Inner,
    Outer,
}

/// Write the cells of an AnnData file that share a value to a file each
///
/// Each file is named by the value, and has all that belongs to its cells, as from slice. Cells without a
/// value are in none. Where splitting fails, a directory that was created for it goes.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz split study.h5ad samples --by sample")]
pub(crate) struct Split {
    /// The file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// The directory of the files; created if it is not there
    #[arg(value_name = "DIR")]
    pub(crate) target: PathBuf,

    /// The column of obs
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: String,

    /// The extension of the files, which says what they are: h5ad or zarr
    #[arg(long, value_name = "EXTENSION", default_value = "h5ad", value_parser = ["h5ad", "zarr"])]
    pub(crate) extension: String,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// Write a broken file as it was meant to be
///
/// What is wrong and certain is mended, and said: pointers of AnnData, 10x and SciPy that wrapped around; another
/// number of entries than a header states; entries that are not sorted; end_max of fragments. Anything else that
/// is wrong is refused, and nothing is written. An AnnData file goes with all that is in it.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz repair broken.h5ad good.h5ad")]
pub(crate) struct Repair {
    /// The file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write it, in the format of SRC unless its extension or --to says otherwise
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Take a text for complete that has fewer entries than its header states, or another number and no line break
    /// at its end: it was not cut short
    #[arg(long)]
    pub(crate) complete: bool,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

impl Writing {
    /// Replaces `--format`, and values of `--to` that are no names of formats, by options.
    fn resolve_format(&mut self) -> Result<(), Error> {
        if let Some(format) = self.format.take() {
            if matches!(&*format, "coordinate" | "array") {
                self.format_options.add("layout", &format, "--format")?;
            } else if self.to.is_some() {
                return Err(Error::argument("--format and --to say the same twice"));
            } else {
                self.to = Some(format.parse().map_err(Error::argument)?);
            }
        }
        let Some(to) = &self.to else { return Ok(()) };
        let mut claimed = to.options.names().filter_map(|name| Some((name, to.options.get(name)?)));
        claimed.try_for_each(|(name, value)| self.format_options.add(name, value, "--to"))
    }
}

/// What everything that writes a matrix can be told.
#[derive(Debug, Group)]
pub(crate) struct Writing {
    /// The format to write, by its name in nnz formats; also CSR, COOR or another format of
    /// Binsparse, or its levels, as in "dense(sparse(element))" [default: that of the extension of DST]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<To>,

    /// Write both triangles of a symmetric, skew-symmetric or Hermitian matrix
    #[arg(long)]
    pub(crate) expand: bool,

    /// Which triangles to write where DST can hold one alone: auto finds out whether one follows
    /// from the other, general is the same as --expand [default: keep, as SRC]
    #[arg(long, value_name = "HOW", conflicts_with = "expand")]
    pub(crate) structure: Option<StructureArg>,

    /// Store row by row or column by column [default: as SRC; col where it has no order]
    #[arg(long)]
    pub(crate) order: Option<OrderArg>,

    /// The type of values: uint, float, double; int8, uint64 and so on where the target has them
    /// [default: as SRC; uint for integers where the target has no others]
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) value_type: Option<ValueType>,

    /// Which axis of DST cells are on; as-is calls rows rows whatever the formats say. Nothing is moved for
    /// that [default: that of the format of DST, if SRC says which axis cells are on]
    #[arg(long, value_name = "AXIS")]
    pub(crate) cell_axis: Option<CellAxisArg>,

    /// Let values be rounded to the nearest float that the target's type holds
    #[arg(long)]
    pub(crate) lossy: bool,

    /// What to do with entries at one place [default: refuse, where source or target do]
    #[arg(long, value_name = "HOW")]
    pub(crate) duplicates: Option<Duplicates>,

    /// Containers: none, gzip:N (1 to 9) or zstd:N (1 to 22) [default: none; for R gzip:6]
    #[arg(long, value_name = "HOW")]
    pub(crate) compress: Option<Compression>,

    /// The same as --to, or as --layout where the value is one of its own, as it was before
    #[arg(long, value_name = "FORMAT", hide = true)]
    pub(crate) format: Option<String>,

    #[command(flatten)]
    pub(crate) format_options: FormatArgs,

    #[command(flatten)]
    pub(crate) labelling: Labelling,

    /// Replace DST if it is there: a group with all groups in it, and without a group the whole
    /// file
    #[arg(long)]
    pub(crate) force: bool,

    /// Refuse to convert what DST does not support, such as names, instead of dropping it
    #[arg(long)]
    pub(crate) strict: bool,

    /// Do not wait until the data is on disk
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Check everything about a matrix; silent if nothing is wrong
///
/// Findings go to standard output, one a line with its place, and the exit status is 1, also where
/// SRC is not recognised. It is 2 where SRC is missing or cannot be read. Other groups of a file are
/// checked as well, unless SRC names one.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz validate pbmc.bpcells && echo sound")]
pub(crate) struct Validate {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Also print what is odd but allowed, such as rows that are not sorted
    #[arg(long)]
    pub(crate) notes: bool,

    /// Findings and notes as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: daphne::Reading,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Compare two matrices of any formats, or two AnnData files; silent if they are equal
///
/// Equal means the same numbers in every cell, whatever their type and order; -0.0 is neither 0.0 nor
/// a cell that is not stored. Otherwise the first differences are printed, and the exit status is 1:
/// row, column, and both values, with - for none. It is 2 where they cannot be compared: one is
/// missing, unreadable, broken, or no matrix.
///
/// Of two AnnData files all elements are compared: tables, matrices and uns. A line starts with the element
/// that differs. A.h5ad::X is the matrix alone.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz diff counts.mtx counts.bpcells && echo equal
  nnz diff before.h5ad after.h5ad
  nnz diff before.h5ad::X after.h5ad::X")]
pub(crate) struct Diff {
    /// The first matrix
    #[arg(value_name = "A", value_parser = location())]
    pub(crate) first: Location,

    /// The second matrix
    #[arg(value_name = "B", value_parser = location())]
    pub(crate) second: Location,

    /// Compare stored entries, explicit zeros too, instead of what they mean; in AnnData files also types
    #[arg(long)]
    pub(crate) stored: bool,

    /// Differences to print at the most; of AnnData files, for each element
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) most: usize,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Sum, mean, variance, least and greatest, of the whole or of every row or column
///
/// Cells that are not stored count as zeros; nnz counts those that are. The variance is that of a
/// sample: over one less than the number of cells. With --rows or --cols, only what is selected
/// counts; it keeps the positions it has in the file, and its order. Ranges may go past the end.
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

    /// A table of every row or column; both, in one pass, if given twice
    #[arg(long, value_name = "AXIS")]
    pub(crate) axis: Vec<AxisArg>,

    /// What to tell of each: less takes less time, since what is not needed is not decoded
    #[arg(long, value_name = "WHAT", default_value = "all")]
    pub(crate) measures: MeasuresArg,

    /// As comma-separated values, with one axis at the most
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasuresArg {
    /// The number of stored entries
    Nnz,
    /// That, sum and mean
    Sums,
    /// That, variance, least and greatest
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

/// List the formats: what is read and written, extensions
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz formats")]
pub(crate) struct Formats {
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a script that completes what is typed, for a shell
#[derive(Debug, Group)]
#[command(after_help = "\
Example:
  nnz completions bash > ~/.local/share/bash-completion/completions/nnz")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the manual, a page for the command and one for each verb
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz man ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The directory to write to, which is made if it is not there
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    /// Replace pages that are there
    #[arg(long)]
    pub(crate) force: bool,
}

/// Print the help of a verb, or the page on formats or places
#[derive(Debug, Group)]
#[command(after_long_help = topics::all())]
#[command(after_help = "Examples:\n  nnz help convert\n  nnz help formats\n  nnz help places")]
pub(crate) struct Help {
    /// A verb (for fragments, also one of its own behind it), formats, or places
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Vec<String>,
}

#[derive(Debug, Group)]
pub(crate) struct Threads {
    /// Threads that work at the same time [default: all cores]
    #[arg(long = "threads", value_name = "N", value_parser = threads)]
    number: Option<usize>,
}

impl Threads {
    pub(crate) fn number(&self) -> usize {
        self.number.unwrap_or_else(|| ConvertOptions::default().threads)
    }
}

#[derive(Debug, Group)]
pub(crate) struct Memory {
    /// Memory that sorting may take, and as much an object of R that is read, such as 500M or 4G
    /// [default: a quarter of what is free, within the limits of the process and its cgroups, such
    /// as those of SLURM and Docker]
    #[arg(long, value_name = "SIZE", value_parser = nnz::text::parse_size)]
    memory: Option<u64>,
}

impl Memory {
    pub(crate) fn bytes(&self) -> u64 {
        self.memory.unwrap_or_else(nnz::engine::default_memory)
    }

    /// Returns what is said, so that what is free is asked for where it is needed only.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.memory
    }
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
    /// Of fragments, or of whichever axis has cells
    Cells,
    /// Of whichever axis has features
    Features,
    /// Of fragments
    Chromosomes,
}

impl NamesArg {
    /// Returns what it means of a matrix, if anything.
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
    /// An error that says where
    Refuse,
    /// Their sum is one entry
    Sum,
    /// Each stays an entry
    Keep,
}

impl From<Duplicates> for DuplicatePolicy {
    fn from(how: Duplicates) -> Self {
        match how {
            Duplicates::Refuse => Self::Refuse,
            Duplicates::Sum => Self::Sum,
            Duplicates::Keep => Self::Keep,
        }
    }
}

/// Reads a place; names of files need not be UTF-8.
fn location() -> impl TypedValueParser<Value = Location> {
    OsStringValueParser::new().try_map(Location::try_parse)
}
