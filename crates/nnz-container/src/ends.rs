//! Elements of an array that are kept once they were read: all of a short one, the ends of a long one.
//!
//! Whoever opens a matrix asks for its last pointer, which says how many entries there are, and whoever
//! reads it asks for the same pointer with those before.

use std::sync::OnceLock;

use nnz_core::{Place, Result, ValueType, readable};
use nnz_storage::Mapped;

use crate::NumberArray;

/// The most bytes of an array that is kept whole.
const SHORT: u64 = 64 << 10;

/// The most bytes of an element.
const LONGEST: usize = 16;

/// What was read of an array.
#[derive(Debug)]
pub(crate) struct Ends {
    /// Bytes of an element.
    size: usize,
    len: u64,
    /// All elements of a short array; `None` where some are broken.
    whole: OnceLock<Option<Box<[u8]>>>,
    first: OnceLock<[u8; LONGEST]>,
    last: OnceLock<[u8; LONGEST]>,
}

impl Ends {
    pub(crate) fn new(value_type: ValueType, len: u64) -> Self {
        Self {
            size: value_type.size(),
            len,
            whole: OnceLock::new(),
            first: OnceLock::new(),
            last: OnceLock::new(),
        }
    }

    /// Fills `out` with elements from `first` on: those that are kept, and others by `read`.
    pub(crate) fn read(
        &self,
        first: u64,
        out: &mut [u8],
        read: &dyn Fn(u64, &mut [u8]) -> Result<()>,
    ) -> Result<()> {
        let count = (out.len() / self.size) as u64;
        let whole = out.len().is_multiple_of(self.size);
        let Some(end) = first.checked_add(count).filter(|&end| whole && end <= self.len) else {
            return read(first, out);
        };
        if let Some(all) = self.whole(read)? {
            let at = usize::try_from(first).unwrap_or(usize::MAX).saturating_mul(self.size);
            if let Some(kept) = all.get(at..at.saturating_add(out.len())) {
                out.copy_from_slice(kept);
                return Ok(());
            }
        }
        if count == 1 && (first == 0 || end == self.len) {
            let kept = if first == 0 { &self.first } else { &self.last };
            if let Some(element) = kept.get() {
                out.copy_from_slice(&element[..out.len()]);
                return Ok(());
            }
            read(first, out)?;
            let mut element = [0; LONGEST];
            element[..out.len()].copy_from_slice(out);
            kept.get_or_init(|| element);
            return Ok(());
        }
        let known = |at, kept: &OnceLock<[u8; LONGEST]>| match at {
            true => kept.get().copied(),
            false => None,
        };
        let before = known(first == 0 && count > 0, &self.first);
        let after = known(end == self.len && count > 1, &self.last);
        let (start, rest) = out.split_at_mut(before.map_or(0, |_| self.size));
        let (rest, stop) = rest.split_at_mut(rest.len() - after.map_or(0, |_| self.size));
        start.copy_from_slice(&before.unwrap_or_default()[..start.len()]);
        stop.copy_from_slice(&after.unwrap_or_default()[..stop.len()]);
        if rest.is_empty() {
            return Ok(());
        }
        read(first + u64::from(before.is_some()), rest)
    }

    /// Returns all elements of a short array.
    fn whole(&self, read: &dyn Fn(u64, &mut [u8]) -> Result<()>) -> Result<Option<&[u8]>> {
        let bytes = self.len.checked_mul(self.size as u64).filter(|&bytes| bytes <= SHORT);
        let Some(bytes) = bytes.and_then(|bytes| usize::try_from(bytes).ok()) else {
            return Ok(None);
        };
        if self.whole.get().is_none() {
            let mut all = vec![0; bytes].into_boxed_slice();
            // What is broken is an error for whoever asks for that part.
            let found = readable(read(0, &mut all))?.map(|()| all);
            self.whole.get_or_init(|| found);
        }
        Ok(self.whole.get().and_then(Option::as_deref))
    }
}

