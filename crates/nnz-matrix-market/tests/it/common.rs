//! Helpers for the tests of this crate.

use nnz_storage::TaskContext;
use std::io::{Cursor, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use nnz_core::{
    Batch, Duplicates, Error, Header, MatrixSource, Order, Projection, Result, Scalar, Shape,
    ValueType, Values,
};
use nnz_matrix_market::{Layout, MatrixMarketSource, Options, TextTarget, create, from_reader};

/// Row, column and value.
pub type Entry = (u64, u64, Scalar);

pub fn testdata() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/matrix-market")
}

/// Opens a text in memory.
pub fn open_text(text: impl AsRef<[u8]>) -> Result<MatrixMarketSource> {
    from_reader(Box::new(Cursor::new(text.as_ref().to_vec())), "text.mtx")
}

/// Reads every entry, in the order of the file.
pub fn entries(source: &dyn MatrixSource) -> Result<Vec<Entry>> {
    let header = source.header();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let mut entries = Vec::new();
    while reader.next_batch(&mut batch)? {
        assert_eq!(batch.order, header.order);
        assert_eq!(batch.values.value_type(), header.value_type);
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            assert!(row < header.shape.rows && col < header.shape.cols);
            entries.push((row, col, batch.values.get(entry).unwrap()));
            Ok::<(), Error>(())
        })?;
    }
    // At its end, a reader stays there.
    assert!(!reader.next_batch(&mut batch)?);
    Ok(entries)
}

/// Opens and reads a text.
pub fn read_text(text: impl AsRef<[u8]>) -> Result<Vec<Entry>> {
    entries(&open_text(text)?)
}

/// Returns the error message for a text.
pub fn error_of(text: impl AsRef<[u8]>) -> String {
    read_text(text).unwrap_err().to_string()
}

/// Sorts by row and column, and formats floats by their bits, so that equal means identical.
pub fn exact(entries: &[Entry]) -> Vec<(u64, u64, String)> {
    let mut entries: Vec<_> = entries
        .iter()
        .map(|&(row, col, value)| {
            let value = match value {
                Scalar::F32(v) => format!("{:#x}", v.to_bits()),
                Scalar::F64(v) => format!("{:#x}", v.to_bits()),
                Scalar::ComplexF64([re, im]) => format!("{:#x} {:#x}", re.to_bits(), im.to_bits()),
                other => format!("{other:?}"),
            };
            (row, col, value)
        })
        .collect();
    entries.sort();
    entries
}

/// Returns a header of the most common kind.
pub fn header(rows: u64, cols: u64, value_type: ValueType, stored: Option<u64>) -> Header {
    Header::new(Shape { rows, cols }, Order::Col, value_type)
        .sorted_indices(true)
        .nnz(stored)
        .duplicates(Duplicates::Refused)
}

/// Returns a batch with a run for each entry; all values have one type.
pub fn batch(order: Order, entries: &[Entry], value_type: ValueType) -> Batch {
    let mut batch = Batch::new(order, Values::new(value_type));
    let mut majors = Vec::new();
    let mut minors = Vec::new();
    for &(row, col, value) in entries {
        let (major, minor) = order.major_minor(row, col);
        majors.push(major);
        minors.push(minor);
        assert!(batch.values.push(value));
        batch.offsets.push(minors.len());
    }
    batch.majors = nnz_core::Majors::Listed(majors);
    batch.minors = nnz_core::Minors::U64(minors);
    batch
}

/// A stream whose bytes can be inspected afterwards.
#[derive(Clone, Default)]
pub struct Shared(pub Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes batches and returns the text.
pub fn write(header: &Header, layout: Layout, gzip: bool, batches: &[Batch]) -> Result<Vec<u8>> {
    let shared = Shared::default();
    let target = TextTarget::Stream {
        writer: Box::new(shared.clone()),
        name: "out.mtx".to_owned(),
        context: TaskContext::default(),
    };
    let options = Options { gzip, ..Options::new(layout, &target) };
    let mut sink = create(target, header, options)?;
    for batch in batches {
        sink.write(batch)?;
    }
    let written = sink.finish()?;
    let bytes = shared.0.lock().unwrap().clone();
    assert_eq!(written.bytes, bytes.len() as u64);
    Ok(bytes)
}

/// Writes one batch and returns the text as a string.
pub fn write_text(header: &Header, layout: Layout, batch: &Batch) -> Result<String> {
    let bytes = write(header, layout, false, std::slice::from_ref(batch))?;
    Ok(String::from_utf8(bytes).unwrap())
}

/// A reader that returns only a few bytes at a time.
pub struct Drops {
    pub text: Cursor<Vec<u8>>,
    pub size: usize,
}

impl Read for Drops {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let len = into.len().min(self.size);
        self.text.read(&mut into[..len])
    }
}
