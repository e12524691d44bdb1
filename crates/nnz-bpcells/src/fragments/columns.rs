//! Decoding consecutive fragments, and checking them while they are in the cache.

use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::{At, Error, FragmentBatch, Place, Result};

use super::members::CELL_NAMES;
use super::reader::FragmentUnit;
use crate::arrays::LoadedIntegers;

/// Chunks that are decoded and checked together: so few that all columns fit into the L1 cache.
const RUN: usize = 8;

/// The largest bit width of steps between starts with which a chunk cannot add up to 2^32.
const NARROW: u32 = 25;

/// The columns of a piece in memory, still encoded.
pub(super) struct Columns<'s> {
    pub(super) piece: &'s FragmentUnit<'s>,
    /// The number of chunks of 128 fragments that the piece touches.
    pub(super) chunks: usize,
    pub(super) cells: Option<LoadedIntegers<'s>>,
    pub(super) starts: Option<LoadedIntegers<'s>>,
    pub(super) ends: Option<LoadedIntegers<'s>>,
    /// The number of cells that have names.
    pub(super) limit: u64,
}

impl Columns<'_> {
    /// Returns the runs of chunks that are decoded together.
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let chunks = self.chunks;
        (0..chunks).step_by(RUN).map(move |first| first..chunks.min(first + RUN))
    }

    /// Resizes the columns of a batch to hold `chunks` chunks.
    pub(super) fn resize(&self, chunks: usize, batch: &mut FragmentBatch) {
        batch.chromosome = self.piece.chromosome;
        let set_len = |column: &mut Vec<u32>, there: bool| {
            column.resize(if there { chunks * CHUNK } else { 0 }, 0);
        };
        set_len(&mut batch.cells, self.cells.is_some());
        set_len(&mut batch.starts, self.starts.is_some());
        set_len(&mut batch.ends, self.ends.is_some());
    }

    /// Removes what is in the first and the last chunk of the piece, but not in the piece.
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

    /// Returns which fragments of some chunks are in the piece.
    fn inside(&self, chunks: &Range<usize>) -> Range<usize> {
        let first = self.position(chunks, 0);
        let Range { start, end } = self.piece.positions;
        let within = |position: u64| {
            let len = chunks.len() * CHUNK;
            usize::try_from(position.saturating_sub(first)).map_or(len, |at| at.min(len))
        };
        within(start)..within(end)
    }

    /// Returns the position among all fragments of the fragment at `at` in some chunks.
    fn position(&self, chunks: &Range<usize>, at: usize) -> u64 {
        let chunk = CHUNK as u64;
        (self.piece.positions.start / chunk + chunks.start as u64) * chunk + at as u64
    }

    /// Decodes and checks a run, and writes it into the batch from chunk `at_chunk` on. Returns the
    /// last start, with which the next run continues.
    pub(super) fn decode(
        &self,
        run: Range<usize>,
        at_chunk: usize,
        last: u32,
        batch: &mut FragmentBatch,
    ) -> Result<u32> {
        let target = at_chunk * CHUNK..(at_chunk + run.len()) * CHUNK;
        let inside = self.inside(&run);
        if let Some(loaded) = &self.cells {
            let cells = &mut batch.cells[target.clone()];
            loaded.decode(run.clone(), cells)?;
            self.check_cells(&run, &cells[inside.clone()])?;
        }
        let Some(loaded) = &self.starts else { return Ok(last) };
        let starts = &mut batch.starts[target.clone()];
        loaded.decode(run.clone(), starts)?;
        let starts = &starts[inside.clone()];
        self.check_starts(&run, starts, last)?;
        let reached = starts.last().copied().unwrap_or(last);
        match &self.ends {
            Some(LoadedIntegers::Packed(loaded)) if fits(reached, loaded.width(&run)) => {
                let starts = &batch.starts[target.clone()];
                loaded.decode_onto(run, starts, &mut batch.ends[target])?;
            }
            Some(loaded) => {
                let ends = &mut batch.ends[target];
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
        if self.is_sorted_from(run, starts, last) {
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
    fn is_sorted_from(&self, run: &Range<usize>, starts: &[u32], last: u32) -> bool {
        let Some(LoadedIntegers::Packed(loaded)) = &self.starts else {
            return continues(starts, last) && nnz_bitpack::is_sorted(starts);
        };
        if loaded.width(run) > NARROW {
            return continues(starts, last) && nnz_bitpack::is_sorted(starts);
        }
        // With such small steps the sum within a chunk is less than 2^32. So starts can wrap around
        // at most once, and then the last start of the chunk is less than its first.
        let head = CHUNK - self.inside(run).start % CHUNK;
        let (head, rest) = starts.split_at(head.min(starts.len()));
        let mut last = last;
        std::iter::once(head).chain(rest.chunks(CHUNK)).all(|chunk| {
            let (Some(&first), Some(&end)) = (chunk.first(), chunk.last()) else { return true };
            let valid = first >= last && end >= first;
            last = end;
            valid
        })
    }

    /// Converts lengths to ends if lengths are stored, and checks that no end is before its start.
    fn make_ends(&self, run: &Range<usize>, starts: &[u32], ends: &mut [u32]) -> Result<()> {
        let lengths = self.piece.source.holds_lengths();
        let valid = if lengths {
            nnz_bitpack::add(ends, starts)
        } else {
            // No early exit, so that the comparison is vectorized.
            ends.iter().zip(starts).fold(true, |all, (end, start)| all & (end >= start))
        };
        if valid {
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

/// Returns whether the first start is at least `last`.
fn continues(starts: &[u32], last: u32) -> bool {
    starts.first().is_none_or(|&first| first >= last)
}

/// Returns whether `start` plus any length of this many bits fits into 32 bits.
fn fits(start: u32, bits: u32) -> bool {
    u64::from(start) + (1_u64 << bits.min(32)) <= 1 << 32
}
