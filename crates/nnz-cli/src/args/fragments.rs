//! Arguments of `nnz fragments`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgGroup, Args as Group, ValueEnum};
use nnz::fragments::CountMode;
use nnz::{Compression, Location, formats::values::FormatVersion};

use super::values::{natural, positive};
use super::{Memory, Threads, Writing, location};

/// Work with genomic fragments: import, export, query, merge, select, count
///
/// Fragments are intervals on chromosomes, each from one cell. Fragment files are BPCells files:
/// directories, HDF5, NetCDF, Zarr, npz and R objects. Positions are counted from 0, and ends are
/// exclusive. info, cat, names, convert, validate and diff also accept fragment files.
#[derive(Debug, Group)]
pub(crate) struct Fragments {
    /// The command to run
    #[command(subcommand)]
    pub(crate) verb: FragmentsVerb,
}

crate::verbs::verbs! {
    FragmentsVerb {
        Import(Import),
        Export(Export),
        Query(Query),
        Merge(Merge),
        Select(Select),
        Count(Count),
    }
}

/// Import fragments from text: 10x fragments.tsv, plain, gzipped or bgzipped
///
/// Each line has chromosome, start, end and cell; other columns are ignored. The fragments of a
/// chromosome must be adjacent and sorted by start, unless --sort is given.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz fragments import fragments.tsv.gz pbmc.fragments
  nnz fragments import unsorted.tsv sorted.fragments --sort --memory 2G
  nnz fragments import fragments.tsv.gz cells.fragments --cells barcodes.tsv.gz")]
pub(crate) struct Import {
    /// The text; - is standard input
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Fragment file to write: .h5, .nc, .zarr or ::GROUP; .npz; .rds; with another extension, a directory
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Sort the fragments, which may be in any order
    #[arg(long)]
    pub(crate) sort: bool,

    /// End coordinates are inclusive
    #[arg(long)]
    pub(crate) end_inclusive: bool,

    /// Import only fragments of the cells in FILE, one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) cells: Option<PathBuf>,

    /// Chromosomes and their order, one per line; optionally a tab and their size
    #[arg(long, value_name = "FILE")]
    pub(crate) chrom_sizes: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) storing: Storing,
}

/// Write fragments as text: .tsv, .txt or .bed; with .gz, bgzip-compressed and with a tabix index
///
/// .bed has chromosome, start, end and cell; .tsv and .txt also have a count, which is 1, as in 10x files.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz fragments export pbmc.fragments fragments.tsv.gz
  nnz fragments export pbmc.fragments - | head")]
pub(crate) struct Export {
    /// The fragment file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write the text; - is standard output
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Replace an existing file
    #[arg(long)]
    pub(crate) force: bool,

    /// Do not wait until the data is on disk (fsync)
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// Print the fragments that overlap regions: chromosome, start, end and cell
///
/// A region is CHROMOSOME, CHROMOSOME:START-END or CHROMOSOME:START-. START is counted from 0, and
/// END is exclusive.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz fragments query pbmc.fragments chr1:10,000-20,000")]
pub(crate) struct Query {
    /// The fragment file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// The regions
    #[arg(value_name = "REGION", required = true)]
    pub(crate) regions: Vec<String>,

    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// Merge several fragment files into one
///
/// Cells are in the order of the files, and no two of them may have the same name. Chromosomes with
/// the same name are merged.
#[derive(Debug, Group)]
#[command(after_help = "\
Example:
  nnz fragments merge monday.fragments tuesday.fragments all.fragments --prefix mon_,tue_")]
pub(crate) struct Merge {
    /// The fragment files, at least two
    #[arg(value_name = "SRC", value_parser = location(), required = true)]
    pub(crate) sources: Vec<Location>,

    /// Fragment file to write: .h5, .nc, .zarr or ::GROUP; .npz; .rds; with another extension, a directory
    #[arg(value_name = "DST", value_parser = location(), required = true)]
    pub(crate) target: Location,

    /// Prefixes of the names of cells, one per fragment file, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) prefix: Vec<String>,

    #[command(flatten)]
    pub(crate) storing: Storing,
}

/// Extract fragments by cell, chromosome and length
///
/// A list has names separated by commas. @FILE reads names from a file, one per line, and allows
/// names with a comma or a leading @. The target has the order of the list.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz fragments select pbmc.fragments kept.fragments --cells @barcodes.txt
  nnz fragments select pbmc.fragments short.fragments --chromosomes chr1,chrX --max-length 147")]
pub(crate) struct Select {
    /// The fragment file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Fragment file to write: .h5, .nc, .zarr or ::GROUP; .npz; .rds; with another extension, a directory
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Cells: names, or @FILE [default: all]
    #[arg(long, value_name = "LIST")]
    pub(crate) cells: Option<OsString>,

