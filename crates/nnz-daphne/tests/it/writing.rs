//! Writing: errors leave nothing, and options determine the bytes.

use std::path::Path;

use nnz_core::{
    Batch, Duplicates, Header, Majors, MatrixSink as _, MatrixSource as _, Minors, Order,
    Projection, Result, Shape, ValueType, Values,
};
use nnz_daphne::{
    BlockType, Column, DataType, Dialect, FrameOptions, FrameSink, MatrixSink, MatrixSource,
    Options, ReadOptions, SegmentsSink, SegmentsSource,
};
use nnz_storage::staging::WriteOptions;

use crate::common;
use crate::common::unsynced;

fn header(rows: u64, cols: u64, value_type: ValueType) -> Header {
    Header::new(Shape { rows, cols }, Order::Row, value_type)
        .sorted_indices(true)
        .duplicates(Duplicates::Refused)
}

/// One entry of int8 in each run.
fn batch(places: &[(u64, u32)], values: &[i8]) -> Batch {
    Batch {
        order: Order::Row,
        majors: Majors::Listed(places.iter().map(|place| place.0).collect()),
        offsets: (0..=places.len()).collect(),
        minors: Minors::U32(places.iter().map(|place| place.1).collect()),
        values: Values::I8(values.to_vec()),
    }
}

fn write(path: &Path, header: &Header, options: &Options, batches: &[Batch]) -> Result<u64> {
    let mut sink: Box<dyn nnz_core::MatrixSink> =
        Box::new(MatrixSink::create(path, header, unsynced(), options)?);
    for batch in batches {
        sink.write(batch)?;
    }
    sink.finish().map(|written| written.bytes)
}

