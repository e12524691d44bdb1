//! Finding the pieces of a matrix one after another.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Result, Storage, Unit, UnitReader};

use super::source::MatrixSource;
use super::unit::{Entries, Panel};
use crate::Block;
use crate::block::{BlockQueue, Part, Piece, Stretches};
use crate::file::{Buffers, Window};

/// Entries, or cells, in a unit.
const ENTRIES: u64 = 128 << 10;

/// Bytes that are read at once to find rows.
const WINDOW: usize = 512 << 10;

/// The same if only few rows are needed.
const NARROW: usize = 8 << 10;

/// Iterates over bands of rows, in which each block has a piece.
pub(crate) struct Units<'a> {
    source: &'a MatrixSource,
    window: Window<'a>,
    queue: BlockQueue<'a>,
    rows: Range<u64>,
    cols: Range<u64>,
    /// Rows in one block that are found while they are decoded.
    stretches: Option<Cut>,
    buffers: Arc<Buffers>,
    /// Units that were found but not returned yet.
    found: VecDeque<Box<dyn Unit + 'a>>,
}

/// Rows in stretches, and the number of stretches already returned.
struct Cut {
    block: Block,
    rows: Range<u64>,
    all: Arc<Stretches>,
    next: u64,
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
        if let Some((block, stretches)) = self.queue.stretches(&rows, last, &self.buffers) {
            self.rows.start = stop;
            self.stretches = Some(Cut { block, rows, all: Arc::new(stretches), next: 0 });
            return Ok(());
        }
        let band = self.queue.band(&mut self.window, self.rows.start..stop, ENTRIES)?;
        let pieces = self.queue.pieces(&mut self.window, &band)?;
        self.rows.start = band.end;
        if band.end - band.start == 1 && pieces.iter().any(|(_, entries)| *entries > 2 * ENTRIES) {
            for (piece, _) in pieces {
                for piece in self.source.finder.split(&self.window, piece, ENTRIES)? {
                    self.push_entries(band.clone(), vec![piece]);
                }
            }
            return Ok(());
        }
        let pieces = pieces.into_iter().map(|(piece, _)| piece).collect();
        self.push_entries(band, pieces);
        Ok(())
    }

    /// Returns the next stretch as a piece; without another one this was the last.
    fn push_stretch(&mut self) {
        let Some(cut) = &mut self.stretches else { return };
        let Some(stretch) = cut.all.get(cut.next) else {
            self.stretches = None;
            return;
        };
        cut.next += 1;
        let (block, rows) = (cut.block, cut.rows.clone());
        let part = Part::Stretch(stretch);
        let local = rows.start - block.row..rows.end - block.row;
        self.push_entries(rows, vec![Piece { block, rows: local, part }]);
    }

    fn push_entries(&mut self, rows: Range<u64>, pieces: Vec<Piece>) {
        let (source, cols) = (self.source, self.cols.clone());
        self.found.push_back(Box::new(Entries { source, rows, cols, pieces }));
    }

    /// Finds the next band of cells.
    fn find_cells(&mut self) -> Result<()> {
        let cols = self.cols.clone();
        let width = cols.end - cols.start;
        let most = self.rows.start.saturating_add((2 * ENTRIES / width).max(1)).min(self.rows.end);
        let stop = self.queue.enter(&mut self.window, &(self.rows.start..most))?;
        let stop = stop.or(self.queue.next_row()).unwrap_or(most).min(most);
        let band = self.rows.start..stop;
        let pieces = self.queue.pieces(&mut self.window, &band)?;
        let pieces: Vec<Piece> = pieces.into_iter().map(|(piece, _)| piece).collect();
        self.rows.start = band.end;
        let mut first = cols.start;
        while first < cols.end {
            let step = if width > 4 * ENTRIES { 2 * ENTRIES } else { width };
            let last = cols.end.min(first.saturating_add(step));
            let meets = |piece: &&Piece| piece.block.col < last && first < piece.block.col_end();
            let pieces = pieces.iter().filter(meets).cloned().collect();
            let source = self.source;
            self.found.push_back(Box::new(Panel {
                source,
                rows: band.clone(),
                cols: first..last,
                pieces,
            }));
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
                self.find_cells()?;
            } else {
                self.find_entries()?;
            }
        }
        Ok(self.found.pop_front())
    }
}
