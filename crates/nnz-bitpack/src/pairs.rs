//! Conversion between rows of interleaved pairs and two arrays.

#[cfg(target_arch = "x86_64")]
use crate::kernels;

/// The number of pairs that are copied at once, even if fewer belong to the row: the surplus is
/// overwritten by the next rows. The lengths of rows vary, so a loop of exact length would be
/// mispredicted.
pub(crate) const AT_ONCE: usize = 8;

/// Rows of pairs of a 32-bit number and a value, with a gap between rows.
///
/// CSR matrices are stored like this in files where each row follows its count. The number, a
/// column, is little-endian; values are returned unchanged, as 32-bit words.
#[derive(Clone, Copy, Debug)]
pub struct PairRows<'a> {
    /// The rows, starting with the first pair.
    pub bytes: &'a [u8],
    /// Offsets of the rows in pairs: one more than rows, starting with 0.
    pub ends: &'a [usize],
    /// Number of bytes between two rows, which are ignored.
    pub between: usize,
}

/// Splits pairs with 32-bit values into two arrays. Returns `None` if a slice is too short.
///
/// Both outputs need [`PairRows::PADDING`] additional elements, which are overwritten.
#[allow(unsafe_code)]
pub fn deinterleave_u32(
    rows: PairRows<'_>,
    firsts: &mut [u32],
    seconds: &mut [[u32; 1]],
) -> Option<()> {
    #[cfg(target_arch = "x86_64")]
    if kernels::x86::avx512::is_available() {
        #[target_feature(enable = "avx512f")]
        fn avx512(rows: PairRows<'_>, firsts: &mut [u32], seconds: &mut [[u32; 1]]) -> Option<()> {
            deinterleave(rows, firsts, seconds, |pairs, a, b| {
                kernels::x86::pairs::deinterleave_32(pairs, a, b)
            })
        }
        // SAFETY: the processor has the instructions.
        return unsafe { avx512(rows, firsts, seconds) };
    }
    deinterleave(rows, firsts, seconds, |pairs, a, b| deinterleave_each(pairs, a, b))
}

/// Splits pairs with 64-bit values into two arrays. Returns `None` if a slice is too short.
///
/// Both outputs need [`PairRows::PADDING`] additional elements, which are overwritten.
///
/// ```
/// use nnz_bitpack::{PairRows, deinterleave_u64};
///
/// let words = [7, 1, 2, 9, 3, 4, 0, 8, 5, 6_u32].map(u32::to_le_bytes);
/// let rows = PairRows { bytes: words.as_flattened(), ends: &[0, 2, 3], between: 4 };
/// let (mut firsts, mut seconds) = ([0; 3 + PairRows::PADDING], [[0; 2]; 3 + PairRows::PADDING]);
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
    if kernels::x86::avx512::is_available() {
        #[target_feature(enable = "avx512f")]
        fn avx512(rows: PairRows<'_>, firsts: &mut [u32], seconds: &mut [[u32; 2]]) -> Option<()> {
            deinterleave(rows, firsts, seconds, |pairs, a, b| {
                kernels::x86::pairs::deinterleave_64(pairs, a, b)
            })
        }
        // SAFETY: the processor has the instructions.
        return unsafe { avx512(rows, firsts, seconds) };
    }
    deinterleave(rows, firsts, seconds, |pairs, a, b| deinterleave_each(pairs, a, b))
}

impl PairRows<'_> {
    /// Number of additional elements that outputs need.
    pub const PADDING: usize = AT_ONCE - 1;
}

#[inline(always)]
fn deinterleave<const WORDS: usize>(
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
                return deinterleave_row_by_row(left, firsts, seconds);
            };
            let firsts = firsts.get_mut(pair..)?.first_chunk_mut()?;
            at_once(pairs, firsts, seconds.get_mut(pair..)?.first_chunk_mut()?);
            pair += AT_ONCE;
        }
        skipped = between.checked_add(skipped)?;
    }
    Some(())
}

/// Splits the last rows without accessing anything past them.
#[cold]
fn deinterleave_row_by_row<const WORDS: usize>(
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
        deinterleave_each(pairs, firsts, seconds);
        skipped = between.checked_add(skipped)?;
    }
    Some(())
}

/// Splits pairs one by one. Values keep their byte order.
#[inline(always)]
fn deinterleave_each<const WORDS: usize>(
    pairs: &[u8],
    firsts: &mut [u32],
    seconds: &mut [[u32; WORDS]],
) {
    let pairs = pairs.as_chunks::<4>().0.chunks_exact(1 + WORDS);
    for (pair, (first, second)) in pairs.zip(firsts.iter_mut().zip(seconds)) {
        *first = u32::from_le_bytes(pair[0]);
        *second = std::array::from_fn(|word| u32::from_ne_bytes(pair[1 + word]));
    }
}

