//! Genomic fragments as text: one per line, in tab-separated columns.
//!
//! Chromosome, start, end, barcode; a fifth column, the number of read pairs in files of 10x, and
//! more. Columns after the barcode are not kept, but all lines must have as many columns as the
//! first. Blank lines and those that begin with `#` are skipped. Positions are counted from 0 and
//! the end is exclusive, unless [`Options::end_inclusive`] is set.
//!
//! Text is plain, gzipped, or gzipped in blocks like `bgzip`, which many threads can inflate.
//! [`FragmentTsv::read`] returns its pieces, and the [`Joiner`] that joins them in order. Writing
//! is split in the same way: a [`FragmentTsvEncoder`] encodes batches on any thread, and a
//! [`FragmentTsvSink`] writes them in order.
//!
//! ```
//! use nnz_singlecell::fragment_tsv::{Options, TsvBlock, from_reader};
//!
//! let text = b"# a comment\nchr1\t10\t60\tAAAC-1\t2\nchr1\t30\t90\tAAAG-1\t1\n";
//! let source = from_reader(Box::new(&text[..]), "example")?;
//! let mut reading = source.read(Options::default())?;
//! let mut block = TsvBlock::default();
//! let mut starts = Vec::new();
//! while let Some(unit) = reading.units.next_unit()? {
//!     unit.decode(&mut block)?;
//!     let joint = reading.joiner.join(&block)?;
//!     for batch in block.resolve(joint).into_batches() {
//!         starts.extend(batch.starts);
//!     }
//! }
//! let read = reading.joiner.finish()?;
//! assert_eq!(starts, [10, 30]);
//! assert_eq!(read.cells.iter().collect::<Vec<_>>(), [b"AAAC-1", b"AAAG-1"]);
//! # Ok::<(), nnz_core::Error>(())
//! ```

mod bgzf;
mod block;
mod cells;
mod fault;
mod join;
mod lists;
mod looks;
mod names;
mod pieces;
mod scan;
mod source;
mod spare;
mod units;
mod writer;

pub use block::{Fragments, TsvBlock};
pub use join::{Joiner, Joint, TextTotals};
pub use lists::{Chromosomes, each_region, read_cells};
pub use looks::{looks_like, recognise};
pub use nnz_lines::TextTarget;
pub use source::{FragmentTsv, Options, Reading, from_opened, from_reader, open, open_stdin};
pub use writer::{
    Columns, Compression, EncodedFragments, FragmentTsvEncoder, FragmentTsvSink, LARGEST_INDEXED,
    WriteOptions, create,
};

/// The longest line with a fragment, in bytes. Comments may be longer.
pub const LONGEST_LINE: usize = nnz_lines::LONGEST_LINE;
