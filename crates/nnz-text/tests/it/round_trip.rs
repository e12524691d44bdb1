//! Written files are read as the same matrix.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nnz_core::{Batch, Duplicates, Header, MatrixSink, MatrixSource, Order, Scalar, Shape, Values};
use nnz_storage::staging::WriteOptions;
use nnz_testing::random::Random;
use nnz_text::{Base, Size, TextTarget, edges, metis, svmlight};

use crate::common::{Entry, entries, opened};

/// Values of a kind, some of them extreme.
fn value(random: &mut Random, kind: usize) -> Scalar {
    match kind {
        0 => Scalar::I64(*random.pick(&[0, 1, -1, i64::MAX, i64::MIN, 9_007_199_254_740_993])),
        1 => Scalar::U64(*random.pick(&[0, 7, u64::MAX])),
        2 => {
            Scalar::F64(*random.pick(&[0.1, -0.0, 5e-324, f64::MAX, f64::INFINITY, f64::NAN, 1.0]))
        }
        _ => Scalar::F64(f64::from_bits(random.next() >> 2)),
    }
}

fn matrix(random: &mut Random, shape: Shape) -> Vec<Entry> {
    let kind = random.below(4);
    let mut places = BTreeMap::new();
    for _ in 0..random.below(400) {
        let place = (random.below(shape.rows as usize), random.below(shape.cols as usize));
        places.insert((place.0 as u64, place.1 as u64), value(random, kind));
    }
    places.into_iter().map(|((row, col), value)| (row, col, value)).collect()
}

fn header(shape: Shape, entries: &[Entry]) -> Header {
    Header::new(
        shape,
        Order::Row,
        entries.first().map_or(nnz_core::ValueType::F64, |entry| entry.2.value_type()),
    )
    .sorted_indices(true)
    .nnz(entries.len() as u64)
    .duplicates(Duplicates::Refused)
}

/// Writes entries in batches of random sizes, encoded in random order.
fn write(mut sink: Box<dyn MatrixSink>, header: &Header, all: &[Entry], random: &mut Random) {
    let (mut rest, mut first) = (all, 0_u64);
    let encoder = sink.encoder().unwrap();
    while !rest.is_empty() {
        let (now, later) = rest.split_at((1 + random.below(60)).min(rest.len()));
        let mut values = Values::new(header.value_type);
        assert!(now.iter().all(|entry| values.push(entry.2)));
        let mut batch = Batch::new(Order::Row, values);
        batch.list_majors(&now.iter().map(|entry| entry.0).collect::<Vec<_>>());
        batch.minors.u64_mut().extend(now.iter().map(|entry| entry.1));
        sink.write_encoded(encoder.encode(&batch, first).unwrap()).unwrap();
        first += now.len() as u64;
        rest = later;
    }
    sink.finish().unwrap();
}

fn target(folder: &Path, name: &str) -> (PathBuf, TextTarget) {
    let path = folder.join(name);
    let options = WriteOptions::default().overwrite(true).sync(false);
    (path.clone(), TextTarget::File { path, options })
}

/// Compares by bits. Integers may be read as another type of integers, or as floats if others are floats.
fn assert_same(read: &[Entry], expected: &[Entry], name: &str) {
    let bits = |value: Scalar| match value {
        Scalar::F64(value) if value.is_nan() => f64::NAN.to_bits().to_string(),
        Scalar::F64(value) => value.to_bits().to_string(),
        other => other.to_string(),
    };
    let floats = read.iter().any(|entry| matches!(entry.2, Scalar::F64(_)));
    for (found, wanted) in read.iter().zip(expected) {
        assert_eq!((found.0, found.1), (wanted.0, wanted.1), "{name}");
        let same = bits(found.2) == bits(wanted.2);
        let as_float = floats && found.2.to_f64() == wanted.2.to_f64();
        assert!(same || as_float, "{name}: {found:?} {wanted:?}");
    }
    assert_eq!(read.len(), expected.len(), "{name}");
}

