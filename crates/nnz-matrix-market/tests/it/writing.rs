//! Written text, compared literally.

use nnz_core::{
    Batch, Bint8, ErrorKind, Header, Majors, Minors, Order, Scalar, Structure, Triangle, ValueType,
    Values,
};
use nnz_matrix_market::{Layout, Options, TextTarget, capabilities, create};
use nnz_storage::TaskContext;
use nnz_storage::staging;

use crate::common;
use crate::common::{Entry, batch, header, read_text, write, write_text};

fn coordinate(header: &Header, entries: &[Entry]) -> nnz_core::Result<String> {
    let batch = batch(header.order, entries, header.value_type);
    write_text(header, Layout::Coordinate, &batch)
}

fn array(header: &Header, entries: &[Entry]) -> nnz_core::Result<String> {
    let batch = batch(header.order, entries, header.value_type);
    write_text(header, Layout::Array, &batch)
}

#[test]
fn every_value_type_has_its_field_and_exact_text() {
    let cases = [
        (Scalar::U8(255), "integer", "255"),
        (Scalar::I64(i64::MIN), "integer", "-9223372036854775808"),
        (Scalar::U64(1 << 62), "integer", "4611686018427387904"),
        (Scalar::Bint8(Bint8(0)), "integer", "0"),
        (Scalar::F64(0.1), "real", "0.1"),
        (Scalar::F64(-0.0), "real", "-0.0"),
        (Scalar::F64(1e16), "real", "1e16"),
        (Scalar::F64(f64::NEG_INFINITY), "real", "-inf"),
        (Scalar::F64(f64::NAN), "real", "nan"),
        (Scalar::F64(-f64::NAN), "real", "-nan"),
        // The 64-bit float equal to this 32-bit one, not a shorter one that is different.
        (Scalar::F32(0.1), "real", "0.10000000149011612"),
        (Scalar::F32(f32::NAN), "real", "nan"),
        (Scalar::ComplexF64([1.5, -2.0]), "complex", "1.5 -2.0"),
        (Scalar::ComplexF32([0.5, f32::INFINITY]), "complex", "0.5 inf"),
    ];
    for (value, field, text) in cases {
        for stored in [Some(1), None] {
            let header = header(3, 2, value.value_type(), stored);
            assert_eq!(
                coordinate(&header, &[(2, 1, value)]).unwrap(),
                format!("%%MatrixMarket matrix coordinate {field} general\n3 2 1\n3 2 {text}\n")
            );
        }
    }
}

#[test]
fn only_a_shared_boolean_one_is_a_pattern() {
    let write = |value: Scalar| {
        let mut header = header(2, 2, value.value_type(), None);
        header.iso = true;
        let batch = Batch {
            order: Order::Col,
            majors: Majors::Consecutive(0),
            offsets: vec![0, 1, 2],
            minors: Minors::U32(vec![0, 1]),
            values: Values::Iso(value),
        };
        write_text(&header, Layout::Coordinate, &batch).unwrap()
    };
    assert_eq!(
        write(Scalar::Bint8(Bint8(1))),
        "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n"
    );
    assert_eq!(
        write(Scalar::Bint8(Bint8(0))),
        "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 0\n2 2 0\n"
    );
    assert_eq!(
        write(Scalar::F64(3.5)),
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3.5\n2 2 3.5\n"
    );
}

#[test]
fn a_matrix_without_entries_is_only_a_preamble() {
    let mut header = header(0, 5, ValueType::Bint8, Some(0));
    header.iso = true;
    assert_eq!(
        write(&header, Layout::Coordinate, false, &[]).unwrap(),
        b"%%MatrixMarket matrix coordinate pattern general\n0 5 0\n"
    );
    assert_eq!(
        write(&header, Layout::Array, false, &[]).unwrap(),
        b"%%MatrixMarket matrix array integer general\n0 5\n"
    );
}

