//! How a sparse block lays out its rows.

use nnz_bitpack::{PairRows, part_pairs_of_32, part_pairs_of_64};
use nnz_core::Element;

use crate::Dialect;

/// Bytes that rows are looked at ahead.
const AHEAD: usize = 512;

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

    /// Goes from row to row as long as all of one is there and has what it may have. Tells of each how
    /// many entries there are up to its end.
    #[inline]
    pub(crate) fn pass(self, bytes: &[u8], bounds: Bounds, each: impl FnMut(usize)) -> Passed {
        match self {
            Self::Narrow => pass::<Narrow>(bytes, bounds, each),
            Self::Wide | Self::Arrays => pass::<Wide>(bytes, bounds, each),
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
    pub(crate) entries: usize,
    pub(crate) bytes: usize,
}

#[inline]
fn pass<C: Column>(bytes: &[u8], bounds: Bounds, mut each: impl FnMut(usize)) -> Passed {
    let stride = C::WIDTH + bounds.size;
    let mut passed = Passed::default();
    let mut seen = 0;
    while passed.rows < bounds.rows {
        let Some(count) = bytes.get(passed.bytes..passed.bytes + C::WIDTH) else { break };
        let count = C::read(count);
        if count > bounds.entries {
            break;
        }
        // Each row is found from the one before, too late for its bytes to be brought nearer. Looking
        // at bytes farther on brings them.
        seen ^= bytes.get(passed.bytes + AHEAD).copied().unwrap_or(0);
        let end = passed.bytes as u64 + (C::WIDTH as u64 + u64::from(count) * stride as u64);
        let Some(end) = usize::try_from(end).ok().filter(|&end| end <= bytes.len()) else { break };
        passed.bytes = end;
        passed.entries += count as usize;
        passed.rows += 1;
        each(passed.entries);
    }
    std::hint::black_box(seen);
    passed
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
                part_pairs_of_32(rows, columns, bytemuck::cast_slice_mut(values))
            }
            (RowLayout::Narrow, 8) => {
                part_pairs_of_64(rows, columns, bytemuck::cast_slice_mut(values))
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