#[test]
fn random_matrices_survive() {
    let mut random = Random::new(21);
    let folder = tempfile::tempdir().unwrap();
    for round in 0..60 {
        let shape = Shape {
            rows: 1 + random.below(40) as u64,
            cols: *random.pick(&[1, 30, 5_000_000_000]),
        };
        let all = matrix(&mut random, shape);
        let header = header(shape, &all);
        let size = Size { rows: Some(shape.rows), cols: Some(shape.cols) };
        for (base, gz) in [(Base::Zero, ""), (Base::One, ".gz")] {
            let (path, to) = target(folder.path(), &format!("{round}.svm{gz}"));
            let options = svmlight::WriteOptions::default().base(base);
            write(
                svmlight::create(to, &header, None, options).unwrap(),
                &header,
                &all,
                &mut random,
            );
            for keep in [0, 300, 1 << 20] {
                let options =
                    svmlight::ReadOptions::default().base(Some(base)).size(size).keep(keep);
                let source = svmlight::from_opened(&opened(&path), &options).unwrap();
                assert_eq!(source.header().shape, shape);
                assert_same(&entries(&source).unwrap(), &all, "svmlight");
            }
            let (path, to) = target(folder.path(), &format!("{round}.wel{gz}"));
            let options = edges::WriteOptions::default().base(base);
            let sink = edges::create(to, &header, [None, None], options).unwrap();
            write(sink, &header, &all, &mut random);
            let options = edges::ReadOptions::default().base(Some(base)).size(size);
            let source = edges::from_opened(&opened(&path), &options).unwrap();
            assert_eq!(source.header().shape, shape);
            assert_same(&entries(&source).unwrap(), &all, "edges");
        }
    }
}

#[test]
fn random_graphs_survive() {
    let mut random = Random::new(22);
    let folder = tempfile::tempdir().unwrap();
    for round in 0..60 {
        let side = 2 + random.below(40);
        let mut all = BTreeSet::new();
        for _ in 0..random.below(200) {
            let (row, col) = (random.below(side) as u64, random.below(side) as u64);
            if row != col {
                all.extend([(row, col), (col, row)]);
            }
        }
        let weight = |row: u64, col: u64| Scalar::I64(1 + (row * col + row + col) as i64 % 9);
        let all: Vec<Entry> =
            all.into_iter().map(|(row, col)| (row, col, weight(row, col))).collect();
        let header = header(Shape { rows: side as u64, cols: side as u64 }, &all);
        let (path, to) = target(folder.path(), &format!("{round}.graph"));
        if all.is_empty() {
            continue;
        }
        write(metis::create(to, &header, None).unwrap(), &header, &all, &mut random);
        let source = metis::from_opened(&opened(&path)).unwrap();
        assert_eq!(source.header().shape, header.shape);
        assert_same(&entries(&source).unwrap(), &all, "metis");
    }
}

#[test]
fn outputs_appear_only_when_they_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let all = [(0, 1, Scalar::I64(5)), (1, 2, Scalar::I64(6))];
    let header = header(Shape { rows: 3, cols: 3 }, &all);
    let mut random = Random::new(1);
    // One triangle is no graph.
    let (path, to) = target(folder.path(), "a.graph");
    let sink = metis::create(to, &header, None).unwrap();
    let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        write(sink, &header, &all, &mut random);
    }));
    assert!(written.is_err() && !path.exists());
    let (path, to) = target(folder.path(), "a.svm");
    drop(svmlight::create(to, &header, None, Default::default()).unwrap());
    assert!(!path.exists());
    let (path, to) = target(folder.path(), "a.el");
    let options = edges::WriteOptions::default().weights(false);
    let sink = edges::create(to, &header, [None, None], options).unwrap();
    let mut batch = Batch::new(Order::Row, Values::from(vec![5_i64]));
    batch.list_majors(&[0_u64]);
    batch.minors.u32_mut().push(1);
    let mut sink = sink;
    let error = sink.write(&batch).unwrap_err();
    assert!(error.to_string().contains("the value 5"), "{error}");
    drop(sink);
    assert!(!path.exists());
}