#[test]
fn values_that_text_cannot_represent_are_errors() {
    let one = |value: Scalar| coordinate(&header(3, 2, value.value_type(), None), &[(2, 1, value)]);
    assert_eq!(
        one(Scalar::U64(1 << 63)).unwrap_err().to_string(),
        "out.mtx: entry (row 2, column 1): 9223372036854775808 cannot be stored exactly as int64"
    );
    assert_eq!(
        one(Scalar::F64(f64::from_bits(0x7ff8_0000_0000_0001))).unwrap_err().to_string(),
        "out.mtx: entry (row 2, column 1): found a NaN with the bits 0x7ff8000000000001, expected \
         0x7ff8000000000000, the only NaN that text can represent (or its negative)"
    );
    // A signalling NaN of 32 bits.
    assert!(one(Scalar::F32(f32::from_bits(0x7f80_0001))).is_err());
    assert!(one(Scalar::ComplexF32([0.0, f32::from_bits(0xffc0_0001)])).is_err());
}

#[test]
fn lossy_drops_payloads_of_nan() {
    let shared = common::Shared::default();
    let target = TextTarget::Stream {
        writer: Box::new(shared.clone()),
        name: "out".to_owned(),
        context: TaskContext::default(),
    };
    let options = Options { lossy: true, ..Options::new(Layout::Coordinate, &target) };
    let header = header(1, 1, ValueType::F64, Some(1));
    let mut sink = create(target, &header, options).unwrap();
    let value = Scalar::F64(f64::from_bits(0x7ff8_0000_0000_0001));
    sink.write(&batch(Order::Col, &[(0, 0, value)], ValueType::F64)).unwrap();
    sink.finish().unwrap();
    assert!(shared.0.lock().unwrap().ends_with(b"1 1 nan\n"));
}

#[test]
fn entries_that_violate_structure_or_shape_are_errors() {
    let one = Scalar::ComplexF64([1.0, 1.0]);
    let refuse = |structure, entries: &[Entry]| {
        let mut header = header(3, 3, ValueType::ComplexF64, None);
        header.structure = structure;
        let coordinate = coordinate(&header, entries).unwrap_err().to_string();
        assert!(array(&header, entries).is_err());
        coordinate
    };
    assert_eq!(
        refuse(Structure::General, &[(3, 0, one)]),
        "out.mtx: entry (row 3, column 0): found an entry outside the matrix, expected a position inside 3 x 3"
    );
    assert_eq!(
        refuse(Structure::Symmetric(Triangle::Lower), &[(0, 1, one)]),
        "out.mtx: entry (row 0, column 1): found an entry on the other side of the diagonal, \
         expected one below, since the matrix is symmetric (lower)"
    );
    assert!(
        refuse(Structure::SkewSymmetric(Triangle::Lower), &[(1, 1, one)])
            .contains("on the diagonal")
    );
    assert!(refuse(Structure::Hermitian(Triangle::Lower), &[(1, 1, one)]).contains("imaginary"));
    assert!(refuse(Structure::General, &[(1, 1, one), (1, 1, one)]).contains("duplicate entry"));
}

#[test]
fn an_upper_triangle_is_mirrored_to_the_lower_one() {
    let mut header = header(3, 3, ValueType::ComplexF64, Some(1));
    let entry = [(0, 2, Scalar::ComplexF64([1.0, 2.0]))];
    for (structure, text) in [
        (Structure::Symmetric(Triangle::Upper), "symmetric\n3 3 1\n3 1 1.0 2.0\n"),
        (Structure::SkewSymmetric(Triangle::Upper), "skew-symmetric\n3 3 1\n3 1 -1.0 -2.0\n"),
        (Structure::Hermitian(Triangle::Upper), "hermitian\n3 3 1\n3 1 1.0 -2.0\n"),
    ] {
        header.structure = structure;
        assert_eq!(
            coordinate(&header, &entry).unwrap(),
            format!("%%MatrixMarket matrix coordinate complex {text}")
        );
    }
    // The only integer whose negative does not fit.
    header.structure = Structure::SkewSymmetric(Triangle::Upper);
    header.value_type = ValueType::I64;
    assert!(coordinate(&header, &[(0, 2, Scalar::I64(i64::MIN))]).is_err());
    // By row above the diagonal is by column below it.
    assert!(array(&header, &[]).is_err());
    header.order = Order::Row;
    let text = array(&header, &[(0, 2, Scalar::I64(5))]).unwrap();
    assert_eq!(text, "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n0\n-5\n0\n");
}

