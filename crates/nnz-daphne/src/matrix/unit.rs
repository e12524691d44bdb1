//! Decoding the parts of blocks in a band of rows.

use std::ops::Range;

use nnz_core::{Batch, Majors, Minors, Order, Place, Result, Storage, Unit, Values};

use super::columns::keep_columns;
use super::source::MatrixSource;
use crate::block::{BlockPart, Widen};
use crate::zeroed::zeroed;

/// Some rows and columns of a matrix.
pub(super) struct Band<'a> {
    pub(super) source: &'a MatrixSource,
    pub(super) rows: Range<u64>,
    pub(super) cols: Range<u64>,
    /// The parts of the blocks in it, by column.
    pub(super) parts: Vec<BlockPart>,
}

impl Band<'_> {
    /// Decodes all parts as entries.
    fn entries(&self, batch: &mut Batch) -> Result<()> {
        match self.parts.as_slice() {
            [part] => self.part_entries(part, batch)?,
            parts => {
                let decoded = parts.iter().map(|part| {
                    let mut own = Batch::new(Order::Row, Values::default());
                    self.part_entries(part, &mut own).map(|()| own)
                });
                let batches = decoded.collect::<Result<Vec<_>>>()?;
                self.merge(&batches, batch);
            }
        }
        if self.cols != (0..self.source.header.shape.cols) {
            keep_columns(batch, &self.cols);
        }
        self.settle(batch);
        Ok(())
    }

    /// Decodes the entries of one part, in the type of the object.
    fn part_entries(&self, part: &BlockPart, batch: &mut Batch) -> Result<()> {
        let target = self.source.header.value_type;
        self.source.decoder().entries(part, batch)?;
        if batch.values.value_type() != target {
            let mut values = std::mem::take(&mut batch.values);
            Widen { target }.apply(&mut values, |entry| batch.row_col(entry))?;
            batch.values = values;
        }
        Ok(())
    }

    /// Merges the entries of several parts by row.
    fn merge(&self, batches: &[Batch], batch: &mut Batch) {
        let mut runs = Vec::new();
        for (number, part) in batches.iter().enumerate() {
            let held = (0..part.runs()).filter(|&run| !part.run(run).is_empty());
            runs.extend(held.map(|run| (part.majors.get(run), number, run)));
        }
        runs.sort_unstable();
        batch.order = Order::Row;
        batch.offsets.clear();
        batch.offsets.push(0);
        let wide = batches.iter().any(|part| matches!(part.minors, Minors::U64(_)));
        batch.minors = if wide { Minors::U64(Vec::new()) } else { Minors::U32(Vec::new()) };
        batch.values = Values::new(self.source.header.value_type);
        let mut majors = Vec::new();
        let mut entries = 0;
        for row in runs.chunk_by(|a, b| a.0 == b.0) {
            for &(major, number, run) in row {
                let part = &batches[number];
                let range = part.run(run);
                entries += range.len();
                batch.values.extend_from(&part.values, range.clone());
                match (&mut batch.minors, &part.minors) {
                    (Minors::U32(all), Minors::U32(some)) => all.extend_from_slice(&some[range]),
                    (Minors::U64(all), Minors::U64(some)) => all.extend_from_slice(&some[range]),
                    _ => {}
                }
                if majors.last() != Some(&major) {
                    majors.push(major);
                }
            }
            batch.offsets.push(entries);
        }
        batch.majors = Majors::Listed(majors);
    }

    /// Lists rows with entries only, or all consecutive rows, as the source requires.
    fn settle(&self, batch: &mut Batch) {
        // If some blocks are skipped, there are rows without entries.
        let listed = self.source.listed || self.cols != (0..self.source.header.shape.cols);
        match (&batch.majors, listed) {
            (Majors::Consecutive(first), true) => {
                let runs = batch.runs() as u64;
                batch.majors = Majors::Listed((*first..first + runs).collect());
            }
            (Majors::Listed(listed), false) => {
                let mut offsets = vec![0];
                let mut run = 0;
                for row in self.rows.clone() {
                    if listed.get(run) == Some(&row) {
                        run += 1;
                    }
                    offsets.push(batch.offsets.get(run).copied().unwrap_or(0));
                }
                batch.offsets = offsets;
                batch.majors = Majors::Consecutive(self.rows.start);
            }
            _ => {}
        }
    }

    /// Decodes all parts as elements.
    fn elements(&self, batch: &mut Batch) -> Result<()> {
        let target = self.source.header.value_type;
        let (rows, width) = (self.rows.end - self.rows.start, self.cols.end - self.cols.start);
        // A unit has few rows, and its elements fit into memory.
        let small = |len: u64| usize::try_from(len).unwrap_or(usize::MAX);
        let (rows, width) = (small(rows), small(width));
        batch.order = Order::Row;
        batch.majors = Majors::Consecutive(self.rows.start);
        batch.offsets.clear();
        batch.offsets.extend((0..=rows).map(|row| row * width));
        batch.minors.spans_mut().resize(rows, self.cols.start);
        if let [part] = self.parts.as_slice()
            && part.block.col <= self.cols.start
            && part.block.col_end() >= self.cols.end
        {
            let mut values = std::mem::take(&mut batch.values);
            self.part_elements(part, &mut values)?;
            batch.values = values;
            return Ok(());
        }
        batch.values = zeroed(target, rows as u64, width as u64)?;
        let mut values = Values::new(target);
        let size = target.size();
        for part in &self.parts {
            let cols = self.part_elements(part, &mut values)?;
            let len = usize::try_from(cols.end - cols.start).unwrap_or(usize::MAX) * size;
            let skip = usize::try_from(cols.start - self.cols.start).unwrap_or(usize::MAX) * size;
            let into = batch.values.bytes_mut().chunks_exact_mut(width * size);
            for (into, from) in into.zip(values.bytes().chunks_exact(len)) {
                into[skip..skip + len].copy_from_slice(from);
            }
        }
        Ok(())
    }

    /// Reads the elements of a part in the type of the object, and returns their columns.
    fn part_elements(&self, part: &BlockPart, values: &mut Values) -> Result<Range<u64>> {
        let block = &part.block;
        let cols = self.cols.start.max(block.col)..self.cols.end.min(block.col_end());
        self.source.decoder().panel(part, cols.start - block.col..cols.end - block.col, values)?;
        let width = cols.end - cols.start;
        let target = self.source.header.value_type;
        Widen { target }.apply(values, |element| {
            let element = element as u64;
            (self.rows.start + element / width, cols.start + element % width)
        })?;
        Ok(cols)
    }
}

impl Unit for Band<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let decoded = match self.source.header.storage {
            Storage::Dense => self.elements(batch),
            Storage::Sparse => self.entries(batch),
        };
        decoded.map_err(|error| error.with_context(&Place::path(self.source.object.file.path())))
    }
}