#[test]
fn invalid_entries_are_errors_and_leave_nothing() {
    let ways = [
        Options::default(),
        Options { block: Some((2, 2)), ..Options::default() },
        Options { block_type: Some(BlockType::Dense), ..Options::default() },
        Options { block_type: Some(BlockType::UltraSparse), ..Options::default() },
        Options { dialect: Dialect::Daphne, ..Options::default() },
        Options { dialect: Dialect::Daphne2022, ..Options::default() },
        Options { data_type: DataType::Dense, ..Options::default() },
    ];
    let header = header(3, 3, ValueType::I8);
    let bad: [&[Batch]; 7] = [
        &[batch(&[(1, 2), (1, 1)], &[1, 2])],
        &[batch(&[(1, 2), (1, 2)], &[1, 2])],
        &[batch(&[(1, 2)], &[1]), batch(&[(1, 2)], &[2])],
        &[batch(&[(2, 0)], &[1]), batch(&[(0, 0)], &[2])],
        &[batch(&[(2, 0), (1, 0)], &[1, 2])],
        &[batch(&[(0, 3)], &[1])],
        &[batch(&[(3, 0)], &[1])],
    ];
    for options in ways {
        for batches in bad {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.dbdf");
            let error = write(&path, &header, &options, batches).unwrap_err();
            assert!(error.to_string().contains("x.dbdf"), "{error}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}

#[test]
fn explicit_zeros_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let header = header(1, 2, ValueType::I8);
    let zero = [batch(&[(0, 0), (0, 1)], &[0, 5])];
    for block in [None, Some((1, 2))] {
        let dense = Options { block_type: Some(BlockType::Dense), block, ..Options::default() };
        let error =
            write(&folder.path().join("a.dbdf"), &header, &dense, &zero).unwrap_err().to_string();
        assert!(error.contains("an explicit zero"), "{error}");
        // With half of the elements or more the block would be dense, except for the zero.
        let path = folder.path().join(format!("{}.dbdf", block.is_some()));
        write(&path, &header, &Options { block, ..Options::default() }, &zero).unwrap();
        let matrix = MatrixSource::open(&path, &ReadOptions::default()).unwrap();
        assert_eq!(common::entries(&matrix, 0..1), [(0, 0, 0), (0, 1, 5)]);
    }
}

#[test]
fn the_block_type_depends_on_the_density() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dbdf");
    let header = header(400, 200, ValueType::F64);
    // In rows of 200 columns: half of the elements of the first hundred rows, few of the next, one
    // entry in all others.
    let mut places = Vec::new();
    places.extend((0..100_u64).flat_map(|row| (0..100).map(move |col| (row, col * 2))));
    places.extend((100..200_u64).map(|row| (row, 7)));
    places.push((350, 9));
    let batch = Batch {
        values: Values::F64(vec![3.0; places.len()]),
        ..batch(&places, &vec![3; places.len()])
    };
    let options = Options { block: Some((100, 200)), narrow: true, ..Options::default() };
    write(&path, &header, &options, &[batch]).unwrap();
    let matrix = MatrixSource::open(&path, &ReadOptions::default()).unwrap();
    let found: Vec<_> = matrix.blocks().iter().map(|b| (b.block_type, b.value_type)).collect();
    let narrow = Some(ValueType::U8);
    assert_eq!(
        found,
        [
            (BlockType::Dense, narrow),
            (BlockType::Sparse, narrow),
            (BlockType::Empty, None),
            // One of 20000 elements is 0.00005.
            (BlockType::Sparse, narrow),
        ]
    );
    let few = Options { block: Some((200, 200)), ..options };
    let path = folder.path().join("y.dbdf");
    let one = Batch { values: Values::F64(vec![0.5]), ..self::batch(&[(350, 9)], &[1]) };
    write(&path, &header, &few, &[one]).unwrap();
    let matrix = MatrixSource::open(&path, &ReadOptions::default()).unwrap();
    // One of 40000; float32 because a half is not an integer.
    let last = matrix.blocks()[1];
    assert_eq!((last.block_type, last.value_type), (BlockType::UltraSparse, Some(ValueType::F32)));
}

#[test]
fn what_a_dialect_cannot_represent_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dbdf");
    let daphne = Options { dialect: Dialect::Daphne, ..Options::default() };
    let small = header(1, 1, ValueType::I8);
    for (header, options) in [
        (header(1, 1, ValueType::U16), daphne),
        (header(1, 1, ValueType::Bint8), Options::default()),
        (header(1, 1, ValueType::ComplexF64), Options::default()),
        (header(1 << 32, 1, ValueType::I8), Options::default()),
        (header(1, 1 << 32, ValueType::I8), daphne),
        (
            header(1 << 62, 1 << 62, ValueType::I8),
            Options { block: Some((9, 9)), ..Options::default() },
        ),
        (small.clone(), Options { block: Some((1, 1)), ..daphne }),
        (small.clone(), Options { block: Some((0, 1)), ..Options::default() }),
        (small.clone(), Options { narrow: true, ..daphne }),
        (small.clone(), Options { block_type: Some(BlockType::Dense), ..daphne }),
        (small.clone(), Options { data_type: DataType::Frame, ..Options::default() }),
        (small.clone().order(Order::Col), Options::default()),
    ] {
        assert!(write(&path, &header, &options, &[]).is_err(), "{header:?} {options:?}");
    }
    // The number of entries in the header must be right.
    let announced = small.nnz(Some(2));
    assert!(write(&path, &announced, &daphne, &[batch(&[(0, 0)], &[1])]).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let long = Column { label: "x".repeat(65_536), value_type: ValueType::F64 };
    assert!(FrameSink::create(&path, &[long], unsynced(), &FrameOptions::default()).is_err());
}

#[test]
fn replacing_a_file_replaces_its_meta() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dbdf");
    let daphne = Options { dialect: Dialect::Daphne, ..Options::default() };
    write(&path, &header(1, 1, ValueType::I8), &daphne, &[]).unwrap();
    let wide = header(2, 2, ValueType::U16);
    assert!(write(&path, &wide, &Options::default(), &[]).is_err());
    let replace = unsynced().overwrite(true);
    let sink = MatrixSink::create(&path, &wide, replace, &Options::default()).unwrap();
    Box::new(sink).finish().unwrap();
    // The .meta file of the replaced file would contradict the new one.
    let meta = std::fs::read_to_string(folder.path().join("x.dbdf.meta")).unwrap();
    assert_eq!(meta, r#"{"numCols":2,"numNonZeros":0,"numRows":2,"valueType":"ui16"}"#);
    assert_eq!(MatrixSource::open(&path, &ReadOptions::default()).unwrap().header().shape.rows, 2);
}

#[test]
#[cfg(unix)]
fn the_meta_file_is_next_to_the_target_of_a_link() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sl")).unwrap();
    let (path, link) = (folder.path().join("sl/x.dbdf"), folder.path().join("lx.dbdf"));
    std::os::unix::fs::symlink("sl/x.dbdf", &link).unwrap();
    let daphne = Options { dialect: Dialect::Daphne, ..Options::default() };
    write(&path, &header(1, 1, ValueType::I8), &daphne, &[]).unwrap();
    let replace = unsynced().overwrite(true);
    let put = |rows| {
        let header = header(rows, 2, ValueType::I8);
        let sink =
            MatrixSink::create(&link, &header, replace.clone(), &Options::default()).unwrap();
        Box::new(sink).finish().unwrap();
    };
    let rows =
        |path| MatrixSource::open(path, &ReadOptions::default()).unwrap().header().shape.rows;
    put(2);
    assert_eq!((rows(&path), rows(&link)), (2, 2));
    assert!(!folder.path().join("lx.dbdf.meta").exists());
    // A .meta file next to the link is read only if there is no other.
    let moved = folder.path().join("lx.dbdf.meta");
    std::fs::rename(folder.path().join("sl/x.dbdf.meta"), &moved).unwrap();
    std::fs::write(&moved, std::fs::read_to_string(&moved).unwrap().replace(":2", ":7")).unwrap();
    let refused = MatrixSource::open(&link, &ReadOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("lx.dbdf.meta"), "{refused}");
    put(3);
    assert_eq!((rows(&path), rows(&link)), (3, 3));
}

#[test]
fn segments_replace_only_segments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dbdf.hdfs");
    let header = header(5, 1, ValueType::I8);
    let options = Options { dialect: Dialect::Daphne, ..Options::default() };
    let replace = WriteOptions::default().overwrite(true).sync(false);
    let write = |segments: u64| -> Result<()> {
        let mut sink: Box<dyn nnz_core::MatrixSink> =
            Box::new(SegmentsSink::create(&path, &header, replace.clone(), &options, segments)?);
        sink.write(&batch(&[(0, 0), (3, 0)], &[1, 4]))?;
        sink.finish().map(drop)
    };
    for segments in [3, 2] {
        write(segments).unwrap();
        // Each with its .meta file.
        assert_eq!(std::fs::read_dir(&path).unwrap().count() as u64, 2 * segments);
        let matrix = SegmentsSource::open(&path, &ReadOptions::default()).unwrap();
        assert_eq!(common::entries(&matrix, 0..5), [(0, 0, 1), (3, 0, 4)]);
    }
    let first = std::fs::read_to_string(path.join("x.dbdf.hdfs_segment_1.meta")).unwrap();
    assert_eq!(first, r#"{"numCols":1,"numNonZeros":1,"numRows":3,"valueType":"si8"}"#);
    let whole = std::fs::read_to_string(folder.path().join("x.dbdf.hdfs.meta")).unwrap();
    assert_eq!(
        whole,
        r#"{"hdfs":{"HDFSFilename":"/x.dbdf.hdfs","isHDFS":true},"numCols":1,"numNonZeros":2,"numRows":5,"valueType":"si8"}"#
    );
    std::fs::write(path.join("mine.txt"), "").unwrap();
    assert!(write(1).unwrap_err().to_string().contains("not replaced"));
    assert!(path.join("mine.txt").exists());
}

/// Row pointers and offsets of empty rows take memory, too.
#[test]
fn units_of_empty_rows_are_bounded() {
    let rows = 1_000_000;
    for options in [
        Options { dialect: Dialect::Daphne, ..Options::default() },
        Options {
            block: Some((700_000, 2)),
            block_type: Some(BlockType::Sparse),
            ..Options::default()
        },
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.dbdf");
        let header = header(rows, 3, ValueType::I8);
        write(&path, &header, &options, &[batch(&[(5, 2), (999_999, 0)], &[1, 2])]).unwrap();
        let matrix = MatrixSource::open(&path, &ReadOptions::default()).unwrap();
        let mut units = matrix.units(0..rows, Projection::ALL).unwrap();
        let mut decoded = Batch::new(Order::Row, Values::default());
        let mut entries = 0;
        while let Some(unit) = units.next_unit().unwrap() {
            unit.decode(&mut decoded).unwrap();
            assert!(decoded.runs() <= 1 << 18, "{options:?}: {} rows", decoded.runs());
            entries += decoded.entries();
        }
        assert_eq!(entries, 2);
    }
}
