//! Compressed matrices: pointers, indices and values.

mod wrapped;

use std::ops::Range;

use nnz_core::{
    ArrayAbout, Batch, EntryPiece, Error, Majors, Order, PointerCursor, Pointers, Projection,
    Repairs, Result, Shape, Unit, UnitReader, ValueType, check_requested, entry_ranges,
    pointer_ranges,
};

use super::ahead::Ahead;
use super::{Indices, Vector, entries_of_unit};
use wrapped::UnwrappedPointers;

/// The arrays of a matrix by rows (CSR) or columns (CSC).
#[derive(Debug)]
pub struct CompressedArrays {
    /// The offsets of the major vectors in the entries: one more than vectors.
    pub pointers: Indices,
    /// The minor index of each entry.
    pub indices: Indices,
    /// The value of each entry.
    pub values: Vector,
}

/// A matrix by rows (CSR) or columns (CSC). Indices may be unsorted and repeated.
#[derive(Debug)]
pub struct Compressed {
    arrays: CompressedArrays,
    order: Order,
    majors: u64,
    minors: u64,
    entries: u64,
    /// Number of entries of a unit.
    step: u64,
    /// Repaired pointers, if the stored ones are wrong.
    unwrapped: Option<UnwrappedPointers>,
}

impl Compressed {
    /// Creates a matrix, after checking that the arrays have the lengths for its shape and that the
    /// pointers begin with 0. The rest is checked when it is read.
    ///
    /// # Errors
    ///
    /// Fails if they do not, or if a pointer cannot be read.
    pub fn new(arrays: CompressedArrays, shape: Shape, order: Order) -> Result<Self> {
        Self::open(arrays, shape, order, None)
    }

    /// Opens a matrix as [`new`](Self::new). With `repairs`, pointers that have wrapped around are
    /// repaired.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](Self::new), or if pointers are wrong and the repair is ambiguous.
    pub fn open(
        arrays: CompressedArrays,
        shape: Shape,
        order: Order,
        repairs: Option<&Repairs>,
    ) -> Result<Self> {
        let arrays = CompressedArrays { pointers: arrays.pointers.cached(), ..arrays };
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
        pointers.vector().will_read(&[0..1, majors..majors + 1]);
        let unwrapped = match repairs {
            Some(repairs) => UnwrappedPointers::find(pointers, values.len(), minors, repairs)?,
            None => None,
        };
        let entries = if unwrapped.is_some() {
            values.len()
        } else {
            let first = pointers.get(0, bound)?;
            if first != 0 {
                return Err(pointers.wrong(0, first, "0"));
            }
            pointers.get(majors, bound)?
        };
        let step = entries_of_unit(values.chunk().or(indices.vector().chunk()));
        Ok(Self { order, majors, minors, entries, step, arrays, unwrapped })
    }

    /// Sets the maximum number of entries of a unit.
    #[must_use]
    pub fn with_unit_entries(mut self, entries: u64) -> Self {
        self.step = entries.max(1);
        self
    }

    /// Returns the storage order.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns the number of elements of indices and values after the last entry, which are not
    /// used.
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
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read their sizes.
    pub fn about(&self) -> Result<Vec<ArrayAbout>> {
        let CompressedArrays { pointers, indices, values } = &self.arrays;
        [pointers.vector(), indices.vector(), values].into_iter().map(Vector::about).collect()
    }

    /// Returns the number of entries before a major.
    ///
    /// # Errors
    ///
    /// Fails if its pointer cannot be read.
    pub fn stored_before(&self, major: u64) -> Result<u64> {
        let mut one = [0];
        self.load(major, &mut one)?;
        Ok(one[0])
    }

    /// Announces that ranges of majors will be read soon.
    ///
    /// # Errors
    ///
    /// Fails if their pointers cannot be read, or only later.
    pub fn will_read(&self, majors: &[Range<u64>], fields: Projection) -> Result<()> {
        let CompressedArrays { pointers, indices, values } = &self.arrays;
        if !pointers.vector().has_latency() {
            return Ok(());
        }
        pointers.vector().will_read(&pointer_ranges(majors));
        if !fields.minors && !fields.values {
            return Ok(());
        }
        let entries = entry_ranges(majors, self.entries, |major| self.stored_before(major))?;
        if fields.minors {
            indices.vector().will_read(&entries);
        }
        if fields.values {
            values.will_read(&entries);
        }
        Ok(())
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
        // Parts are announced by those who read them.
        let is_whole = majors == (0..self.majors) && self.arrays.pointers.vector().has_latency();
        let ahead = is_whole.then(Ahead::default);
        let cursor = PointerCursor::new(majors, self.step);
        Ok(Box::new(Reader { matrix: self, fields, cursor, ahead }))
    }
}

impl Pointers for Compressed {
    fn load(&self, first: u64, out: &mut [u64]) -> Result<()> {
        let pointers = &self.arrays.pointers;
        match &self.unwrapped {
            Some(unwrapped) => unwrapped.load(pointers, first, out),
            None => pointers.read(first, self.entries.saturating_add(1), out),
        }
    }

    fn entries(&self) -> u64 {
        self.entries
    }

    fn wrong(&self, element: u64, found: u64, expected: String) -> Error {
        self.arrays.pointers.wrong(element, found, expected)
    }
}

/// Divides a range of majors into units.
struct Reader<'a> {
    matrix: &'a Compressed,
    fields: Projection,
    cursor: PointerCursor,
    /// Announces the chunks of a scan of all entries; `None` if a part is read, or without a latency.
    ahead: Option<Ahead>,
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let (matrix, fields) = (self.matrix, self.fields);
        let piece = self.cursor.next_piece(matrix)?;
        if let (Some(ahead), Some(piece)) = (&mut self.ahead, &piece) {
            let CompressedArrays { indices, values, .. } = &matrix.arrays;
            let arrays = [indices.vector(), values];
            let read = [fields.minors, fields.values];
            let arrays =
                arrays.into_iter().zip(read).map(|(array, is_read)| is_read.then_some(array));
            ahead.announce(arrays, piece.entries.start, matrix.entries);
        }
        Ok(piece.map(|piece| Box::new(Entries { matrix, fields, piece }) as Box<dyn Unit>))
    }
}

/// Adjacent entries.
struct Entries<'a> {
    matrix: &'a Compressed,
    fields: Projection,
    piece: EntryPiece,
}

impl Unit for Entries<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { matrix, fields, piece } = *self;
        let CompressedArrays { indices, values, .. } = &matrix.arrays;
        if fields.minors {
            let first = piece.entries.start;
            indices.read_minors(first, piece.len(), matrix.minors, &mut batch.minors)?;
        }
        if fields.values {
            values.read(piece.entries, &mut batch.values)?;
        }
        batch.order = matrix.order;
        batch.majors = Majors::Consecutive(piece.first);
        batch.offsets = piece.offsets;
        Ok(())
    }
}
