//! How a sparse block lays out its rows.

use nnz_core::Element;

use crate::Dialect;

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

    /// Bytes that a block takes after its number of entries.
    pub(crate) fn bytes(self, rows: u128, entries: u128, size: u128) -> u128 {
        let width = self.width() as u128;
        let starts = if self == Self::Arrays { rows + 1 } else { rows };
        starts * width + entries * (width + size)
    }
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
    pub(crate) bytes: &'a [u8],
    pub(crate) count: usize,
}

/// What taking rows apart fills.
pub(crate) struct Apart<'a, T> {
    /// Where each row ends among the entries.
    pub(crate) offsets: &'a mut Vec<usize>,
    /// As long as there are entries.
    pub(crate) columns: &'a mut [u32],
    pub(crate) values: &'a mut [T],
}

impl Rows<'_> {
    /// Takes rows apart, and returns the largest column; `None` where they are not as long as they
    /// were found to be.
    pub(crate) fn split<T: Element>(self, layout: RowLayout, apart: Apart<'_, T>) -> Option<u32> {
        match layout {
            RowLayout::Narrow => self.split_as::<Narrow, T>(apart),
            RowLayout::Wide | RowLayout::Arrays => self.split_as::<Wide, T>(apart),
        }
    }

    fn split_as<C: Column, T: Element>(self, apart: Apart<'_, T>) -> Option<u32> {
        let Apart { offsets, mut columns, mut values } = apart;
        let mut bytes = self.bytes;
        let (mut largest, mut ended) = (0, 0);
        offsets.reserve(self.count);
        for _ in 0..self.count {
            let (word, rest) = bytes.split_at_checked(C::WIDTH)?;
            let stored = usize::try_from(C::read(word)).ok().filter(|&n| n <= columns.len())?;
            let len = stored.checked_mul(C::WIDTH + size_of::<T>())?;
            let (pairs, rest) = rest.split_at_checked(len)?;
            let (own, others) = columns.split_at_mut(stored);
            let (own_values, other_values) = values.split_at_mut_checked(stored)?;
            largest = largest.max(split::<C, T>(pairs, own, own_values));
            (bytes, columns, values) = (rest, others, other_values);
            ended += stored;
            offsets.push(ended);
        }
        (bytes.is_empty() && columns.is_empty()).then_some(largest)
    }
}

/// Takes pairs of column and value apart, and returns the largest column.
///
/// `columns` and `values` are as long as there are pairs.
pub(crate) fn split_pairs<T: Element>(
    layout: RowLayout,
    pairs: &[u8],
    columns: &mut [u32],
    values: &mut [T],
) -> u32 {
    match layout {
        RowLayout::Narrow => split::<Narrow, T>(pairs, columns, values),
        RowLayout::Wide | RowLayout::Arrays => split::<Wide, T>(pairs, columns, values),
    }
}

#[inline]
fn split<C: Column, T: Element>(pairs: &[u8], columns: &mut [u32], values: &mut [T]) -> u32 {
    let stride = C::WIDTH + size_of::<T>();
    let mut largest = 0;
    let places = columns.iter_mut().zip(values);
    for (pair, (column, value)) in pairs.chunks_exact(stride).zip(places) {
        let (first, second) = pair.split_at(C::WIDTH);
        *column = C::read(first);
        *value = bytemuck::pod_read_unaligned(second);
        largest = largest.max(*column);
    }
    largest
}
