//! Reading a coordinate file: a block of lines becomes a batch.

use nnz_core::{At, Batch, BatchReader, Error, MatrixSource, Place, Result};

use super::entries::{Above, Rules, parse_block};
use super::fault::{counted, position};
use super::line::nth_content;
use super::source::MatrixMarketSource;
use crate::lines::{Block, Lines};

pub(super) struct CoordinateReader<'a> {
    source: &'a MatrixMarketSource,
    lines: Lines,
    rules: Rules,
    read: u64,
    above: Noted,
}

/// Entries above the diagonal in the blocks read so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    pub(super) count: u64,
    pub(super) first: Option<At>,
}

impl Noted {
    fn add(&mut self, above: Above, block: Block<'_>) {
        self.count += above.count;
        if self.first.is_none() {
            self.first = above.first.map(|at| position(block, at));
        }
    }
}

impl<'a> CoordinateReader<'a> {
    pub(super) fn new(source: &'a MatrixMarketSource, lines: Lines) -> Self {
        Self { source, lines, rules: source.rules(), read: 0, above: Noted::default() }
    }

    /// Finds the positions of the first two entries at a place, or at its mirror image.
    pub(super) fn locate(mut self, row: u64, col: u64) -> Result<Vec<At>> {
        let mirrored = self.source.header().structure.triangle().is_some();
        let mut found = Vec::new();
        let mut batch = self.source.empty_batch();
        while let Some(block) = self.lines.next_block()? {
            // What is wrong was told when the entries were read.
            if parse_block(block.text, &self.rules, u64::MAX, &mut batch).is_err() {
                break;
            }
            // One entry a line, so entries and lines with something on them count the same.
            let matches = batch.try_for_each(|entry, major, minor| {
                let here = batch.order.row_col(major, minor);
                if here == (row, col) || mirrored && here == (col, row) {
                    let at = nth_content(block.text, entry);
                    found.push(position(block, at));
                }
                if found.len() < 2 { Ok(()) } else { Err(()) }
            });
            if matches.is_err() {
                break;
            }
        }
        Ok(found)
    }
}

impl BatchReader for CoordinateReader<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        let path = self.source.path();
        let stored = self.source.stored();
        while let Some(block) = self.lines.next_block()? {
            let above = parse_block(block.text, &self.rules, stored - self.read, batch)
                .map_err(|fault| fault.out_of(stored).report(path, block))?;
            self.above.add(above, block);
            self.read += batch.entries() as u64;
            if batch.entries() > 0 {
                return Ok(true);
            }
        }
        self.source.note(&self.above);
        ended(path, &self.lines, self.read, stored)?;
        Ok(false)
    }
}

/// Checks at the end of a file that it held what its sizes say.
pub(super) fn ended(path: &std::path::Path, lines: &Lines, read: u64, stored: u64) -> Result<()> {
    if read == stored {
        return Ok(());
    }
    let at = At::Line { line: lines.line(), column: 1 };
    Err(Error::mismatch(
        Place::path(path).at(at),
        format_args!("the end of the file after {}", counted(read)),
        format_args!("{stored}"),
    ))
}
