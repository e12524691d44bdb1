//! Helpers for the tests of matrices.

use std::path::{Path, PathBuf};

use nnz_bpcells::{MatrixSource, SinkOptions};
use nnz_container::NamedArraysWriter;
use nnz_container::directory::{Directory, DirectoryWriter};
use nnz_core::{Axis, Batch, MatrixSink as _, MatrixSource as _, Projection, Result, Values};
use nnz_storage::staging::WriteOptions;

pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/bpcells")
}

pub fn open(path: &Path) -> Result<MatrixSource> {
    MatrixSource::open(nnz_container::NamedArrays::new(Directory::open(path)?))
}

/// Reads stored entries.
pub fn entries(matrix: &MatrixSource, majors: std::ops::Range<u64>) -> Result<Vec<Entry>> {
    let header = matrix.header();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = matrix.batches(majors, Projection::ALL)?;
    let mut all = Vec::new();
    while reader.next_batch(&mut batch)? {
        let size = header.value_type.size();
        let bits = batch.values.bytes();
        assert_eq!(bits.len(), batch.entries() * size);
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = header.order.row_col(major, minor);
            let bits = bits[entry * size..][..size].iter().rev();
            let bits = bits.map(|byte| format!("{byte:02x}")).collect();
            all.push((row, col, bits));
            Ok::<(), nnz_core::Error>(())
        })?;
    }
    Ok(all)
}

/// A row, a column, and the bits of a value in hexadecimal.
pub type Entry = (u64, u64, String);

pub fn all_entries(matrix: &MatrixSource) -> Result<Vec<Entry>> {
    let header = matrix.header();
    entries(matrix, 0..header.shape.major(header.order))
}

/// Copies a matrix in its own order.
pub fn write(from: &MatrixSource, to: &Path, options: SinkOptions) -> Result<u64> {
    let header = from.header();
    let container = DirectoryWriter::create(
        to,
        WriteOptions::default().overwrite(true).sync(false),
        nnz_bpcells::MEMBERS,
    )?;
    let names = [from.read_names(Axis::Rows)?, from.read_names(Axis::Cols)?];
    let mut sink =
        nnz_bpcells::MatrixSink::create(NamedArraysWriter::new(container), header, names, options)?;
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = from.batches(0..header.shape.major(header.order), Projection::ALL)?;
    while reader.next_batch(&mut batch)? {
        sink.write(&batch)?;
    }
    Ok(Box::new(sink).finish()?.bytes)
}
