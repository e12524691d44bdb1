//! Rows of pairs, taken apart into two arrays and put together from them.

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
pub fn deinterleave_u32(
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
/// use nnz_bitpack::{PairRows, deinterleave_u64};
///
/// let words = [7, 1, 2, 9, 3, 4, 0, 8, 5, 6_u32].map(u32::to_le_bytes);
/// let rows = PairRows { bytes: words.as_flattened(), ends: &[0, 2, 3], between: 4 };
/// let (mut firsts, mut seconds) = ([0; 3 + PairRows::MORE], [[0; 2]; 3 + PairRows::MORE]);
/// deinterleave_u64(rows, &mut firsts, &mut seconds).unwrap();
/// assert_eq!(firsts[..3], [7, 9, 8]);
/// assert_eq!(seconds[..3], [[1, 2], [3, 4], [5, 6]].map(|pair| pair.map(u32::to_le)));
/// ```
#[allow(unsafe_code)]
pub fn deinterleave_u64(
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

/// Puts rows together whose values have 32 bits: the number of the pairs of each, and the pairs.
///
/// `ends` says where each row starts and ends among the pairs. Returns the bytes written; `None`
/// where pairs or room are missing. Behind the last pair anything may be written.
#[allow(unsafe_code)]
pub fn join_rows_of_32(
    ends: &[usize],
    firsts: &[u32],
    seconds: &[[u32; 1]],
    out: &mut [u8],
) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if kernels::x86::avx512::here() {
        #[target_feature(enable = "avx512f")]
        fn avx512(
            ends: &[usize],
            firsts: &[u32],
            seconds: &[[u32; 1]],
            out: &mut [u8],
        ) -> Option<usize> {
            join(ends, firsts, seconds, out, |a, b, out| kernels::x86::pairs::join_32(a, b, out))
        }
        // SAFETY: the processor has the instructions.
        return unsafe { avx512(ends, firsts, seconds, out) };
    }
    join(ends, firsts, seconds, out, |a, b, out| join_each(a, b, out))
}

/// Puts rows together whose values have 64 bits: the number of the pairs of each, and the pairs.
///
/// `ends` says where each row starts and ends among the pairs. Returns the bytes written; `None`
/// where pairs or room are missing. Behind the last pair anything may be written.
///
/// ```
/// let (firsts, seconds) = ([7, 9, 8], [[1, 2], [3, 4], [5, 6]].map(|pair| pair.map(u32::to_le)));
/// let mut out = [0; 44];
/// let written = nnz_bitpack::join_rows_of_64(&[0, 2, 3], &firsts, &seconds, &mut out);
/// assert_eq!(written, Some(44));
/// let words = [2, 7, 1, 2, 9, 3, 4, 1, 8, 5, 6_u32].map(u32::to_le_bytes);
/// assert_eq!(out, words.as_flattened());
/// ```
#[allow(unsafe_code)]
pub fn join_rows_of_64(
    ends: &[usize],
    firsts: &[u32],
    seconds: &[[u32; 2]],
    out: &mut [u8],
) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if kernels::x86::avx512::here() {
        #[target_feature(enable = "avx512f")]
        fn avx512(
            ends: &[usize],
            firsts: &[u32],
            seconds: &[[u32; 2]],
            out: &mut [u8],
        ) -> Option<usize> {
            join(ends, firsts, seconds, out, |a, b, out| kernels::x86::pairs::join_64(a, b, out))
        }
        // SAFETY: the processor has the instructions.
        return unsafe { avx512(ends, firsts, seconds, out) };
    }
    join(ends, firsts, seconds, out, |a, b, out| join_each(a, b, out))
}

#[inline(always)]
fn join<const WORDS: usize>(
    ends: &[usize],
    firsts: &[u32],
    seconds: &[[u32; WORDS]],
    out: &mut [u8],
    at_once: impl Fn(&[u32; AT_ONCE], &[[u32; WORDS]; AT_ONCE], &mut [u8]),
) -> Option<usize> {
    let stride = 4 + 4 * WORDS;
    let mut at = 0;
    for row in ends.windows(2) {
        let (mut pair, end) = (row[0], row[1]);
        let count = u32::try_from(end.checked_sub(pair)?).ok()?;
        *out.get_mut(at..)?.first_chunk_mut()? = count.to_le_bytes();
        at += 4;
        while pair < end {
            let pairs = AT_ONCE.min(end - pair);
            let (firsts, seconds) = (firsts.get(pair..)?, seconds.get(pair..)?);
            let out = out.get_mut(at..)?;
            match (firsts.first_chunk(), seconds.first_chunk(), out.get_mut(..AT_ONCE * stride)) {
                // What is too much is written over by the rows behind.
                (Some(firsts), Some(seconds), Some(out)) => at_once(firsts, seconds, out),
                _ => {
                    let out = out.get_mut(..pairs * stride)?;
                    join_each(firsts.get(..pairs)?, seconds.get(..pairs)?, out);
                }
            }
            pair += pairs;
            at += pairs * stride;
        }
    }
    Some(at)
}

