//! The layout of rows in a sparse block.

use nnz_bitpack::{PairRows, deinterleave_u32, deinterleave_u64};
use nnz_core::Element;

use crate::Dialect;

/// The distance in bytes at which rows are prefetched.
const AHEAD: usize = 512;

/// The number of consecutive rows of equal length after which more of them are expected.
const ALIKE: u32 = 16;

/// Rows that are skipped at once if all have the same length.
const AT_ONCE: usize = 8;

/// The layout of counts, columns and values in a sparse block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowLayout {
    /// Each row is a count and pairs of column and value; counts and columns have 32 bits.
    Narrow,
    /// The same, with 64 bits.
    Wide,
    /// All row pointers, then all columns, then all values; pointers and columns have 64 bits.
    Arrays,
}

impl RowLayout {
    pub(crate) fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Spec => Self::Narrow,
            Dialect::Daphne => Self::Arrays,
            Dialect::Daphne2022 => Self::Wide,
        }
    }

    /// Returns the size of a count or a column in bytes.
    pub(crate) fn width(self) -> usize {
        if self == Self::Narrow { 4 } else { 8 }
    }

    /// Reads a count at the start of some bytes; `None` if there are too few.
    #[inline]
    pub(crate) fn count(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Self::Narrow => bytes.first_chunk().map(|&count| u32::from_le_bytes(count).into()),
            Self::Wide | Self::Arrays => {
                bytes.first_chunk().map(|&count| u64::from_le_bytes(count))
            }
        }
    }

    /// Skips complete and valid rows. Appends to `ends` the end of each row among the entries,
    /// starting from the last element.
    pub(crate) fn pass(self, bytes: &[u8], bounds: Bounds, ends: &mut Vec<usize>) -> RowSpan {
        match self {
            Self::Narrow => pass::<4>(bytes, bounds, ends),
            Self::Wide | Self::Arrays => pass::<8>(bytes, bounds, ends),
        }
    }

    /// Splits rows into columns and values; `None` if bytes are missing.
    pub(crate) fn split<T: Element>(
        self,
        rows: PairRows<'_>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Option<()> {
        let entries = rows.ends.last().copied().unwrap_or(0);
        columns.resize(entries + PairRows::PADDING, 0);
        values.resize(entries + PairRows::PADDING, bytemuck::Zeroable::zeroed());
        let split = match (self, size_of::<T>()) {
            (Self::Narrow, 4) => deinterleave_u32(rows, columns, bytemuck::cast_slice_mut(values)),
            (Self::Narrow, 8) => deinterleave_u64(rows, columns, bytemuck::cast_slice_mut(values)),
            (Self::Narrow, _) => split_rows::<T, 4>(rows, columns, values),
            _ => split_rows::<T, 8>(rows, columns, values),
        };
        columns.truncate(entries);
        values.truncate(entries);
        split
    }

    /// Returns the number of bytes of a block after its number of entries.
    pub(crate) fn bytes(self, rows: u128, entries: u128, size: u128) -> u128 {
        let width = self.width() as u128;
        let starts = if self == Self::Arrays { rows + 1 } else { rows };
        starts * width + entries * (width + size)
    }
}

/// Limits of valid rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The largest number of rows.
    pub(crate) rows: u64,
    /// The largest number of entries in a row.
    pub(crate) entries: u32,
    /// The size of a value in bytes.
    pub(crate) size: usize,
}

/// A number of rows, and their bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowSpan {
    pub(crate) rows: u64,
    pub(crate) bytes: usize,
}

fn pass<const WIDTH: usize>(bytes: &[u8], bounds: Bounds, ends: &mut Vec<usize>) -> RowSpan {
    let stride = WIDTH + bounds.size;
    let mut passed = RowSpan::default();
    let mut entries = ends.last().copied().unwrap_or(0);
    let (mut before, mut sequence) = (0, 0);
    let mut seen = 0;
    while passed.rows < bounds.rows {
        let start = passed.bytes;
        let Some(count) = bytes.get(start..start + WIDTH) else { break };
        let count = read::<WIDTH>(count);
        if count > bounds.entries {
            break;
        }
        // The position of a row depends on the previous one, too late for the prefetcher. Reading a
        // byte further ahead loads it into the cache.
        seen ^= bytes.get(start + AHEAD).copied().unwrap_or(0);
        let end = start as u64 + (WIDTH as u64 + u64::from(count) * stride as u64);
        let Some(end) = usize::try_from(end).ok().filter(|&end| end <= bytes.len()) else { break };
        passed.bytes = end;
        passed.rows += 1;
        entries += count as usize;
        ends.push(entries);
        sequence = if count == before { sequence + 1 } else { 0 };
        before = count;
        if sequence == ALIKE {
            // More rows of this length are expected.
            let (len, each) = (end - start, count as usize);
            let ahead = bytes.get(end..).unwrap_or_default();
            let most = usize::try_from(bounds.rows - passed.rows).unwrap_or(usize::MAX);
            let rows = equal_rows::<WIDTH>(ahead, len, count).min(most);
            passed.rows += rows as u64;
            passed.bytes += rows * len;
            ends.extend((1..=rows).map(|row| entries + row * each));
            entries += rows * each;
            sequence = 0;
        }
    }
    std::hint::black_box(seen);
    passed
}

