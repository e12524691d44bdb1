//! Reading literal bytes.

use std::path::PathBuf;

use nnz_core::{
    At, Batch, ErrorKind, MatrixSource as _, Minors, Order, Projection, Severity, Storage,
    ValueType, Values,
};
use nnz_daphne::{
    DataType, Dialect, FrameSource, MatrixSource, Meta, ReadOptions, SegmentsSource, validate,
};
use tempfile::TempDir;

use crate::common::{Element, batch_elements, entries, matrix_elements};

/// Builds bytes piece by piece.
#[derive(Clone, Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    /// The header of a matrix in the published dialect.
    fn matrix(data_type: u8, rows: u64, cols: u64, value_type: u8) -> Self {
        Self::default().u8(&[1, data_type]).u64(&[rows, cols]).u8(&[value_type])
    }

    fn u8(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn u32(mut self, words: &[u32]) -> Self {
        self.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self
    }

    fn u64(mut self, words: &[u64]) -> Self {
        self.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self
    }

    /// Position and size of a block, and its type.
    fn block(self, row: u64, col: u64, rows: u32, cols: u32, block_type: u8) -> Self {
        self.u64(&[row, col]).u32(&[rows, cols]).u8(&[block_type])
    }

    fn file(&self) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dbdf");
        std::fs::write(&path, &self.0).unwrap();
        (folder, path)
    }

    fn open(&self) -> (TempDir, MatrixSource) {
        let (folder, path) = self.file();
        let matrix = MatrixSource::open(&path, &ReadOptions::default());
        (folder, matrix.unwrap_or_else(|error| panic!("{error}")))
    }

    /// Opens an invalid file and returns the error.
    fn error(&self) -> String {
        let (_folder, path) = self.file();
        let error = MatrixSource::open(&path, &ReadOptions::default()).unwrap_err().to_string();
        error.split_once(": ").unwrap().1.to_owned()
    }

    fn faults(&self) -> Vec<String> {
        let (_folder, path) = self.file();
        let mut faults = Vec::new();
        validate(&path, &ReadOptions::default(), None, &mut |finding| {
            if finding.severity == Severity::Fault {
                faults.push(finding.to_string().split_once(": ").unwrap().1.to_owned());
            }
        })
        .unwrap();
        faults
    }
}

#[test]
fn zeros_that_look_like_empty_blocks_are_elements() {
    // A 5 x 5 matrix of int32 zeros of DAPHNE, whose code for int32 means uint8. Read as
    // uint8, 75 bytes are left: three empty blocks of 0 x 0.
    let bytes = Bytes::matrix(1, 5, 5, 1).block(0, 0, 5, 5, 1).u8(&[1]).u8(&[0; 100]);
    let (_folder, matrix) = bytes.open();
    assert_eq!(matrix.dialect(), Dialect::Daphne);
    assert_eq!(matrix.header().value_type, ValueType::I32);
}

/// A 4 x 5 matrix of float64 in four blocks: dense int8, sparse float32, ultra-sparse with one
/// column, and empty.
fn four_blocks(data_type: u8) -> Bytes {
    Bytes::matrix(data_type, 4, 5, 10)
        // Rows 2 and 3 of columns 0 to 3, before the others.
        .block(2, 0, 2, 4, 2)
        .u8(&[9])
        .u64(&[3])
        .u32(&[2, 3, 1.5_f32.to_bits(), 0, 0, 1, 1, (-0.0_f32).to_bits()])
        .block(0, 0, 2, 3, 1)
        .u8(&[5, 0xff, 0, 7, 0, 0, 9])
        .block(0, 4, 4, 1, 3)
        .u8(&[1])
        .u32(&[2, 3])
        .u8(&[8])
        .u32(&[0])
        .u8(&[6])
        .block(0, 3, 2, 1, 0)
}

