//! `bsr`: dense blocks of equal size, by row of blocks.

use std::ops::Range;

use nnz_container::matrix::{Compressed, CompressedArrays, Indices, Vector};
use nnz_container::tree::{Group, NdArray};
use nnz_core::{
    ArrayAbout, Batch, Error, Order, Place, Projection, Result, Shape, Unit, UnitReader, ValueType,
    Values,
};

/// Elements in a unit, unless a block has more.
const ELEMENTS: u64 = 1 << 16;

/// The largest number of elements in a block; larger blocks would need too much memory.
const LARGEST: u64 = 1 << 22;

/// A matrix of dense blocks. Its elements are read block by block, each by row.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The positions of blocks, like entries of a matrix of blocks.
    places: Compressed,
    data: Box<dyn NdArray>,
    value_type: ValueType,
    /// The number of rows and columns of a block.
    block: [u64; 2],
    /// The number of rows of blocks.
    rows: u64,
    entries: u64,
}

impl Blocks {
    pub(super) fn open(file: &dyn Group, shape: Shape) -> Result<Self> {
        let data = file.array("data")?;
        let &[blocks, rows, cols] = data.shape() else {
            let found = format!("an array of {} dimensions", data.shape().len());
            return Err(Error::mismatch(data.place(), found, "3: block, row and column"));
        };
        let value_type = data.value_type()?;
        let block = Shape { rows, cols };
        if block.is_empty() || !shape.rows.is_multiple_of(rows) || !shape.cols.is_multiple_of(cols)
        {
            let place = Place::array(file.path(), "shape");
            let found = format!("{shape} in blocks of {block}");
            return Err(Error::mismatch(place, found, "a multiple of the size of blocks"));
        }
        let elements = u64::try_from(block.elements()).ok().filter(|elements| *elements <= LARGEST);
        let Some(elements) = elements else {
            let what = format!("blocks of {block} elements: at most {LARGEST} are supported");
            return Err(Error::unsupported(data.place(), what));
        };
        let arrays = CompressedArrays {
            pointers: Indices::open(file, "indptr")?,
            indices: Indices::open(file, "indices")?,
            values: Vector::zeros(blocks, data.place()),
        };
        let of_blocks = Shape { rows: shape.rows / rows, cols: shape.cols / cols };
        let places = Compressed::new(arrays, of_blocks, Order::Row)?
            .with_unit_entries(ELEMENTS / elements.clamp(1, ELEMENTS));
        let entries = places.entries().checked_mul(elements).ok_or_else(|| {
            let found = format!("{blocks} blocks of {block} elements");
            Error::mismatch(data.place(), found, "fewer than 2^64 elements")
        })?;
        let block = [rows, cols];
        Ok(Self { places, data, value_type, block, rows: of_blocks.rows, entries })
    }

    pub(super) fn value_type(&self) -> ValueType {
        self.value_type
    }

    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns whether rows never decrease, which requires blocks with one row.
    pub(super) fn is_sorted(&self) -> bool {
        self.block[0] == 1
    }

    pub(super) fn unused(&self) -> u64 {
        self.places.unused()
    }

    pub(super) fn about(&self) -> Result<Vec<ArrayAbout>> {
        let mut arrays = self.places.about()?;
        arrays.pop();
        let len = self.data.shape().iter().try_fold(1_u64, |all, &len| all.checked_mul(len));
        arrays.push(
            ArrayAbout::new(self.data.place().array.unwrap_or_default())
                .value_type(self.value_type)
                .len(len)
                .bytes(ArrayAbout::size(self.data.stored_bytes())?),
        );
        Ok(arrays)
    }

    pub(super) fn units(&self, fields: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let places = self.places.units(0..self.rows, Projection::MINORS)?;
        Ok(Box::new(Reader { matrix: self, fields, places, next: 0 }))
    }
}

struct Reader<'a> {
    matrix: &'a Blocks,
    fields: Projection,
    places: Box<dyn UnitReader<'a> + 'a>,
    /// The next block.
    next: u64,
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let Some(unit) = self.places.next_unit()? else { return Ok(None) };
        // Only a few, so they are read at once.
        let mut places = Batch::new(Order::Row, Values::default());
        unit.decode(&mut places)?;
        let start = self.next;
        self.next = start.saturating_add(places.entries() as u64);
        let (matrix, fields, blocks) = (self.matrix, self.fields, start..self.next);
        Ok(Some(Box::new(BlockUnit { matrix, fields, places, blocks })))
    }
}

/// Consecutive blocks.
struct BlockUnit<'a> {
    matrix: &'a Blocks,
    fields: Projection,
    places: Batch,
    blocks: Range<u64>,
}

impl Unit for BlockUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { matrix, fields, places, blocks } = *self;
        let [rows, cols] = matrix.block;
        // The size of a block is limited.
        let width = usize::try_from(cols).unwrap_or(usize::MAX);
        batch.order = Order::Row;
        batch.offsets.clear();
        batch.offsets.push(0);
        let mut end = 0;
        let majors = batch.majors.listed_mut();
        let starts = batch.minors.spans_mut();
        let listed = places.try_for_each(|_, row, col| {
            for inside in 0..rows {
                // Inside of the shape, because it consists of whole blocks.
                majors.push(row.saturating_mul(rows).saturating_add(inside));
                starts.push(col.saturating_mul(cols));
                end += width;
                batch.offsets.push(end);
            }
            Ok::<(), Error>(())
        });
        listed?;
        if fields.values {
            if batch.values.value_type() != matrix.value_type
                || matches!(batch.values, Values::Iso(_))
            {
                batch.values = Values::new(matrix.value_type);
            }
            let out = batch.values.resize_bytes(end);
            matrix.data.read_bytes(&[blocks, 0..rows, 0..cols], out)?;
        }
        Ok(())
    }
}
