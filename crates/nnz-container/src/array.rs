//! Arrays of numbers with random access.

use std::ops::Range;

use nnz_core::{At, Element, Error, Place, Result, ValueType};

use nnz_storage::Mapped;

/// An array of numbers with random access from many threads.
pub trait NumberArray: Send + Sync {
    /// Returns the location of the array, for messages.
    fn place(&self) -> Place;

    /// Returns the type of an element.
    fn value_type(&self) -> ValueType;

    /// Returns the number of complete elements.
    fn len(&self) -> u64;

    /// Returns whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the stored size of the array in bytes.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read it. Invalid chunks are not counted; they are an error when
    /// their elements are read.
    fn stored_bytes(&self) -> Result<u64>;

    /// Returns the number of bytes after the last complete element.
    fn trailing_bytes(&self) -> u64 {
        0
    }

    /// Fills `out` with elements from `first` on, in native byte order.
    ///
    /// # Errors
    ///
    /// Fails if the range is past the end, if `out` is not a whole number of elements, or if the
    /// storage cannot be read.
    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()>;

    /// Announces that ranges of elements will be read soon, each not empty and inside the array.
    fn will_read(&self, ranges: &[Range<u64>]) {
        let _ = ranges;
    }

    /// Returns whether each read has a latency, so that reads are worth announcing.
    fn has_latency(&self) -> bool {
        false
    }

    /// Maps `bytes` bytes of elements from `first` on into memory, in native byte order.
    ///
    /// Returns `None` if they are not stored in this form or cannot be mapped for any reason;
    /// reading them returns the error. Worthwhile from several hundred kilobytes on.
    fn map(&self, _first: u64, _bytes: usize) -> Option<Mapped> {
        None
    }
}

impl dyn NumberArray + '_ {
    /// Fills `out` with elements from `first` on.
    ///
    /// # Errors
    ///
    /// Fails if elements are of another type, or as [`read_bytes`](NumberArray::read_bytes).
    pub fn read<T: Element>(&self, first: u64, out: &mut [T]) -> Result<()> {
        if self.value_type() != T::TYPE {
            return Err(self.wrong_type(T::TYPE));
        }
        self.read_bytes(first, bytemuck::cast_slice_mut(out))
    }

    /// Fills `out` with 32- or 64-bit unsigned elements from `first` on.
    ///
    /// # Errors
    ///
    /// Fails if elements are of another type, or as [`read_bytes`](NumberArray::read_bytes).
    pub fn read_widened(&self, first: u64, out: &mut [u64]) -> Result<()> {
        match self.value_type() {
            ValueType::U64 => self.read(first, out),
            ValueType::U32 => {
                // The narrow elements are read into the upper half of the same memory and widened
                // from the front, so each is read before it is overwritten.
                let len = out.len();
                let words: &mut [u32] = bytemuck::cast_slice_mut(out);
                self.read(first, &mut words[len..])?;
                for i in 0..len {
                    let wide = u64::from(words[len + i]).to_ne_bytes();
                    let (low, high) = wide.split_at(4);
                    words[2 * i] = bytemuck::pod_read_unaligned(low);
                    words[2 * i + 1] = bytemuck::pod_read_unaligned(high);
                }
                Ok(())
            }
            _ => Err(self.wrong_type(ValueType::U64)),
        }
    }

    fn wrong_type(&self, expected: ValueType) -> Error {
        Error::mismatch(
            self.place(),
            format!("elements of type {}", self.value_type()),
            format!("elements of type {expected}"),
        )
    }
}

/// Checks that `bytes` bytes from element `first` on are inside the array.
pub(crate) fn check_range(array: &dyn NumberArray, first: u64, bytes: usize) -> Result<()> {
    let size = array.value_type().size();
    let end = first.checked_add((bytes / size) as u64);
    if bytes.is_multiple_of(size) && end.is_some_and(|end| end <= array.len()) {
        return Ok(());
    }
    Err(Error::mismatch(
        array.place().at(At::Element(array.len())),
        format!("the end of the array after {} elements", array.len()),
        format!("at least {} elements", first.saturating_add(bytes.div_ceil(size) as u64)),
    ))
}

/// Chunks that are announced at most: more are read as they come.
const MOST_ANNOUNCED: usize = 1 << 16;

/// Calls `each` with the chunks of `elements` elements that ranges of elements are in, and the part of each that
/// is in the range, in the order of the ranges.
pub(crate) fn each_chunk(
    ranges: &[Range<u64>],
    elements: u64,
    mut each: impl FnMut(u64, Range<u64>),
) {
    let elements = elements.max(1);
    let ranges = ranges.iter().filter(|range| range.start < range.end);
    let parts = ranges.flat_map(|range| {
        (range.start / elements..=(range.end - 1) / elements).map(move |chunk| {
            let start = chunk * elements;
            let end = (range.end - start).min(elements);
            (chunk, range.start.saturating_sub(start)..end)
        })
    });
    for (chunk, part) in parts.take(MOST_ANNOUNCED) {
        each(chunk, part);
    }
}
