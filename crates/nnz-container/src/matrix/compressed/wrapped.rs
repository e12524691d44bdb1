//! Pointers that wrapped around because their type is too narrow.

use nnz_core::{Error, Repairs, Result, ValueType};

use super::super::{Indices, Vector};

/// Number of pointers that are read at once.
const WINDOW: u64 = 1 << 13;

/// Pointers restored from those that were stored modulo the size of their type, such as 2^32.
#[derive(Debug)]
pub(super) struct UnwrappedPointers {
    bits: u32,
    /// The restored pointer at the start of each window.
    starts: Vec<u64>,
}

impl UnwrappedPointers {
    /// Restores the pointers; `None` if the stored ones are right, or wrong in another way, which
    /// is detected when they are read.
    ///
    /// The number of entries of each major is known modulo the size of the type. If the smallest
    /// possible numbers add up to all entries, they are the only solution. It is also required that
    /// no major has more entries than there are minors: more would be possible only with
    /// duplicates, and indicates other damage.
    ///
    /// # Errors
    ///
    /// Fails if the type is too narrow for the entries and the solution is ambiguous, or if the
    /// pointers cannot be read.
    pub(super) fn find(
        pointers: &Indices,
        entries: u64,
        minors: u64,
        repairs: &Repairs,
    ) -> Result<Option<Self>> {
        let vector = pointers.vector();
        let Some(bits) = bits_of(vector.value_type()) else { return Ok(None) };
        let signed = matches!(vector.value_type(), ValueType::I8 | ValueType::I16 | ValueType::I32);
        let largest = mask(if signed { bits - 1 } else { bits });
        let mut found = Self { bits, starts: Vec::new() };
        let (mut before, mut sum) = (0, 0_u64);
        let mut certain = true;
        // The first pointer that was stored incorrectly.
        let mut wrapped = None;
        each(vector, 0..vector.len(), |element, stored| {
            let count = stored.wrapping_sub(before) & mask(bits);
            certain &= if element == 0 { count == 0 } else { count <= minors };
            sum = sum.saturating_add(count);
            if element.is_multiple_of(WINDOW) {
                found.starts.push(sum);
            }
            if (sum != stored || stored > largest) && wrapped.is_none() {
                wrapped = Some((element, sum));
            }
            before = stored;
        })?;
        if sum == entries && wrapped.is_none() {
            return Ok(None);
        }
        let Some((element, meant)) = wrapped.filter(|_| certain && sum == entries) else {
            if entries <= largest {
                return Ok(None);
            }
            // They may look right, as those that saturate at the largest number do.
            let type_of = vector.value_type();
            let expected = "a wider type: the starts of rows or columns are lost";
            let found = format!("{type_of} for {entries} entries");
            return Err(Error::mismatch(vector.place(), found, expected));
        };
        let stored = vector.get(element)?;
        let what = format!(
            "{stored} is {meant} modulo 2^{bits}: the pointers wrapped around, and are read as the \
             original values, up to {entries}"
        );
        repairs.add(vector.place_of(element), what);
        Ok(Some(found))
    }

    /// Fills `out` with restored pointers, starting with the pointer of vector `first`.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer, or if they cannot be read.
    pub(super) fn load(&self, pointers: &Indices, first: u64, out: &mut [u64]) -> Result<()> {
        let vector = pointers.vector();
        let end = first.saturating_add(out.len() as u64);
        let window = usize::try_from(first / WINDOW).ok().and_then(|at| self.starts.get(at));
        let Some(&start) = window.filter(|_| end <= vector.len()) else {
            return Err(pointers.wrong(first, end, format!("at most {} pointers", vector.len())));
        };
        let mut pointer = start;
        let mut before = None;
        let mut places = out.iter_mut();
        each(vector, first - first % WINDOW..end, |element, stored| {
            let step = before.map_or(0, |before| stored.wrapping_sub(before) & mask(self.bits));
            pointer = pointer.saturating_add(step);
            before = Some(stored);
            if element >= first
                && let Some(place) = places.next()
            {
                *place = pointer;
            }
        })
    }
}

/// Returns the number of bits of a type that may be too narrow; `None` for the widest.
fn bits_of(value_type: ValueType) -> Option<u32> {
    match value_type.size() {
        1 => Some(8),
        2 => Some(16),
        4 => Some(32),
        _ => None,
    }
}

/// Calls `f` with the index and the bits of each pointer of a range.
fn each(vector: &Vector, range: std::ops::Range<u64>, mut f: impl FnMut(u64, u64)) -> Result<()> {
    let size = vector.value_type().size();
    let mut bytes = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let count = WINDOW.min(range.end - start);
        bytes.resize(usize::try_from(count).unwrap_or(0) * size, 0);
        vector.read_bytes(start, &mut bytes)?;
        for (element, stored) in (start..).zip(bytes.chunks_exact(size)) {
            let bits = match *stored {
                [byte] => byte.into(),
                [a, b] => u16::from_ne_bytes([a, b]).into(),
                [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
                _ => 0,
            };
            f(element, bits);
        }
        start += count;
    }
    Ok(())
}

fn mask(bits: u32) -> u64 {
    u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0)
}
