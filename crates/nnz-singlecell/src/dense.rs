//! Dense matrices: two-dimensional arrays.

use std::ops::Range;
use std::sync::Arc;

use nnz_container::matrix::{check_booleans, prepare};
use nnz_container::tree::{ElementType, NdArray};
use nnz_core::{
    ArrayAbout, At, Batch, Error, Majors, Order, Place, Projection, Result, Shape, Unit,
    UnitReader, ValueType,
};

use crate::covers::Covers;

/// Elements in a piece, unless the majors of a chunk have more.
const PIECE: u64 = 1 << 16;

/// The largest number of elements in a piece.
const LARGEST: u64 = 1 << 22;

/// The largest number of elements of an array with missing chunks: a small file can have any number of
/// such elements.
const MOST_UNSTORED: u128 = 1 << 36;

/// A matrix with every element stored, which is read by rows or columns.
pub(crate) struct Dense {
    array: Box<dyn NdArray>,
    value_type: ValueType,
    shape: Shape,
    order: Order,
    /// The shape of a chunk; 1 x 1 if there are none.
    chunk: [u64; 2],
    is_chunked: bool,
}

impl Dense {
    /// Opens an array, to be read by row.
    pub(crate) fn open(array: Box<dyn NdArray>) -> Result<(Self, Shape)> {
        Self::with_order(array, |_, _| Order::Row)
    }

    /// Opens an array, to be read by column if the chunks of a few columns fit into memory, so that
    /// each chunk is decoded once.
    pub(crate) fn by_column(array: Box<dyn NdArray>) -> Result<(Self, Shape)> {
        Self::with_order(array, |shape, chunk| {
            let Some([rows, cols]) = chunk else { return Order::Row };
            let whole_rows = cols >= shape.cols && rows < shape.rows;
            let fits = |minors: u64, majors: u64| minors.saturating_mul(majors) <= LARGEST;
            let by_row = !fits(shape.rows, cols) && fits(shape.cols, rows);
            if whole_rows || by_row { Order::Row } else { Order::Col }
        })
    }

    fn with_order(
        array: Box<dyn NdArray>,
        choose: impl FnOnce(Shape, Option<[u64; 2]>) -> Order,
    ) -> Result<(Self, Shape)> {
        let &[rows, cols] = array.shape() else {
            let found = format!("{} dimensions", array.shape().len());
            return Err(Error::mismatch(array.place(), found, "two dimensions"));
        };
        if let ElementType::Time(time) = array.element_type() {
            let what = format!("matrices of {time} are not supported");
            return Err(Error::unsupported(array.place(), what));
        }
        let (shape, value_type) = (Shape { rows, cols }, array.value_type()?);
        if shape.elements() > MOST_UNSTORED && !array.is_fully_stored()? {
            let found = format!("{shape} elements with missing chunks");
            return Err(Error::mismatch(array.place(), found, "all chunks"));
        }
        let chunk = array.storage().chunk_shape.and_then(|chunk| <[u64; 2]>::try_from(chunk).ok());
        let order = choose(shape, chunk);
        let is_chunked = chunk.is_some();
        let chunk = chunk.unwrap_or([1, 1]).map(|len| len.max(1));
        Ok((Self { array, value_type, shape, order, chunk, is_chunked }, shape))
    }

    /// Returns the number of majors that are read at a time, if so many minors are read of each.
    fn step(&self, minors: u64) -> u64 {
        let ((along, _), minors) = (self.chunk_by_order(), minors.max(1));
        let most = (LARGEST / minors).max(1);
        let whole = (PIECE / minors).div_ceil(along).max(1).saturating_mul(along);
        whole.min(most)
    }

    /// Returns the lengths of a chunk along majors and minors.
    fn chunk_by_order(&self) -> (u64, u64) {
        let [rows, cols] = self.chunk;
        if self.order == Order::Row { (rows, cols) } else { (cols, rows) }
    }

    pub(crate) fn value_type(&self) -> ValueType {
        self.value_type
    }

    pub(crate) fn order(&self) -> Order {
        self.order
    }

    pub(crate) fn array(&self) -> Result<ArrayAbout> {
        Ok(ArrayAbout::new(self.array.place().array.unwrap_or_default())
            .value_type(self.value_type)
            .len(u64::try_from(self.shape.elements()).ok())
            .bytes(ArrayAbout::size(self.array.stored_bytes())?))
    }
}

