//! Writing a dense matrix in C order.

use std::path::{Path, PathBuf};

use nnz_container::npy::NpyFileWriter;
use nnz_core::{
    At, Batch, Error, Header, MatrixSink, Minors, Order, Place, Result, Scalar, Shape,
    SinkCapabilities, ValueType, Values, Written,
};
use nnz_storage::staging::WriteOptions;

/// What an array can store.
pub const CAPABILITIES: SinkCapabilities = SinkCapabilities {
    fill: true,
    unique: true,
    dense: true,
    ..SinkCapabilities::new(&[Order::Row], ValueType::ALL)
};

/// Cells that are written at a time.
const BLOCK: usize = 4096;

/// A sink that writes a dense array by row.
pub struct NpySink {
    out: NpyFileWriter,
    path: PathBuf,
    shape: Shape,
    value_type: ValueType,
    /// The next cell to be written.
    next: (u64, u64),
    /// A block of cells without an entry.
    fill_block: Vec<u8>,
}

impl std::fmt::Debug for NpySink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NpySink").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Creates an array with the shape and value type of `header`, whose order must be by row.
///
/// # Errors
///
/// Fails if it has 2^64 bytes or more, or if the target must not be replaced or cannot be written.
pub fn create(path: &Path, header: &Header, write: WriteOptions) -> Result<NpySink> {
    let (shape, value_type) = (header.shape, header.value_type);
    if header.order != Order::Row {
        let found = format!("entries by {}", header.order);
        return Err(Error::mismatch(Place::path(path), found, "entries by row"));
    }
    let zero = || Values::try_zeroed(value_type, 1).and_then(|zero| zero.get(0));
    let fill: Option<Scalar> = header.fill.or_else(zero);
    let fill_block = fill.map(|fill| fill.repeat(BLOCK).bytes().to_vec()).unwrap_or_default();
    if fill_block.len() != BLOCK * value_type.size() {
        return Err(Error::argument("a fill value of another type than the values"));
    }
    let out = NpyFileWriter::create(path, value_type, &[shape.rows, shape.cols], write)?;
    Ok(NpySink { out, path: path.to_path_buf(), shape, value_type, next: (0, 0), fill_block })
}

impl NpySink {
    /// Writes the cells before a position.
    fn fill_up_to(&mut self, row: u64, col: u64) -> Result<()> {
        let inside = row < self.shape.rows && col < self.shape.cols;
        if !inside || (row, col) < self.next {
            let place = Place::path(&*self.path).at(At::Entry { row, col });
            let (next_row, next_col) = self.next;
            let expected = format!("row {next_row}, column {next_col} or later in {}", self.shape);
            return Err(Error::mismatch(place, "a cell out of order", expected));
        }
        self.write_fill_cells(row, col)
    }

    fn write_fill_cells(&mut self, row: u64, col: u64) -> Result<()> {
        // The number of cells fits into 64 bits.
        let rows = (row - self.next.0).saturating_mul(self.shape.cols);
        let mut count = rows.saturating_add(col).saturating_sub(self.next.1);
        while count > 0 {
            let now = usize::try_from(count).unwrap_or(BLOCK).min(BLOCK);
            let bytes = now * self.value_type.size();
            self.out.append(self.fill_block.get(..bytes).unwrap_or_default())?;
            count -= now as u64;
        }
        self.next = (row, col);
        Ok(())
    }
}

impl MatrixSink for NpySink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(batch.entries());
                &repeated
            }
            values => values,
        };
        if values.value_type() != self.value_type || values.len() != Some(batch.entries()) {
            let found = format!("{:?} values of type {}", values.len(), values.value_type());
            let expected = format!("{} of type {}", batch.entries(), self.value_type);
            return Err(Error::mismatch(Place::path(&*self.path), found, expected));
        }
        let (size, bytes) = (self.value_type.size(), values.bytes());
        let spans = matches!(batch.minors, Minors::Spans(_));
        for run in 0..batch.runs() {
            let (row, entries) = (batch.majors.get(run), batch.run(run));
            let mut start = entries.start;
            while start < entries.end {
                let col = batch.minor(run, start);
                let mut end = if spans { entries.end } else { start + 1 };
                while end < entries.end && batch.minor(run, end) == col + (end - start) as u64 {
                    end += 1;
                }
                self.fill_up_to(row, col)?;
                let after = col.saturating_add((end - start) as u64);
                if after > self.shape.cols {
                    self.fill_up_to(row, after - 1)?;
                }
                self.out.append(bytes.get(start * size..end * size).unwrap_or_default())?;
                self.next = (row, after);
                start = end;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        if !self.shape.is_empty() {
            self.write_fill_cells(self.shape.rows - 1, self.shape.cols)?;
        }
        self.out.finish().map(|bytes| Written { bytes })
    }
}
