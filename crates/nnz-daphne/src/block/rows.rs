//! How a sparse block lays out its rows.

use nnz_bitpack::{PairRows, deinterleave_u32, deinterleave_u64};
use nnz_core::Element;

use crate::Dialect;

/// Bytes that rows are looked at ahead.
const AHEAD: usize = 512;

/// Rows of one length in sequence, after which more of them are expected.
const ALIKE: u32 = 16;

/// Rows that are gone past at once where all are of one length.
const AT_ONCE: usize = 8;

/// Says where a sparse block has its counts, columns and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowLayout {
    /// Each row is a count and pairs of column and value; counts and columns take 32 bits.
    Narrow,
    /// The same, of 64 bits.
    Wide,
    /// All starts of rows, then all columns, then all values; the former two of 64 bits.
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

    /// Bytes of a count or a column.
    pub(crate) fn width(self) -> usize {
        if self == Self::Narrow { 4 } else { 8 }
    }

    /// Reads the count that some bytes begin with; `None` where they are too few.
    #[inline]
    pub(crate) fn count(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Self::Narrow => bytes.first_chunk().map(|&count| u32::from_le_bytes(count).into()),
            Self::Wide | Self::Arrays => {
                bytes.first_chunk().map(|&count| u64::from_le_bytes(count))
            }
        }
    }

    /// Goes from row to row as long as all of one is there and has what it may have. Adds to `ends`
    /// where each ends among the entries, counted on from the last that is there.
    pub(crate) fn pass(self, bytes: &[u8], bounds: Bounds, ends: &mut Vec<usize>) -> Passed {
        match self {
            Self::Narrow => pass::<Narrow>(bytes, bounds, ends),
            Self::Wide | Self::Arrays => pass::<Wide>(bytes, bounds, ends),
        }
    }

    /// Bytes that a block takes after its number of entries.
    pub(crate) fn bytes(self, rows: u128, entries: u128, size: u128) -> u128 {
        let width = self.width() as u128;
        let starts = if self == Self::Arrays { rows + 1 } else { rows };
        starts * width + entries * (width + size)
    }
}

/// What rows may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// How many rows there may be.
    pub(crate) rows: u64,
    /// How many entries each of them may have.
    pub(crate) entries: u32,
    /// Bytes of a value.
    pub(crate) size: usize,
}

/// How far one has gone from row to row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    pub(crate) rows: u64,
    pub(crate) bytes: usize,
}

