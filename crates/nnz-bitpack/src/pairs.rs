//! Rows of pairs, taken apart into two arrays.

#[cfg(target_arch = "x86_64")]
use crate::kernels;

/// Pairs that are taken apart at once, however many of them belong to a row: what is too much is
/// written over by the rows behind. Where rows end differs from row to row, which processors guess
/// badly.
pub(crate) const AT_ONCE: usize = 8;

/// Rows of a number of 32 bits and a value beside it, with something between the rows.
///
/// This is how CSR matrices lie in files that keep each row together with its count. The number, a
/// column, is little-endian; values are given back as they lie there, in words of 32 bits.
#[derive(Clone, Copy, Debug)]
pub struct PairRows<'a> {
    /// The rows, from the first pair on.
    pub bytes: &'a [u8],
    /// Where each row starts and ends among the pairs: one more than rows, the first of them 0.
    pub ends: &'a [usize],
    /// Bytes between two rows, which may be anything.
    pub between: usize,
}

/// Takes pairs apart whose values have 32 bits; `None` where bytes or room are missing.
///
/// There has to be room for [`PairRows::MORE`] pairs behind the last one, where anything may be
/// written.
#[allow(unsafe_code)]
pub fn part_pairs_of_32(
    rows: PairRows<'_>,
    firsts: &mut [u32],
    seconds: &mut [[u32; 1]],
) -> Option<()> {
    #[cfg(target_arch = "x86_64")]
    if kernels::x86::avx512::here() {
        #[target_feature(enable = "avx512f")]
        fn avx512(rows: PairRows<'_>, firsts: &mut [u32], seconds: &mut [[u32; 1]]) -> Option<()> {
            part(rows, firsts, seconds, |pairs, a, b| kernels::x86::pairs::of_32(pairs, a, b))
        }
        // SAFETY: the processor has the instructions.
        return unsafe { avx512(rows, firsts, seconds) };
    }
    part(rows, firsts, seconds, |pairs, a, b| part_each(pairs, a, b))
}

/// Takes pairs apart whose values have 64 bits; `None` where bytes or room are missing.
///
/// There has to be room for [`PairRows::MORE`] pairs behind the last one, where anything may be
/// written.
///
/// ```
/// use nnz_bitpack::{PairRows, part_pairs_of_64};
///
/// let words = [7, 1, 2, 9, 3, 4, 0, 8, 5, 6_u32].map(u32::to_le_bytes);
/// let rows = PairRows { bytes: words.as_flattened(), ends: &[0, 2, 3], between: 4 };
/// let (mut firsts, mut seconds) = ([0; 3 + PairRows::MORE], [[0; 2]; 3 + PairRows::MORE]);
/// part_pairs_of_64(rows, &mut firsts, &mut seconds).unwrap();
/// assert_eq!(firsts[..3], [7, 9, 8]);
/// assert_eq!(seconds[..3], [[1, 2], [3, 4], [5, 6]].map(|pair| pair.map(u32::to_le)));
/// ```
#[allow(unsafe_code)]
pub fn part_pairs_of_64(
    rows: PairRows<'_>,
    firsts: &mut [u32],
    seconds: &mut [[u32; 2]],
) -> Option<()> {
    #[cfg(target_arch = "x86_64")]
    if kernels::x86::avx512::here() {
        #[target_feature(enable = "avx512f")]
        fn avx512(rows: PairRows<'_>, firsts: &mut [u32], seconds: &mut [[u32; 2]]) -> Option<()> {
            part(rows, firsts, seconds, |pairs, a, b| kernels::x86::pairs::of_64(pairs, a, b))
        }
        // SAFETY: the processor has the instructions.
        return unsafe { avx512(rows, firsts, seconds) };
    }
    part(rows, firsts, seconds, |pairs, a, b| part_each(pairs, a, b))
}

impl PairRows<'_> {
    /// Pairs behind the last one that there has to be room for.
    pub const MORE: usize = AT_ONCE - 1;
}

#[inline(always)]
fn part<const WORDS: usize>(
    rows: PairRows<'_>,
    firsts: &mut [u32],
    seconds: &mut [[u32; WORDS]],
    at_once: impl Fn(&[u8], &mut [u32; AT_ONCE], &mut [[u32; WORDS]; AT_ONCE]),
) -> Option<()> {
    let PairRows { bytes, ends, between } = rows;
    let stride = 4 + 4 * WORDS;
    let mut skipped = 0;
    for (number, row) in ends.windows(2).enumerate() {
        let (mut pair, end) = (row[0], row[1]);
        while pair < end {
            let rest = bytes.get(pair.checked_mul(stride)?.checked_add(skipped)?..)?;
            let Some(pairs) = rest.get(..AT_ONCE * stride) else {
                let left =
                    PairRows { bytes: bytes.get(skipped..)?, ends: &ends[number..], between };
                return part_row_by_row(left, firsts, seconds);
            };
            let firsts = firsts.get_mut(pair..)?.first_chunk_mut()?;
            at_once(pairs, firsts, seconds.get_mut(pair..)?.first_chunk_mut()?);
            pair += AT_ONCE;
        }
        skipped = between.checked_add(skipped)?;
    }
    Some(())
}

