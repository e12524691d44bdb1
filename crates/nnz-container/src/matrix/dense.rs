//! Matrices that store every element.

use std::ops::Range;

use nnz_core::{
    ArrayAbout, Batch, Error, Order, Projection, Result, Shape, Unit, UnitReader, ValueType,
    check_requested,
};

use super::{Vector, entries_of_unit};

/// A matrix that stores every element, by rows or columns.
#[derive(Debug)]
pub struct Dense {
    values: Vector,
    order: Order,
    majors: u64,
    minors: u64,
    step: u64,
}

impl Dense {
    /// Creates a matrix, after checking that there are as many values as elements.
    ///
    /// # Errors
    ///
    /// Fails if there are not.
    pub fn new(values: Vector, shape: Shape, order: Order) -> Result<Self> {
        if u128::from(values.len()) != shape.elements() {
            let found = format!("{} values", values.len());
            let expected = format!("{} for a shape of {shape}", shape.elements());
            return Err(Error::mismatch(values.place(), found, expected));
        }
        let (majors, minors) = (shape.major(order), shape.minor(order));
        let step = entries_of_unit(values.chunk());
        Ok(Self { values, order, majors, minors, step })
    }

    /// Returns the type of the values.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.values.value_type()
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.values.len()
    }

    /// Describes the array.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read its size.
    pub fn about(&self) -> Result<Vec<ArrayAbout>> {
        Ok(vec![self.values.about()?])
    }

    /// Starts reading a range of majors.
    ///
    /// # Errors
    ///
    /// Fails if the range is past the end.
    pub fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        check_requested(&majors, self.majors, self.order.major())?;
        // The number of all elements fits.
        let at = |major: u64| major.saturating_mul(self.minors);
        Ok(Box::new(Reader { matrix: self, fields, elements: at(majors.start)..at(majors.end) }))
    }
}

/// Divides a range of elements into units.
struct Reader<'a> {
    matrix: &'a Dense,
    fields: Projection,
    /// The remaining elements.
    elements: Range<u64>,
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let (matrix, fields) = (self.matrix, self.fields);
        // Without elements, the major vectors are not enumerated: there may be 2^63.
        if self.elements.is_empty() {
            return Ok(None);
        }
        let start = self.elements.start;
        let limit = (start / matrix.step).saturating_add(1).saturating_mul(matrix.step);
        let end = limit.min(self.elements.end);
        self.elements.start = end;
        Ok(Some(Box::new(DenseUnit { matrix, fields, elements: start..end })))
    }
}

/// Adjacent elements.
struct DenseUnit<'a> {
    matrix: &'a Dense,
    fields: Projection,
    elements: Range<u64>,
}

impl Unit for DenseUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { matrix, fields, elements } = *self;
        batch.order = matrix.order;
        batch.span_elements(elements.clone(), matrix.minors);
        if fields.values {
            matrix.values.read(elements, &mut batch.values)?;
        }
        Ok(())
    }
}
