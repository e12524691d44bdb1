//! Finding the few keys of a set among many.

use std::ops::Range;

use crate::take_bits;

/// Bits of the filter of a set.
const FILTER: usize = 4096;

/// Maximum number of keys with which few others pass the filter.
const SELECTIVE: usize = FILTER / 8;

/// Keys that are marked at once. Their marks and positions stay in the cache.
const BLOCK: usize = 1024;

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// Filter of a set: a bit for each remainder of a key modulo [`FILTER`], so that vectors look up keys in registers.
///
/// The bit of a key is bit `key >> 8 & 7` of the byte `(key & 255) + (key >> 11 & 1) * 256`.
pub(crate) type Filter = [u8; FILTER / 8];

/// A set of 32-bit keys, to be found among many others.
///
/// It takes a bit for each number up to the largest key.
///
/// ```
/// let set = nnz_bitpack::KeySet::new([3..5, 9..10]);
/// let mut positions = Vec::new();
/// set.find(&[9, 1, 4, 100], 20, &mut positions);
/// assert_eq!(positions, [20, 22]);
/// ```
#[derive(Clone, Debug)]
pub struct KeySet {
    bits: Vec<u64>,
    filter: Filter,
    selective: bool,
}

impl KeySet {
    /// Collects ranges of keys.
    #[must_use]
    pub fn new(ranges: impl IntoIterator<Item = Range<u32>>) -> Self {
        let (mut bits, mut filter, mut len) = (Vec::new(), [0; FILTER / 8], 0_usize);
        for range in ranges {
            len = len.saturating_add(range.len());
            for key in range {
                let word = key as usize / WORD;
                if bits.len() <= word {
                    bits.resize(word + 1, 0);
                }
                bits[word] |= 1_u64 << (key % u64::BITS);
                filter[(key & 255 | key >> 11 << 8 & 256) as usize] |= 1 << (key >> 8 & 7);
            }
        }
        Self { bits, filter, selective: len <= SELECTIVE }
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

    /// Appends the positions of the keys that are in the set, ascending. `first` is the position of the first key; positions wrap
    /// around.
    pub fn find(&self, keys: &[u32], first: u32, positions: &mut Vec<u32>) {
        let (mut marks, mut marked) = ([0; BLOCK / WORD], [0; BLOCK]);
        let mut start = first;
        for keys in keys.chunks(BLOCK) {
            let marks = &mut marks[..keys.len().div_ceil(WORD)];
            let exact = self.mark(keys, marks);
            let count = take_bits(marks, &mut marked);
            let found = positions.len();
            positions.extend(marked[..count].iter().map(|at| start.wrapping_add(*at)));
            if !exact {
                let found = &mut positions[found..];
                let mut kept = 0;
                for at in 0..count {
                    found[kept] = found[at];
                    kept += usize::from(self.contains(keys[marked[at] as usize]));
                }
                positions.truncate(positions.len() - (count - kept));
            }
            // A block has fewer than 2^32 keys.
            start = start.wrapping_add(u32::try_from(keys.len()).unwrap_or(u32::MAX));
        }
    }

    /// Sets the bits of the keys that are in the set, and of others unless the result is true.
    #[allow(unsafe_code)]
    fn mark(&self, keys: &[u32], marks: &mut [u64]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if self.selective && crate::kernels::x86::avx512::is_available() {
            let (groups, rest) = keys.as_chunks::<WORD>();
            // SAFETY: the processor has the instructions.
            unsafe { crate::kernels::x86::pick::mark_avx512(groups, &self.filter, marks) };
            self.mark_each(rest, &mut marks[groups.len()..]);
            return false;
        }
        self.mark_each(keys, marks);
        true
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
                set.find(&keys, first, &mut found);
                assert_eq!(found[1..], expected, "{count} keys below {end} among {len}");
            }
        }
    }
}
