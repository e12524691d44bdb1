//! Files of DAPHNE into memory and from it, and the same bytes without a thought.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Instant;

use nnz::{
    AxisMeaning, Batch, Duplicates, Fields, Header, Majors, MatrixSink as _, MatrixSource as _,
    Minors, Order, Shape, Storage, Structure, ValueType, Values, WriteOptions,
};
use nnz_daphne::{DataType, MatrixSink, MatrixSource, Options, ReadOptions};

use crate::memory::peak;
use crate::{Measured, Result, measured};

/// Entries of a batch that is made.
const BATCH: u64 = 1 << 17;

const WRITE: WriteOptions = WriteOptions { overwrite: true, sync: false };

/// Writes a matrix of float64: dense, or of so many entries, as many in each row.
pub(crate) fn make(path: &Path, rows: u64, cols: u64, entries: Option<u64>) -> Result<Measured> {
    let each = entries.map_or(cols, |entries| entries / rows.max(1));
    let dense = entries.is_none();
    let header = Header {
        shape: Shape { rows, cols },
        order: Order::Row,
        majors_ascend: true,
        minors_ascend: Some(true),
        value_type: ValueType::F64,
        iso: false,
        stored: Some(rows * each),
        storage: if dense { Storage::Dense } else { Storage::Sparse },
        structure: Structure::General,
        fill: None,
        duplicates: Duplicates::Refused,
        meaning: [AxisMeaning::Unknown; 2],
    };
    let started = Instant::now();
    let mut sink = MatrixSink::create(path, &header, WRITE, &options(&header))?;
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
    // Few entries in each of many rows are to be rows all the same.
    let block_type = (data_type == DataType::Csr).then_some(nnz_daphne::BlockType::Sparse);
    Options { data_type, block_type, ..Options::default() }
}

/// Reads all values and columns into memory that was not touched before.
pub(crate) fn read(path: &Path) -> Result<Measured> {
    let started = Instant::now();
    let source = MatrixSource::open(path, &ReadOptions::default())?;
    let header = source.header();
    let stored = usize::try_from(header.stored.unwrap_or(0))?;
    let sparse = header.storage == Storage::Sparse;
    let mut values: Vec<u8> = Vec::with_capacity(stored * header.value_type.size());
    let mut minors: Vec<u32> = Vec::with_capacity(if sparse { stored } else { 0 });
    let mut reader = source.batches(0..header.shape.rows, Fields::ALL)?;
    let mut batch = Batch::new(Order::Row, Values::new(header.value_type));
    while reader.next_batch(&mut batch)? {
        values.extend_from_slice(batch.values.bytes());
        if let Minors::U32(some) = &batch.minors {
            minors.extend_from_slice(some);
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let peak = peak();
    let check = black_box(values.len() / header.value_type.size() + minors.len());
    Ok(measured([
        ("seconds", seconds.into()),
        ("entries", stored.into()),
        ("check", check.into()),
        ("peak_rss", peak.into()),
    ]))
}

/// Writes what was read first.
pub(crate) fn write(source: &Path, target: &Path) -> Result<Measured> {
    let source = MatrixSource::open(source, &ReadOptions::default())?;
    let header = source.header();
    let mut batches = Vec::new();
    let mut reader = source.batches(0..header.shape.rows, Fields::ALL)?;
    loop {
        let mut batch = Batch::new(Order::Row, Values::new(header.value_type));
        if !reader.next_batch(&mut batch)? {
            break;
        }
        batches.push(batch);
    }
    let started = Instant::now();
    let mut sink = MatrixSink::create(target, header, WRITE, &options(header))?;
    for batch in &batches {
        sink.write(batch)?;
    }
    let bytes = Box::new(sink).finish()?.bytes;
    let seconds = started.elapsed().as_secs_f64();
    Ok(measured([("seconds", seconds.into()), ("check", bytes.into())]))
}

/// Reads the bytes of a file into memory that was not touched before.
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
    // In pieces, as everybody does who has not all of it.
    for piece in bytes.chunks(1 << 20) {
        file.write_all(piece)?;
    }
    drop(file);
    let seconds = started.elapsed().as_secs_f64();
    Ok(measured([("seconds", seconds.into()), ("check", bytes.len().into())]))
}
