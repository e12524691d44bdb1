//! Frames of the test data: their elements, their labels, and writing them again.

use std::ops::Range;

use nnz_daphne::{
    Column, DataType, Dialect, FrameBatch, FrameOptions, FrameSink, FrameSource, ReadOptions, csv,
};

use crate::common;
use crate::common::{Element, Golden, golden, scalar_bits, unsynced};

fn valid_frames() -> Vec<Golden> {
    golden().into_iter().filter(|g| g.valid && g.data_type == DataType::Frame).collect()
}

fn open(golden: &Golden, dialect: Option<Dialect>) -> FrameSource {
    let opened = FrameSource::open(&golden.path(), &ReadOptions { dialect });
    opened.unwrap_or_else(|error| panic!("{}: {error}", golden.file))
}

/// Reads the elements of some rows whose bits are not all zero.
fn elements(frame: &FrameSource, rows: Range<u64>) -> Vec<Element> {
    let mut reader = frame.batches(rows.clone()).unwrap();
    let mut batch = FrameBatch::default();
    let mut next = rows.start;
    let mut elements = Vec::new();
    while reader.next_batch(&mut batch).unwrap() {
        assert_eq!(batch.rows.start, next);
        next = batch.rows.end;
        for (col, values) in batch.columns.iter().enumerate() {
            assert_eq!(values.len().unwrap() as u64, batch.rows.end - batch.rows.start);
            for (row, index) in batch.rows.clone().zip(0..) {
                elements.push((row, col as u64, scalar_bits(values.get(index).unwrap())));
            }
        }
    }
    assert_eq!(next, rows.end);
    elements.retain(|&(.., bits)| bits != 0);
    elements.sort_unstable();
    elements
}

/// The labels that can be read: in the published dialect, or from the `.meta` file.
fn labels(golden: &Golden) -> Vec<String> {
    if golden.dialect == Dialect::Spec || golden.json["meta_file"].is_string() {
        return golden.labels.clone();
    }
    (0..golden.labels.len()).map(|number| format!("col_{number}")).collect()
}

#[test]
fn frames_have_the_elements_and_labels_of_the_manifest() {
    let frames = valid_frames();
    assert_eq!(frames.len(), 15);
    for golden in frames {
        for dialect in [Some(golden.dialect), None] {
            let frame = open(&golden, dialect);
            assert_eq!(frame.dialect(), golden.dialect, "{}", golden.file);
            assert_eq!(frame.rows(), golden.shape.rows, "{}", golden.file);
            let types: Vec<_> = frame.columns().iter().map(|c| c.value_type).collect();
            assert_eq!(types, golden.value_types, "{}", golden.file);
            let found: Vec<_> = frame.columns().iter().map(|c| c.label.clone()).collect();
            assert_eq!(found, labels(&golden), "{}", golden.file);
            let expected = golden.elements.as_ref().unwrap();
            assert_eq!(&elements(&frame, 0..golden.shape.rows), expected, "{}", golden.file);
            let (first, last) = (golden.shape.rows / 3, golden.shape.rows - golden.shape.rows / 3);
            let inside = |element: &&Element| (first..last).contains(&element.0);
            let expected: Vec<Element> = expected.iter().filter(inside).copied().collect();
            assert_eq!(elements(&frame, first..last), expected, "{}", golden.file);
        }
    }
}

fn rewritten(
    frame: &FrameSource,
    options: &FrameOptions,
    columns: &[Column],
) -> (Vec<u8>, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.dbdf");
    let mut sink = FrameSink::create(&path, columns, unsynced(), options).unwrap();
    let mut reader = frame.batches(0..frame.rows()).unwrap();
    let mut batch = FrameBatch::default();
    while reader.next_batch(&mut batch).unwrap() {
        sink.write(&batch).unwrap();
    }
    sink.finish().unwrap();
    let meta = std::fs::read_to_string(folder.path().join("again.dbdf.meta")).ok();
    (std::fs::read(path).unwrap(), meta)
}

