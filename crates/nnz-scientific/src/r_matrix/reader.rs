//! Reading a range of major vectors, piece by piece.

use std::ops::Range;

use nnz_container::rds::Integers;
use nnz_core::{
    At, Batch, Error, Majors, Minors, Order, Place, Result, Triangle, Unit, UnitReader,
};

use super::numbers::{room, within};
use super::parse::Places;
use super::source::RMatrixSource;

/// Entries of a piece.
const PIECE: u64 = 64 << 10;

/// Runs of a piece: vectors without entries cost something too.
const RUNS: usize = 64 << 10;

/// Cuts a range of major vectors into pieces.
pub(super) struct Reader<'a> {
    source: &'a RMatrixSource,
    /// The next major to hand out, which may be begun already, and the end.
    majors: Range<u64>,
    /// The next entry.
    entry: Option<u64>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a RMatrixSource, majors: Range<u64>) -> Self {
        Self { source, majors, entry: None }
    }

    /// Returns the entry a major starts with.
    fn pointer(&self, major: u64) -> u64 {
        match &self.source.parts.places {
            Places::Compressed { pointers, .. } => {
                // All were checked as the matrix was opened.
                pointers.get(major).and_then(|pointer| u64::try_from(pointer).ok()).unwrap_or(0)
            }
            _ => major.saturating_mul(self.source.header.shape.rows),
        }
    }
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let source = self.source;
        if let Places::Triplets { rows, .. } = &source.parts.places {
            let start = self.entry.unwrap_or(0);
            let end = rows.len().min(start + PIECE);
            self.entry = Some(end);
            let unit = Piece { source, first: 0, offsets: Vec::new(), entries: start..end };
            return Ok((start < end).then(|| Box::new(unit) as Box<dyn Unit>));
        }
        if self.majors.is_empty() {
            return Ok(None);
        }
        let first = self.majors.start;
        let start = self.entry.unwrap_or_else(|| self.pointer(first));
        let limit = start + PIECE;
        let mut offsets = vec![0];
        let mut end = start;
        while !self.majors.is_empty() && offsets.len() <= RUNS {
            let next = self.pointer(self.majors.start + 1);
            end = next.min(limit);
            offsets.push(usize::try_from(end - start).unwrap_or(usize::MAX));
            if next > limit {
                // This major goes on in the next piece.
                break;
            }
            self.majors.start += 1;
        }
        self.entry = Some(end);
        Ok(Some(Box::new(Piece { source, first, offsets, entries: start..end })))
    }
}

/// Neighbouring entries.
struct Piece<'a> {
    source: &'a RMatrixSource,
    first: u64,
    offsets: Vec<usize>,
    entries: Range<u64>,
}

impl Unit for Piece<'_> {
    fn decode(mut self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let source = self.source;
        let shape = source.header.shape;
        let place = source.place("x");
        source.parts.numbers.read(self.entries.clone(), &mut batch.values, &place)?;
        batch.order = source.header.order;
        match &source.parts.places {
            Places::Dense => {
                let begun = self.entries.start - self.first.saturating_mul(shape.rows);
                let starts = batch.minors.spans_mut();
                starts.resize(self.offsets.len() - 1, 0);
                if let Some(start) = starts.first_mut() {
                    *start = begun;
                }
                batch.majors = Majors::Consecutive(self.first);
                batch.offsets = std::mem::take(&mut self.offsets);
            }
            Places::Compressed { minors, .. } => {
                let name = if batch.order == Order::Col { "i" } else { "j" };
                let len = shape.minor(batch.order);
                self.indices(minors, name, len, batch.minors.u32_mut())?;
                batch.majors = Majors::Consecutive(self.first);
                batch.offsets = std::mem::take(&mut self.offsets);
            }
            Places::Triplets { rows, cols } => {
                let mut majors = Vec::new();
                let minors = batch.minors.u32_mut();
                match batch.order {
                    Order::Col => {
                        self.indices(cols, "j", shape.cols, &mut majors)?;
                        self.indices(rows, "i", shape.rows, minors)?;
                    }
                    Order::Row => {
                        self.indices(rows, "i", shape.rows, &mut majors)?;
                        self.indices(cols, "j", shape.cols, minors)?;
                    }
                }
                let listed = batch.majors.listed_mut();
                batch.offsets.clear();
                batch.offsets.push(0);
                let mut end = 0;
                for run in majors.chunk_by(|a, b| a == b) {
                    listed.extend(run.first().map(|&major| u64::from(major)));
                    end += run.len();
                    batch.offsets.push(end);
                }
            }
        }
        debug_assert!(!matches!(batch.minors, Minors::U64(_)));
        self.check_side(batch)
    }
}

impl Piece<'_> {
    /// Makes sure that all entries are in the triangle that is stored, if it is but one.
    fn check_side(&self, batch: &Batch) -> Result<()> {
        let Some(triangle) = self.source.parts.triangle else { return Ok(()) };
        batch.try_for_each(|_, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            let (found, expected) = match triangle {
                Triangle::Upper if row > col => ("below", "upper"),
                Triangle::Lower if row < col => ("above", "lower"),
                _ => return Ok(()),
            };
            let place = Place::path(&*self.source.path).at(At::Entry { row, col });
            let found = format!("an entry {found} the diagonal");
            Err(Error::mismatch(place, found, format!("those of the {expected} triangle")))
        })
    }

    /// Reads indices, each of which has to be less than `len`.
    fn indices(&self, all: &Integers, name: &str, len: u64, out: &mut Vec<u32>) -> Result<()> {
        let place = || self.source.place(name);
        let mut signed = Vec::new();
        within(all.read(self.entries.start, room(&mut signed, &self.entries)), &place())?;
        out.clear();
        out.extend(signed.iter().map(|index| index.cast_unsigned()));
        // A negative one is past every end.
        match out.iter().position(|&index| u64::from(index) >= len) {
            None => Ok(()),
            Some(position) => {
                let at = At::Element(self.entries.start + position as u64);
                let found = format!("the index {}", signed[position]);
                Err(Error::mismatch(place().at(at), found, format!("0 to less than {len}")))
            }
        }
    }
}
