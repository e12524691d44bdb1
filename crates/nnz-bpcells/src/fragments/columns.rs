//! Decoding neighbouring fragments, and checking them while they are near.

use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::{At, Error, FragmentBatch, Place, Result};

use super::members::CELL_NAMES;
use super::reader::Piece;
use crate::arrays::Loaded;

/// Chunks that are decoded and checked together: so few that all columns are in the processor's
/// nearest cache then.
const RUN: usize = 8;

/// The most bits of a step from start to start of which a chunk cannot add up to 2^32.
const NARROW: u32 = 25;

/// The columns of a piece, in memory as they are stored.
pub(super) struct Columns<'s> {
    pub(super) piece: &'s Piece<'s>,
    /// Chunks of 128 fragments that the piece lies in.
    pub(super) chunks: usize,
    pub(super) cells: Option<Loaded<'s>>,
    pub(super) starts: Option<Loaded<'s>>,
    pub(super) ends: Option<Loaded<'s>>,
    /// The number of cells that have names.
    pub(super) limit: u64,
}

impl Columns<'_> {
    /// Lists what is decoded together.
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let chunks = self.chunks;
        (0..chunks).step_by(RUN).map(move |first| first..chunks.min(first + RUN))
    }

    /// Gives a batch room for some chunks.
    pub(super) fn make_room(&self, chunks: usize, batch: &mut FragmentBatch) {
        batch.chromosome = self.piece.chromosome;
        let room = |column: &mut Vec<u32>, there: bool| {
            column.resize(if there { chunks * CHUNK } else { 0 }, 0);
        };
        room(&mut batch.cells, self.cells.is_some());
        room(&mut batch.starts, self.starts.is_some());
        room(&mut batch.ends, self.ends.is_some());
    }

    /// Takes away what is in the first and in the last chunk of the piece, but not in the piece.
    pub(super) fn trim(&self, chunks: Range<usize>, batch: &mut FragmentBatch) {
        let inside = self.inside(&chunks);
        for column in [&mut batch.cells, &mut batch.starts, &mut batch.ends] {
            if !column.is_empty() {
                if inside.start > 0 {
                    column.copy_within(inside.clone(), 0);
                }
                column.truncate(inside.len());
            }
        }
    }

    /// Returns which of the fragments in some chunks are in the piece.
    fn inside(&self, chunks: &Range<usize>) -> Range<usize> {
        let first = self.position(chunks, 0);
        let Range { start, end } = self.piece.positions;
        let within = |position: u64| {
            let len = chunks.len() * CHUNK;
            usize::try_from(position.saturating_sub(first)).map_or(len, |at| at.min(len))
        };
        within(start)..within(end)
    }

    /// Returns the position among all fragments of one in some chunks.
    fn position(&self, chunks: &Range<usize>, at: usize) -> u64 {
        let chunk = CHUNK as u64;
        (self.piece.positions.start / chunk + chunks.start as u64) * chunk + at as u64
    }

    /// Decodes and checks a run into the room that a batch has from a chunk on. Returns the last
    /// start, which the next run goes on from.
    pub(super) fn decode(
        &self,
        run: Range<usize>,
        at_chunk: usize,
        last: u32,
        batch: &mut FragmentBatch,
    ) -> Result<u32> {
        let room = at_chunk * CHUNK..(at_chunk + run.len()) * CHUNK;
        let inside = self.inside(&run);
        if let Some(loaded) = &self.cells {
            let cells = &mut batch.cells[room.clone()];
            loaded.decode(run.clone(), cells)?;
            self.check_cells(&run, &cells[inside.clone()])?;
        }
        let Some(loaded) = &self.starts else { return Ok(last) };
        let starts = &mut batch.starts[room.clone()];
        loaded.decode(run.clone(), starts)?;
        let starts = &starts[inside.clone()];
        self.check_starts(&run, starts, last)?;
        let reached = starts.last().copied().unwrap_or(last);
        match &self.ends {
            Some(Loaded::Packed(loaded)) if fits(reached, loaded.width(&run)) => {
                let starts = &batch.starts[room.clone()];
                loaded.decode_onto(run, starts, &mut batch.ends[room])?;
            }
            Some(loaded) => {
                let ends = &mut batch.ends[room];
                loaded.decode(run.clone(), ends)?;
                self.make_ends(&run, starts, &mut ends[inside])?;
            }
            None => {}
        }
        Ok(reached)
    }

    fn check_cells(&self, run: &Range<usize>, cells: &[u32]) -> Result<()> {
        let limit = self.limit;
        let beyond = |cell: u32| u64::from(cell) >= limit;
        if !nnz_bitpack::max(cells).is_some_and(beyond) {
            return Ok(());
        }
        let offender = cells.iter().position(|&cell| beyond(cell)).unwrap_or(0);
        let found = format!("the cell {}", cells[offender]);
        let expected = format!("less than {limit}, the number of {CELL_NAMES}");
        Err(Error::mismatch(
            self.at(self.piece.source.cells.place(), run, offender),
            found,
            expected,
        ))
    }

    fn check_starts(&self, run: &Range<usize>, starts: &[u32], last: u32) -> Result<()> {
        if self.never_fall(run, starts, last) {
            return Ok(());
        }
        let mut before = last;
        let falls = |&start: &u32| std::mem::replace(&mut before, start) > start;
        let offender = starts.iter().position(falls).unwrap_or(0);
        let before = offender.checked_sub(1).map_or(last, |index| starts[index]);
        let place = self.at(self.piece.source.starts.place(), run, offender);
        let found = format!("the start {}", starts[offender]);
        let expected = format!("at least {before}, the start of the fragment before it");
        Err(Error::mismatch(place, found, expected))
    }

    /// Returns whether no start is less than the one before it.
    fn never_fall(&self, run: &Range<usize>, starts: &[u32], last: u32) -> bool {
        let Some(Loaded::Packed(loaded)) = &self.starts else {
            return goes_on(starts, last) && nnz_bitpack::is_sorted(starts);
        };
        if loaded.width(run) > NARROW {
            return goes_on(starts, last) && nnz_bitpack::is_sorted(starts);
        }
        // Steps so narrow add up to less than 2^32 in a chunk. So they wrapped around just once, if
        // at all, and then the last start of the chunk is less than its first.
        let head = CHUNK - self.inside(run).start % CHUNK;
        let (head, rest) = starts.split_at(head.min(starts.len()));
        let mut last = last;
        std::iter::once(head).chain(rest.chunks(CHUNK)).all(|chunk| {
            let (Some(&first), Some(&end)) = (chunk.first(), chunk.last()) else { return true };
            let right = first >= last && end >= first;
            last = end;
            right
        })
    }

    /// Makes ends of lengths, where those are stored, and checks that none is before its start.
    fn make_ends(&self, run: &Range<usize>, starts: &[u32], ends: &mut [u32]) -> Result<()> {
        let lengths = self.piece.source.holds_lengths();
        let right = if lengths {
            nnz_bitpack::add(ends, starts)
        } else {
            // Goes through all of them, so that many are compared at once.
            ends.iter().zip(starts).fold(true, |all, (end, start)| all & (end >= start))
        };
        if right {
            return Ok(());
        }
        let pairs = ends.iter().zip(starts);
        let offender = pairs.clone().position(|(end, start)| end < start).unwrap_or(0);
        let place = self.at(self.piece.source.ends.place(), run, offender);
        let (end, start) = (ends[offender], starts[offender]);
        if lengths {
            let found = format!("the length {}", end.wrapping_sub(start));
            let expected = format!("at most {}, since the start is {start}", u32::MAX - start);
            return Err(Error::mismatch(place, found, expected));
        }
        let found = format!("the end {end}");
        Err(Error::mismatch(place, found, format!("at least {start}, the start")))
    }

    fn at(&self, place: Place, run: &Range<usize>, offender: usize) -> Place {
        let at = self.inside(run).start + offender;
        place.at(At::Element(self.position(run, at)))
    }
}

/// Returns whether starts begin at the last one or behind it.
fn goes_on(starts: &[u32], last: u32) -> bool {
    starts.first().is_none_or(|&first| first >= last)
}

/// Returns whether no length of so many bits reaches beyond what 32 bits hold from a start on.
fn fits(start: u32, bits: u32) -> bool {
    u64::from(start) + (1_u64 << bits.min(32)) <= 1 << 32
}
