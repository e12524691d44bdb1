//! The elements of an array of any number of dimensions, in C order.

use std::ops::Range;

use nnz_container::Vector;
use nnz_container::tree::{Attributes, ElementType, NdArray, one_range};
use nnz_core::{Error, Place, Result, ValueType};

/// Number of elements for which no stored data is required.
const UNPROVEN: u64 = 64 << 20;

/// An array that is read as one of one dimension.
#[derive(Debug)]
pub(super) struct Flat {
    array: Box<dyn NdArray>,
    value_type: ValueType,
    shape: [u64; 1],
}

impl Flat {
    /// Returns the elements of an array.
    pub(super) fn vector(array: Box<dyn NdArray>) -> Result<Vector> {
        let value_type = array.value_type()?;
        let shape = array.shape();
        let len = match shape.contains(&0) {
            true => Some(0),
            false => shape.iter().try_fold(1_u64, |all, &length| all.checked_mul(length)),
        };
        let Some(len) = len else {
            return Err(Error::mismatch(array.place(), "more than 2^64 elements", "fewer"));
        };
        if len > UNPROVEN && !array.is_fully_stored()? {
            let found = format!("{len} elements in chunks of which some are not stored");
            return Err(Error::mismatch(array.place(), found, "all chunks"));
        }
        Vector::new(Box::new(Self { array, value_type, shape: [len] }))
    }

    /// Reads a range of elements of the dimensions after `outer`.
    fn read(&self, outer: &[Range<u64>], range: Range<u64>, out: &mut [u8]) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let shape = self.array.shape();
        let inner = shape.get(outer.len() + 1..).unwrap_or_default();
        if outer.len() == shape.len() {
            return self.array.read_bytes(outer, out);
        }
        // The number of all elements fits.
        let slab: u64 = inner.iter().product();
        let all = |first: Range<u64>| {
            let inner = inner.iter().map(|&length| 0..length);
            outer.iter().cloned().chain(std::iter::once(first)).chain(inner).collect::<Vec<_>>()
        };
        let (first, last) = (range.start / slab, range.end / slab);
        let (before, after) = (range.start % slab, range.end % slab);
        if before == 0 && after == 0 {
            return self.array.read_bytes(&all(first..last), out);
        }
        let within = |index: u64| {
            outer.iter().cloned().chain(std::iter::once(index..index + 1)).collect::<Vec<_>>()
        };
        if first == last {
            return self.read(&within(first), before..after, out);
        }
        // The end of the first slab, complete slabs, the start of the last one.
        let size = self.value_type.size();
        let bytes = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(size);
        let head = if before == 0 { 0 } else { slab - before };
        let wrong = || Error::argument("the size of the buffer does not match the range");
        let (start, rest) = out.split_at_mut_checked(bytes(head)).ok_or_else(wrong)?;
        let whole = first + u64::from(before > 0)..last;
        let complete = (whole.end - whole.start) * slab;
        let (middle, end) = rest.split_at_mut_checked(bytes(complete)).ok_or_else(wrong)?;
        self.read(&within(first), before..slab, start)?;
        if !middle.is_empty() {
            self.array.read_bytes(&all(whole), middle)?;
        }
        self.read(&within(last), 0..after, end)
    }
}

impl Attributes for Flat {}

impl NdArray for Flat {
    fn place(&self) -> Place {
        self.array.place()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        self.array.element_type()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.array.stored_bytes()
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let first = one_range(self, selection, out)?;
        let count = (out.len() / self.value_type.size()) as u64;
        self.read(&[], first..first + count, out)
    }
}
