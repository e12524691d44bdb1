//! Writing a dense matrix from entries by row or column.

use nnz_container::Compression;
use nnz_container::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use nnz_core::{At, Batch, Error, Header, Minors, Order, Result, Shape, ValueType, Values};

/// The length of chunks along both axes.
const CHUNK: u64 = 64;

/// The largest number of elements of the adjacent chunks along the minor axis, which are kept in
/// memory.
const LARGEST: u64 = 1 << 22;

/// Bytes that are appended at a time.
const BLOCK: usize = 256 << 10;

/// Returns the shape of chunks.
fn chunk(shape: Shape, order: Order) -> [u64; 2] {
    let most = (LARGEST / shape.minor(order).max(1)).clamp(1, CHUNK);
    let [rows, cols] = [shape.rows, shape.cols].map(|len| len.clamp(1, CHUNK));
    match order {
        Order::Row => [rows.min(most), cols],
        Order::Col => [rows, cols.min(most)],
    }
}

/// A dense matrix to which entries are appended in ascending order.
pub(crate) struct DenseWriter {
    array: NodeId,
    shape: Shape,
    order: Order,
    value_type: ValueType,
    /// Major and minor of the next element.
    next: (u64, u64),
    /// Elements that are not appended yet.
    block: Vec<u8>,
}

impl DenseWriter {
    /// Creates the array of a matrix.
    pub(crate) fn create(
        tree: &mut dyn TreeWriter,
        (group, name): (NodeId, &str),
        header: &Header,
        compression: Compression,
    ) -> Result<Self> {
        let Header { shape, order, value_type, .. } = *header;
        let spec = ArraySpec::new(ElementType::Number(value_type), &[shape.rows, shape.cols])
            .chunk(&chunk(shape, order))
            .max_shape(&[Some(shape.rows), None])
            .compress(compression);
        let spec = if order == Order::Col { spec.by_column() } else { spec };
        let array = tree.create_array(group, name, &spec)?;
        Ok(Self { array, shape, order, value_type, next: (0, 0), block: Vec::new() })
    }

    /// Returns the array.
    pub(crate) fn array(&self) -> NodeId {
        self.array
    }

    /// Appends the entries of a batch.
    pub(crate) fn put(&mut self, tree: &mut dyn TreeWriter, batch: &Batch) -> Result<()> {
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(batch.entries());
                &repeated
            }
            values => values,
        };
        let fits = values.value_type() == self.value_type && batch.order == self.order;
        if !fits || values.len() != Some(batch.entries()) {
            let found = format!("{:?} values of type {}", values.len(), values.value_type());
            let expected = format!("{} of type {}", batch.entries(), self.value_type);
            return Err(Error::mismatch(tree.place(self.array), found, expected));
        }
        let (size, bytes) = (self.value_type.size(), values.bytes());
        let spans = matches!(batch.minors, Minors::Spans(_));
        for run in 0..batch.runs() {
            let (major, entries) = (batch.majors.get(run), batch.run(run));
            let mut start = entries.start;
            while start < entries.end {
                let minor = batch.minor(run, start);
                let end = if spans { entries.end } else { start + 1 };
                let after = minor.saturating_add((end - start) as u64);
                self.fill_up_to(tree, major, minor, after)?;
                let elements = bytes.get(start * size..end * size).unwrap_or_default();
                self.append(tree, elements)?;
                self.next = (major, after);
                start = end;
            }
        }
        Ok(())
    }

    fn append(&mut self, tree: &mut dyn TreeWriter, elements: &[u8]) -> Result<()> {
        if elements.len() >= BLOCK {
            self.flush(tree)?;
            return tree.append_bytes(self.array, elements);
        }
        self.block.extend_from_slice(elements);
        if self.block.len() >= BLOCK { self.flush(tree) } else { Ok(()) }
    }

    fn flush(&mut self, tree: &mut dyn TreeWriter) -> Result<()> {
        tree.append_bytes(self.array, &self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Writes zeros before an element; `after` is the end of the elements that follow it.
    fn fill_up_to(
        &mut self,
        tree: &mut dyn TreeWriter,
        major: u64,
        minor: u64,
        after: u64,
    ) -> Result<()> {
        let (majors, minors) = (self.shape.major(self.order), self.shape.minor(self.order));
        let inside = major < majors && after <= minors;
        if !inside || (major, minor) < self.next {
            let [(row, col), (next_row, next_col)] =
                [(major, minor), self.next].map(|(major, minor)| self.order.row_col(major, minor));
            let place = tree.place(self.array).at(At::Entry { row, col });
            let expected = format!("row {next_row}, column {next_col} or later in {}", self.shape);
            return Err(Error::mismatch(place, "an element out of order", expected));
        }
        self.write_zeros(tree, major, minor)
    }

    fn write_zeros(&mut self, tree: &mut dyn TreeWriter, major: u64, minor: u64) -> Result<()> {
        let minors = self.shape.minor(self.order);
        let (from, at) = self.next;
        // The array has less than 2^64 elements.
        let elements =
            (major - from).saturating_mul(minors).saturating_add(minor).saturating_sub(at);
        let mut left = elements.saturating_mul(self.value_type.size() as u64);
        while left > 0 {
            let now = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK - self.block.len());
            self.block.resize(self.block.len() + now, 0);
            left -= now as u64;
            if self.block.len() >= BLOCK {
                self.flush(tree)?;
            }
        }
        self.next = (major, minor);
        Ok(())
    }

    /// Writes the remaining elements.
    pub(crate) fn finish(mut self, tree: &mut dyn TreeWriter) -> Result<()> {
        if !self.shape.is_empty() {
            let (major, minors) = (self.shape.major(self.order), self.shape.minor(self.order));
            self.write_zeros(tree, major - 1, minors)?;
        }
        self.flush(tree)?;
        tree.finish_array(self.array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_64_rows_and_columns_unless_memory_is_short() {
        let of = |rows, cols, order| chunk(Shape { rows, cols }, order);
        assert_eq!(of(30_000, 10_000, Order::Col), [64, 64]);
        assert_eq!(of(13, 9, Order::Row), [13, 9]);
        assert_eq!(of(0, 0, Order::Row), [1, 1]);
        assert_eq!(of(1 << 20, 1 << 20, Order::Col), [64, 4]);
        assert_eq!(of(1 << 20, 1 << 20, Order::Row), [4, 64]);
        assert_eq!(of(1 << 40, 5, Order::Col), [64, 1]);
    }
}
