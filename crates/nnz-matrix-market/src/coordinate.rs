//! Reading a coordinate file: each block of lines becomes a batch.

use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{At, Batch, MatrixSource, Result, Unit, UnitReader};

use super::entries::{AboveDiagonal, parse_block};
use super::fault::position;
use super::line::nth_content;
use super::source::{MatrixMarketSource, Progress};
use nnz_lines::{Block, Lines, OwnedBlock};

pub(super) struct CoordinateReader<'a> {
    source: &'a MatrixMarketSource,
    lines: Lines,
    progress: Progress,
    above: Arc<Mutex<AboveDiagonalTotal>>,
}

/// A block that is not parsed yet.
struct CoordinateUnit<'a> {
    source: &'a MatrixMarketSource,
    block: OwnedBlock,
    /// The number of entries left in the file from this block on.
    left: u64,
    above: Arc<Mutex<AboveDiagonalTotal>>,
}

/// Entries above the diagonal in the blocks read so far, in any order.
#[derive(Clone, Debug, Default)]
pub(super) struct AboveDiagonalTotal {
    pub(super) count: u64,
    pub(super) first: Option<At>,
    /// The first line of the block with the first of these entries.
    block: u64,
}

impl AboveDiagonalTotal {
    fn add(&mut self, above: AboveDiagonal, block: Block<'_>) {
        let Some(first) = above.first else { return };
        self.count += above.count;
        if self.first.is_none() || block.line < self.block {
            self.block = block.line;
            self.first = Some(position(block, first));
        }
    }
}

impl<'a> CoordinateReader<'a> {
    pub(super) fn new(source: &'a MatrixMarketSource, lines: Lines) -> Self {
        Self { source, lines, progress: Progress::default(), above: Arc::default() }
    }

    /// Finds the positions of the first two entries at a position, or at its mirror image.
    pub(super) fn locate(mut self, row: u64, col: u64) -> Result<Vec<At>> {
        let rules = self.source.rules();
        let mirrored = self.source.header().structure.triangle().is_some();
        let mut found = Vec::new();
        let mut batch = self.source.empty_batch();
        while let Some(block) = self.lines.next_block()? {
            // Errors were reported when the entries were read.
            if parse_block(block.text, &rules, u64::MAX, &mut batch).is_err() {
                break;
            }
            // One entry per line, so entries are counted like non-empty lines.
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

impl<'a> UnitReader<'a> for CoordinateReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        while let Some(block) = self.lines.next_owned()? {
            if block.contents > 0 {
                let left = self.progress.take(block.contents, self.source.stored());
                let above = Arc::clone(&self.above);
                let source = self.source;
                return Ok(Some(Box::new(CoordinateUnit { source, block, left, above })));
            }
        }
        Ok(None)
    }

    fn end(&mut self) -> Result<()> {
        self.source.note(&self.above.lock().unwrap_or_else(PoisonError::into_inner));
        self.progress.end(self.source, &self.lines)
    }
}

impl Unit for CoordinateUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let block = self.block.block();
        let above = parse_block(block.text, &self.source.rules(), self.left, batch)
            .map_err(|fault| self.source.refuse(fault, block))?;
        if above.count > 0 {
            self.above.lock().unwrap_or_else(PoisonError::into_inner).add(above, block);
        }
        Ok(())
    }
}