    /// Chromosomes: names, or @FILE [default: all]
    #[arg(long, value_name = "LIST")]
    pub(crate) chromosomes: Option<OsString>,

    /// Allow an empty @FILE, which selects nothing
    #[arg(long)]
    pub(crate) allow_empty: bool,

    /// Minimum length in bases
    #[arg(long, value_name = "N", default_value = "0")]
    #[arg(value_parser = natural, allow_negative_numbers = true)]
    pub(crate) min_length: u32,

    /// Maximum length in bases [default: any]
    #[arg(long, value_name = "N", value_parser = natural, allow_negative_numbers = true)]
    pub(crate) max_length: Option<u32>,

    #[command(flatten)]
    pub(crate) storing: Storing,
}

/// Count fragments in regions: a matrix of regions by cells
///
/// Regions come from a BED file, or are tiles of one width. Rows have the order of the regions and
/// are named CHROMOSOME:START-END.
#[derive(Debug, Group)]
#[command(group = ArgGroup::new("regions").required(true))]
#[command(mut_args(of_counts))]
#[command(after_help = "\
Examples:
  nnz fragments count pbmc.fragments peaks.bpcells --peaks peaks.bed
  nnz fragments count pbmc.fragments tiles.bpcells --tiles 500 --chrom-sizes hg38.chrom.sizes
  nnz fragments count pbmc.fragments peaks.mtx.gz --peaks peaks.bed --mode overlaps")]
pub(crate) struct Count {
    /// The fragment file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write the matrix
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Regions: a BED file with chromosome, start and end
    #[arg(long, value_name = "FILE", group = "regions", conflicts_with = "tiles")]
    pub(crate) peaks: Option<PathBuf>,

    /// Divide the chromosomes into tiles of this many bases
    #[arg(long, value_name = "BASES", group = "regions")]
    #[arg(value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tiles: Option<u32>,

    /// Chromosomes to divide and their sizes, one per line, separated by a tab [default: all, up to
    /// the largest end]
    #[arg(long, value_name = "FILE", requires = "tiles", conflicts_with = "peaks")]
    pub(crate) chrom_sizes: Option<PathBuf>,

    /// Count insertions or overlaps
    #[arg(long, value_name = "WHAT", default_value = "insertions")]
    pub(crate) mode: Mode,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// Adapts options that describe what is the same as in SRC: counts are a matrix, SRC is not.
fn of_counts(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "expand" | "structure" | "duplicates" => arg.hide(true),
        "order" => arg.help("Store by row or by column [default: row, or what DST requires]"),
        "cell_axis" => arg.help(
            "Axis of the cells in DST; as-is is cols [default: as the format of DST requires, otherwise cols]",
        ),
        "value_type" => arg.help(
            "Value type: int8 to int64, uint8 to uint64, float32 or float64, if the target supports it \
             [default: uint32]",
        ),
        "genome" => arg.help("Genome of the features in an HDF5 file [default: none]"),
        _ => arg,
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Mode {
    /// Both ends of each fragment, separately
    Insertions,
    /// Fragments that overlap a region, once each
    Overlaps,
}

impl From<Mode> for CountMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Insertions => Self::Insertions,
            Mode::Overlaps => Self::Overlaps,
        }
    }
}

/// Options of all verbs that write a fragment file.
#[derive(Debug, Group)]
pub(crate) struct Storing {
    /// Disable bit packing
    #[arg(long)]
    pub(crate) unpacked: bool,

    /// BPCells format version: 1 or 2 [default: 2]
    #[arg(long, value_name = "N")]
    pub(crate) format_version: Option<FormatVersion>,

    /// Compression of HDF5, NetCDF-4, Zarr, .npz and .rds: none, gzip:N (1 to 9), or zstd:N (1 to 22; HDF5,
    /// NetCDF-4 and Zarr only) [default: none; .rds gzip:6]
    #[arg(long, value_name = "HOW")]
    pub(crate) compress: Option<Compression>,

    /// Overwrite DST. With ::GROUP, that group is replaced; without, the whole file
    #[arg(long)]
    pub(crate) force: bool,

    /// Do not wait until the data is on disk (fsync)
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}
