//! `dia`: diagonals, all stored with the same length.

use std::ops::Range;

use nnz_container::matrix::Vector;
use nnz_container::tree::{Group, NdArray};
use nnz_core::{
    ArrayAbout, At, Batch, Error, Minors, Order, Projection, Result, Shape, Unit, UnitReader,
    ValueType, Values,
};

use super::layout::signed;

/// Elements in a unit.
const ELEMENTS: u64 = 1 << 16;

/// The largest number of diagonals.
const MOST: u64 = 1 << 22;

/// The longest axis whose indices all fit into 32 bits.
const NARROW: u64 = 1 << 32;

/// A matrix of diagonals. Its elements are read diagonal by diagonal: those inside the matrix and the
/// width of `data`. Element (k, j) of `data` is the element in column j of diagonal k.
#[derive(Debug)]
pub(super) struct Diagonals {
    data: Box<dyn NdArray>,
    offsets: Vector,
    value_type: ValueType,
    cols: u64,
    /// The diagonals with elements in the matrix: their number, their offset, and their columns.
    diagonals: Vec<Diagonal>,
    entries: u64,
}

#[derive(Clone, Debug)]
struct Diagonal {
    number: u64,
    /// The column of the element in row 0.
    offset: i128,
    cols: Range<u64>,
}

impl Diagonals {
    pub(super) fn open(file: &dyn Group, shape: Shape) -> Result<Self> {
        let data = file.array("data")?;
        let &[count, width] = data.shape() else {
            let found = format!("an array of {} dimensions", data.shape().len());
            return Err(Error::mismatch(data.place(), found, "two: a row for each diagonal"));
        };
        let value_type = data.value_type()?;
        let offsets = Vector::open(file, "offsets")?;
        if offsets.len() != count {
            let found = format!("{} offsets", offsets.len());
            let expected = format!("{count}, one for each row of data");
            return Err(Error::mismatch(offsets.place(), found, expected));
        }
        if count > MOST {
            let what = format!("{count} diagonals: at most {MOST} are supported");
            return Err(Error::unsupported(offsets.place(), what));
        }
        let mut diagonals = Vec::new();
        let mut entries = 0_u64;
        for (number, offset) in (0..).zip(read_offsets(&offsets)?) {
            // Columns in the matrix, in `data`, and of existing rows.
            let end = i128::from(shape.cols).min(i128::from(width));
            let end = end.min(i128::from(shape.rows).saturating_add(offset));
            let column = |at: i128| u64::try_from(at.max(0)).unwrap_or(u64::MAX);
            let cols = column(offset)..column(end);
            if !cols.is_empty() {
                entries = entries.saturating_add(cols.end - cols.start);
                diagonals.push(Diagonal { number, offset, cols });
            }
        }
        let cols = shape.cols;
        Ok(Self { data, offsets, value_type, cols, diagonals, entries })
    }

    pub(super) fn value_type(&self) -> ValueType {
        self.value_type
    }

    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns whether rows never decrease.
    pub(super) fn is_sorted(&self) -> bool {
        self.diagonals.len() <= 1
    }

    pub(super) fn about(&self) -> Result<Vec<ArrayAbout>> {
        let len = self.data.shape().iter().try_fold(1_u64, |all, &len| all.checked_mul(len));
        let data = ArrayAbout::new(self.data.place().array.unwrap_or_default())
            .value_type(self.value_type)
            .len(len)
            .bytes(ArrayAbout::size(self.data.stored_bytes())?);
        Ok(vec![self.offsets.about()?, data])
    }

    pub(super) fn units(&self, fields: Projection) -> Box<dyn UnitReader<'_> + '_> {
        Box::new(Reader { matrix: self, fields, diagonal: 0, done: 0 })
    }
}

/// Reads the offsets of all diagonals, which must be unique.
fn read_offsets(vector: &Vector) -> Result<Vec<i128>> {
    let mut values = Values::new(vector.value_type());
    vector.read(0..vector.len(), &mut values)?;
    let count = usize::try_from(vector.len()).unwrap_or(0);
    let read = |at| values.get(at).and_then(signed);
    let offsets: Option<Vec<i128>> = (0..count).map(read).collect();
    let Some(offsets) = offsets else {
        let found = format!("elements of type {}", vector.value_type());
        return Err(Error::mismatch(vector.place(), found, "integers"));
    };
    let mut sorted: Vec<(i128, u64)> = offsets.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(offsets),
        Some(pair) => {
            let place = vector.place().at(At::Element(pair[1].1));
            Err(Error::mismatch(
                place,
                format!("the duplicate offset {}", pair[1].0),
                "unique offsets",
            ))
        }
    }
}

struct Reader<'a> {
    matrix: &'a Diagonals,
    fields: Projection,
    /// The next diagonal, and the number of its elements already read.
    diagonal: usize,
    done: u64,
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let mut parts = Vec::new();
        let mut left = ELEMENTS;
        while let Some(diagonal) = self.matrix.diagonals.get(self.diagonal).filter(|_| left > 0) {
            let start = diagonal.cols.start + self.done;
            let count = left.min(diagonal.cols.end - start);
            let end = start + count;
            parts.push(Diagonal { cols: start..end, ..diagonal.clone() });
            left -= count;
            self.done += count;
            if end == diagonal.cols.end {
                self.diagonal += 1;
                self.done = 0;
            }
        }
        let (matrix, fields) = (self.matrix, self.fields);
        let unit = (!parts.is_empty()).then_some(DiagonalUnit { matrix, fields, parts });
        Ok(unit.map(|unit| Box::new(unit) as Box<dyn Unit + 'a>))
    }
}

/// Parts of consecutive diagonals.
struct DiagonalUnit<'a> {
    matrix: &'a Diagonals,
    fields: Projection,
    parts: Vec<Diagonal>,
}

impl Unit for DiagonalUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { matrix, fields, parts } = *self;
        let elements =
            || parts.iter().flat_map(|part| part.cols.clone().map(move |col| (part, col)));
        // Elements are in the matrix, so the row is not negative.
        let row = |(part, col): (&Diagonal, u64)| {
            u64::try_from(i128::from(col) - part.offset).unwrap_or(0)
        };
        let majors = batch.majors.listed_mut();
        majors.extend(elements().map(row));
        let count = majors.len();
        batch.order = Order::Row;
        batch.offsets.clear();
        batch.offsets.extend(0..=count);
        if matrix.cols <= NARROW {
            let narrow = |(_, col)| u32::try_from(col).unwrap_or(u32::MAX);
            batch.minors.u32_mut().extend(elements().map(narrow));
        } else {
            batch.minors = Minors::U64(elements().map(|(_, col)| col).collect());
        }
        if fields.values {
            if batch.values.value_type() != matrix.value_type
                || matches!(batch.values, Values::Iso(_))
            {
                batch.values = Values::new(matrix.value_type);
            }
            let size = matrix.value_type.size();
            let mut out = batch.values.resize_bytes(count);
            for part in &parts {
                let elements =
                    usize::try_from(part.cols.end - part.cols.start).unwrap_or(usize::MAX);
                let (here, rest) = out.split_at_mut(elements.saturating_mul(size).min(out.len()));
                let selection = [part.number..part.number + 1, part.cols.clone()];
                matrix.data.read_bytes(&selection, here)?;
                out = rest;
            }
        }
        Ok(())
    }
}
