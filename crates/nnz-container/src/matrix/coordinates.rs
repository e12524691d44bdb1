//! Matrices of entries in any order, with a row, a column and a value each.

use std::cell::RefCell;
use std::ops::Range;

use nnz_core::{
    ArrayAbout, Batch, Error, Order, Projection, Result, Shape, Unit, UnitReader, ValueType,
};

use super::{Indices, Vector, entries_of_unit};

/// Number of first entries whose order is examined.
const LOOK: u64 = 1 << 14;

thread_local! {
    /// Majors of a unit. Each thread reuses the buffer.
    static MAJORS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// A matrix of entries in any order.
#[derive(Debug)]
pub struct Coordinates {
    rows: Indices,
    cols: Indices,
    values: Vector,
    shape: Shape,
    order: Order,
    sorted: bool,
    step: u64,
}

impl Coordinates {
    /// Creates a matrix, after checking that there are as many rows and columns as values, and
    /// examines the order of the first entries.
    ///
    /// # Errors
    ///
    /// Fails if there are not, or if they cannot be read.
    pub fn new(rows: Indices, cols: Indices, values: Vector, shape: Shape) -> Result<Self> {
        for indices in [&rows, &cols] {
            if indices.len() != values.len() {
                let found = format!("{} indices", indices.len());
                let expected = format!("{}, as many as there are values", values.len());
                return Err(Error::mismatch(indices.vector().place(), found, expected));
            }
        }
        let step = entries_of_unit(values.chunk());
        let mut matrix = Self { rows, cols, values, shape, order: Order::Row, sorted: false, step };
        let runs = [Order::Row, Order::Col].map(|order| matrix.runs(order));
        let [by_row, by_col] = runs;
        let (by_row, by_col) = (by_row?, by_col?);
        // If both orders match, the one with longer runs: a single row may be many columns.
        (matrix.order, matrix.sorted) = match (by_row, by_col) {
            (Some(rows), Some(cols)) if cols < rows => (Order::Col, true),
            (None, Some(_)) => (Order::Col, true),
            (by_row, _) => (Order::Row, by_row.is_some()),
        };
        Ok(matrix)
    }

    /// Returns the number of runs of equal majors in the first entries; `None` if majors descend.
    fn runs(&self, order: Order) -> Result<Option<usize>> {
        let count = usize::try_from(LOOK.min(self.values.len())).unwrap_or(0);
        let (along, len) = self.along(order);
        let mut majors = vec![0_u64; count];
        along.read(0, len, &mut majors)?;
        Ok(majors.is_sorted().then(|| majors.chunk_by(|a, b| a == b).count()))
    }

    fn along(&self, order: Order) -> (&Indices, u64) {
        match order {
            Order::Row => (&self.rows, self.shape.rows),
            Order::Col => (&self.cols, self.shape.cols),
        }
    }

    /// Returns the order of the first entries; by rows if they have none.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns whether the majors of the first entries do not descend. Later entries may.
    #[must_use]
    pub fn is_sorted(&self) -> bool {
        self.sorted
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.values.len()
    }

    /// Returns the type of the values.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.values.value_type()
    }

    /// Describes the arrays.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read their sizes.
    pub fn about(&self) -> Result<Vec<ArrayAbout>> {
        [self.rows.vector(), self.cols.vector(), &self.values]
            .into_iter()
            .map(Vector::about)
            .collect()
    }

    /// Starts reading all entries.
    #[must_use]
    pub fn units(&self, fields: Projection) -> Box<dyn UnitReader<'_> + '_> {
        Box::new(Reader { matrix: self, fields, next: 0 })
    }
}

struct Reader<'a> {
    matrix: &'a Coordinates,
    fields: Projection,
    next: u64,
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let start = self.next;
        let end = self.matrix.entries().min(start.saturating_add(self.matrix.step));
        if start == end {
            return Ok(None);
        }
        self.next = end;
        let (matrix, fields) = (self.matrix, self.fields);
        Ok(Some(Box::new(CoordinateUnit { matrix, fields, entries: start..end })))
    }
}

/// Adjacent entries.
struct CoordinateUnit<'a> {
    matrix: &'a Coordinates,
    fields: Projection,
    entries: Range<u64>,
}

impl Unit for CoordinateUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { matrix, fields, entries } = *self;
        let count = usize::try_from(entries.end - entries.start).unwrap_or(usize::MAX);
        let (along, majors_len) = matrix.along(matrix.order);
        let other = if matrix.order == Order::Row { Order::Col } else { Order::Row };
        let (across, minors_len) = matrix.along(other);
        batch.order = matrix.order;
        MAJORS.with_borrow_mut(|majors| {
            majors.resize(count, 0);
            along.read(entries.start, majors_len, majors)?;
            batch.list_majors(majors);
            Ok(())
        })?;
        if fields.minors {
            across.read_minors(entries.start, count, minors_len, &mut batch.minors)?;
        }
        if fields.values {
            matrix.values.read(entries, &mut batch.values)?;
        }
        Ok(())
    }
}
