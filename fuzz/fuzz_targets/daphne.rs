//! DAPHNE files: valid ones can be read, whole, in parts and with threads; others have a fault; and
//! those that can be read round-trip in all dialects.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::{
    Batch, Header, MatrixSource as _, Order, Projection, Values, error::Severity,
    matrix::MatrixSink as _, matrix::Storage,
};
use nnz_daphne::csv::{self, CsvReader};
use nnz_daphne::{
    DataType, Dialect, FrameBatch, FrameReader as _, FrameSource, MatrixSink, MatrixSource,
    Options, ReadOptions, data_type, looks_like,
};
use nnz_fuzz::entries::Entry;
use nnz_fuzz::read::{agree, backwards, in_order};
use nnz_fuzz::scratch::Scratch;
use nnz_storage::staging::WriteOptions;

/// Maximum numbers of cells and rows to read: a block of a few bytes can have any number.
const MOST: u128 = 1 << 18;

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

fuzz_target!(|input: &[u8]| -> Corpus {
    if input.is_empty() {
        return Corpus::Reject;
    }
    let (how, file) = input.split_at(1);
    // The first byte selects the dialect to read.
    let dialect = Dialect::ALL.get(usize::from(how[0])).copied();
    let options = ReadOptions { dialect };
    let _ = looks_like(&file[..file.len().min(64)], file.len() as u64);
    let path = SCRATCH.write("x.dbdf", file);
    let faults = faults(&path, &options);
    match data_type(&path) {
        Ok(DataType::Frame) => frame(&path, &options, &faults),
        Ok(_) => matrix(&path, &options, &faults),
        Err(error) => assert!(!faults.is_empty(), "{error}"),
    }
    Corpus::Keep
});

fn faults(path: &Path, options: &ReadOptions) -> Vec<String> {
    let mut faults = Vec::new();
    nnz_daphne::validate(path, options, None, &mut |finding| {
        if finding.severity == Severity::Fault {
            faults.push(finding.to_string());
        }
    })
    .unwrap();
    faults
}

fn matrix(path: &Path, options: &ReadOptions, faults: &[String]) {
    let source = match MatrixSource::open(path, options) {
        Ok(source) => source,
        Err(error) => return assert!(!faults.is_empty(), "{error}"),
    };
    source.about().unwrap();
    let header = source.header();
    if header.storage == Storage::Dense && header.shape.elements() > MOST {
        return;
    }
    let read = in_order(&source);
    agree(&read, &backwards(&source));
    assert!(read.is_ok() || !faults.is_empty(), "{read:?}");
    let (Ok(all), true) = (read, faults.is_empty()) else { return };
    let rows = header.shape.rows;
    for range in [0..rows / 2, rows / 2..rows] {
        let mut reader = source.batches(range.clone(), Projection::ALL).unwrap();
        let mut batch = Batch::new(Order::Row, Values::new(header.value_type));
        let mut part: Vec<Entry> = Vec::new();
        while reader.next_batch(&mut batch).unwrap() {
            nnz_fuzz::entries::append(&batch, &mut part);
        }
        let expected = all.iter().filter(|(row, ..)| range.contains(row));
        assert!(part.iter().eq(expected));
    }
    // The engine sorts unsorted rows; each takes memory, whether it has cells or not.
    let small = header.shape.elements().max(rows.into()) <= MOST;
    if header.sorted_indices == Some(true) && small {
        for dialect in Dialect::ALL {
            again(&source, header, dialect, &all);
        }
    }
}

/// Writes a matrix in the order of its source, and reads it back.
fn again(source: &MatrixSource, header: &Header, dialect: Dialect, expected: &[Entry]) {
    SCRATCH.clear(&["again.dbdf", "again.dbdf.meta"]);
    let data_type = match header.storage {
        Storage::Dense => DataType::Dense,
        Storage::Sparse => DataType::Csr,
    };
    let path = SCRATCH.path("again.dbdf");
    let options = Options { dialect, data_type, ..Options::default() };
    let write = WriteOptions::default().overwrite(false).sync(false);
    // Not all dialects support all types.
    let Ok(mut sink) = MatrixSink::create(&path, header, write, &options) else { return };
    let mut reader = source.batches(0..header.shape.rows, Projection::ALL).unwrap();
    let mut batch = Batch::new(Order::Row, Values::new(header.value_type));
    while reader.next_batch(&mut batch).unwrap() {
        sink.write(&batch).unwrap();
    }
    Box::new(sink).finish().unwrap();
    assert_eq!(faults(&path, &ReadOptions { dialect: Some(dialect) }), [""; 0]);
    let back = MatrixSource::open(&path, &ReadOptions { dialect: Some(dialect) }).unwrap();
    assert_eq!(in_order(&back).unwrap(), expected);
}

fn frame(path: &Path, options: &ReadOptions, faults: &[String]) {
    let frame = match FrameSource::open(path, options) {
        Ok(frame) => frame,
        Err(error) => return assert!(!faults.is_empty(), "{error}"),
    };
    let columns = frame.columns().len();
    if u128::from(frame.rows()) * columns.max(1) as u128 > MOST {
        return;
    }
    let mut reader = frame.batches(0..frame.rows()).unwrap();
    let mut batch = FrameBatch::default();
    let mut rows = 0;
    loop {
        match reader.next_batch(&mut batch) {
            Ok(true) => rows = batch.rows.end,
            Ok(false) => break,
            Err(error) => return assert!(!faults.is_empty(), "{error}"),
        }
    }
    assert_eq!(rows, if columns == 0 { rows } else { frame.rows() });
    // Text supports everything but NaN payloads and frames without columns.
    let mut reader = frame.batches(0..frame.rows()).unwrap();
    let mut text = Vec::new();
    if csv::write(&mut *reader, &mut text, csv::WriteOptions::default()).is_err() {
        return;
    }
    let types: Vec<_> = frame.columns().iter().map(|column| column.value_type).collect();
    let bytes = text.clone();
    let name = Path::new("text");
    let mut back =
        CsvReader::from_reader(Box::new(std::io::Cursor::new(bytes)), name, &types).unwrap();
    assert_eq!(back.columns(), frame.columns());
    let mut written = Vec::new();
    csv::write(&mut back, &mut written, csv::WriteOptions::default()).unwrap();
    assert_eq!(written, text);
}
