//! Writing a matrix as `csr` or `csc`.

use std::path::Path;

use nnz_container::NamedArraysWriter;
use nnz_container::matrix::{CompressedArray, CompressedOutput, CompressedSink, IndexType};
use nnz_container::npz::{NpzOptions, NpzWriter};
use nnz_container::tree::NodeId;
use nnz_core::{Error, Header, Order, Place, Result, SinkCapabilities, ValueType};
use nnz_storage::staging::WriteOptions;

use super::SparseFormat;

/// Capabilities of a sparse matrix of SciPy as a target.
pub const CAPABILITIES: SinkCapabilities =
    SinkCapabilities::new(&[Order::Row, Order::Col], ValueType::ALL);

/// Creates a matrix with the shape, order and value type of `header`: csr by row, csc by column.
/// Every version of SciPy since 0.19 can load it.
///
/// Like in SciPy, indices and pointers are `int32` if they fit.
///
/// # Errors
///
/// Fails if the target must not be replaced or cannot be written, if options contradict each other,
/// or if an axis is longer than an `int64` can represent.
pub fn create(
    path: &Path,
    header: &Header,
    write: WriteOptions,
    options: NpzOptions,
) -> Result<CompressedSink> {
    let place = Place::path(path);
    let lengths = [header.shape.rows, header.shape.cols].map(i64::try_from);
    let [Ok(rows), Ok(cols)] = lengths else {
        let expected = "an axis that fits into int64";
        return Err(Error::mismatch(place, header.shape, expected));
    };
    let format = match header.order {
        Order::Row => SparseFormat::Csr,
        Order::Col => SparseFormat::Csc,
    };
    // Like in SciPy, both have the same type if the number of entries is known.
    let longest = header.shape.rows.max(header.shape.cols);
    let indices = IndexType::holding(longest.max(header.nnz.unwrap_or(0)));
    let pointers = if header.nnz.is_some() { indices } else { IndexType::I64 };
    let mut npz = NamedArraysWriter::new(NpzWriter::create(path, write, options)?);
    // In the same order as SciPy.
    let index_array = npz.create_array("indices", indices.value_type())?;
    let pointer_array = npz.create_array("indptr", pointers.value_type())?;
    // As a string: SciPy 0.19.0 does not accept bytes, which later versions write.
    npz.set_attribute("format", format.name())?;
    let shape = npz.create_array("shape", ValueType::I64)?;
    npz.append_bytes(shape, &[rows.to_ne_bytes(), cols.to_ne_bytes()].concat())?;
    let values = npz.create_array("data", header.value_type)?;
    let output = Output { npz, pointers: pointer_array, indices: index_array, values };
    Ok(CompressedSink::new(Box::new(output), header, [pointers, indices], place))
}

struct Output {
    npz: NamedArraysWriter,
    pointers: NodeId,
    indices: NodeId,
    values: NodeId,
}

impl CompressedOutput for Output {
    fn append(&mut self, array: CompressedArray, bytes: &[u8]) -> Result<()> {
        let id = match array {
            CompressedArray::Pointers => self.pointers,
            CompressedArray::Indices => self.indices,
            CompressedArray::Values => self.values,
        };
        self.npz.append_bytes(id, bytes)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        self.npz.finish()
    }
}
