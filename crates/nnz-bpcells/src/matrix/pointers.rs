//! `idxptr`: the position of the first entry of each major vector.

use nnz_container::{NamedArrays, Vector};
use nnz_core::{At, Error, Order, Result, Shape};

use super::members::{IDXPTR, SHAPE};
use crate::FormatVersion;

/// The `idxptr` of a matrix. Opening reads only the block with the last element.
pub(super) struct Pointers {
    pub(super) array: Vector,
    /// Number of entries.
    pub(super) entries: u64,
}

impl Pointers {
    pub(super) fn open(
        container: &NamedArrays,
        format_version: FormatVersion,
        shape: Shape,
        order: Order,
    ) -> Result<Self> {
        let array = container.array(IDXPTR)?.cached();
        let expected = format_version.pointer_type();
        if array.value_type() != expected {
            let found = format!("elements of type {}", array.value_type());
            let expected = format!("elements of type {expected}, as the version requires");
            return Err(Error::mismatch(array.place(), found, expected));
        }
        let majors = shape.major(order);
        // For a matrix without major vectors, BPCells writes two zeros instead of one.
        let len_fits = array.len() == majors + 1 || (majors == 0 && array.len() == 2);
        if !len_fits {
            let found = format!("{} elements", array.len());
            let expected = format!("{}, since {SHAPE} has {majors} {}", majors + 1, order.major());
            return Err(Error::mismatch(array.place(), found, expected));
        }
        let mut last = [0];
        array.read_widened(array.len() - 1, &mut last)?;
        if majors == 0 && last[0] != 0 {
            let expected = format!("0, since {SHAPE} has 0 {}", order.major());
            let place = array.place().at(At::Element(array.len() - 1));
            return Err(Error::mismatch(place, last[0], expected));
        }
        Ok(Self { array, entries: last[0] })
    }
}

impl nnz_core::Pointers for Pointers {
    fn load(&self, first: u64, out: &mut [u64]) -> Result<()> {
        self.array.read_widened(first, out)
    }

    fn entries(&self) -> u64 {
        self.entries
    }

    fn wrong(&self, element: u64, found: u64, expected: String) -> Error {
        Error::mismatch(self.array.place().at(At::Element(element)), found, expected)
    }
}
