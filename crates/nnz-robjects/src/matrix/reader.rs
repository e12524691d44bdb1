//! Reading a range of major vectors in pieces.

use std::ops::Range;

use nnz_container::rds::Integers;
use nnz_core::{
    At, Batch, Bint8, EntryPiece, Error, Majors, Minors, Order, Place, PointerCursor, Pointers,
    Result, Scalar, Triangle, Unit, UnitReader, ValueType, Values,
};

use super::numbers::{resized, within};
use super::parse::Places;
use super::source::RMatrixSource;

/// Entries in a piece.
const PIECE: u64 = 64 << 10;

/// Splits a range of major vectors into pieces.
pub(super) enum Reader<'a> {
    /// Vectors of entries, or of all elements.
    Vectors { source: &'a RMatrixSource, cursor: PointerCursor },
    /// Triplets from entry `next` on.
    Triplets { source: &'a RMatrixSource, rows: &'a Integers, next: u64 },
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a RMatrixSource, majors: Range<u64>) -> Self {
        match &source.parts.places {
            Places::Triplets { rows, .. } => Self::Triplets { source, rows, next: 0 },
            // Without elements the major vectors are skipped, because there may be many.
            Places::Dense if source.header.shape.rows == 0 => {
                Self::Vectors { source, cursor: PointerCursor::new(0..0, PIECE) }
            }
            _ => Self::Vectors { source, cursor: PointerCursor::new(majors, PIECE) },
        }
    }
}

impl Pointers for RMatrixSource {
    fn load(&self, first: u64, out: &mut [u64]) -> Result<()> {
        let Places::Compressed { pointers, .. } = &self.parts.places else {
            for (pointer, major) in out.iter_mut().zip(first..) {
                *pointer = match &self.parts.places {
                    Places::Triangle { .. } => self.before_in_triangle(major),
                    _ => major.saturating_mul(self.header.shape.rows),
                };
            }
            return Ok(());
        };
        let mut read = vec![0; out.len()];
        within(pointers.read(first, &mut read), &self.place("p"))?;
        for (pointer, read) in out.iter_mut().zip(read) {
            // Pointers are checked when the matrix is opened.
            *pointer = u64::try_from(read).unwrap_or(0);
        }
        Ok(())
    }

    fn entries(&self) -> u64 {
        u64::MAX
    }

    fn wrong(&self, element: u64, found: u64, expected: String) -> Error {
        Error::mismatch(self.place("p").at(At::Element(element)), found, expected)
    }
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let (source, piece) = match self {
            Self::Vectors { source, cursor } => (*source, cursor.next_piece(*source)?),
            Self::Triplets { source, rows, next } => {
                let start = *next;
                *next = rows.len().min(start + PIECE);
                let entries = start..*next;
                let offsets = vec![0, usize::try_from(*next - start).unwrap_or(usize::MAX)];
                let piece = EntryPiece { first: 0, offsets, entries, continued: false };
                (*source, Some(piece).filter(|piece| !piece.is_empty()))
            }
        };
        Ok(piece.map(|piece| Box::new(Entries { source, piece }) as Box<dyn Unit>))
    }
}

/// Consecutive entries.
struct Entries<'a> {
    source: &'a RMatrixSource,
    piece: EntryPiece,
}

impl Unit for Entries<'_> {
    fn decode(mut self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let source = self.source;
        let shape = source.header.shape;
        let place = source.place("x");
        batch.order = source.header.order;
        if let Places::Triangle { packed, unit } = source.parts.places {
            return self.triangle((packed, unit), batch);
        }
        source.parts.numbers.read(self.piece.entries.clone(), &mut batch.values, &place)?;
        match &source.parts.places {
            Places::Dense => batch.span_elements(self.piece.entries.clone(), shape.rows),
            // Read above.
            Places::Triangle { .. } => {}
            Places::Compressed { minors, .. } => {
                let name = if batch.order == Order::Col { "i" } else { "j" };
                let len = shape.minor(batch.order);
                self.indices(minors, name, len, batch.minors.u32_mut())?;
                batch.majors = Majors::Consecutive(self.piece.first);
                batch.offsets = std::mem::take(&mut self.piece.offsets);
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
                batch.list_majors(&majors);
            }
        }
        debug_assert!(!matches!(batch.minors, Minors::U64(_)));
        self.check_side(batch)
    }
}

impl Entries<'_> {
    /// Reads elements of a triangle, column by column.
    fn triangle(mut self, (packed, unit): (bool, bool), batch: &mut Batch) -> Result<()> {
        let source = self.source;
        let side = source.header.shape.rows;
        let lower = source.parts.triangle == Some(Triangle::Lower);
        let mut values = Values::new(source.header.value_type);
        let minors = batch.minors.u32_mut();
        minors.clear();
        let mut column = Values::new(source.header.value_type);
        let one = match source.header.value_type {
            ValueType::F64 => Scalar::F64(1.0),
            _ => Scalar::Bint8(Bint8(1)),
        };
        for (run, range) in self.piece.offsets.windows(2).enumerate() {
            let col = self.piece.first + run as u64;
            let before = source.before_in_triangle(col);
            let [start, end] =
                [range[0], range[1]].map(|at| self.piece.entries.start + at as u64 - before);
            // Counted from the first element of the column that is in the triangle.
            let first = if lower { col } else { 0 };
            let stored = if packed { before } else { col * side + first };
            let place = source.place("x");
            source.parts.numbers.read(stored + start..stored + end, &mut column, &place)?;
            let rows = first + start..first + end;
            let count = column.len().unwrap_or(0);
            let diagonal = usize::try_from(col.wrapping_sub(rows.start)).unwrap_or(count);
            if unit && diagonal < count {
                values.extend_from(&column, 0..diagonal);
                values.push(one);
                values.extend_from(&column, diagonal + 1..count);
            } else {
                values.extend_from(&column, 0..count);
            }
            minors.extend(rows.map(|row| u32::try_from(row).unwrap_or(u32::MAX)));
        }
        batch.values = values;
        batch.majors = Majors::Consecutive(self.piece.first);
        batch.offsets = std::mem::take(&mut self.piece.offsets);
        Ok(())
    }

    /// Checks that all entries are in the stored triangle, if only one is stored.
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
            Err(Error::mismatch(place, found, format!("entries of the {expected} triangle")))
        })
    }

    /// Reads indices, each of which must be less than `len`.
    fn indices(&self, all: &Integers, name: &str, len: u64, out: &mut Vec<u32>) -> Result<()> {
        let place = || self.source.place(name);
        let mut signed = Vec::new();
        within(
            all.read(self.piece.entries.start, resized(&mut signed, &self.piece.entries)),
            &place(),
        )?;
        out.clear();
        out.extend(signed.iter().map(|index| index.cast_unsigned()));
        // As an unsigned number, a negative index is out of range.
        match out.iter().position(|&index| u64::from(index) >= len) {
            None => Ok(()),
            Some(position) => {
                let at = At::Element(self.piece.entries.start + position as u64);
                let found = format!("the index {}", signed[position]);
                Err(Error::mismatch(place().at(at), found, format!("0 to less than {len}")))
            }
        }
    }
}
