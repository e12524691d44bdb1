//! Finding the few keys of a set among many.

use std::ops::Range;

use crate::take_bits;

/// Bits of the filter of a set.
const FILTER: usize = 4096;

/// Maximum number of keys with which few others pass the filter.
const SELECTIVE: usize = FILTER / 8;

/// Keys that are marked at once. Their marks and positions stay in the cache.
const BLOCK: usize = 2048;

/// Positions past the last one for which there is room, so that whole vectors of them are written.
const SPARE: usize = 16;

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// Filter of a set: a bit for each remainder of a number modulo [`FILTER`], so that vectors look up numbers in registers.
///
/// The bit of a number is bit `number >> 8 & 7` of the byte `(number & 255) + (number >> 11 & 1) * 256`.
pub(crate) type Filter = [u8; FILTER / 8];

/// Distance of the bits of a key that the second filter looks up from those of the first: keys of up to 15 bits differ in
/// one of them.
pub(crate) const SHIFT: u32 = 3;

/// Returns the place of a number in a filter.
fn place_in_filter(number: u32) -> (usize, u8) {
    ((number & 255 | number >> 11 << 8 & 256) as usize, 1 << (number >> 8 & 7))
}

/// A set of 32-bit keys, to be found among many others.
///
/// It takes a bit for each number up to the largest key.
///
/// ```
/// let set = nnz_bitpack::KeySet::new([3..5, 9..10]);
/// let mut positions = Vec::new();
/// assert_eq!(set.find(&[9, 1, 4, 100], 20, &mut positions), Some(100));
/// assert_eq!(positions, [20, 22]);
/// ```
#[derive(Clone, Debug)]
pub struct KeySet {
    bits: Vec<u64>,
    /// Filters of the keys, and of the keys without their lowest bits.
    filters: [Filter; 2],
    selective: bool,
}

impl KeySet {
    /// Collects ranges of keys.
    #[must_use]
    pub fn new(ranges: impl IntoIterator<Item = Range<u32>>) -> Self {
        let (mut bits, mut filters, mut len) = (Vec::new(), [[0; FILTER / 8]; 2], 0_usize);
        for range in ranges {
            len = len.saturating_add(range.len());
            for key in range {
                let word = key as usize / WORD;
                if bits.len() <= word {
                    bits.resize(word + 1, 0);
                }
                bits[word] |= 1_u64 << (key % u64::BITS);
                for (filter, number) in filters.iter_mut().zip([key, key >> SHIFT]) {
                    let (byte, bit) = place_in_filter(number);
                    filter[byte] |= bit;
                }
            }
        }
        Self { bits, filters, selective: len <= SELECTIVE }
    }

    /// Returns whether a key is in the set.
    ///
    /// ```
    /// let set = nnz_bitpack::KeySet::new([3..5]);
    /// assert!(set.contains(4) && !set.contains(5));
    /// ```
    #[inline]
    #[must_use]
    pub fn contains(&self, key: u32) -> bool {
        let word = self.bits.get(key as usize / WORD).copied().unwrap_or(0);
        word >> (key % u64::BITS) & 1 == 1
    }

    /// Appends the positions of the keys that are in the set, ascending, and returns the largest of all keys. `first` is the
    /// position of the first key; positions wrap around.
    pub fn find(&self, keys: &[u32], first: u32, positions: &mut Vec<u32>) -> Option<u32> {
        let mut marks = [0; BLOCK / WORD];
        let mut start = first;
        let mut largest = None;
        for keys in keys.chunks(BLOCK) {
            let marks = &mut marks[..keys.len().div_ceil(WORD)];
            let (exact, largest_here) = self.mark(keys, marks);
            largest = largest.max(largest_here);
            let count: usize = marks.iter().map(|mark| mark.count_ones() as usize).sum();
            let found = positions.len();
            positions.resize(found + count + SPARE, 0);
            let marked = &mut positions[found..];
            take_bits(marks, marked);
            let mut kept = 0;
            for at in 0..count {
                let place = marked[at];
                marked[kept] = start.wrapping_add(place);
                kept += usize::from(exact || self.contains(keys[place as usize]));
            }
            positions.truncate(found + kept);
            // A block has fewer than 2^32 keys.
            start = start.wrapping_add(u32::try_from(keys.len()).unwrap_or(u32::MAX));
        }
        largest
    }

    /// Sets the bits of the keys that are in the set, and of others unless the result is true. Returns also the largest
    /// key.
    #[allow(unsafe_code)]
    fn mark(&self, keys: &[u32], marks: &mut [u64]) -> (bool, Option<u32>) {
        #[cfg(target_arch = "x86_64")]
        if self.selective && crate::kernels::x86::avx512::is_available() {
            let (groups, rest) = keys.as_chunks::<WORD>();
            // SAFETY: the processor has the instructions.
            let largest =
                unsafe { crate::kernels::x86::pick::mark_avx512(groups, &self.filters, marks) };
            self.mark_each(rest, &mut marks[groups.len()..]);
            let largest = (!groups.is_empty()).then_some(largest);
            return (false, largest.max(rest.iter().copied().max()));
        }
        self.mark_each(keys, marks);
        (true, crate::max(keys))
    }

    /// Sets the bits of the keys that are in the set.
    fn mark_each(&self, keys: &[u32], marks: &mut [u64]) {
        for (keys, marks) in keys.chunks(WORD).zip(marks) {
            *marks = (0..)
                .zip(keys)
                .fold(0, |all, (at, key)| all | u64::from(self.contains(*key)) << at);
        }
    }
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    #[test]
    fn finds_what_the_set_contains() {
        let mut random = Random::new(5);
        for (count, end) in [(0, 1), (1, 1), (5, 40), (300, 30_000), (500, 9_000), (900, 10_000)] {
            let mut below = |end: u32| u32::try_from(random.below(end as usize)).unwrap();
            let ranges: Vec<_> =
                (0..count).map(|_| below(end)).map(|key| key..key + 1 + key % 2).collect();
            let set = KeySet::new(ranges.iter().cloned());
            for len in [0, 1, 63, 64, 65, 1000, 1024, 5000] {
                let mut keys: Vec<u32> = (0..len).map(|_| below(end + 10)).collect();
                keys.extend([u32::MAX, 1 << 31, end, end + 4096]);
                keys.extend(ranges.iter().map(|range| range.start + 4096));
                let first = u32::MAX - 20;
                let expected: Vec<u32> = (0..)
                    .zip(&keys)
                    .filter(|(_, key)| ranges.iter().any(|range| range.contains(key)))
                    .map(|(at, _)| first.wrapping_add(at))
                    .collect();
                let mut found = vec![7];
                let largest = set.find(&keys, first, &mut found);
                assert_eq!(found[1..], expected, "{count} keys below {end} among {len}");
                assert_eq!(largest, Some(u32::MAX));
                // Without the keys that are large in any case, the largest is anywhere.
                let few = &keys[..len];
                assert_eq!(set.find(few, first, &mut found), few.iter().copied().max());
            }
        }
    }
}
