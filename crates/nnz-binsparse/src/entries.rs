//! Reading the entries of a matrix or tensor one by one.

mod cursor;
mod window;

use nnz_container::NamedArrays;
use nnz_core::{At, Error, Result, Scalar, Structure, Values};

use crate::Descriptor;
use crate::store::{PIECE, Store};
use crate::structure;
use cursor::Cursor;

/// Reads the entries of a matrix or tensor of any layout, in storage order.
///
/// Memory use does not depend on their number. Arrays are checked while they are read: indices are
/// in range and ascending, and pointers do not decrease.
pub struct EntryReader {
    store: Store,
    notes: Vec<String>,
    cursors: Vec<Cursor>,
    /// The number of the next entry.
    next: u64,
    values: Values,
    /// The range of entries in `values`.
    loaded: std::ops::Range<u64>,
    /// The coordinates of the last entry, in the order of the levels and of the shape.
    stored: Vec<u64>,
    coordinates: Vec<u64>,
}

impl std::fmt::Debug for EntryReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EntryReader").finish_non_exhaustive()
    }
}

impl EntryReader {
    /// Opens a matrix or tensor.
    ///
    /// # Errors
    ///
    /// Fails if the descriptor or an array is missing or invalid, or if lengths do not agree.
    pub fn open(container: &NamedArrays) -> Result<Self> {
        let (store, notes) = Store::open(container, None)?;
        let mut reader = Self::of(store);
        reader.notes = notes;
        Ok(reader)
    }

    pub(crate) fn of(mut store: Store) -> Self {
        let mut dimension = 0;
        let mut cursors = Vec::new();
        for level in std::mem::take(&mut store.levels) {
            let cursor = Cursor::new(level, dimension);
            dimension = cursor.dimensions().end;
            cursors.push(cursor);
        }
        Self {
            cursors,
            notes: Vec::new(),
            next: 0,
            values: Values::new(store.values.value_type()),
            loaded: 0..0,
            stored: vec![0; dimension],
            coordinates: vec![0; dimension],
            store,
        }
    }

    /// Returns the descriptor.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        &self.store.descriptor
    }

    /// Returns the value of elements that are not stored, if it is not zero.
    #[must_use]
    pub fn fill(&self) -> Option<Scalar> {
        self.store.fill
    }

    /// Returns the stored fill value, in its own type and even if it is zero.
    #[must_use]
    pub fn stored_fill(&self) -> Option<Scalar> {
        self.store.stored_fill
    }

    /// Returns the value that all entries share, if there is one.
    #[must_use]
    pub fn iso(&self) -> Option<Scalar> {
        self.store.values.iso()
    }

    /// Returns the type of the values.
    #[must_use]
    pub fn value_type(&self) -> nnz_core::ValueType {
        self.store.values.value_type()
    }

    /// Returns notes on deviations from the specification that do not prevent reading.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the coordinates and the value of the next entry; `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if an array cannot be read, or violates the specification.
    pub fn next_entry(&mut self) -> Result<Option<(&[u64], Scalar)>> {
        loop {
            let entry = self.next;
            if entry == self.store.descriptor.stored {
                let stored = &mut self.stored;
                self.cursors.iter_mut().rev().try_for_each(|cursor| cursor.finish(stored))?;
                return Ok(None);
            }
            let value = self.value(entry)?;
            let mut position = entry;
            for cursor in self.cursors.iter_mut().rev() {
                match cursor.advance(position, &mut self.stored)? {
                    Some(outer) => position = outer,
                    None => break,
                }
            }
            for (stored, &coordinate) in self.stored.iter().enumerate() {
                let dimension = self.store.descriptor.layout.dimension(stored);
                self.coordinates[dimension] = coordinate;
            }
            self.next += 1;
            if self.is_stored(entry, value)? {
                return Ok(Some((&self.coordinates, value)));
            }
        }
    }

    fn value(&mut self, entry: u64) -> Result<Scalar> {
        if !self.loaded.contains(&entry) {
            let end = self.store.descriptor.stored.min(entry.saturating_add(PIECE));
            self.store.values.read(entry..end, &mut self.values)?;
            self.loaded = entry..end;
        }
        let at = usize::try_from(entry - self.loaded.start).unwrap_or(usize::MAX);
        self.values.get(at).ok_or_else(|| {
            Error::mismatch(self.store.values.place(entry), "no value", "one for each entry")
        })
    }

    /// Checks an entry of a matrix with a structure. A zero of a dense level in the triangle that
    /// is not stored is skipped.
    fn is_stored(&self, entry: u64, value: Scalar) -> Result<bool> {
        let structure = self.store.descriptor.structure;
        let &[row, col] = &self.coordinates[..] else {
            return Ok(true);
        };
        if structure == Structure::General {
            return Ok(true);
        }
        let place = self.store.values.place(entry).at(At::Entry { row, col });
        if let Some(found) = structure::misplaced(structure, row, col) {
            if self.store.ends_dense() && structure::is_zero(value) {
                return Ok(false);
            }
            let expected = format!("none in a {structure} matrix");
            return Err(Error::mismatch(place, found, expected));
        }
        match structure::diagonal(structure, value).filter(|_| row == col) {
            Some(expected) => Err(Error::mismatch(place, value, expected)),
            None => Ok(true),
        }
    }
}

/// Calls `each` with the coordinates and the value of every entry, in storage order.
///
/// # Errors
///
/// Fails like [`EntryReader`], and if `each` does.
pub fn for_each_entry(
    container: &NamedArrays,
    each: &mut dyn FnMut(&[u64], Scalar) -> Result<()>,
) -> Result<()> {
    let mut reader = EntryReader::open(container)?;
    while let Some((coordinates, value)) = reader.next_entry()? {
        each(coordinates, value)?;
    }
    Ok(())
}
