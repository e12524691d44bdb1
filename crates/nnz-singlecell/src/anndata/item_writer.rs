//! Writing a matrix of a file, sparse or dense.

use std::sync::Arc;

use nnz_core::{Batch, BatchEncoder, Encoded, Error, Header, Result};

use super::encode::EncodedBatch;
use super::matrix_writer::MatrixWriter;
use super::output::{Group, Output};
use crate::dense_writer::DenseWriter;

/// A matrix that is being written.
pub(super) enum ItemWriter {
    Sparse(MatrixWriter),
    Dense(DenseWriter),
}

impl ItemWriter {
    /// Creates a matrix in a group. All elements of a dense one are appended, by row.
    pub(super) fn new(
        output: &mut Output,
        (group, name): (Group, &str),
        header: &Header,
        dense: bool,
    ) -> Result<Self> {
        if !dense {
            return Ok(Self::Sparse(MatrixWriter::new(output, group, name, header)?));
        }
        let compression = output.compression;
        let dense = DenseWriter::create(&mut *output.tree, (group.0, name), header, compression)?;
        output.encode_node(dense.array(), "array", "0.2.0")?;
        Ok(Self::Dense(dense))
    }

    /// Returns what encodes batches on any thread, if it can.
    pub(super) fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        match self {
            Self::Sparse(matrix) => Some(matrix.encoder()),
            Self::Dense(_) => None,
        }
    }

    pub(super) fn put(&mut self, output: &mut Output, batch: &Batch) -> Result<()> {
        match self {
            Self::Sparse(matrix) => {
                let encoded = matrix.encoder().encode_batch(batch)?;
                matrix.put(output, &encoded)
            }
            Self::Dense(dense) => dense.put(&mut *output.tree, batch),
        }
    }

    pub(super) fn put_encoded(&mut self, output: &mut Output, encoded: Encoded) -> Result<()> {
        match (self, encoded.downcast::<EncodedBatch>()) {
            (Self::Sparse(matrix), Ok(batch)) => matrix.put(output, &batch),
            _ => Err(Error::argument("a batch that was encoded for another sink")),
        }
    }

    pub(super) fn finish(self, output: &mut Output) -> Result<()> {
        match self {
            Self::Sparse(matrix) => matrix.finish(output),
            Self::Dense(dense) => dense.finish(&mut *output.tree),
        }
    }
}