/// Returns how many consecutive rows have this length and count, except for some of the last ones.
/// Their positions are known, so each can be checked without the previous one.
fn equal_rows<const WIDTH: usize>(bytes: &[u8], len: usize, count: u32) -> usize {
    let differs = |row: &[u8]| row.get(..WIDTH).map_or(0, read::<WIDTH>) ^ count;
    let groups = bytes.chunks_exact(len.saturating_mul(AT_ONCE));
    let equal = groups.take_while(|group| {
        (0..AT_ONCE).fold(0, |all, row| all | differs(&group[row * len..])) == 0
    });
    equal.count() * AT_ONCE
}

/// Reads a count or a column of `WIDTH` bytes; one that is too large is replaced with the largest
/// number.
#[inline]
fn read<const WIDTH: usize>(bytes: &[u8]) -> u32 {
    let mut word = [0; 8];
    match bytes.first_chunk::<WIDTH>() {
        Some(bytes) => word[..WIDTH].copy_from_slice(bytes),
        None => return u32::MAX,
    }
    u32::try_from(u64::from_le_bytes(word)).unwrap_or(u32::MAX)
}

fn split_rows<T: Element, const WIDTH: usize>(
    PairRows { bytes, ends, between }: PairRows<'_>,
    columns: &mut [u32],
    values: &mut [T],
) -> Option<()> {
    let stride = WIDTH + size_of::<T>();
    let mut skipped = 0;
    for row in ends.windows(2) {
        let pairs = bytes.get(skipped + row[0] * stride..skipped + row[1] * stride)?;
        let (columns, values) = (columns.get_mut(row[0]..)?, values.get_mut(row[0]..)?);
        split::<T, WIDTH>(pairs, columns, values);
        skipped += between;
    }
    Some(())
}

#[inline]
fn split<T: Element, const WIDTH: usize>(pairs: &[u8], columns: &mut [u32], values: &mut [T]) {
    let stride = WIDTH + size_of::<T>();
    let places = columns.iter_mut().zip(values);
    for (pair, (column, value)) in pairs.chunks_exact(stride).zip(places) {
        let (first, second) = pair.split_at(WIDTH);
        *column = read::<WIDTH>(first);
        *value = bytemuck::pod_read_unaligned(second);
    }
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    /// Skips rows one by one.
    fn pass_one_by_one(
        layout: RowLayout,
        bytes: &[u8],
        bounds: Bounds,
    ) -> (u64, usize, Vec<usize>) {
        let (mut at, mut ends) = (0, vec![7]);
        let stride = layout.width() + bounds.size;
        while (ends.len() as u64) <= bounds.rows {
            let Some(count) = layout.count(&bytes[at..]) else { break };
            let rest = (bytes.len() - at - layout.width()) / stride;
            if count > bounds.entries.into() || count > rest as u64 {
                break;
            }
            let count = usize::try_from(count).unwrap();
            at += layout.width() + count * stride;
            ends.push(ends[ends.len() - 1] + count);
        }
        (ends.len() as u64 - 1, at, ends)
    }

    #[test]
    fn pass_agrees_with_one_by_one() {
        let mut random = Random::new(1);
        for case in 0..3000 {
            let layout = [RowLayout::Narrow, RowLayout::Wide][case % 2];
            let size = [1, 2, 4, 8][case / 2 % 4];
            let mut bytes = Vec::new();
            for _ in 0..random.below_u32(6) {
                // After 16 rows of equal length, eight are skipped at once.
                let count = random.below_u32(5);
                for _ in 0..random.below_u32(60) {
                    bytes.extend_from_slice(&u64::from(count).to_le_bytes()[..layout.width()]);
                    let len = bytes.len() + count as usize * (layout.width() + size);
                    // Entries are not counts, and would not be valid counts.
                    bytes.resize(len, 0xff);
                }
            }
            let most = u32::try_from(bytes.len()).unwrap() + 1;
            if random.below_u32(3) == 0 {
                bytes.truncate(random.below_u32(most) as usize);
            }
            if random.below_u32(3) == 0 && !bytes.is_empty() {
                let at = random.below_u32(most - 1) as usize % bytes.len();
                bytes[at] = u8::try_from(random.below_u32(256)).unwrap();
            }
            let rows =
                if random.below_u32(2) == 0 { u64::MAX } else { random.below_u32(most).into() };
            let bounds = Bounds { rows, entries: random.below_u32(6), size };
            let mut ends = vec![7];
            let passed = layout.pass(&bytes, bounds, &mut ends);
            let one_by_one = pass_one_by_one(layout, &bytes, bounds);
            assert_eq!((passed.rows, passed.bytes, ends), one_by_one, "case {case}");
        }
    }
}
