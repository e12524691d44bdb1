//! Pointers that were written in too narrow a type, and wrapped around.

use nnz_core::{Error, ErrorKind, Place, Repairs, Result, ValueType};

use super::super::{Indices, Vector};

/// Pointers that are read at a time.
const WINDOW: u64 = 1 << 16;

/// Pointers that are kept in memory: those of two gigabytes.
const MOST: u64 = 1 << 28;

/// Returns the pointers that were meant, where those stored were taken modulo the size of their type, such as
/// 2^32; `None` where they are right as they are, or wrong in another way, which shows as they are read.
///
/// The number of entries of each major is known but for multiples of that size. If the smallest add up to all
/// entries, there is no other way. That a major has no more entries than there are minors is asked for, too: more
/// would be possible only with duplicates, and is what other damage looks like.
pub(super) fn mend(
    pointers: &Indices,
    entries: u64,
    minors: u64,
    repairs: &Repairs,
) -> Result<Option<Vec<u64>>> {
    let vector = pointers.vector();
    let bits = u32::try_from(8 * vector.value_type().size()).unwrap_or(u64::BITS);
    if bits >= u64::BITS {
        return Ok(None);
    }
    let signed = matches!(vector.value_type(), ValueType::I8 | ValueType::I16 | ValueType::I32);
    let largest = mask(if signed { bits - 1 } else { bits });
    if is_sound(vector, entries, largest)? {
        return Ok(None);
    }
    if vector.len() > MOST {
        let kind = ErrorKind::Memory { needed: vector.len().saturating_mul(8), allowed: MOST * 8 };
        return Err(Error::new(kind, vector.place()));
    }
    let mut meant = Vec::new();
    let mut before = None;
    let mut sum = 0_u64;
    let mut certain = true;
    let mut wrapped = None;
    each(vector, |element, stored| {
        let count = match before {
            None => stored,
            Some(before) => stored.wrapping_sub(before) & mask(bits),
        };
        certain &= if before.is_none() { count == 0 } else { count <= minors };
        sum = sum.saturating_add(count);
        if (sum != stored || stored > largest) && wrapped.is_none() {
            wrapped = Some((element, sum));
        }
        meant.push(sum);
        before = Some(stored);
    })?;
    let Some((element, first)) = wrapped.filter(|_| certain && sum == entries) else {
        if entries <= largest {
            return Ok(None);
        }
        // They may look right, as those that stop at the largest number do.
        let found = format!("{} for {entries} entries", vector.value_type());
        let expected = "a type that counts them: where rows or columns begin is lost";
        return Err(Error::mismatch(vector.place(), found, expected));
    };
    let place: Place = vector.place_of(element);
    let stored = vector.get(element)?;
    let what = format!(
        "{stored} is {first} modulo 2^{bits}: the pointers wrapped around, and are read as they were \
         meant, up to {entries}"
    );
    repairs.add(place, what);
    Ok(Some(meant))
}

/// Returns whether pointers begin with 0, do not go down, and end with the last entry.
fn is_sound(vector: &Vector, entries: u64, largest: u64) -> Result<bool> {
    let (mut sound, mut before) = (true, 0);
    each(vector, |element, stored| {
        sound &= stored >= before && stored <= largest && (element > 0 || stored == 0);
        before = stored;
    })?;
    Ok(sound && before == entries)
}

/// Calls `f` with the position and the bits of each pointer.
fn each(vector: &Vector, mut f: impl FnMut(u64, u64)) -> Result<()> {
    let size = vector.value_type().size();
    let mut bytes = Vec::new();
    let mut start = 0;
    while start < vector.len() {
        let count = WINDOW.min(vector.len() - start);
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