/// Takes no more apart than there is: the last rows.
#[cold]
fn part_row_by_row<const WORDS: usize>(
    PairRows { bytes, ends, between }: PairRows<'_>,
    firsts: &mut [u32],
    seconds: &mut [[u32; WORDS]],
) -> Option<()> {
    let stride = 4 + 4 * WORDS;
    let mut skipped = 0;
    for row in ends.windows(2) {
        let (firsts, seconds) = (firsts.get_mut(row[0]..row[1])?, seconds.get_mut(row[0]..row[1])?);
        let place = |pair: usize| pair.checked_mul(stride)?.checked_add(skipped);
        let pairs = bytes.get(place(row[0])?..place(row[1])?)?;
        part_each(pairs, firsts, seconds);
        skipped = between.checked_add(skipped)?;
    }
    Some(())
}

/// Takes pairs apart one by one. Values stay in the order of bytes they have.
#[inline(always)]
fn part_each<const WORDS: usize>(pairs: &[u8], firsts: &mut [u32], seconds: &mut [[u32; WORDS]]) {
    let pairs = pairs.as_chunks::<4>().0.chunks_exact(1 + WORDS);
    for (pair, (first, second)) in pairs.zip(firsts.iter_mut().zip(seconds)) {
        *first = u32::from_le_bytes(pair[0]);
        *second = std::array::from_fn(|word| u32::from_ne_bytes(pair[1 + word]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of so many pairs, whose columns and values tell where they belong, behind counts.
    fn rows<const WORDS: usize>(counts: &[usize]) -> (Vec<u8>, Vec<usize>) {
        let (mut bytes, mut ends) = (Vec::new(), vec![0]);
        let mut pair = 0_u32;
        for &count in counts {
            for _ in 0..count {
                let words = std::iter::once(pair).chain((1..).take(WORDS).map(|n| pair * 8 + n));
                bytes.extend(words.flat_map(u32::to_le_bytes));
                pair += 1;
            }
            ends.push(pair as usize);
            bytes.extend([0xff; 4]);
        }
        bytes.truncate(bytes.len() - 4);
        (bytes, ends)
    }

    type Part<const WORDS: usize> = fn(PairRows<'_>, &mut [u32], &mut [[u32; WORDS]]) -> Option<()>;

    fn check<const WORDS: usize>(part: Part<WORDS>) {
        let mut counts: Vec<usize> = (0..500).map(|row| (row * 7919 % 31) % 13).collect();
        counts.extend([0, 0, 100, 0, 17, 8, 1]);
        for last in 1..counts.len() {
            let (bytes, ends) = rows::<WORDS>(&counts[..last]);
            let all = ends[last];
            let mut firsts = vec![0; all + PairRows::MORE];
            let mut seconds = vec![[0; WORDS]; all + PairRows::MORE];
            let given = PairRows { bytes: &bytes, ends: &ends, between: 4 };
            part(given, &mut firsts, &mut seconds).unwrap();
            for (pair, (first, second)) in (0..).zip(firsts.iter().zip(&seconds)).take(all) {
                assert_eq!(*first, pair);
                let words = (pair * 8 + 1..).take(WORDS);
                assert!(second.map(u32::from_le).into_iter().eq(words), "{last} rows, pair {pair}");
            }
            let fewer = PairRows { bytes: &bytes[..bytes.len().saturating_sub(1)], ..given };
            let taken = part(fewer, &mut firsts, &mut seconds);
            assert!(taken.is_none() || counts[last - 1] == 0, "{last} rows");
            let none = part(given, &mut firsts[..all.saturating_sub(1)], &mut seconds);
            assert!(none.is_none() || all == 0, "{last} rows");
        }
    }

    #[test]
    fn ends_that_nothing_can_have_are_refused() {
        let (mut firsts, mut seconds) = ([0; 16], [[0; 2]; 16]);
        for ends in [&[0, usize::MAX][..], &[usize::MAX - 9, usize::MAX], &[0, 9, 3, 40]] {
            for between in [4, usize::MAX] {
                let rows = PairRows { bytes: &[0; 120], ends, between };
                assert!(part_pairs_of_64(rows, &mut firsts, &mut seconds).is_none(), "{ends:?}");
            }
        }
    }

    #[test]
    fn rows_of_any_length_come_apart_up_to_the_last_byte() {
        check(part_pairs_of_32);
        check(part_pairs_of_64);
        check::<1>(|rows, firsts, seconds| {
            part(rows, firsts, seconds, |pairs, a, b| part_each(pairs, a, b))
        });
        check::<2>(|rows, firsts, seconds| {
            part(rows, firsts, seconds, |pairs, a, b| part_each(pairs, a, b))
        });
    }
}