/// Splits a range of majors into pieces.
pub(crate) struct DenseReader<'a> {
    source: &'a Dense,
    fields: Projection,
    /// The majors left to read, the first of which may be read in part.
    majors: Range<u64>,
    /// The first minor of the next piece.
    minor: u64,
    /// Majors that are read at a time.
    step: u64,
    /// The minors to read, if not all.
    covers: Option<Arc<Covers>>,
}

impl<'a> DenseReader<'a> {
    pub(crate) fn new(source: &'a Dense, majors: Range<u64>, fields: Projection) -> Self {
        let step = source.step(source.shape.minor(source.order));
        Self { source, fields, majors, minor: 0, step, covers: None }
    }

    /// Reads only the chunks with some of the minors; `None` if that is not less work.
    pub(crate) fn within(
        source: &'a Dense,
        majors: Range<u64>,
        minors: &[Range<u64>],
        fields: Projection,
    ) -> Option<Self> {
        let (_, across) = source.chunk_by_order();
        let covers = Covers::new(minors, across);
        let (count, len) = (covers.len(), source.shape.minor(source.order));
        let inside = covers.ranges().last().is_none_or(|last| last.end <= len);
        if !source.is_chunked || !inside || count == 0 || count >= len || count > LARGEST {
            return None;
        }
        let step = source.step(count);
        Some(Self { source, fields, majors, minor: 0, step, covers: Some(Arc::new(covers)) })
    }
}

impl<'a> UnitReader<'a> for DenseReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let (source, fields) = (self.source, self.fields);
        let len = source.shape.minor(source.order);
        // Without elements the majors are skipped, because there may be 2^63.
        if self.majors.is_empty() || len == 0 {
            return Ok(None);
        }
        let first = self.majors.start;
        // Pieces end at the ends of chunks.
        let end = (first / self.step).saturating_add(1).saturating_mul(self.step);
        let end = end.min(self.majors.end);
        if let Some(covers) = &self.covers {
            self.majors.start = end;
            let covers = Arc::clone(covers);
            return Ok(Some(Box::new(CoveredBlock { source, fields, majors: first..end, covers })));
        }
        let (majors, minors) = if len > LARGEST {
            // A part of one major.
            let end = self.minor.saturating_add(LARGEST).min(len);
            (first..first + 1, self.minor..end)
        } else {
            (first..end, 0..len)
        };
        self.minor = minors.end % len;
        if self.minor == 0 {
            self.majors.start = majors.end;
        }
        Ok(Some(Box::new(DenseBlock { source, fields, majors, minors })))
    }
}

/// A rectangle of elements.
struct DenseBlock<'a> {
    source: &'a Dense,
    fields: Projection,
    majors: Range<u64>,
    minors: Range<u64>,
}

impl Unit for DenseBlock<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { source, fields, majors, minors } = *self;
        let (count, len) = (majors.end - majors.start, minors.end - minors.start);
        // No more than the largest piece.
        let (count, len) = (usize::try_from(count).unwrap_or(0), usize::try_from(len).unwrap_or(0));
        let starts = batch.minors.spans_mut();
        starts.resize(count, minors.start);
        if fields.values {
            let elements = (count as u64).saturating_mul(len as u64);
            let out = prepare(&mut batch.values, source.value_type, elements);
            source.read(majors.clone(), minors.clone(), out)?;
            let place = |at: u64| {
                let (major, minor) = (at / len.max(1) as u64, at % len.max(1) as u64);
                source.place(majors.start + major, minors.start + minor)
            };
            check_booleans(&batch.values, place)?;
        }
        source.set_runs(batch, majors.start, count, len);
        Ok(())
    }
}

/// Majors of which some minors are read.
struct CoveredBlock<'a> {
    source: &'a Dense,
    fields: Projection,
    majors: Range<u64>,
    covers: Arc<Covers>,
}

