//! Writing every element of a matrix, by row or by column.

use nnz_core::{
    At, Batch, Error, Header, MatrixSink, Minors, Order, Place, Result, Scalar, Shape, ValueType,
    Values, Written,
};

/// Elements that are written at a time.
const BLOCK: usize = 4096;

/// The output of elements.
pub(crate) trait DenseOutput: Send {
    /// Appends elements in native byte order.
    fn append(&mut self, bytes: &[u8]) -> Result<()>;

    /// Completes the array and returns the size of the file.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// A sink that writes a dense array by row or by column.
pub struct DenseSink {
    out: Box<dyn DenseOutput>,
    place: Place,
    order: Order,
    shape: Shape,
    value_type: ValueType,
    /// The next element to be written, as major and minor.
    next: (u64, u64),
    /// A block of elements without an entry.
    fill_block: Vec<u8>,
}

impl std::fmt::Debug for DenseSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DenseSink").field("place", &self.place).finish_non_exhaustive()
    }
}

/// Returns a block of elements without an entry.
pub(crate) fn fill_block(header: &Header) -> Result<Vec<u8>> {
    let zero = || Values::try_zeroed(header.value_type, 1).and_then(|zero| zero.get(0));
    let fill: Option<Scalar> = header.fill.or_else(zero);
    let block = fill.map(|fill| fill.repeat(BLOCK).bytes().to_vec()).unwrap_or_default();
    if block.len() != BLOCK * header.value_type.size() {
        return Err(Error::argument("the fill value and the values have different types"));
    }
    Ok(block)
}

impl DenseSink {
    /// Starts a matrix in the order of its header.
    pub(crate) fn new(
        out: Box<dyn DenseOutput>,
        header: &Header,
        fill_block: Vec<u8>,
        place: Place,
    ) -> Self {
        let Header { shape, order, value_type, .. } = *header;
        Self { out, place, order, shape, value_type, next: (0, 0), fill_block }
    }

    /// Writes the elements before a position.
    fn fill_up_to(&mut self, major: u64, minor: u64) -> Result<()> {
        let inside = major < self.shape.major(self.order) && minor < self.shape.minor(self.order);
        if !inside || (major, minor) < self.next {
            let (row, col) = self.order.row_col(major, minor);
            let place = self.place.clone().at(At::Entry { row, col });
            let (next_row, next_col) = self.order.row_col(self.next.0, self.next.1);
            let expected = format!("row {next_row}, column {next_col} or later in {}", self.shape);
            return Err(Error::mismatch(place, "an element out of order", expected));
        }
        self.write_fill_elements(major, minor)
    }

    fn write_fill_elements(&mut self, major: u64, minor: u64) -> Result<()> {
        // The number of elements fits into 64 bits.
        let majors = (major - self.next.0).saturating_mul(self.shape.minor(self.order));
        let mut count = majors.saturating_add(minor).saturating_sub(self.next.1);
        while count > 0 {
            let now = usize::try_from(count).unwrap_or(BLOCK).min(BLOCK);
            let bytes = now * self.value_type.size();
            self.out.append(self.fill_block.get(..bytes).unwrap_or_default())?;
            count -= now as u64;
        }
        self.next = (major, minor);
        Ok(())
    }
}

impl MatrixSink for DenseSink {
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
            return Err(Error::mismatch(self.place.clone(), found, expected));
        }
        let (size, bytes) = (self.value_type.size(), values.bytes());
        let spans = matches!(batch.minors, Minors::Spans(_));
        let minors = self.shape.minor(self.order);
        for run in 0..batch.runs() {
            let (major, entries) = (batch.majors.get(run), batch.run(run));
            let mut start = entries.start;
            while start < entries.end {
                let minor = batch.minor(run, start);
                let mut end = if spans { entries.end } else { start + 1 };
                while end < entries.end && batch.minor(run, end) == minor + (end - start) as u64 {
                    end += 1;
                }
                self.fill_up_to(major, minor)?;
                let after = minor.saturating_add((end - start) as u64);
                if after > minors {
                    self.fill_up_to(major, after - 1)?;
                }
                self.out.append(bytes.get(start * size..end * size).unwrap_or_default())?;
                self.next = (major, after);
                start = end;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        if !self.shape.is_empty() {
            let (majors, minors) = (self.shape.major(self.order), self.shape.minor(self.order));
            self.write_fill_elements(majors - 1, minors)?;
        }
        self.out.finish().map(Written::new)
    }
}
