//! Dense matrices: two-dimensional arrays.

use std::ops::Range;

use nnz_container::matrix::{check_booleans, prepare};
use nnz_container::tree::NdArray;
use nnz_core::{
    ArrayAbout, At, Batch, Error, Majors, Order, Projection, Result, Shape, Unit, UnitReader,
    ValueType,
};

/// Cells in a piece, unless the rows of a chunk have more.
const PIECE: u64 = 1 << 16;

/// The largest number of cells in a piece.
const LARGEST: u64 = 1 << 22;

/// The largest number of cells of an array with missing chunks: a small file can have any number of
/// such cells.
const MOST_UNSTORED: u128 = 1 << 36;

/// A matrix with every cell stored, by row.
pub(super) struct Dense {
    array: Box<dyn NdArray>,
    value_type: ValueType,
    shape: Shape,
    /// Rows that are read at a time.
    rows: u64,
}

impl Dense {
    pub(super) fn open(array: Box<dyn NdArray>) -> Result<(Self, Shape)> {
        let &[rows, cols] = array.shape() else {
            let found = format!("{} dimensions", array.shape().len());
            return Err(Error::mismatch(array.place(), found, "two dimensions"));
        };
        let (shape, value_type) = (Shape { rows, cols }, array.value_type()?);
        if shape.cells() > MOST_UNSTORED && !array.is_fully_stored()? {
            let found = format!("{shape} cells with missing chunks");
            return Err(Error::mismatch(array.place(), found, "all chunks"));
        }
        let chunk = array.storage().chunk_shape.and_then(|chunk| chunk.first().copied());
        let chunk = chunk.unwrap_or(1).max(1);
        let most = (LARGEST / cols.max(1)).max(1);
        let whole = (PIECE / cols.max(1)).div_ceil(chunk).max(1).saturating_mul(chunk);
        Ok((Self { array, value_type, shape, rows: whole.min(most) }, shape))
    }

    pub(super) fn value_type(&self) -> ValueType {
        self.value_type
    }

    pub(super) fn array(&self) -> Result<ArrayAbout> {
        Ok(ArrayAbout {
            name: self.array.place().array.unwrap_or_default(),
            value_type: Some(self.value_type),
            len: u64::try_from(self.shape.cells()).ok(),
            bytes: ArrayAbout::size(self.array.stored_bytes())?,
        })
    }
}

/// Splits a range of rows into pieces.
pub(super) struct CellReader<'a> {
    source: &'a Dense,
    fields: Projection,
    /// The rows left to read, the first of which may be read in part.
    rows: Range<u64>,
    /// The first column of the next piece.
    col: u64,
}

impl<'a> CellReader<'a> {
    pub(super) fn new(source: &'a Dense, rows: Range<u64>, fields: Projection) -> Self {
        Self { source, fields, rows, col: 0 }
    }
}

impl<'a> UnitReader<'a> for CellReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let (source, fields) = (self.source, self.fields);
        let len = source.shape.cols;
        // Without cells the rows are skipped, because there may be 2^63.
        if self.rows.is_empty() || len == 0 {
            return Ok(None);
        }
        let first = self.rows.start;
        let (rows, cols) = if len > LARGEST {
            // A part of one row.
            let end = self.col.saturating_add(LARGEST).min(len);
            (first..first + 1, self.col..end)
        } else {
            // Pieces end at the ends of chunks.
            let end = (first / source.rows).saturating_add(1).saturating_mul(source.rows);
            (first..end.min(self.rows.end), 0..len)
        };
        self.col = cols.end % len;
        if self.col == 0 {
            self.rows.start = rows.end;
        }
        Ok(Some(Box::new(Piece { source, fields, rows, cols })))
    }
}

/// A rectangle of cells.
struct Piece<'a> {
    source: &'a Dense,
    fields: Projection,
    rows: Range<u64>,
    cols: Range<u64>,
}

impl Unit for Piece<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { source, fields, rows, cols } = *self;
        let (count, len) = (rows.end - rows.start, cols.end - cols.start);
        // No more than the largest piece.
        let (count, len) = (usize::try_from(count).unwrap_or(0), usize::try_from(len).unwrap_or(0));
        let starts = batch.minors.spans_mut();
        starts.resize(count, cols.start);
        if fields.values {
            let cells = (count as u64).saturating_mul(len as u64);
            let out = prepare(&mut batch.values, source.value_type, cells);
            source.array.read_bytes(&[rows.clone(), cols.clone()], out)?;
            let first = rows.start.saturating_mul(source.shape.cols).saturating_add(cols.start);
            let place = |at| source.array.place().at(At::Element(first.saturating_add(at)));
            check_booleans(&batch.values, place)?;
        }
        batch.order = Order::Row;
        batch.majors = Majors::Consecutive(rows.start);
        batch.offsets = (0..=count).map(|row| row.saturating_mul(len)).collect();
        Ok(())
    }
}
