//! Reading the rows of a frame.

use std::ops::Range;

use nnz_core::{At, Place, Result, Rounding, Values};

use super::interleave::gather;
use super::source::FrameSource;
use super::{Column, FrameBatch, FrameReader};
use crate::block::{ALL, BlockPart, BlockQueue, Decoder, refused_value};
use crate::file::Window;
use crate::zeroed::zeroed;

/// Bytes of rows in a batch, unless one row has more.
const BYTES: u64 = 2 << 20;

/// Bytes that are read at once to find rows.
const WINDOW: usize = 64 << 10;

/// Returns the number of rows in a batch.
fn rows_together(columns: &[Column]) -> u64 {
    let row: u64 = columns.iter().map(|column| column.value_type.size() as u64).sum();
    (BYTES / row.max(1)).max(1)
}

/// Creates columns of zeros.
fn columns_of_zeros(columns: &[Column], rows: u64) -> Result<Vec<Values>> {
    columns.iter().map(|column| zeroed(column.value_type, rows, 1)).collect()
}

/// Reads consecutive rows.
pub(super) struct RowReader<'a> {
    source: &'a FrameSource,
    rows: Range<u64>,
}

impl<'a> RowReader<'a> {
    pub(super) fn new(source: &'a FrameSource, rows: Range<u64>) -> Self {
        Self { source, rows }
    }
}

impl FrameReader for RowReader<'_> {
    fn columns(&self) -> &[Column] {
        self.source.columns()
    }

    fn next_batch(&mut self, batch: &mut FrameBatch) -> Result<bool> {
        if self.rows.is_empty() {
            return Ok(false);
        }
        let columns = self.source.columns();
        let stride: usize = columns.iter().map(|column| column.value_type.size()).sum();
        let count = match stride {
            0 => self.rows.end - self.rows.start,
            _ => rows_together(columns).min(self.rows.end - self.rows.start),
        };
        let object = &self.source.object;
        // All rows were checked to be in the file.
        let first = object.body + 16 + self.rows.start * stride as u64;
        let bytes = object.file.bytes(first, count * stride as u64)?;
        batch.rows = self.rows.start..self.rows.start + count;
        batch.columns = columns_of_zeros(columns, count)?;
        let mut at = 0;
        for values in &mut batch.columns {
            gather(values, &bytes, stride, at, true);
            at += values.value_type().size();
        }
        self.rows.start = batch.rows.end;
        Ok(true)
    }
}

/// Reads rows in blocks.
pub(super) struct BlockReader<'a> {
    source: &'a FrameSource,
    rows: Range<u64>,
    window: Window<'a>,
    queue: BlockQueue<'a>,
}

impl<'a> BlockReader<'a> {
    pub(super) fn new(source: &'a FrameSource, rows: Range<u64>) -> Self {
        let window = Window::new(&source.object.file, WINDOW);
        let queue =
            BlockQueue::new(&source.object.blocks, &source.finder, 0..source.object.shape.cols);
        Self { source, rows, window, queue }
    }

    /// Reads the elements of a part into its columns.
    fn take(&self, part: &BlockPart, columns: &mut [Values]) -> Result<()> {
        let object = &self.source.object;
        let decoder = Decoder { file: &object.file, cols: object.shape.cols };
        let block = &part.block;
        let mut elements = Values::default();
        decoder.panel(part, 0..block.cols.into(), &mut elements)?;
        let size = elements.value_type().size();
        let width = usize::try_from(block.cols).unwrap_or(usize::MAX);
        let first = usize::try_from(block.col).unwrap_or(usize::MAX);
        let covered = columns.iter_mut().skip(first).take(width);
        for (number, values) in covered.enumerate() {
            let target = values.value_type();
            let mut own = Values::new(elements.value_type());
            own.resize_bytes(values.len().unwrap_or(0));
            gather(&mut own, elements.bytes(), width * size, number * size, false);
            if own.value_type() == target {
                *values = own;
                continue;
            }
            own.cast_into(target, Rounding::Refused, values).map_err(|offender| {
                let row = block.row + part.rows.start + offender.index as u64;
                let col = block.col + number as u64;
                refused_value(Place::default().at(At::Entry { row, col }), offender, target)
            })?;
        }
        Ok(())
    }
}

impl FrameReader for BlockReader<'_> {
    fn columns(&self) -> &[Column] {
        self.source.columns()
    }

    fn next_batch(&mut self, batch: &mut FrameBatch) -> Result<bool> {
        if self.rows.is_empty() {
            return Ok(false);
        }
        let columns = self.source.columns();
        let place = Place::path(self.source.object.file.path());
        let most = match columns {
            [] => self.rows.end,
            _ => self.rows.start.saturating_add(rows_together(columns)).min(self.rows.end),
        };
        let stop = self.queue.enter(&mut self.window, &(self.rows.start..most))?;
        let stop = stop.or(self.queue.next_row()).unwrap_or(most).min(most);
        batch.rows = self.rows.start..stop;
        batch.columns = columns_of_zeros(columns, stop - self.rows.start)?;
        let (_, parts) = self.queue.parts(&mut self.window, batch.rows.clone(), ALL)?;
        for part in parts {
            let taken = self.take(&part, &mut batch.columns);
            taken.map_err(|error| error.with_context(&place))?;
        }
        self.rows.start = stop;
        Ok(true)
    }
}