#[test]
fn blocks_of_every_kind_are_one_matrix() {
    let f = |value: f64| value.to_bits();
    let expected: Vec<Element> = vec![
        (0, 0, f(-1.0)),
        (0, 2, f(7.0)),
        (0, 4, f(6.0)),
        (1, 2, f(9.0)),
        (2, 3, f(1.5)),
        (3, 1, f(-0.0)),
        (3, 4, f(8.0)),
    ];
    for data_type in [1, 2] {
        let bytes = four_blocks(data_type);
        let (_folder, matrix) = bytes.open();
        assert_eq!(matrix_elements(&matrix, 0..4), expected);
        assert_eq!(matrix_elements(&matrix, 2..3), expected[4..5]);
        assert_eq!(matrix_elements(&matrix, 1..4), expected[3..]);
        assert_eq!(matrix.blocks().len(), 4);
        // The columns of row 2 are unsorted, which can be read, but is a fault.
        let faults = bytes.faults();
        assert!(faults[0].starts_with("byte 65: row 0, column 0 is out of order"));
        assert_eq!(faults.len(), 1);
        let dense = matrix.data_type() == DataType::Dense;
        assert_eq!(matrix.header().storage == Storage::Dense, dense);
        // The stored zero of row 2 is an entry, zeros of the dense block are not.
        assert_eq!(entries(&matrix, 0..4).len(), if dense { 20 } else { 8 });
        let about = matrix.about().unwrap();
        assert_eq!(about.arrays.len(), 4);
        assert_eq!(about.dialect.unwrap(), format!("spec {}", matrix.data_type().name()));
    }
}

#[test]
fn overlapping_blocks_are_errors() {
    let first = Bytes::matrix(2, 9, 9, 1).block(3, 3, 3, 3, 0);
    for (row, col, rows, cols) in
        [(0, 0, 4, 4), (5, 5, 1, 1), (4, 0, 1, 9), (0, 4, 9, 1), (3, 3, 3, 3)]
    {
        let bytes = first.clone().block(row, col, rows, cols, 0);
        assert_eq!(
            bytes.error(),
            format!(
                "byte 44: found the empty block of {rows} x {cols} at row {row}, column {col}, which shares \
                 elements with the empty block of 3 x 3 at row 3, column 3 at byte 19, expected blocks \
                 without common elements"
            )
        );
    }
    for (row, col, rows, cols) in [(0, 0, 3, 9), (6, 0, 3, 9), (3, 0, 3, 3), (0, 6, 9, 3)] {
        first.clone().block(row, col, rows, cols, 0).open();
    }
}

#[test]
fn duplicate_entries_are_errors() {
    // One row of three columns: column 2, 0, 2.
    let sparse = Bytes::matrix(2, 1, 3, 1).block(0, 0, 1, 3, 2).u8(&[1]).u64(&[3]);
    let sparse = sparse.u32(&[3, 2]).u8(&[7]).u32(&[0]).u8(&[8]).u32(&[2]).u8(&[9]);
    let ultra = Bytes::matrix(2, 1, 3, 1).block(0, 0, 1, 3, 3).u8(&[1]).u32(&[3]);
    let ultra = ultra.u32(&[0, 2]).u8(&[7]).u32(&[0, 0]).u8(&[8]).u32(&[0, 2]).u8(&[9]);
    for (mut bytes, at) in [(sparse, [57, 67]), (ultra, [49, 67])] {
        let (_folder, matrix) = bytes.open();
        assert_eq!(entries(&matrix, 0..1), [(0, 2, 7), (0, 0, 8), (0, 2, 9)]);
        assert_eq!(matrix.locate(0, 2).unwrap(), at.map(At::Byte));
        let twice = bytes.faults();
        assert!(
            twice[0].starts_with(&format!("byte {}: column 2 is stored twice in the same", at[1])),
            "{twice:?}"
        );
        // In a dense matrix it is not defined which of the two is used.
        bytes.0[1] = 1;
        let (_folder, matrix) = bytes.open();
        let mut batch = Batch::new(Order::Row, Values::default());
        let error =
            matrix.batches(0..1, Projection::ALL).unwrap().next_batch(&mut batch).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Duplicate { .. }), "{error}");
        assert_eq!(error.place().at, Some(At::Entry { row: 0, col: 2 }));
    }
}

