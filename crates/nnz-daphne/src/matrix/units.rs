//! Finding the bands of a matrix one after another.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Result, Storage, Unit, UnitReader};

use super::source::MatrixSource;
use super::unit::Band;
use crate::Block;
use crate::block::{ALL, BlockPart, BlockQueue, Stretches};
use crate::file::{Buffers, Window};

/// Entries, or elements, in a unit.
const ENTRIES: u64 = 128 << 10;

/// Bytes that are read at once to find rows.
const WINDOW: usize = 512 << 10;

/// The same if only few rows are needed.
const NARROW: usize = 8 << 10;

/// Iterates over bands of rows, in which each block has a part.
pub(crate) struct Units<'a> {
    source: &'a MatrixSource,
    window: Window<'a>,
    queue: BlockQueue<'a>,
    rows: Range<u64>,
    cols: Range<u64>,
    /// Rows in one block that are found while they are decoded, and the number of stretches already
    /// returned.
    stretches: Option<(Arc<Stretches>, u64)>,
    buffers: Arc<Buffers>,
    /// Units that were found but not returned yet.
    found: VecDeque<Band<'a>>,
}

impl<'a> Units<'a> {
    pub(super) fn new(source: &'a MatrixSource, rows: Range<u64>, cols: Range<u64>) -> Self {
        Self::over(&source.object.blocks, source, rows, cols)
    }

    /// Reads only one block.
    pub(crate) fn of_block(source: &'a MatrixSource, block: &'a Block) -> Self {
        let (rows, cols) = (block.row..block.row_end(), block.col..block.col_end());
        Self::over(std::slice::from_ref(block), source, rows, cols)
    }

    fn over(
        blocks: &'a [Block],
        source: &'a MatrixSource,
        rows: Range<u64>,
        cols: Range<u64>,
    ) -> Self {
        let few = rows.end.saturating_sub(rows.start) <= source.header.shape.rows / 64;
        let window = Window::new(&source.object.file, if few { NARROW } else { WINDOW });
        let queue = BlockQueue::new(blocks, &source.finder, cols.clone());
        let rows = if cols.is_empty() { 0..0 } else { rows };
        Self {
            source,
            window,
            queue,
            rows,
            cols,
            stretches: None,
            buffers: Arc::default(),
            found: VecDeque::new(),
        }
    }

    /// Finds the next band of entries.
    fn find_entries(&mut self) -> Result<()> {
        let Some(stop) = self.queue.enter(&mut self.window, &self.rows)? else {
            // No block has entries in these rows.
            self.rows.start =
                self.queue.next_row().map_or(self.rows.end, |row| row.min(self.rows.end));
            return Ok(());
        };
        let rows = self.rows.start..stop;
        let last = stop == self.rows.end;
        if let Some(stretches) = self.queue.stretches(&rows, last, &self.buffers) {
            self.rows.start = stop;
            self.stretches = Some((Arc::new(stretches), 0));
            return Ok(());
        }
        let (band, parts) = self.queue.parts(&mut self.window, rows, ENTRIES)?;
        self.rows.start = band.end;
        let long = |part: &BlockPart| {
            !part.scattered && part.entries.end.saturating_sub(part.entries.start) > 2 * ENTRIES
        };
        if band.end - band.start == 1 && parts.iter().any(long) {
            for part in parts.into_iter().flat_map(|part| part.split(ENTRIES)) {
                self.push(band.clone(), self.cols.clone(), vec![part]);
            }
        } else {
            self.push(band, self.cols.clone(), parts);
        }
        Ok(())
    }

    /// Adds the next stretch as a band, or ends stretches after the last one.
    fn push_stretch(&mut self) {
        let Some((stretches, next)) = &mut self.stretches else { return };
        let Some(part) = stretches.part(*next) else {
            self.stretches = None;
            return;
        };
        *next += 1;
        let rows = part.block.row + part.rows.start..part.block.row + part.rows.end;
        self.push(rows, self.cols.clone(), vec![part]);
    }

    fn push(&mut self, rows: Range<u64>, cols: Range<u64>, parts: Vec<BlockPart>) {
        self.found.push_back(Band { source: self.source, rows, cols, parts });
    }

    /// Finds the next band of elements.
    fn find_elements(&mut self) -> Result<()> {
        let cols = self.cols.clone();
        let width = cols.end - cols.start;
        let most = self.rows.start.saturating_add((2 * ENTRIES / width).max(1)).min(self.rows.end);
        let stop = self.queue.enter(&mut self.window, &(self.rows.start..most))?;
        let stop = stop.or(self.queue.next_row()).unwrap_or(most).min(most);
        let (band, parts) = self.queue.parts(&mut self.window, self.rows.start..stop, ALL)?;
        self.rows.start = band.end;
        let mut first = cols.start;
        while first < cols.end {
            let step = if width > 4 * ENTRIES { 2 * ENTRIES } else { width };
            let last = cols.end.min(first.saturating_add(step));
            let meets = |part: &&BlockPart| part.block.col < last && first < part.block.col_end();
            let parts = parts.iter().filter(meets).cloned().collect();
            self.push(band.clone(), first..last, parts);
            first = last;
        }
        Ok(())
    }
}

impl<'a> UnitReader<'a> for Units<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        while self.found.is_empty() {
            if self.stretches.is_some() {
                self.push_stretch();
            } else if self.rows.start >= self.rows.end {
                break;
            } else if self.source.header.storage == Storage::Dense {
                self.find_elements()?;
            } else {
                self.find_entries()?;
            }
        }
        Ok(self.found.pop_front().map(|band| Box::new(band) as Box<dyn Unit + 'a>))
    }
}