#[test]
fn rewritten_frames_with_the_same_blocks_have_the_same_bytes() {
    // One dense block for each run of columns of one type.
    let same = [
        "frame_10types",
        "frame_homogeneous_oneblock",
        "frame_max_label",
        "frame_no_cols",
        "frame_no_rows",
        "frame_unicode_labels",
    ];
    for golden in valid_frames().into_iter().filter(|g| g.dialect == Dialect::Spec) {
        let frame = open(&golden, None);
        let (data, meta) = rewritten(&frame, &FrameOptions::default(), frame.columns());
        assert_eq!(meta, None);
        let stem = golden.file.strip_suffix(".dbdf").unwrap();
        if same.contains(&stem) {
            assert!(data == golden.bytes(), "{}", golden.file);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("again.dbdf");
        std::fs::write(&path, data).unwrap();
        let again = FrameSource::open(&path, &ReadOptions::default()).unwrap();
        assert_eq!(again.columns(), frame.columns());
        assert_eq!(elements(&again, 0..again.rows()), elements(&frame, 0..frame.rows()));
    }
}

#[test]
fn rewritten_frames_of_daphne_differ_only_in_labels() {
    for golden in valid_frames().into_iter().filter(|g| g.dialect != Dialect::Spec) {
        let frame = open(&golden, None);
        let named = golden.labels.iter().zip(frame.columns());
        let columns: Vec<_> = named
            .map(|(label, column)| Column { label: label.clone(), ..column.clone() })
            .collect();
        let options = FrameOptions { dialect: golden.dialect, ..FrameOptions::default() };
        let (data, meta) = rewritten(&frame, &options, &columns);
        if let Some(name) = golden.json["meta_file"].as_str() {
            let expected = std::fs::read_to_string(common::folder().join(name)).unwrap();
            assert_eq!(meta.unwrap(), expected);
        }
        let (mut found, mut expected) = (data, golden.bytes());
        let fixed = if golden.dialect == Dialect::Daphne { 18 } else { 24 };
        if golden.dialect == Dialect::Daphne2022 {
            expected[2..8].fill(0);
        }
        // Labels that crash DAPHNE are only in the `.meta` file.
        let (mut at, mut other) = (fixed + columns.len(), fixed + columns.len());
        for column in &columns {
            let len = column.label.len();
            expected.drain(at..at + 2 + len);
            let kept = if len <= 32 { len } else { 0 };
            assert_eq!(
                found.drain(other..other + 2 + kept).skip(2).collect::<Vec<_>>(),
                &column.label.as_bytes()[..kept]
            );
            (at, other) = (at, other);
        }
        assert_eq!(found, expected, "{}", golden.file);
    }
}

#[test]
fn frames_round_trip_as_text() {
    for golden in valid_frames().into_iter().filter(|g| g.shape.cols > 0) {
        let frame = open(&golden, None);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frame.csv");
        let mut file = std::fs::File::create(&path).unwrap();
        let mut reader = frame.batches(0..frame.rows()).unwrap();
        let rows = csv::write(&mut *reader, &mut file, csv::WriteOptions::default()).unwrap();
        assert_eq!(rows, frame.rows());
        let types = frame.columns().iter().map(|column| column.value_type).collect();
        let mut text =
            csv::CsvReader::open(&path, &csv::ReadOptions { types: Some(types) }).unwrap();
        use nnz_daphne::FrameReader as _;
        assert_eq!(text.columns(), frame.columns(), "{}", golden.file);
        let back = folder.path().join("back.dbdf");
        let mut sink =
            FrameSink::create(&back, text.columns(), unsynced(), &FrameOptions::default()).unwrap();
        let mut batch = FrameBatch::default();
        while text.next_batch(&mut batch).unwrap() {
            sink.write(&batch).unwrap();
        }
        sink.finish().unwrap();
        let back = FrameSource::open(&back, &ReadOptions::default()).unwrap();
        assert_eq!(
            elements(&back, 0..back.rows()),
            elements(&frame, 0..frame.rows()),
            "{}",
            golden.file
        );
    }
}