#[test]
fn an_array_has_every_cell() {
    let entries = [(1, 0, Scalar::F64(1.5)), (0, 2, Scalar::F64(-0.0))];
    assert_eq!(
        array(&header(2, 4, ValueType::F64, Some(2)), &entries).unwrap(),
        "%%MatrixMarket matrix array real general\n2 4\n0.0\n1.5\n0.0\n0.0\n-0.0\n0.0\n0.0\n0.0\n"
    );
    let mut symmetric = header(3, 3, ValueType::U8, None);
    symmetric.structure = Structure::Symmetric(Triangle::Lower);
    assert_eq!(
        array(&symmetric, &[(2, 0, Scalar::U8(7)), (1, 1, Scalar::U8(8))]).unwrap(),
        "%%MatrixMarket matrix array integer symmetric\n3 3\n0\n0\n7\n8\n0\n0\n"
    );
    let backwards = [(1, 0, Scalar::F64(1.0)), (0, 0, Scalar::F64(1.0))];
    assert!(array(&header(2, 2, ValueType::F64, None), &backwards).is_err());
    // More zeros than are written at once.
    let text = array(&header(3000, 40, ValueType::I32, None), &[(7, 39, Scalar::I32(1))]).unwrap();
    assert_eq!(read_text(text).unwrap().len(), 120_000);
}

#[test]
fn a_wrong_number_of_entries_is_an_error() {
    let entries = [(0, 0, Scalar::I8(1))];
    let error = coordinate(&header(1, 1, ValueType::I8, Some(2)), &entries).unwrap_err();
    assert_eq!(
        error.to_string(),
        "out.mtx: found 1 entry to write, expected 2, the number in the header"
    );
}

#[test]
fn the_file_appears_only_when_it_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.mtx.gz");
    let target = |overwrite| TextTarget::File {
        path: path.clone(),
        options: staging::WriteOptions::default().overwrite(overwrite).sync(false),
    };
    let options = Options::new(Layout::Coordinate, &target(false));
    assert!(options.gzip);
    let header = header(2, 2, ValueType::I8, None);
    let entries = batch(Order::Col, &[(0, 0, Scalar::I8(1))], ValueType::I8);

    let mut dropped = create(target(false), &header, options.clone()).unwrap();
    dropped.write(&entries).unwrap();
    drop(dropped);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);

    // After a failed write, the file is not created.
    let mut failed = create(target(false), &header, options.clone()).unwrap();
    assert!(failed.write(&batch(Order::Col, &[(5, 5, Scalar::I8(1))], ValueType::I8)).is_err());
    assert!(failed.finish().is_err());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);

    let mut sink = create(target(false), &header, options.clone()).unwrap();
    sink.write(&entries).unwrap();
    let written = sink.finish().unwrap();
    assert_eq!(written.bytes, path.metadata().unwrap().len());
    assert_eq!(read_text(std::fs::read(&path).unwrap()).unwrap().len(), 1);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);

    let exists = create(target(false), &header, options.clone()).err().unwrap();
    assert!(matches!(exists.kind(), ErrorKind::Exists));
    assert!(create(target(true), &header, options).is_ok());
}

#[test]
fn inconsistent_batches_are_errors() {
    let header = header(2, 2, ValueType::I8, None);
    let mut wrong = batch(Order::Col, &[(0, 0, Scalar::I8(1))], ValueType::I8);
    wrong.offsets = vec![0, 2];
    assert!(write_text(&header, Layout::Coordinate, &wrong).is_err());
    let other_type = batch(Order::Col, &[(0, 0, Scalar::I16(1))], ValueType::I16);
    assert!(write_text(&header, Layout::Coordinate, &other_type).is_err());
}

#[test]
fn only_arrays_have_to_be_by_column() {
    assert_eq!(capabilities(Layout::Array).orders, [Order::Col]);
    assert_eq!(capabilities(Layout::Coordinate).orders.len(), 2);
    assert!(capabilities(Layout::Array).dense && !capabilities(Layout::Coordinate).dense);
}