impl Unit for CoveredBlock<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { source, fields, majors, covers } = *self;
        // No more than the largest piece.
        let (count, len) = (majors.end - majors.start, covers.len());
        let (count, len) = (usize::try_from(count).unwrap_or(0), usize::try_from(len).unwrap_or(0));
        match covers.ranges() {
            [only] => batch.minors.spans_mut().resize(count, only.start),
            _ if source.shape.minor(source.order) <= 1 << 32 => {
                let minors = batch.minors.u32_mut();
                let narrow = |minor| u32::try_from(minor).unwrap_or(u32::MAX);
                (0..count).for_each(|_| minors.extend(covers.positions().map(narrow)));
            }
            _ => {
                let minors = batch.minors.u64_mut();
                (0..count).for_each(|_| minors.extend(covers.positions()));
            }
        }
        if fields.values {
            let elements = (count as u64).saturating_mul(len as u64);
            let out = prepare(&mut batch.values, source.value_type, elements);
            let read = |minors, part: &mut [u8]| source.read(majors.clone(), minors, part);
            covers.read(source.value_type.size(), out, read)?;
            let place = |at: u64| {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                let (major, minor) = (at / len.max(1), at % len.max(1));
                let minor = covers.positions().nth(minor).unwrap_or(0);
                source.place(majors.start + major as u64, minor)
            };
            check_booleans(&batch.values, place)?;
        }
        source.set_runs(batch, majors.start, count, len);
        Ok(())
    }
}

impl Dense {
    /// Returns the location of an element.
    fn place(&self, major: u64, minor: u64) -> Place {
        let (row, col) = self.order.row_col(major, minor);
        let element = row.saturating_mul(self.shape.cols).saturating_add(col);
        self.array.place().at(At::Element(element))
    }

    /// Sets the runs of a batch: `count` majors with `len` entries each.
    fn set_runs(&self, batch: &mut Batch, first: u64, count: usize, len: usize) {
        batch.order = self.order;
        batch.majors = Majors::Consecutive(first);
        batch.offsets = (0..=count).map(|major| major.saturating_mul(len)).collect();
    }

    /// Reads a rectangle by major.
    fn read(&self, majors: Range<u64>, minors: Range<u64>, out: &mut [u8]) -> Result<()> {
        match self.order {
            Order::Row => self.array.read_bytes(&[majors, minors], out),
            Order::Col => self.read_columns(majors, minors, out),
        }
    }

    /// Reads a rectangle by column. The rows of a chunk are read at a time, which stay in the cache.
    fn read_columns(&self, cols: Range<u64>, rows: Range<u64>, out: &mut [u8]) -> Result<()> {
        let size = self.value_type.size();
        let narrow = |len: u64| usize::try_from(len).unwrap_or(0);
        let (width, height) = (narrow(cols.end - cols.start), narrow(rows.end - rows.start));
        let [chunk_rows, _] = self.chunk;
        let mut strip = Vec::new();
        let mut start = rows.start;
        while start < rows.end {
            let end = (start / chunk_rows).saturating_add(1).saturating_mul(chunk_rows);
            let end = end.min(rows.end);
            // A part of the piece.
            strip.resize(narrow(end - start).saturating_mul(width).saturating_mul(size), 0);
            self.array.read_bytes(&[start..end, cols.clone()], &mut strip)?;
            let first = narrow(start - rows.start);
            match size {
                1 => scatter::<1>(&strip, width, out, height, first),
                2 => scatter::<2>(&strip, width, out, height, first),
                4 => scatter::<4>(&strip, width, out, height, first),
                8 => scatter::<8>(&strip, width, out, height, first),
                _ => scatter::<16>(&strip, width, out, height, first),
            }
            start = end;
        }
        Ok(())
    }
}

/// Copies rows of `width` elements of `N` bytes into columns of `height` elements, from row `first`
/// on.
fn scatter<const N: usize>(
    rows: &[u8],
    width: usize,
    columns: &mut [u8],
    height: usize,
    first: usize,
) {
    let (rows, _) = rows.as_chunks::<N>();
    let (columns, _) = columns.as_chunks_mut::<N>();
    if width == 0 || height == 0 {
        return;
    }
    for (col, column) in columns.chunks_exact_mut(height).enumerate() {
        let elements = rows.iter().skip(col).step_by(width);
        let places = column.iter_mut().skip(first);
        places.zip(elements).for_each(|(place, element)| *place = *element);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        // Two rows of three elements of two bytes, as rows 1 and 2 of columns of four.
        let rows = [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0];
        let mut columns = [9; 24];
        scatter::<2>(&rows, 3, &mut columns, 4, 1);
        let expected = [
            9, 9, 1, 0, 4, 0, 9, 9, // column 0
            9, 9, 2, 0, 5, 0, 9, 9, // column 1
            9, 9, 3, 0, 6, 0, 9, 9, // column 2
        ];
        assert_eq!(columns, expected);
    }
}
