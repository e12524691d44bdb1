//! Matrices by rows or columns: pointers, indices and values.

use std::ops::Range;

use nnz_core::{
    ArrayAbout, Batch, Error, Majors, Order, Projection, Result, Shape, Unit, UnitReader, ValueType,
};

use super::{Indices, Vector, check_majors, entries_of_unit};

/// Pointers that are read at a time.
const WINDOW: u64 = 1 << 14;

/// The most major vectors of a unit: those without entries cost something too.
const RUNS: usize = 1 << 16;

/// The arrays of a matrix by rows (CSR) or columns (CSC).
#[derive(Debug)]
pub struct CompressedArrays {
    /// Where each major vector begins, and where the last one ends.
    pub pointers: Indices,
    /// The minor index of each entry.
    pub indices: Indices,
    /// The value of each entry.
    pub values: Vector,
}

/// A matrix by rows (CSR) or columns (CSC). Indices may be in any order, and the same ones repeat.
#[derive(Debug)]
pub struct Compressed {
    arrays: CompressedArrays,
    order: Order,
    majors: u64,
    minors: u64,
    entries: u64,
    /// Entries of a unit.
    step: u64,
}

impl Compressed {
    /// Checks that the arrays of a matrix of a shape have the right lengths, and that the pointers begin
    /// with 0. The rest is checked as it is read.
    ///
    /// # Errors
    ///
    /// Fails where that is not so, or a pointer cannot be read.
    pub fn new(arrays: CompressedArrays, shape: Shape, order: Order) -> Result<Self> {
        let CompressedArrays { pointers, indices, values } = &arrays;
        let (majors, minors) = (shape.major(order), shape.minor(order));
        if Some(pointers.len()) != majors.checked_add(1) {
            let found = format!("{} pointers", pointers.len());
            let expected = format!("one more than the {majors} {}", order.major());
            return Err(Error::mismatch(pointers.vector().place(), found, expected));
        }
        if indices.len() != values.len() {
            let found = format!("{} indices", indices.len());
            let expected = format!("{}, as many as there are values", values.len());
            return Err(Error::mismatch(indices.vector().place(), found, expected));
        }
        let bound = values.len().saturating_add(1);
        let first = pointers.get(0, bound)?;
        if first != 0 {
            return Err(pointers.wrong(0, first, "0"));
        }
        let entries = pointers.get(majors, bound)?;
        let step = entries_of_unit(values.chunk().or(indices.vector().chunk()));
        Ok(Self { order, majors, minors, entries, step, arrays })
    }

    /// Sets how many entries a unit has at most.
    #[must_use]
    pub fn with_unit_entries(mut self, entries: u64) -> Self {
        self.step = entries.max(1);
        self
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns how many elements of indices and values lie behind the last entry, and belong to none.
    #[must_use]
    pub fn unused(&self) -> u64 {
        self.arrays.values.len().saturating_sub(self.entries)
    }

    /// Returns the type of the values.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.arrays.values.value_type()
    }

    /// Describes the arrays.
    #[must_use]
    pub fn about(&self) -> Vec<ArrayAbout> {
        let CompressedArrays { pointers, indices, values } = &self.arrays;
        [pointers.vector(), indices.vector(), values].map(Vector::about).to_vec()
    }

    /// Returns the number of entries before a major.
    ///
    /// # Errors
    ///
    /// Fails where its pointer cannot be read.
    pub fn stored_before(&self, major: u64) -> Result<u64> {
        self.arrays.pointers.get(major, self.entries.saturating_add(1))
    }

    /// Starts reading a range of majors.
    ///
    /// # Errors
    ///
    /// Fails where it ends past the axis.
    pub fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        check_majors(&majors, self.majors, self.order.major())?;
        let (window, window_start) = (Vec::new(), 0);
        Ok(Box::new(Reader { matrix: self, fields, majors, entry: None, window, window_start }))
    }
}

/// Cuts a range of majors into units.
struct Reader<'a> {
    matrix: &'a Compressed,
    fields: Projection,
    /// The majors that are still to come, the first of which may be begun.
    majors: Range<u64>,
    /// The next entry.
    entry: Option<u64>,
    /// Pointers from one on.
    window: Vec<u64>,
    window_start: u64,
}

impl Reader<'_> {
    /// Returns a pointer, none of which is less than the one before.
    fn pointer(&mut self, major: u64) -> Result<u64> {
        let at = |start: u64| usize::try_from(major.checked_sub(start)?).ok();
        if let Some(pointer) = at(self.window_start).and_then(|at| self.window.get(at)) {
            return Ok(*pointer);
        }
        let pointers = &self.matrix.arrays.pointers;
        let before = self.window.last().copied().filter(|_| self.entry.is_some());
        let count = WINDOW.min(pointers.len().saturating_sub(major));
        self.window.resize(usize::try_from(count).unwrap_or(0), 0);
        self.window_start = major;
        pointers.read(major, self.matrix.entries.saturating_add(1), &mut self.window)?;
        let mut least = before.unwrap_or(0);
        for (&pointer, element) in self.window.iter().zip(major..) {
            if pointer < least {
                let expected = format!("{least} or more, as pointers do not go down");
                return Err(pointers.wrong(element, pointer, expected));
            }
            least = pointer;
        }
        let missing = || Error::mismatch(pointers.vector().place(), "no pointer", "one");
        self.window.first().copied().ok_or_else(missing)
    }
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        if self.majors.is_empty() {
            return Ok(None);
        }
        let (matrix, fields, first) = (self.matrix, self.fields, self.majors.start);
        let start = match self.entry {
            Some(entry) => entry,
            None => self.pointer(first)?,
        };
        // Units end where chunks do.
        let limit = (start / matrix.step).saturating_add(1).saturating_mul(matrix.step);
        let mut offsets = vec![0];
        let mut end = start;
        self.entry = Some(start);
        while !self.majors.is_empty() && offsets.len() <= RUNS && end < limit {
            let next = self.pointer(self.majors.start + 1)?;
            end = next.min(limit);
            offsets.push(usize::try_from(end - start).unwrap_or(usize::MAX));
            if next <= limit {
                self.majors.start += 1;
            }
        }
        self.entry = Some(end);
        Ok(Some(Box::new(Piece { matrix, fields, first, offsets, entries: start..end })))
    }
}

/// Neighbouring entries.
struct Piece<'a> {
    matrix: &'a Compressed,
    fields: Projection,
    first: u64,
    offsets: Vec<usize>,
    entries: Range<u64>,
}

impl Unit for Piece<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { matrix, fields, first, offsets, entries } = *self;
        let CompressedArrays { indices, values, .. } = &matrix.arrays;
        let count = offsets.last().copied().unwrap_or(0);
        if fields.minors {
            indices.read_minors(entries.start, count, matrix.minors, &mut batch.minors)?;
        }
        if fields.values {
            values.read(entries, &mut batch.values)?;
        }
        batch.order = matrix.order;
        batch.majors = Majors::Consecutive(first);
        batch.offsets = offsets;
        Ok(())
    }
}
