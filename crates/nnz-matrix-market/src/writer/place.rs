//! The position of an entry: inside the matrix, and in the lower triangle of one with a structure.

use nnz_core::{Batch, Error, Header, Minors, Order, Place, Result, Shape, Structure, Triangle};

use super::super::{Layout, Symmetry};
use super::text::Number;

/// Returns the order of entries after mirroring an upper triangle.
pub(super) fn order(header: &Header) -> Order {
    match (header.structure.triangle(), header.order) {
        (Some(Triangle::Upper), Order::Col) => Order::Row,
        (Some(Triangle::Upper), Order::Row) => Order::Col,
        (_, order) => order,
    }
}

/// Rules for the position of every entry.
#[derive(Clone, Copy)]
pub(super) struct Places {
    shape: Shape,
    structure: Structure,
    pub(super) symmetry: Symmetry,
    /// Whether every element of the triangle is written.
    array: bool,
}

impl Places {
    pub(super) fn new(header: &Header, layout: Layout) -> Self {
        Self {
            shape: header.shape,
            structure: header.structure,
            symmetry: Symmetry::of(header.structure),
            array: layout == Layout::Array,
        }
    }

    /// Returns row, column and value of the entry to write.
    #[inline]
    pub(super) fn put(self, row: u64, col: u64, number: Number) -> Result<(u64, u64, Number)> {
        if row >= self.shape.rows || col >= self.shape.cols {
            return Err(self.outside());
        }
        if self.symmetry == Symmetry::General {
            return Ok((row, col, number));
        }
        self.put_in_triangle(row, col, number)
    }

    fn put_in_triangle(self, row: u64, col: u64, number: Number) -> Result<(u64, u64, Number)> {
        let fault = |found: &str, expected: &str| {
            let expected = format!("{expected}, since the matrix is {}", self.structure);
            Err(Error::mismatch(Place::default(), found, expected))
        };
        let upper = self.structure.triangle() == Some(Triangle::Upper);
        if row == col {
            match (self.symmetry, number) {
                (Symmetry::SkewSymmetric, _) => {
                    return fault("an entry on the diagonal", "none");
                }
                (Symmetry::Hermitian, Number::Complex([_, im])) if im != 0.0 => {
                    return fault("an imaginary part on the diagonal", "0");
                }
                _ => return Ok((row, col, number)),
            }
        }
        if upper != (row < col) {
            let expected = if upper { "one above" } else { "one below" };
            return fault("an entry on the other side of the diagonal", expected);
        }
        if !upper {
            return Ok((row, col, number));
        }
        match (number.mirrored(self.symmetry, self.array), number) {
            (Some(mirrored), _) => Ok((col, row, mirrored)),
            (None, Number::Real(_) | Number::Complex(_)) => {
                fault("a negative zero above the diagonal", "0.0 in an array (not in coordinates)")
            }
            (None, _) => fault(
                "an integer whose negative does not fit into int64",
                "one that can be mirrored to the lower triangle",
            ),
        }
    }

    #[cold]
    fn outside(self) -> Error {
        let expected = format_args!("a position inside {}", self.shape);
        Error::mismatch(Place::default(), "an entry outside the matrix", expected)
    }
}

/// Checks that the parts of a batch are consistent with each other and the header.
pub(super) fn check_batch(batch: &Batch, header: &Header) -> Result<()> {
    let (runs, entries) = (batch.runs(), batch.entries());
    let minors = match &batch.minors {
        Minors::U32(list) => list.len() == entries,
        Minors::U64(list) => list.len() == entries,
        Minors::Spans(starts) => starts.len() == runs,
    };
    let majors = match &batch.majors {
        nnz_core::Majors::Listed(list) => list.len() == runs,
        nnz_core::Majors::Consecutive(_) => true,
    };
    let offsets = batch.offsets.first() == Some(&0) && batch.offsets.is_sorted();
    let values = batch.values.len().is_none_or(|len| len == entries);
    let kind = batch.order == header.order && batch.values.value_type() == header.value_type;
    if minors && majors && offsets && values && kind {
        return Ok(());
    }
    Err(Error::argument("a batch whose parts are inconsistent with each other or with the header"))
}