#[test]
fn empty_rows_take_no_time() {
    // 2^62 x 2^40 elements, two blocks in some of them, one with 2^32 - 1 rows.
    let far = (1 << 62) - 5;
    let bytes = Bytes::matrix(1, 1 << 62, 1 << 40, 4)
        .block(1 << 61, 1 << 39, u32::MAX, u32::MAX, 3)
        .u8(&[1])
        .u32(&[3, 4_000_000_000, 9])
        .u8(&[1])
        .u32(&[5, 8])
        .u8(&[2])
        .u32(&[5, 4_000_000_000])
        .u8(&[3])
        .block(far, 0, 2, 1, 1)
        .u8(&[4])
        .u64(&[u64::MAX, 0]);
    let (_folder, matrix) = bytes.open();
    assert_eq!(matrix.header().storage, Storage::Sparse);
    let (row, col) = (1 << 61, 1 << 39);
    let expected = [
        (row + 5, col + 8, 2),
        (row + 5, col + 4_000_000_000, 3),
        (row + 4_000_000_000, col + 9, 1),
        (far, 0, u64::MAX),
    ];
    assert_eq!(entries(&matrix, 0..1 << 62), expected);
    assert_eq!(entries(&matrix, row + 6..far), expected[2..3]);
    let mut batch = Batch::new(Order::Row, Values::default());
    matrix.batches(0..far, Projection::ALL).unwrap().next_batch(&mut batch).unwrap();
    assert!(matches!(batch.minors, Minors::U64(_)));
    assert_eq!(bytes.faults(), Vec::<String>::new());
}

/// 40000 rows of 0 to 6 entries in 64 columns.
fn tall() -> (Bytes, Vec<Element>) {
    let rows = 40_000;
    let count = |row: u32| row * 7919 % 7;
    let all: u64 = (0..rows).map(|row| u64::from(count(row))).sum();
    let mut bytes =
        Bytes::matrix(2, rows.into(), 64, 2).block(0, 0, rows, 64, 2).u8(&[2]).u64(&[all]);
    let mut elements = Vec::new();
    for row in 0..rows {
        bytes = bytes.u32(&[count(row)]);
        for entry in 0..count(row) {
            let value = (row % 1000 + entry + 1) as u16;
            bytes = bytes.u32(&[entry * 9]).u8(&value.to_le_bytes());
            elements.push((row.into(), u64::from(entry * 9), value.into()));
        }
    }
    (bytes, elements)
}

#[test]
fn rows_are_found_at_any_position_and_from_many_threads() {
    let (bytes, elements) = tall();
    let (_folder, matrix) = bytes.open();
    assert_eq!(matrix.header().nnz, Some(elements.len() as u64));
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (matrix, elements) = (&matrix, &elements);
            scope.spawn(move || {
                for step in 0..40 {
                    let first = (thread * 7877 + step * 997) % 40_000;
                    let last = (first + 1 + step * 13).min(40_000);
                    let inside = |element: &&Element| (first..last).contains(&element.0);
                    let expected: Vec<Element> = elements.iter().filter(inside).copied().collect();
                    assert_eq!(entries(matrix, first..last), expected);
                }
            });
        }
    });
    // Every row is returned, even without entries; one may continue in the next batch.
    let mut reader = matrix.units(0..40_000, Projection::ALL).unwrap();
    let mut batch = Batch::new(Order::Row, Values::default());
    let mut next = 0;
    while let Some(unit) = reader.next_unit().unwrap() {
        unit.decode(&mut batch).unwrap();
        for run in 0..batch.runs() {
            let goes_on = run == 0 && batch.majors.get(0) + 1 == next;
            assert!(goes_on || batch.majors.get(run) == next, "row {next}");
            next += u64::from(!goes_on);
        }
    }
    assert_eq!(next, 40_000);
}

