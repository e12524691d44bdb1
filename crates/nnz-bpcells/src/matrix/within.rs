//! Reading the entries with few minor indices.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use nnz_bitpack::{CHUNK, KeySet};
use nnz_core::{
    Batch, Element, EntryPiece, Majors, PointerCursor, Projection, Result, Unit, UnitReader,
};

use super::reader::{PIECE, check_minors, with_scratch};
use super::source::{MatrixSource, ValueArray};
use crate::arrays::{By, Integers, PackedArray};

/// Less than one of this many minors is few. Of more, decoding all values is as fast.
const FEW: u64 = 16;

/// Chunks of indices that are decoded at once. They stay in the L1 cache.
const AT_ONCE: usize = 16;

thread_local! {
    /// The positions of the entries of a piece that are wanted, reused by each thread.
    static POSITIONS: RefCell<Vec<u32>> = RefCell::default();
}

/// Splits a range of major vectors into pieces, of which only entries with some minor indices are decoded.
pub(super) struct ReaderWithin<'a> {
    source: &'a MatrixSource,
    arrays: [&'a PackedArray; 2],
    fields: Projection,
    wanted: Arc<KeySet>,
    cursor: PointerCursor,
}

impl<'a> ReaderWithin<'a> {
    /// Prepares reading, if indices and values are packed, and few minors are wanted.
    pub(super) fn new(
        source: &'a MatrixSource,
        majors: Range<u64>,
        minors: &[Range<u64>],
        fields: Projection,
    ) -> Result<Option<Self>> {
        let (Integers::Packed(index), ValueArray::Integers(Integers::Packed(values))) =
            (&source.index, &source.values)
        else {
            return Ok(None);
        };
        let axis = source.header.shape.minor(source.header.order);
        let count = minors
            .iter()
            .fold(0, |sum: u64, one| sum.saturating_add(one.end.saturating_sub(one.start)));
        let mut ends = [0; 2];
        for (end, major) in ends.iter_mut().zip([majors.start, majors.end]) {
            source.pointers.array.read_widened(major, std::slice::from_mut(end))?;
        }
        // The set takes a bit for each minor.
        let worthwhile = count < axis / FEW && ends[1].saturating_sub(ends[0]) >= axis;
        let Some(axis) = u32::try_from(axis).ok().filter(|_| worthwhile && fields.minors) else {
            return Ok(None);
        };
        let narrow = |at: u64| u32::try_from(at).map_or(axis, |at| at.min(axis));
        let wanted = KeySet::new(minors.iter().map(|one| narrow(one.start)..narrow(one.end)));
        Ok(Some(Self {
            source,
            arrays: [index, values],
            fields,
            wanted: Arc::new(wanted),
            cursor: PointerCursor::new(majors, PIECE),
        }))
    }
}

impl<'a> UnitReader<'a> for ReaderWithin<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let Some(piece) = self.cursor.next_piece(&self.source.pointers)? else { return Ok(None) };
        let (source, arrays, fields) = (self.source, self.arrays, self.fields);
        let wanted = Arc::clone(&self.wanted);
        Ok(Some(Box::new(EntriesWithin { source, arrays, fields, wanted, piece })))
    }
}

/// The entries of a piece with some minor indices.
struct EntriesWithin<'a> {
    source: &'a MatrixSource,
    arrays: [&'a PackedArray; 2],
    fields: Projection,
    wanted: Arc<KeySet>,
    piece: EntryPiece,
}

impl Unit for EntriesWithin<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let chunk = CHUNK as u64;
        let entries = &self.piece.entries;
        let chunks = entries.start / chunk..entries.end.div_ceil(chunk);
        // From the start of the first chunk.
        let head = usize::try_from(entries.start % chunk).unwrap_or(0);
        let [index, values] = self.arrays;
        let header = &self.source.header;
        let axis = header.shape.minor(header.order);
        let mut positions = POSITIONS.take();
        positions.clear();
        with_scratch(|scratch| {
            let minors = batch.minors.u32_mut();
            let loaded = index.load(chunks.clone(), By::Reading, scratch)?;
            let end = head + self.piece.len();
            let mut block = [0; AT_ONCE * CHUNK];
            for first in (0..end).step_by(block.len()) {
                let first_chunk = first / CHUNK;
                let decoded = first_chunk..end.div_ceil(CHUNK).min(first_chunk + AT_ONCE);
                loaded.decode(decoded.clone(), &mut block[..decoded.len() * CHUNK])?;
                let inside = first.max(head)..end.min(first + block.len());
                let here = &block[inside.start - first..inside.end - first];
                let found = positions.len();
                let largest = self.wanted.find(
                    here,
                    u32::try_from(inside.start).unwrap_or(u32::MAX),
                    &mut positions,
                );
                if largest.is_some_and(|largest| u64::from(largest) >= axis) {
                    let entry = entries.start + (inside.start - head) as u64;
                    let range = entry..entry + here.len() as u64;
                    check_minors(self.source, std::iter::once(range), here)?;
                }
                minors.extend(positions[found..].iter().map(|at| block[*at as usize - first]));
            }
            if self.fields.values {
                let loaded = values.load(chunks, By::Reading, scratch)?;
                loaded.pick(&positions, u32::vec_mut(&mut batch.values))?;
            }
            Ok(())
        })?;
        batch.order = self.source.header.order;
        batch.majors = Majors::Consecutive(self.piece.first);
        batch.offsets = self.piece.offsets;
        let mut at = 0;
        for offset in &mut batch.offsets {
            let before = |position: &&u32| (**position as usize) < head + *offset;
            at += positions[at..].iter().take_while(before).count();
            *offset = at;
        }
        POSITIONS.set(positions);
        Ok(())
    }
}
