//! Reading a range of fragments in pieces.

use std::cell::Cell;
use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::{FragmentBatch, FragmentFields, Result, Segment, Unit, UnitReader};

use super::columns::Columns;
use super::source::FragmentSource;
use crate::arrays::{By, Integers, Scratch};

/// Fragments in a piece that is decoded at once: few enough that all columns stay in the cache, and
/// many enough that the cost of each read does not matter.
const PIECE: u64 = 256 * CHUNK as u64;
/// Fragments in a piece that is decoded in runs, of which only the encoded form has to stay in the
/// cache.
const PIECE_OF_RUNS: u64 = 4 * PIECE;
/// The same if it is mapped, where each call has a fixed cost.
const PIECE_OF_MAPPED_RUNS: u64 = 8 * PIECE;

thread_local! {
    /// Buffers for packed data, reused by each thread.
    static SCRATCH: Cell<[Scratch; 3]> = Cell::default();
}

/// Splits a range of fragments into pieces.
pub(super) struct Reader<'a> {
    source: &'a FragmentSource,
    fields: FragmentFields,
    /// The positions that are left.
    positions: Range<u64>,
    /// The first position of the range.
    first: u64,
    /// The segments that are left, at least in part.
    segments: &'a [Segment],
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        source: &'a FragmentSource,
        positions: Range<u64>,
        fields: FragmentFields,
    ) -> Self {
        let segments = &source.header.segments;
        let done = segments.partition_point(|segment| segment.fragments.end <= positions.start);
        let (first, segments) = (positions.start, &segments[done..]);
        Self { source, fields, positions, first, segments }
    }
}

impl<'a> Reader<'a> {
    fn next_piece(&mut self, most: u64) -> Option<FragmentUnit<'a>> {
        let (segment, rest) = self.segments.split_first()?;
        if self.positions.is_empty() {
            return None;
        }
        let start = self.positions.start;
        // Pieces end at the ends of chunks, so that no chunk is decoded twice.
        let limit = (start + most) / CHUNK as u64 * CHUNK as u64;
        let end = limit.min(segment.fragments.end).min(self.positions.end);
        self.positions.start = end;
        if end == segment.fragments.end {
            self.segments = rest;
        }
        Some(FragmentUnit {
            source: self.source,
            fields: self.fields,
            chromosome: segment.chromosome,
            positions: start..end,
            continues: start > self.first.max(segment.fragments.start),
        })
    }
}

impl<'a> UnitReader<'a, FragmentBatch> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<FragmentBatch> + 'a>>> {
        Ok(self.next_piece(PIECE).map(|piece| Box::new(piece) as _))
    }
}

/// Consecutive fragments of one chromosome.
pub(super) struct FragmentUnit<'a> {
    pub(super) source: &'a FragmentSource,
    fields: FragmentFields,
    pub(super) chromosome: u32,
    pub(super) positions: Range<u64>,
    /// Whether the previous fragment is in the range too, and on the same chromosome.
    continues: bool,
}

impl Unit<FragmentBatch> for FragmentUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut FragmentBatch) -> Result<()> {
        let mut scratch = SCRATCH.take();
        let decoded = self.decode_whole(&mut scratch, batch);
        SCRATCH.set(scratch);
        decoded
    }
}

/// Passes fragments to `each`, in batches that fit into the L1 cache.
pub(super) fn for_each(
    mut reader: Reader<'_>,
    by: By,
    each: &mut dyn FnMut(&mut FragmentBatch) -> Result<()>,
) -> Result<()> {
    // `each` may read fragments as well.
    let mut scratch = SCRATCH.take();
    let mut batch = FragmentBatch::default();
    let mut last = 0;
    let most = if by == By::Mapping { PIECE_OF_MAPPED_RUNS } else { PIECE_OF_RUNS };
    let mut read = || {
        while let Some(piece) = reader.next_piece(most) {
            let before = if piece.continues { last } else { 0 };
            last = piece.decode_in_runs(before, by, &mut scratch, &mut batch, each)?;
        }
        Ok(())
    };
    let read = read();
    SCRATCH.set(scratch);
    read
}

impl FragmentUnit<'_> {
    fn decode_whole(&self, scratch: &mut [Scratch; 3], batch: &mut FragmentBatch) -> Result<()> {
        let mut last = self.start_before()?;
        let columns = self.load(By::Reading, scratch)?;
        columns.resize(columns.chunks, batch);
        for run in columns.runs() {
            last = columns.decode(run.clone(), run.start, last, batch)?;
        }
        columns.trim(0..columns.chunks, batch);
        Ok(())
    }

    /// Decodes the fragments after one whose start is `last`, and returns the last start.
    fn decode_in_runs(
        &self,
        mut last: u32,
        by: By,
        scratch: &mut [Scratch; 3],
        batch: &mut FragmentBatch,
        each: &mut dyn FnMut(&mut FragmentBatch) -> Result<()>,
    ) -> Result<u32> {
        let columns = self.load(by, scratch)?;
        for run in columns.runs() {
            columns.resize(run.len(), batch);
            last = columns.decode(run.clone(), 0, last, batch)?;
            columns.trim(run, batch);
            each(batch)?;
        }
        Ok(last)
    }

    /// Returns the start of the previous fragment if the order has to be checked.
    fn start_before(&self) -> Result<u32> {
        if self.continues && (self.fields.starts || self.fields.ends) {
            self.source.starts.get(self.positions.start - 1)
        } else {
            Ok(0)
        }
    }

    /// Reads the columns that are needed.
    fn load<'s>(&'s self, by: By, scratch: &'s mut [Scratch; 3]) -> Result<Columns<'s>> {
        let Self { source, fields, ref positions, .. } = *self;
        let [cells, starts, ends] = scratch;
        let load = |array: &'s Integers, selected: bool, scratch: &'s mut Scratch| {
            selected.then(|| array.load(positions.clone(), by, scratch)).transpose()
        };
        let chunk = CHUNK as u64;
        let chunks = positions.end.div_ceil(chunk) - positions.start / chunk;
        Ok(Columns {
            piece: self,
            chunks: usize::try_from(chunks).unwrap_or(usize::MAX),
            cells: load(&source.cells, fields.cells, cells)?,
            // Ends are checked against starts, and computed from them if they are packed.
            starts: load(&source.starts, fields.starts || fields.ends, starts)?,
            ends: load(&source.ends, fields.ends, ends)?,
            limit: if fields.cells { source.named_cells()? } else { 0 },
        })
    }
}
