//! Major vectors with pointers: CSR, CSC, DCSR, DCSC, and sparse vectors.

use std::ops::Range;

use nnz_container::matrix::Ahead;
use nnz_core::{
    Batch, EntryPiece, Error, Majors, Place, PointerCursor, Pointers, Projection, Result, Unit,
    UnitReader,
};

use super::MatrixSource;
use super::ascending::read_minors;
use super::triangle::check_triangle;
use crate::store::{Integers, PIECE};

/// The pointers of runs of entries; `None` if all entries are one run.
struct RunPointers<'a> {
    stored: Option<&'a Integers>,
    entries: u64,
}

impl Pointers for RunPointers<'_> {
    fn load(&self, first: u64, out: &mut [u64]) -> Result<()> {
        if let Some(stored) = self.stored {
            return stored.read(first, out);
        }
        for (pointer, element) in out.iter_mut().zip(first..) {
            *pointer = if element == 0 { 0 } else { self.entries };
        }
        Ok(())
    }

    fn entries(&self) -> u64 {
        self.entries
    }

    fn wrong(&self, element: u64, found: u64, expected: String) -> Error {
        match self.stored {
            Some(stored) => stored.wrong(element, found, expected),
            None => Error::mismatch(Place::default(), found, expected),
        }
    }
}

/// Splits a range of major vectors into pieces.
pub(super) struct RunReader<'a> {
    source: &'a MatrixSource,
    listed: Option<&'a Integers>,
    pointers: RunPointers<'a>,
    minors: &'a Integers,
    fields: Projection,
    cursor: PointerCursor,
    /// The last major read, if majors are listed.
    last: Option<u64>,
    /// Announces the chunks of a scan of all entries; `None` if a part is read, or without a latency.
    ahead: Option<Ahead>,
}

impl<'a> RunReader<'a> {
    pub(super) fn new(
        source: &'a MatrixSource,
        listed: Option<&'a Integers>,
        pointers: Option<&'a Integers>,
        minors: &'a Integers,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Self> {
        let is_whole = majors == (0..source.majors) && minors.has_latency();
        let ahead = is_whole.then(Ahead::default);
        let runs = match listed {
            Some(listed) => listed_range(listed, majors, source.majors)?,
            None => majors,
        };
        let pointers = RunPointers { stored: pointers, entries: minors.len() };
        let cursor = PointerCursor::new(runs, PIECE);
        Ok(Self { source, listed, pointers, minors, fields, cursor, last: None, ahead })
    }

    /// Returns the majors of the runs of a piece.
    fn majors(&mut self, piece: &EntryPiece) -> Result<Majors> {
        let Some(listed) = self.listed else { return Ok(Majors::Consecutive(piece.first)) };
        let mut majors = vec![0; piece.offsets.len() - 1];
        listed.read(piece.first, &mut majors)?;
        let before = self.last.filter(|_| !piece.continued);
        check_listed(listed, piece.first, &majors, before, self.source.majors)?;
        self.last = majors.last().copied();
        Ok(Majors::Listed(majors))
    }
}

/// Returns which listed majors are in a range. For the whole axis these are all, and they are
/// checked when they are read.
pub(super) fn listed_range(listed: &Integers, majors: Range<u64>, axis: u64) -> Result<Range<u64>> {
    let all = listed.len();
    let start = if majors.start == 0 { 0 } else { listed.search(0..all, majors.start)? };
    let end = if majors.end == axis { all } else { listed.search(start..all, majors.end)? };
    Ok(start..end)
}

/// Checks that listed majors are in range and ascending.
pub(super) fn check_listed(
    listed: &Integers,
    first: u64,
    majors: &[u64],
    mut before: Option<u64>,
    axis: u64,
) -> Result<()> {
    for (&major, element) in majors.iter().zip(first..) {
        if major >= axis {
            let expected = format!("less than {axis}, the length of the axis");
            return Err(listed.wrong(element, major, expected));
        }
        if let Some(before) = before.filter(|&before| before >= major) {
            let expected = format!("more than {before}, since indices are sorted");
            return Err(listed.wrong(element, major, expected));
        }
        before = Some(major);
    }
    Ok(())
}

impl<'a> UnitReader<'a> for RunReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let Some(piece) = self.cursor.next_piece(&self.pointers)? else { return Ok(None) };
        if let Some(ahead) = &mut self.ahead {
            let minors = self.fields.minors.then_some(self.minors.vector());
            let values = self.source.values.vector().filter(|_| self.fields.values);
            ahead.announce([minors, values], piece.entries.start, self.minors.len());
        }
        let majors = self.majors(&piece)?;
        let (source, minors, fields) = (self.source, self.minors, self.fields);
        Ok(Some(Box::new(Entries { source, minors, fields, majors, piece })))
    }
}

/// The entries of consecutive runs, the first and last of which may be partial.
struct Entries<'a> {
    source: &'a MatrixSource,
    minors: &'a Integers,
    fields: Projection,
    majors: Majors,
    piece: EntryPiece,
}

impl Unit for Entries<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { source, minors, fields, majors, piece } = *self;
        let EntryPiece { offsets, entries, continued, .. } = piece;
        if fields.minors {
            let before = match entries.start.checked_sub(1).filter(|_| continued) {
                Some(before) => Some(minors.get(before)?),
                None => None,
            };
            let axis = source.minors;
            let found = &mut batch.minors;
            let any = source.in_any_order;
            read_minors(minors, entries.clone(), axis, &offsets, before, found, any)?;
        }
        if fields.values {
            source.values.read(entries.clone(), &mut batch.values)?;
        }
        source.begin(batch, majors, offsets);
        check_triangle(source, minors, entries.start, fields, batch)
    }
}