/// Rows with few entries between some with very many, with values of `size` bytes. The block has
/// several megabytes, so it is not read at once.
fn uneven(code: u8, size: usize) -> (Bytes, Vec<Element>, u64) {
    let rows = 60_000_u32;
    let count = |row: u32| match row {
        0 | 30_000 | 59_999 => 150_000,
        30_001..30_010 => 40_000,
        _ => row.wrapping_mul(2_654_435_761) >> 29,
    };
    let all = (0..rows).map(|row| u64::from(count(row))).sum();
    let head = Bytes::matrix(2, rows.into(), 150_000, code);
    let mut bytes = head.block(0, 0, rows, 150_000, 2).u8(&[code]).u64(&[all]);
    let mut elements = Vec::new();
    for row in 0..rows {
        bytes = bytes.u32(&[count(row)]);
        for col in 0..count(row) {
            let value = u64::from(row.wrapping_mul(31) ^ col) % 250 + 1;
            bytes = bytes.u32(&[col]).u8(&value.to_le_bytes()[..size]);
            elements.push((row.into(), col.into(), value));
        }
    }
    (bytes, elements, all)
}

#[test]
fn rows_across_stretches_decode_in_any_order() {
    for (code, size) in [(1, 1), (2, 2), (3, 4), (4, 8)] {
        let (bytes, elements, all) = uneven(code, size);
        let (_folder, matrix) = bytes.open();
        assert_eq!(matrix.header().nnz, Some(all));
        assert!(entries(&matrix, 0..60_000) == elements, "{size} bytes");
        for rows in [0..1, 1..2, 29_990..30_005, 30_000..30_001, 30_003..59_999, 59_999..60_000] {
            let inside = elements.iter().filter(|element| rows.contains(&element.0)).copied();
            assert!(entries(&matrix, rows.clone()).into_iter().eq(inside), "rows {rows:?}");
        }

        // Units do not wait for others that are never decoded.
        let units = || {
            let mut reader = matrix.units(0..60_000, Projection::ALL).unwrap();
            let next = || reader.next_unit().unwrap();
            std::iter::from_fn(next).collect::<Vec<_>>()
        };
        let last_first = units().into_iter().rev().map(|unit| {
            let mut batch = Batch::new(Order::Row, Values::default());
            unit.decode(&mut batch).unwrap();
            batch_elements(&batch)
        });
        let mut parts: Vec<_> = last_first.collect();
        assert!(parts.len() > 3);
        parts.reverse();
        assert!(parts.concat() == elements, "{size} bytes");

        let mut all = units();
        let odd: Vec<_> = (1..all.len()).rev().step_by(2).map(|at| all.remove(at)).collect();
        drop(all);
        for unit in odd {
            let mut batch = Batch::new(Order::Row, Values::default());
            unit.decode(&mut batch).unwrap();
            let found = batch_elements(&batch);
            let at = elements.partition_point(|element| element < &found[0]);
            assert_eq!(found, elements[at..at + found.len()]);
        }
    }
}

#[test]
fn wrong_counts_are_errors_in_every_stretch() {
    let (bytes, elements, _) = uneven(1, 1);
    // The positions of the counts of some rows.
    let at = |row: u64| {
        let before = elements.partition_point(|element| element.0 < row);
        53 + 4 * row as usize + 5 * before
    };
    for row in [0, 1, 29_999, 30_001, 59_998, 59_999] {
        for change in [1_u32, u32::MAX, 0x0100_0000, 0xff00_0000] {
            let mut wrong = bytes.clone();
            let count = wrong.0[at(row)..][..4].first_chunk_mut::<4>().unwrap();
            *count = u32::from_le_bytes(*count).wrapping_add(change).to_le_bytes();
            let (_folder, path) = wrong.file();
            let options = ReadOptions::default();
            let Ok(matrix) = MatrixSource::open(&path, &options) else { continue };
            let mut reader = matrix.units(0..60_000, Projection::ALL).unwrap();
            let mut batch = Batch::new(Order::Row, Values::default());
            let error = loop {
                let Some(unit) = reader.next_unit().unwrap() else { panic!("row {row}: no fault") };
                if let Err(error) = unit.decode(&mut batch) {
                    break error;
                }
            };
            assert!(matches!(error.place().at, Some(At::Byte(_))), "row {row}: {error}");
        }
    }
}