/// An array of which no element is read twice that was asked for by itself at either end; a short one is
/// read once.
pub struct KeptEnds {
    array: Box<dyn NumberArray>,
    ends: Ends,
}

impl KeptEnds {
    /// Wraps an array.
    #[must_use]
    pub fn new(array: Box<dyn NumberArray>) -> Self {
        let ends = Ends::new(array.value_type(), array.len());
        Self { array, ends }
    }
}

impl NumberArray for KeptEnds {
    fn place(&self) -> Place {
        self.array.place()
    }

    fn value_type(&self) -> ValueType {
        self.array.value_type()
    }

    fn len(&self) -> u64 {
        self.array.len()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.array.stored_bytes()
    }

    fn trailing_bytes(&self) -> u64 {
        self.array.trailing_bytes()
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        self.ends.read(first, out, &|first, out| self.array.read_bytes(first, out))
    }

    fn map(&self, first: u64, bytes: usize) -> Option<Mapped> {
        self.array.map(first, bytes)
    }
}

impl std::fmt::Debug for KeptEnds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptEnds").field("place", &self.place()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Reads elements from `first` to `end`, each its own number, and notes what was asked for.
    fn read(ends: &Ends, [first, end]: [u64; 2], asked: &RefCell<Vec<[u64; 2]>>) -> Vec<u32> {
        let mut out = vec![0_u32; usize::try_from(end - first).unwrap()];
        let source = |first: u64, out: &mut [u8]| {
            asked.borrow_mut().push([first, first + out.len() as u64 / 4]);
            for (element, number) in out.chunks_exact_mut(4).zip(first..) {
                element.copy_from_slice(&u32::try_from(number).unwrap().to_ne_bytes());
            }
            Ok(())
        };
        ends.read(first, bytemuck::cast_slice_mut(&mut out), &source).unwrap();
        out
    }

    #[test]
    fn a_short_array_is_read_once() {
        let (ends, asked) = (Ends::new(ValueType::U32, 10), RefCell::default());
        assert_eq!(read(&ends, [9, 10], &asked), [9]);
        assert_eq!(read(&ends, [3, 6], &asked), [3, 4, 5]);
        assert_eq!(asked.take(), [[0, 10]]);
    }

    #[test]
    fn of_a_long_array_the_ends_are_kept() {
        let (len, asked) = (100_000, RefCell::default());
        let ends = Ends::new(ValueType::U32, len);
        let numbers = |from: u32, to: u32| (from..to).collect::<Vec<u32>>();
        assert_eq!(read(&ends, [len - 1, len], &asked), [99_999]);
        assert_eq!(read(&ends, [len - 1, len], &asked), [99_999]);
        assert_eq!(read(&ends, [len - 3, len], &asked), numbers(99_997, 100_000));
        assert_eq!(read(&ends, [0, 3], &asked), [0, 1, 2]);
        assert_eq!(read(&ends, [0, 1], &asked), [0]);
        assert_eq!(read(&ends, [0, 3], &asked), [0, 1, 2]);
        assert_eq!(read(&ends, [0, len], &asked), numbers(0, 100_000));
        assert_eq!(read(&ends, [5, 5], &asked), [0_u32; 0]);
        let expected = [[len - 1, len], [len - 3, len - 1], [0, 3], [0, 1], [1, 3], [1, len - 1]];
        assert_eq!(asked.take(), expected);
    }

    #[test]
    fn what_is_broken_is_asked_for_again() {
        let ends = Ends::new(ValueType::U32, 10);
        let broken = |first: u64, out: &mut [u8]| match first + out.len() as u64 / 4 {
            0..=5 => Ok(()),
            _ => Err(nnz_core::Error::new(nnz_core::ErrorKind::Missing, Place::default())),
        };
        ends.read(0, &mut [0; 20], &broken).unwrap();
        ends.read(1, &mut [0; 20], &broken).unwrap_err();
        ends.read(9, &mut [0; 8], &broken).unwrap_err();
    }
}
