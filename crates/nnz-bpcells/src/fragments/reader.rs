//! Reading a range of fragments, piece by piece.

use std::cell::RefCell;
use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::{
    At, Error, FragmentBatch, FragmentFields, Place, Result, Segment, Unit, UnitReader,
};

use super::members::CELL_NAMES;
use super::source::FragmentSource;
use crate::arrays::Scratch;

/// Fragments in a piece: few enough that all columns stay in the processor's cache, and many
/// enough that what each read costs does not matter.
const PIECE: u64 = 256 * CHUNK as u64;

thread_local! {
    /// Buffers for packed data, which each thread uses again from piece to piece.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Cuts a range of fragments into pieces.
pub(super) struct Reader<'a> {
    source: &'a FragmentSource,
    fields: FragmentFields,
    /// The positions to hand out.
    positions: Range<u64>,
    /// The first of them.
    first: u64,
    /// The segments that are not handed out wholly.
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

impl<'a> UnitReader<'a, FragmentBatch> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<FragmentBatch> + 'a>>> {
        let Some((segment, rest)) = self.segments.split_first() else {
            return Ok(None);
        };
        if self.positions.is_empty() {
            return Ok(None);
        }
        let start = self.positions.start;
        // Pieces end where chunks end, so that no chunk is decoded twice.
        let limit = (start + PIECE) / CHUNK as u64 * CHUNK as u64;
        let end = limit.min(segment.fragments.end).min(self.positions.end);
        self.positions.start = end;
        if end == segment.fragments.end {
            self.segments = rest;
        }
        Ok(Some(Box::new(Piece {
            source: self.source,
            fields: self.fields,
            chromosome: segment.chromosome,
            positions: start..end,
            goes_on: start > self.first.max(segment.fragments.start),
        })))
    }
}

/// Neighbouring fragments of one chromosome.
struct Piece<'a> {
    source: &'a FragmentSource,
    fields: FragmentFields,
    chromosome: u32,
    positions: Range<u64>,
    /// Whether the fragment before was asked for, and is on the same chromosome.
    goes_on: bool,
}

impl Unit<FragmentBatch> for Piece<'_> {
    fn decode(self: Box<Self>, batch: &mut FragmentBatch) -> Result<()> {
        batch.chromosome = self.chromosome;
        SCRATCH.with_borrow_mut(|scratch| {
            if self.fields.cells {
                self.read_cells(scratch, &mut batch.cells)?;
            } else {
                batch.cells.clear();
            }
            // Ends are checked against starts, and made from them where they are packed.
            if self.fields.starts || self.fields.ends {
                self.read_starts(scratch, &mut batch.starts)?;
            } else {
                batch.starts.clear();
            }
            if self.fields.ends {
                self.read_ends(scratch, &batch.starts, &mut batch.ends)
            } else {
                batch.ends.clear();
                Ok(())
            }
        })
    }
}

impl Piece<'_> {
    fn read_cells(&self, scratch: &mut Scratch, cells: &mut Vec<u32>) -> Result<()> {
        let named = self.source.named_cells()?;
        // With 2^32 names or more, none is out of range.
        let Ok(limit) = u32::try_from(named) else {
            return self.source.cells.read(self.positions.clone(), scratch, cells);
        };
        let mut wrong = false;
        self.source.cells.read_each(self.positions.clone(), scratch, cells, |_, cells| {
            wrong |= nnz_bitpack::max(cells).is_some_and(|cell| cell >= limit);
        })?;
        if !wrong {
            return Ok(());
        }
        let offender = cells.iter().position(|&cell| cell >= limit).unwrap_or(0);
        let found = format!("the cell {}", cells[offender]);
        let expected = format!("less than {limit}, the number of {CELL_NAMES}");
        Err(Error::mismatch(self.at(self.source.cells.place(), offender), found, expected))
    }

    fn read_starts(&self, scratch: &mut Scratch, starts: &mut Vec<u32>) -> Result<()> {
        let before = match self.goes_on {
            true => self.source.starts.get(self.positions.start - 1)?,
            false => 0,
        };
        let (mut last, mut wrong) = (before, false);
        self.source.starts.read_each(self.positions.clone(), scratch, starts, |_, starts| {
            wrong |= starts.first().is_some_and(|&first| last > first);
            wrong |= !nnz_bitpack::never_falls(starts);
            last = starts.last().copied().unwrap_or(last);
        })?;
        if !wrong {
            return Ok(());
        }
        let mut last = before;
        let falls = |&start: &u32| std::mem::replace(&mut last, start) > start;
        let offender = starts.iter().position(falls).unwrap_or(0);
        let before = offender.checked_sub(1).map_or(before, |index| starts[index]);
        let place = self.at(self.source.starts.place(), offender);
        let found = format!("the start {}", starts[offender]);
        let expected = format!("at least {before}, the start of the fragment before it");
        Err(Error::mismatch(place, found, expected))
    }

    fn read_ends(&self, scratch: &mut Scratch, starts: &[u32], ends: &mut Vec<u32>) -> Result<()> {
        let lengths = self.source.holds_lengths();
        let mut wrong = false;
        self.source.ends.read_each(self.positions.clone(), scratch, ends, |at, ends| {
            let starts = &starts[at..];
            wrong |= if lengths {
                !nnz_bitpack::add(ends, starts)
            } else {
                // Goes through all of them, so that many are compared at once.
                ends.iter().zip(starts).fold(false, |found, (end, start)| found | (end < start))
            };
        })?;
        if !wrong {
            return Ok(());
        }
        let pairs = ends.iter().zip(starts);
        let offender = pairs.clone().position(|(end, start)| end < start).unwrap_or(0);
        let place = self.at(self.source.ends.place(), offender);
        let (end, start) = (ends[offender], starts[offender]);
        if lengths {
            let found = format!("the length {}", end.wrapping_sub(start));
            let expected = format!("at most {}, since the start is {start}", u32::MAX - start);
            return Err(Error::mismatch(place, found, expected));
        }
        let found = format!("the end {end}");
        Err(Error::mismatch(place, found, format!("at least {start}, the start")))
    }

    fn at(&self, place: Place, offender: usize) -> Place {
        place.at(At::Element(self.positions.start + offender as u64))
    }
}
