//! Writing a sparse matrix into a group of a tree.

use std::sync::Arc;

use nnz_container::tree::NodeId;
use nnz_core::{Error, Header, Order, Result, ValueType};

use super::encode::{EncodedBatch, MatrixEncoder};
use super::output::{Array, Group, Output};

/// A sparse matrix being written. The entries of a major may be in any order.
pub(super) struct MatrixWriter {
    encoder: Arc<MatrixEncoder>,
    group: Group,
    data: Array,
    indices: Array,
    indptr: Array,
    /// The number of pointers written, and of majors.
    pointers: u64,
    majors: u64,
    entries: u64,
}

impl MatrixWriter {
    /// Creates a matrix as a member of a group.
    pub(super) fn new(
        output: &mut Output,
        parent: Group,
        name: &str,
        header: &Header,
    ) -> Result<Self> {
        let matrix = output.group(parent, name)?;
        let kind = match header.order {
            Order::Row => "csr_matrix",
            Order::Col => "csc_matrix",
        };
        output.encode(matrix, kind, "0.1.0")?;
        let shape = [header.shape.rows, header.shape.cols].map(i64::try_from);
        let [Ok(rows), Ok(cols)] = shape else {
            let what =
                format!("AnnData has fewer than 2^63 rows and columns, not {}", header.shape);
            return Err(Error::argument(what));
        };
        output.set_numbers(matrix, "shape", &[rows, cols])?;
        let index_type = index_type(header);
        let majors = header.shape.major(header.order);
        let data = output.growing(matrix, "data", header.value_type, header.nnz)?;
        let indices = output.growing(matrix, "indices", index_type, header.nnz)?;
        let indptr = output.growing(matrix, "indptr", index_type, majors.checked_add(1))?;
        let encoder = Arc::new(MatrixEncoder { index_type, header: header.clone() });
        let group = matrix;
        Ok(Self { encoder, group, data, indices, indptr, pointers: 0, majors, entries: 0 })
    }

    /// Returns the group, and its arrays: `data`, `indices` and `indptr`.
    pub(super) fn nodes(&self) -> (NodeId, [NodeId; 3]) {
        (self.group.0, [self.data, self.indices, self.indptr].map(|array| array.0))
    }

    /// Returns the encoder of batches.
    pub(super) fn encoder(&self) -> Arc<MatrixEncoder> {
        Arc::clone(&self.encoder)
    }

    /// Returns the number of entries so far.
    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Writes the pointers of majors up to the next one with entries, or of all.
    fn point_to(&mut self, output: &mut Output, end: u64) -> Result<()> {
        /// Pointers that are written at a time.
        const BLOCK: u64 = 1 << 13;
        while self.pointers < end {
            let count = (end - self.pointers).min(BLOCK);
            let bytes = self.encoder.pointers(self.entries, count)?;
            output.append(self.indptr, &bytes)?;
            self.pointers += count;
        }
        Ok(())
    }

    /// Appends entries.
    pub(super) fn put(&mut self, output: &mut Output, batch: &EncodedBatch) -> Result<()> {
        for (major, count) in &batch.runs {
            if *major >= self.majors || major.saturating_add(1) < self.pointers {
                let what = format!("major {major} of {} is out of order", self.majors);
                return Err(Error::argument(what));
            }
            self.point_to(output, major + 1)?;
            self.entries = self.entries.saturating_add(*count);
        }
        output.append(self.indices, &batch.indices)?;
        output.append(self.data, &batch.values)
    }

    /// Writes the remaining pointers.
    pub(super) fn finish(mut self, output: &mut Output) -> Result<()> {
        self.point_to(output, self.majors.saturating_add(1))?;
        [self.data, self.indices, self.indptr]
            .into_iter()
            .try_for_each(|array| output.finish_array(array))
    }
}

/// Returns the type of `indices` and `indptr`, which must be the same for SciPy.
fn index_type(header: &Header) -> ValueType {
    const MOST: u64 = 1 << 31;
    let few = match header.nnz {
        Some(nnz) => nnz < MOST,
        None => header.shape.elements() < MOST.into(),
    };
    if few && header.shape.rows < MOST && header.shape.cols < MOST {
        ValueType::I32
    } else {
        ValueType::I64
    }
}