/// Puts pairs together one by one. Values stay in the order of bytes they have.
#[inline(always)]
fn join_each<const WORDS: usize>(firsts: &[u32], seconds: &[[u32; WORDS]], out: &mut [u8]) {
    let out = out.as_chunks_mut::<4>().0.chunks_exact_mut(1 + WORDS);
    for (pair, (first, second)) in out.zip(firsts.iter().zip(seconds)) {
        pair[0] = first.to_le_bytes();
        for (word, value) in pair[1..].iter_mut().zip(second) {
            *word = value.to_ne_bytes();
        }
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

    type Join<const WORDS: usize> =
        fn(&[usize], &[u32], &[[u32; WORDS]], &mut [u8]) -> Option<usize>;

    fn check_joining<const WORDS: usize>(join: Join<WORDS>, part: Part<WORDS>) {
        let mut counts: Vec<usize> = (0..300).map(|row| (row * 7919 % 31) % 13).collect();
        counts.extend([0, 0, 100, 0, 17, 8, 1]);
        for rows in 0..=counts.len() {
            let mut ends = vec![0];
            ends.extend(counts[..rows].iter().scan(0, |end, count| {
                *end += count;
                Some(*end)
            }));
            let all = ends[rows];
            let firsts: Vec<u32> = (5..).take(all).collect();
            let seconds: Vec<[u32; WORDS]> = (0..)
                .take(all)
                .map(|pair: u32| {
                    std::array::from_fn(|word| if word == 0 { pair * 9 } else { !pair })
                })
                .collect();
            let bytes = 4 * rows + all * (4 + 4 * WORDS);
            for more in [0, 1, 200] {
                let mut out = vec![0xee; bytes + more];
                assert_eq!(join(&ends, &firsts, &seconds, &mut out), Some(bytes), "{rows} rows");
                // Counts stand between the rows, and ahead of the first.
                let mut at = 0;
                for &count in &counts[..rows] {
                    let stands = u32::from_le_bytes(out[at..at + 4].try_into().unwrap());
                    assert_eq!(usize::try_from(stands), Ok(count), "{rows} rows");
                    at += 4 + count * (4 + 4 * WORDS);
                }
                let mut parted = (vec![0; all + 7], vec![[0; WORDS]; all + 7]);
                let given = PairRows { bytes: &out[4.min(bytes)..bytes], ends: &ends, between: 4 };
                part(given, &mut parted.0, &mut parted.1).unwrap();
                assert_eq!((&parted.0[..all], &parted.1[..all]), (&firsts[..], &seconds[..]));
            }
            let mut short = vec![0; bytes.saturating_sub(1)];
            assert!(join(&ends, &firsts, &seconds, &mut short).is_none() || rows == 0);
            let fewer = all.saturating_sub(1);
            let mut out = vec![0; bytes];
            assert!(join(&ends, &firsts[..fewer], &seconds, &mut out).is_none() || all == 0);
            assert!(join(&ends, &firsts, &seconds[..fewer], &mut out).is_none() || all == 0);
        }
        let mut out = [0; 200];
        for ends in [&[3, 2][..], &[0, usize::MAX], &[usize::MAX - 1, usize::MAX]] {
            assert!(join(ends, &[0; 9], &[[0; WORDS]; 9], &mut out).is_none(), "{ends:?}");
        }
    }

    #[test]
    fn rows_of_any_length_are_put_together() {
        check_joining(join_rows_of_32, deinterleave_u32);
        check_joining(join_rows_of_64, deinterleave_u64);
        check_joining::<1>(
            |ends, a, b, out| join(ends, a, b, out, |a, b, out| join_each(a, b, out)),
            deinterleave_u32,
        );
        check_joining::<2>(
            |ends, a, b, out| join(ends, a, b, out, |a, b, out| join_each(a, b, out)),
            deinterleave_u64,
        );
    }

    #[test]
    fn ends_that_nothing_can_have_are_refused() {
        let (mut firsts, mut seconds) = ([0; 16], [[0; 2]; 16]);
        for ends in [&[0, usize::MAX][..], &[usize::MAX - 9, usize::MAX], &[0, 9, 3, 40]] {
            for between in [4, usize::MAX] {
                let rows = PairRows { bytes: &[0; 120], ends, between };
                assert!(deinterleave_u64(rows, &mut firsts, &mut seconds).is_none(), "{ends:?}");
            }
        }
    }

    #[test]
    fn rows_of_any_length_come_apart_up_to_the_last_byte() {
        check(deinterleave_u32);
        check(deinterleave_u64);
        check::<1>(|rows, firsts, seconds| {
            part(rows, firsts, seconds, |pairs, a, b| part_each(pairs, a, b))
        });
        check::<2>(|rows, firsts, seconds| {
            part(rows, firsts, seconds, |pairs, a, b| part_each(pairs, a, b))
        });
    }
}
