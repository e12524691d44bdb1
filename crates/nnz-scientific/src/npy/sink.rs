//! Writing a dense matrix in C order.

use std::path::Path;

use nnz_container::npy::NpyFileWriter;
use nnz_core::{Error, Header, Order, Place, Result, SinkCapabilities, ValueType};
use nnz_storage::staging::WriteOptions;

use crate::dense_sink::{DenseOutput, DenseSink, fill_block};

/// Capabilities of an array as a target.
pub const CAPABILITIES: SinkCapabilities =
    SinkCapabilities::new(&[Order::Row], ValueType::ALL).fill(true).unique(true).dense(true);

/// Creates an array with the shape and value type of `header`, whose order must be by row.
///
/// # Errors
///
/// Fails if it has 2^64 bytes or more, or if the target must not be replaced or cannot be written.
pub fn create(path: &Path, header: &Header, write: WriteOptions) -> Result<DenseSink> {
    if header.order != Order::Row {
        let found = format!("entries by {}", header.order);
        return Err(Error::mismatch(Place::path(path), found, "entries by row"));
    }
    let block = fill_block(header)?;
    let shape = [header.shape.rows, header.shape.cols];
    let out = NpyFileWriter::create(path, header.value_type, &shape, write)?;
    Ok(DenseSink::new(Box::new(out), header, block, Place::path(path)))
}

impl DenseOutput for NpyFileWriter {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.append(bytes)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        (*self).finish()
    }
}
