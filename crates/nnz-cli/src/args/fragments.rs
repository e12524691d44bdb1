//! What the command line can say of genomic fragments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args as Group, Subcommand, ValueEnum};
use nnz::fragments::CountMode;
use nnz::{Compression, Location, bpcells::FormatVersion};

use super::{Memory, Threads, Writing, location};

/// Work with genomic fragments: import, export, query, merge, select, count
///
/// Fragments are intervals on chromosomes, each from one cell, in a store: a BPCells directory, a
/// group of an HDF5 file, or an object of R. Bases are counted from 0, and an end is the base behind
/// the last one. info, cat, names, convert, validate and diff take stores of fragments, too.
#[derive(Debug, Group)]
pub(crate) struct Fragments {
    /// What to do
    #[command(subcommand)]
    pub(crate) verb: FragmentsVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FragmentsVerb {
    Import(Import),
    Export(Export),
    Query(Query),
    Merge(Merge),
    Select(Select),
    Count(Box<Count>),
}

impl FragmentsVerb {
    /// Whether a target that is there may be replaced.
    pub(crate) fn forced(&self) -> bool {
        match self {
            Self::Import(verb) => verb.storing.force,
            Self::Export(verb) => verb.force,
            Self::Query(_) => false,
            Self::Merge(verb) => verb.storing.force,
            Self::Select(verb) => verb.storing.force,
            Self::Count(verb) => verb.writing.force,
        }
    }
}

/// Make a store of fragments as text: 10x fragments.tsv, plain, gzipped or bgzipped
///
/// Lines have chromosome, start, end and cell, and perhaps more, which is left out. Fragments of a
/// chromosome lie together, by ascending start; what is out of order is refused, unless --sort is
/// given.
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

    /// Where to write the store
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Sort fragments, which may come in any order
    #[arg(long)]
    pub(crate) sort: bool,

    /// Take the end for the last base of a fragment, not the one behind it
    #[arg(long)]
    pub(crate) end_inclusive: bool,

    /// Only fragments of the cells in a file, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) cells: Option<PathBuf>,

    /// The chromosomes and their order, one a line; their sizes behind a tab, if any
    #[arg(long, value_name = "FILE")]
    pub(crate) chrom_sizes: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) storing: Storing,
}

/// Write fragments as text: .tsv or .bed, with .gz bgzipped and with an index for tabix
///
/// .bed has chromosome, start, end and cell; .tsv a 1 behind them, as files of 10x have counts.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz fragments export pbmc.fragments fragments.tsv.gz
  nnz fragments export pbmc.fragments - | head")]
pub(crate) struct Export {
    /// The store
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write the text; - is standard output
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Replace DST if it is there: a group with all groups in it, and without a group the whole
    /// file
    #[arg(long)]
    pub(crate) force: bool,

    /// Do not wait until the data is on disk
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// Print the fragments that overlap regions: chromosome, start, end and cell
///
/// A region is a chromosome, CHROMOSOME:START-END or CHROMOSOME:START-, from base START, counted
/// from 0, up to, not including, base END.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz fragments query pbmc.fragments chr1:10,000-20,000")]
pub(crate) struct Query {
    /// The store
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// The regions
    #[arg(value_name = "REGION", required = true)]
    pub(crate) regions: Vec<String>,

    #[command(flatten)]
    pub(crate) threads: Threads,
}

/// Make one store of several
///
/// Cells follow each other store by store, and no two may have the same name; chromosomes of one
/// name are one.
#[derive(Debug, Group)]
#[command(after_help = "\
Example:
  nnz fragments merge monday.fragments tuesday.fragments all.fragments --prefix mon_,tue_")]
pub(crate) struct Merge {
    /// The stores
    #[arg(value_name = "SRC", value_parser = location(), required = true)]
    pub(crate) sources: Vec<Location>,

    /// Where to write them
    #[arg(value_name = "DST", value_parser = location(), required = true)]
    pub(crate) target: Location,

    /// What to put before the names of cells, one for each store, with commas between
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) prefix: Vec<String>,

    #[command(flatten)]
    pub(crate) storing: Storing,
}

/// Write some of the fragments: of some cells, on some chromosomes, of some lengths
///
/// A list has names with commas between, or is @FILE with one a line, which names with a comma or
/// with @ at their start need. What is written has the order of the list.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz fragments select pbmc.fragments kept.fragments --cells @barcodes.txt
  nnz fragments select pbmc.fragments short.fragments --chromosomes chr1,chrX --max-length 147")]
pub(crate) struct Select {
    /// The store
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write them
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// The cells: names, or @FILE, also for names with commas or a leading @ [default: all]
    #[arg(long, value_name = "LIST")]
    pub(crate) cells: Option<OsString>,

    /// The chromosomes: names, or @FILE [default: all]
    #[arg(long, value_name = "LIST")]
    pub(crate) chromosomes: Option<OsString>,

    /// Select none where a list in a file is empty, instead of refusing it
    #[arg(long)]
    pub(crate) allow_empty: bool,

    /// The fewest bases of a fragment
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) min_length: u32,

    /// The most bases of a fragment [default: any]
    #[arg(long, value_name = "N")]
    pub(crate) max_length: Option<u32>,

    #[command(flatten)]
    pub(crate) storing: Storing,
}

/// Count how often each cell was seen in each region: a matrix of regions by cells
///
/// Regions are those of a BED file, or tiles of one width. Rows have the order of the regions and
/// are called CHROMOSOME:START-END.
#[derive(Debug, Group)]
#[command(group = ArgGroup::new("regions").required(true))]
#[command(after_help = "\
Examples:
  nnz fragments count pbmc.fragments peaks.bpcells --peaks peaks.bed
  nnz fragments count pbmc.fragments tiles.bpcells --tiles 500 --chrom-sizes hg38.chrom.sizes
  nnz fragments count pbmc.fragments peaks.mtx.gz --peaks peaks.bed --mode overlaps")]
pub(crate) struct Count {
    /// The store
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write the matrix
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// The regions: chromosome, start and end of each, in a BED file
    #[arg(long, value_name = "FILE", group = "regions", conflicts_with = "tiles")]
    pub(crate) peaks: Option<PathBuf>,

    /// Cut all chromosomes into regions of so many bases
    #[arg(long, value_name = "BASES", group = "regions")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tiles: Option<u32>,

    /// The chromosomes to cut and their sizes, one a line with a tab between [default: all, each as
    /// far as its fragments reach]
    #[arg(long, value_name = "FILE", requires = "tiles", conflicts_with = "peaks")]
    pub(crate) chrom_sizes: Option<PathBuf>,

    /// What is counted
    #[arg(long, value_name = "WHAT", default_value = "insertions")]
    pub(crate) mode: Mode,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Mode {
    /// The first and the last base of a fragment, each where it lies
    Insertions,
    /// Fragments that overlap a region
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

/// What everything that writes a store of fragments can be told.
#[derive(Debug, Group)]
pub(crate) struct Storing {
    /// Store plain numbers instead of packed ones
    #[arg(long)]
    pub(crate) unpacked: bool,

    /// The version of the format
    #[arg(long, value_name = "N")]
    pub(crate) format_version: Option<FormatVersion>,

    /// Containers: none, gzip:N (1 to 9) or zstd:N (1 to 22) [default: none; for R gzip:6]
    #[arg(long, value_name = "HOW")]
    pub(crate) compress: Option<Compression>,

    /// Replace DST if it is there: a group with all groups in it, and without a group the whole
    /// file
    #[arg(long)]
    pub(crate) force: bool,

    /// Do not wait until the data is on disk
    #[arg(long)]
    pub(crate) no_sync: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}