#[test]
fn damage_inside_a_block_is_an_error_when_reading_its_rows() {
    let (bytes, _) = tall();
    // The count of row 1, after row 0, which is empty.
    let mut wrong = bytes.clone();
    wrong.0[57] += 1;
    let (_folder, matrix) = wrong.open();
    let mut batch = Batch::new(Order::Row, Values::default());
    let mut reader = matrix.batches(0..40_000, Projection::ALL).unwrap();
    let error = loop {
        match reader.next_batch(&mut batch) {
            Ok(more) => assert!(more, "no fault"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error.place().at, Some(At::Byte(_))), "{error}");
    assert!(!wrong.faults().is_empty());
}

#[test]
fn a_column_past_the_end_is_an_error() {
    // A 1 x 10 matrix of int64 of DAPHNE before 0.2, with padding and 64-bit columns.
    let column = 1_u64 << 33;
    let head = Bytes::default().u8(&[1, 2, 0, 0, 0, 0, 0, 0]).u64(&[1, 10]).u8(&[2]);
    let block = head.u64(&[0, 0]).u32(&[1, 10]).u8(&[2, 0, 0, 0, 2]);
    let (_folder, matrix) = block.u64(&[1, 1, column, 7]).open();
    assert_eq!(matrix.dialect(), Dialect::Daphne2022);
    let mut batch = Batch::new(Order::Row, Values::default());
    let mut reader = matrix.batches(0..1, Projection::ALL).unwrap();
    let error = reader.next_batch(&mut batch).unwrap_err().to_string();
    assert!(error.contains("byte 70: found column 8589934592 in"), "{error}");
}

#[test]
fn a_contradicting_meta_file_is_an_error() {
    let bytes = Bytes::matrix(2, 1, 1, 10).block(0, 0, 1, 1, 1).u8(&[1, 3]);
    let (_folder, path) = bytes.file();
    let meta = Meta::path_of(&path);
    let open = || MatrixSource::open(&path, &ReadOptions::default());
    for (text, expected) in [
        (
            r#"{"numCols":1,"numRows":2,"valueType":"f64"}"#,
            "found 2 x 1, expected 1 x 1, like the data file",
        ),
        (
            r#"{"numCols":1,"numRows":1,"valueType":"si64"}"#,
            "found int64, expected float64, like the data file",
        ),
        (r#"{"numCols":1}"#, "line 1, column 13: found missing field `numRows`"),
        ("{", "line 1, column 1: found EOF"),
    ] {
        std::fs::write(&meta, text).unwrap();
        let error = open().unwrap_err().to_string();
        assert!(error.contains("x.dbdf.meta: ") && error.contains(expected), "{error}");
        let mut faults = 0;
        let options = ReadOptions::default();
        match validate(&path, &options, None, &mut |f| {
            faults += u8::from(f.severity == Severity::Fault)
        }) {
            Ok(()) => assert_eq!(faults, 1),
            Err(error) => panic!("{error}"),
        }
    }
    for (text, notes) in [
        (r#"{"numCols":1,"numRows":1,"valueType":"f64"}"#, 0),
        (r#"{"numCols":1,"numRows":1,"valueType":"f64","numNonZeros":-1,"more":[]}"#, 0),
        (r#"{"numCols":1,"numRows":1}"#, 0),
        (r#"{"numCols":1,"numRows":1,"valueType":"float"}"#, 1),
        (r#"{"numCols":1,"numRows":1,"valueType":"f64","numNonZeros":7}"#, 1),
    ] {
        std::fs::write(&meta, text).unwrap();
        assert_eq!(open().unwrap().notes().len(), notes, "{text}");
    }
}

#[test]
fn opening_the_wrong_type_is_an_error() {
    let bytes = Bytes::default().u8(&[1, 3]).u64(&[0, 1]).u8(&[10, 1, 0, b'a']);
    let (_folder, path) = bytes.file();
    let error = MatrixSource::open(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.ends_with("byte 1: found a frame, expected a matrix"), "{error}");
    assert_eq!(FrameSource::open(&path, &ReadOptions::default()).unwrap().columns()[0].label, "a");
    let (_folder, path) = four_blocks(1).file();
    assert!(FrameSource::open(&path, &ReadOptions::default()).is_err());
}

#[test]
fn inconsistent_segments_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("x.dbdf.hdfs");
    std::fs::create_dir(&directory).unwrap();
    let segment = |rows: u64, cols: u64, first: u8| {
        let elements: Vec<u8> = (0..rows * cols).map(|element| first + element as u8).collect();
        let side = |side: u64| u32::try_from(side).unwrap();
        Bytes::matrix(1, rows, cols, 1)
            .block(0, 0, side(rows), side(cols), 1)
            .u8(&[1])
            .u8(&elements)
            .0
    };
    let put = |name: &str, bytes: Vec<u8>| std::fs::write(directory.join(name), bytes).unwrap();
    let open = || SegmentsSource::open(&directory, &ReadOptions::default());
    assert!(!SegmentsSource::is_at(&directory).unwrap());
    assert!(open().is_err());
    put("x.dbdf.hdfs_segment_10", segment(1, 2, 30));
    for number in 1..9 {
        put(&format!("x.dbdf.hdfs_segment_{number}"), segment(1, 2, 1 + 2 * number));
    }
    let error = open().unwrap_err().to_string();
    assert!(error.ends_with("expected segment 9 of one matrix"), "{error}");
    put("x.dbdf.hdfs_segment_9", segment(2, 2, 19));
    assert!(SegmentsSource::is_at(&directory).unwrap());
    let matrix = open().unwrap();
    assert_eq!(matrix.header().shape.rows, 11);
    // Number 10 comes after 9, not after 1.
    assert_eq!(
        matrix_elements(&matrix, 8..11),
        [(8, 0, 19), (8, 1, 20), (9, 0, 21), (9, 1, 22), (10, 0, 30), (10, 1, 31)]
    );
    let faults = || {
        let mut faults = Vec::new();
        validate(&directory, &ReadOptions::default(), None, &mut |finding| {
            faults.push(finding.to_string());
        })
        .unwrap();
        faults
    };
    assert_eq!(faults(), Vec::<String>::new());
    put("x.dbdf.hdfs_segment_4", vec![1, 1]);
    assert_eq!(faults().len(), 2);
    put("x.dbdf.hdfs_segment_4", segment(1, 2, 9));
    put("x.dbdf.hdfs_segment_9", segment(2, 3, 19));
    assert_eq!(faults().len(), 1);
    let error = open().unwrap_err().to_string();
    assert!(error.contains("3 columns of uint8, expected a DenseMatrix of 2 columns"), "{error}");
}

#[test]
fn a_block_without_elements_has_no_entries() {
    // Two rows without columns: counts of 0, or invalid counts.
    let rows = |stored: u64, counts: [u32; 2]| {
        Bytes::matrix(2, 2, 0, 1).block(0, 0, 2, 0, 2).u8(&[1]).u64(&[stored]).u32(&counts)
    };
    rows(0, [0, 0]).open();
    assert!(rows(0, [0, 1]).error().starts_with("byte 57: found 1 entries in row 1"));
    let one = rows(1, [0, 1]).u32(&[0]).u8(&[7]);
    assert!(one.error().starts_with("byte 45: found 1 entries, expected none"), "{}", one.error());
}