/// Joins rows with 32-bit values: for each row the number of its pairs, then the pairs.
///
/// `ends` has the offsets of the rows in pairs. Returns the number of bytes written, or `None` if a
/// slice is too short. Bytes past them may be overwritten.
#[allow(unsafe_code)]
pub fn interleave_u32(
    ends: &[usize],
    firsts: &[u32],
    seconds: &[[u32; 1]],
    out: &mut [u8],
) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if kernels::x86::avx512::is_available() {
        #[target_feature(enable = "avx512f")]
        fn avx512(
            ends: &[usize],
            firsts: &[u32],
            seconds: &[[u32; 1]],
            out: &mut [u8],
        ) -> Option<usize> {
            interleave(ends, firsts, seconds, out, |a, b, out| {
                kernels::x86::pairs::interleave_32(a, b, out)
            })
        }
        // SAFETY: the processor has the instructions.
        return unsafe { avx512(ends, firsts, seconds, out) };
    }
    interleave(ends, firsts, seconds, out, |a, b, out| interleave_each(a, b, out))
}

/// Joins rows with 64-bit values: for each row the number of its pairs, then the pairs.
///
/// `ends` has the offsets of the rows in pairs. Returns the number of bytes written, or `None` if a
/// slice is too short. Bytes past them may be overwritten.
///
/// ```
/// let (firsts, seconds) = ([7, 9, 8], [[1, 2], [3, 4], [5, 6]].map(|pair| pair.map(u32::to_le)));
/// let mut out = [0; 44];
/// let written = nnz_bitpack::interleave_u64(&[0, 2, 3], &firsts, &seconds, &mut out);
/// assert_eq!(written, Some(44));
/// let words = [2, 7, 1, 2, 9, 3, 4, 1, 8, 5, 6_u32].map(u32::to_le_bytes);
/// assert_eq!(out, words.as_flattened());
/// ```
#[allow(unsafe_code)]
pub fn interleave_u64(
    ends: &[usize],
    firsts: &[u32],
    seconds: &[[u32; 2]],
    out: &mut [u8],
) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if kernels::x86::avx512::is_available() {
        #[target_feature(enable = "avx512f")]
        fn avx512(
            ends: &[usize],
            firsts: &[u32],
            seconds: &[[u32; 2]],
            out: &mut [u8],
        ) -> Option<usize> {
            interleave(ends, firsts, seconds, out, |a, b, out| {
                kernels::x86::pairs::interleave_64(a, b, out)
            })
        }
        // SAFETY: the processor has the instructions.
        return unsafe { avx512(ends, firsts, seconds, out) };
    }
    interleave(ends, firsts, seconds, out, |a, b, out| interleave_each(a, b, out))
}

#[inline(always)]
fn interleave<const WORDS: usize>(
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
                // The surplus is overwritten by the next rows.
                (Some(firsts), Some(seconds), Some(out)) => at_once(firsts, seconds, out),
                _ => {
                    let out = out.get_mut(..pairs * stride)?;
                    interleave_each(firsts.get(..pairs)?, seconds.get(..pairs)?, out);
                }
            }
            pair += pairs;
            at += pairs * stride;
        }
    }
    Some(at)
}

