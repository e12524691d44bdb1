//! DAPHNE files for measurements, and copying plain bytes.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Instant;

use nnz::{
    Batch, Header, Order, Shape, ValueType, Values,
    matrix::{Duplicates, Majors, Storage},
    matrix::{MatrixSink as _, Minors},
    output::WriteOptions,
};
use nnz_daphne::{DataType, MatrixSink, Options};

use crate::{Measured, Result, measured};

/// Entries per generated batch.
const BATCH: u64 = 1 << 17;

fn replacing() -> WriteOptions {
    WriteOptions::default().overwrite(true).sync(false)
}

/// Writes a matrix of float64, dense or with the same number of entries in each row.
pub(crate) fn make(path: &Path, rows: u64, cols: u64, entries: Option<u64>) -> Result<Measured> {
    let each = entries.map_or(cols, |entries| entries / rows.max(1));
    let dense = entries.is_none();
    let header = Header::new(Shape { rows, cols }, Order::Row, ValueType::F64)
        .sorted_indices(true)
        .nnz(rows * each)
        .storage(if dense { Storage::Dense } else { Storage::Sparse })
        .duplicates(Duplicates::Refused);
    let started = Instant::now();
    let mut sink = MatrixSink::create(path, &header, replacing(), &options(&header))?;
    let together = (BATCH / each.max(1)).max(1);
    let stride = u32::try_from((cols / each.max(1)).max(1))?;
    let mut row = 0;
    while row < rows {
        let count = together.min(rows - row);
        let ends = (0..=count).map(|n| usize::try_from(n * each));
        let offsets = ends.collect::<std::result::Result<_, _>>()?;
        let minors = match dense {
            true => Minors::Spans(vec![0; usize::try_from(count)?]),
            false => {
                let row = (0..u32::try_from(each)?).map(|n| n * stride);
                Minors::U32((0..count).flat_map(|_| row.clone()).collect())
            }
        };
        let values = (0..count * each).map(|n| f64::from_bits((row + n).wrapping_mul(0x9e37_79b9)));
        let values = Values::F64(values.collect());
        let majors = Majors::Listed((row..row + count).collect());
        sink.write(&Batch { order: Order::Row, majors, offsets, minors, values })?;
        row += count;
    }
    Box::new(sink).finish()?;
    Ok(measured([("seconds", started.elapsed().as_secs_f64().into())]))
}

fn options(header: &Header) -> Options {
    let data_type = match header.storage {
        Storage::Dense => DataType::Dense,
        Storage::Sparse => DataType::Csr,
    };
    // A few entries in each of many rows are written as rows, not as a dense matrix.
    let block_type = (data_type == DataType::Csr).then_some(nnz_daphne::BlockType::Sparse);
    Options { data_type, block_type, ..Options::default() }
}

/// Reads the bytes of a file into untouched memory.
pub(crate) fn plain_read(path: &Path) -> Result<Measured> {
    let started = Instant::now();
    let mut file = File::open(path)?;
    let len = usize::try_from(file.metadata()?.len())?;
    let mut bytes = Vec::with_capacity(len);
    file.read_to_end(&mut bytes)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(measured([("seconds", seconds.into()), ("bytes", black_box(&bytes).len().into())]))
}

/// Writes the bytes of another file.
pub(crate) fn plain_write(source: &Path, target: &Path) -> Result<Measured> {
    let bytes = fs::read(source)?;
    let started = Instant::now();
    let mut file = File::create(target)?;
    // In pieces, as by a program that does not have all of it in memory.
    for piece in bytes.chunks(1 << 20) {
        file.write_all(piece)?;
    }
    drop(file);
    let seconds = started.elapsed().as_secs_f64();
    Ok(measured([("seconds", seconds.into()), ("check", bytes.len().into())]))
}