fn pass<C: Column>(bytes: &[u8], bounds: Bounds, ends: &mut Vec<usize>) -> Passed {
    let stride = C::WIDTH + bounds.size;
    let mut passed = Passed::default();
    let mut entries = ends.last().copied().unwrap_or(0);
    let (mut before, mut sequence) = (0, 0);
    let mut seen = 0;
    while passed.rows < bounds.rows {
        let start = passed.bytes;
        let Some(count) = bytes.get(start..start + C::WIDTH) else { break };
        let count = C::read(count);
        if count > bounds.entries {
            break;
        }
        // Each row is found from the one before, too late for its bytes to be brought nearer. Looking
        // at bytes farther on brings them.
        seen ^= bytes.get(start + AHEAD).copied().unwrap_or(0);
        let end = start as u64 + (C::WIDTH as u64 + u64::from(count) * stride as u64);
        let Some(end) = usize::try_from(end).ok().filter(|&end| end <= bytes.len()) else { break };
        passed.bytes = end;
        passed.rows += 1;
        entries += count as usize;
        ends.push(entries);
        sequence = if count == before { sequence + 1 } else { 0 };
        before = count;
        if sequence == ALIKE {
            // More rows like these are expected.
            let (len, each) = (end - start, count as usize);
            let ahead = bytes.get(end..).unwrap_or_default();
            let most = usize::try_from(bounds.rows - passed.rows).unwrap_or(usize::MAX);
            let rows = alike::<C>(ahead, len, count).min(most);
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

/// Returns how many rows of one length and count there are from the first byte on, give or take a few
/// of the last. Each is where it is expected, and need not be found from the one before.
fn alike<C: Column>(bytes: &[u8], len: usize, count: u32) -> usize {
    let differs = |row: &[u8]| row.get(..C::WIDTH).map_or(0, C::read) ^ count;
    let groups = bytes.chunks_exact(len.saturating_mul(AT_ONCE));
    let alike = groups.take_while(|group| {
        (0..AT_ONCE).fold(0, |all, row| all | differs(&group[row * len..])) == 0
    });
    alike.count() * AT_ONCE
}

/// Reads a column; one that is too large for a block becomes the largest number there is.
trait Column {
    const WIDTH: usize;
    fn read(bytes: &[u8]) -> u32;
}

struct Narrow;
struct Wide;

impl Column for Narrow {
    const WIDTH: usize = 4;

    #[inline]
    fn read(bytes: &[u8]) -> u32 {
        bytes.try_into().map_or(u32::MAX, u32::from_le_bytes)
    }
}

impl Column for Wide {
    const WIDTH: usize = 8;

    #[inline]
    fn read(bytes: &[u8]) -> u32 {
        let wide = bytes.try_into().map_or(u64::MAX, u64::from_le_bytes);
        u32::try_from(wide).unwrap_or(u32::MAX)
    }
}

/// Rows of a block that have been found: each a count, and pairs of column and value.
pub(crate) struct Rows<'a> {
    /// From the first row on.
    pub(crate) bytes: &'a [u8],
    /// Where each row starts and ends among the entries.
    pub(crate) offsets: &'a [usize],
    /// Whether the count of the first row is behind, and perhaps some of its entries.
    pub(crate) behind: bool,
}

impl Rows<'_> {
    /// Takes rows apart; `None` where bytes are missing.
    pub(crate) fn split<T: Element>(
        self,
        layout: RowLayout,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Option<()> {
        let entries = self.offsets.last().copied().unwrap_or(0);
        columns.resize(entries + PairRows::MORE, 0);
        values.resize(entries + PairRows::MORE, bytemuck::Zeroable::zeroed());
        let width = layout.width();
        let bytes = self.bytes.get(if self.behind { 0 } else { width }..).unwrap_or_default();
        let rows = PairRows { bytes, ends: self.offsets, between: width };
        let split = match (layout, size_of::<T>()) {
            (RowLayout::Narrow, 4) => {
                deinterleave_u32(rows, columns, bytemuck::cast_slice_mut(values))
            }
            (RowLayout::Narrow, 8) => {
                deinterleave_u64(rows, columns, bytemuck::cast_slice_mut(values))
            }
            (RowLayout::Narrow, _) => split_rows::<Narrow, T>(rows, columns, values),
            _ => split_rows::<Wide, T>(rows, columns, values),
        };
        columns.truncate(entries);
        values.truncate(entries);
        split
    }
}

fn split_rows<C: Column, T: Element>(
    PairRows { bytes, ends, between }: PairRows<'_>,
    columns: &mut [u32],
    values: &mut [T],
) -> Option<()> {
    let stride = C::WIDTH + size_of::<T>();
    let mut skipped = 0;
    for row in ends.windows(2) {
        let pairs = bytes.get(skipped + row[0] * stride..skipped + row[1] * stride)?;
        let (columns, values) = (columns.get_mut(row[0]..)?, values.get_mut(row[0]..)?);
        split::<C, T>(pairs, columns, values);
        skipped += between;
    }
    Some(())
}

/// Takes pairs of column and value apart. There is room for all of them.
pub(crate) fn split_pairs<T: Element>(
    layout: RowLayout,
    pairs: &[u8],
    columns: &mut [u32],
    values: &mut [T],
) {
    match layout {
        RowLayout::Narrow => split::<Narrow, T>(pairs, columns, values),
        RowLayout::Wide | RowLayout::Arrays => split::<Wide, T>(pairs, columns, values),
    }
}

#[inline]
fn split<C: Column, T: Element>(pairs: &[u8], columns: &mut [u32], values: &mut [T]) {
    let stride = C::WIDTH + size_of::<T>();
    let places = columns.iter_mut().zip(values);
    for (pair, (column, value)) in pairs.chunks_exact(stride).zip(places) {
        let (first, second) = pair.split_at(C::WIDTH);
        *column = C::read(first);
        *value = bytemuck::pod_read_unaligned(second);
    }
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    /// Goes from row to row the plain way.
    fn pass_plainly(layout: RowLayout, bytes: &[u8], bounds: Bounds) -> (u64, usize, Vec<usize>) {
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
    fn rows_alike_and_others_are_passed_as_one_by_one() {
        let mut random = Random::new(1);
        for case in 0..3000 {
            let layout = [RowLayout::Narrow, RowLayout::Wide][case % 2];
            let size = [1, 2, 4, 8][case / 2 % 4];
            let mut bytes = Vec::new();
            for _ in 0..random.below_u32(6) {
                // Those behind 16 alike are gone past eight at once.
                let count = random.below_u32(5);
                for _ in 0..random.below_u32(60) {
                    bytes.extend_from_slice(&u64::from(count).to_le_bytes()[..layout.width()]);
                    let len = bytes.len() + count as usize * (layout.width() + size);
                    // Neither are entries counts, nor would they do as such.
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
            let plainly = pass_plainly(layout, &bytes, bounds);
            assert_eq!((passed.rows, passed.bytes, ends), plainly, "case {case}");
        }
    }
}