/// Joins pairs one by one. Values keep their byte order.
#[inline(always)]
fn interleave_each<const WORDS: usize>(firsts: &[u32], seconds: &[[u32; WORDS]], out: &mut [u8]) {
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

    /// Rows with the given numbers of pairs, with values that are derived from their position.
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

    type Deinterleave<const WORDS: usize> =
        fn(PairRows<'_>, &mut [u32], &mut [[u32; WORDS]]) -> Option<()>;

    fn check_deinterleave<const WORDS: usize>(deinterleave: Deinterleave<WORDS>) {
        let mut counts: Vec<usize> = (0..500).map(|row| (row * 7919 % 31) % 13).collect();
        counts.extend([0, 0, 100, 0, 17, 8, 1]);
        for last in 1..counts.len() {
            let (bytes, ends) = rows::<WORDS>(&counts[..last]);
            let all = ends[last];
            let mut firsts = vec![0; all + PairRows::PADDING];
            let mut seconds = vec![[0; WORDS]; all + PairRows::PADDING];
            let given = PairRows { bytes: &bytes, ends: &ends, between: 4 };
            deinterleave(given, &mut firsts, &mut seconds).unwrap();
            for (pair, (first, second)) in (0..).zip(firsts.iter().zip(&seconds)).take(all) {
                assert_eq!(*first, pair);
                let words = (pair * 8 + 1..).take(WORDS);
                assert!(second.map(u32::from_le).into_iter().eq(words), "{last} rows, pair {pair}");
            }
            let fewer = PairRows { bytes: &bytes[..bytes.len().saturating_sub(1)], ..given };
            let taken = deinterleave(fewer, &mut firsts, &mut seconds);
            assert!(taken.is_none() || counts[last - 1] == 0, "{last} rows");
            let none = deinterleave(given, &mut firsts[..all.saturating_sub(1)], &mut seconds);
            assert!(none.is_none() || all == 0, "{last} rows");
        }
    }

    type Interleave<const WORDS: usize> =
        fn(&[usize], &[u32], &[[u32; WORDS]], &mut [u8]) -> Option<usize>;

    fn check_interleave<const WORDS: usize>(
        interleave: Interleave<WORDS>,
        deinterleave: Deinterleave<WORDS>,
    ) {
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
                assert_eq!(
                    interleave(&ends, &firsts, &seconds, &mut out),
                    Some(bytes),
                    "{rows} rows"
                );
                // Counts are between the rows, and before the first.
                let mut at = 0;
                for &count in &counts[..rows] {
                    let stored = u32::from_le_bytes(out[at..at + 4].try_into().unwrap());
                    assert_eq!(usize::try_from(stored), Ok(count), "{rows} rows");
                    at += 4 + count * (4 + 4 * WORDS);
                }
                let mut split = (vec![0; all + 7], vec![[0; WORDS]; all + 7]);
                let given = PairRows { bytes: &out[4.min(bytes)..bytes], ends: &ends, between: 4 };
                deinterleave(given, &mut split.0, &mut split.1).unwrap();
                assert_eq!((&split.0[..all], &split.1[..all]), (&firsts[..], &seconds[..]));
            }
            let mut short = vec![0; bytes.saturating_sub(1)];
            assert!(interleave(&ends, &firsts, &seconds, &mut short).is_none() || rows == 0);
            let fewer = all.saturating_sub(1);
            let mut out = vec![0; bytes];
            assert!(interleave(&ends, &firsts[..fewer], &seconds, &mut out).is_none() || all == 0);
            assert!(interleave(&ends, &firsts, &seconds[..fewer], &mut out).is_none() || all == 0);
        }
        let mut out = [0; 200];
        for ends in [&[3, 2][..], &[0, usize::MAX], &[usize::MAX - 1, usize::MAX]] {
            assert!(interleave(ends, &[0; 9], &[[0; WORDS]; 9], &mut out).is_none(), "{ends:?}");
        }
    }

    #[test]
    fn interleave_matches_deinterleave() {
        check_interleave(interleave_u32, deinterleave_u32);
        check_interleave(interleave_u64, deinterleave_u64);
        check_interleave::<1>(
            |ends, a, b, out| interleave(ends, a, b, out, |a, b, out| interleave_each(a, b, out)),
            deinterleave_u32,
        );
        check_interleave::<2>(
            |ends, a, b, out| interleave(ends, a, b, out, |a, b, out| interleave_each(a, b, out)),
            deinterleave_u64,
        );
    }

    #[test]
    fn impossible_row_offsets_are_refused() {
        let (mut firsts, mut seconds) = ([0; 16], [[0; 2]; 16]);
        for ends in [&[0, usize::MAX][..], &[usize::MAX - 9, usize::MAX], &[0, 9, 3, 40]] {
            for between in [4, usize::MAX] {
                let rows = PairRows { bytes: &[0; 120], ends, between };
                assert!(deinterleave_u64(rows, &mut firsts, &mut seconds).is_none(), "{ends:?}");
            }
        }
    }

    #[test]
    fn deinterleave_reads_to_the_last_byte() {
        check_deinterleave(deinterleave_u32);
        check_deinterleave(deinterleave_u64);
        check_deinterleave::<1>(|rows, firsts, seconds| {
            deinterleave(rows, firsts, seconds, |pairs, a, b| deinterleave_each(pairs, a, b))
        });
        check_deinterleave::<2>(|rows, firsts, seconds| {
            deinterleave(rows, firsts, seconds, |pairs, a, b| deinterleave_each(pairs, a, b))
        });
    }
}
