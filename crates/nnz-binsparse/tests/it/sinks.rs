//! Matrices of every format, type and structure round-trip.

use nnz_binsparse::{
    DESCRIPTOR, Format, Keys, Layout, MatrixSink, MatrixSource, Options, capabilities, validate,
};
use nnz_container::NamedArrays;
use nnz_container::NamedArraysWriter;
use nnz_container::memory::Memory;
use nnz_core::{
    Batch, ErrorKind, Majors, MatrixSink as _, MatrixSource as _, Minors, Order, Scalar, Severity,
    Shape, Structure, Triangle, ValueType, Values,
};

use crate::common;
use crate::common::matrix::{Matrix, matrix};
use crate::common::{Case, Entry, all_entries, bits, sorted};

fn faults(memory: &Memory) -> Vec<String> {
    let mut faults = Vec::new();
    validate(&|| Ok(NamedArrays::new(memory.clone())), &mut |finding| {
        if finding.severity == Severity::Fault {
            faults.push(finding.to_string());
        }
    })
    .unwrap();
    faults
}

fn open(memory: &Memory) -> MatrixSource {
    MatrixSource::open(NamedArrays::new(memory.clone())).unwrap()
}

/// Removes the elements that a dense level adds.
fn without(entries: Vec<Entry>, background: Scalar) -> Vec<Entry> {
    entries.into_iter().filter(|(_, v)| bits(*v) != bits(background)).collect()
}

fn layouts() -> Vec<Layout> {
    let named = Format::ALL.iter().map(|format| format.layout());
    let custom = ["sparse(dense(element))", "sparse(dense(element)) transposed 1 0"];
    named.chain(custom.iter().map(|text| text.parse().unwrap())).collect()
}

const STRUCTURES: [Structure; 7] = [
    Structure::General,
    Structure::Symmetric(Triangle::Lower),
    Structure::Symmetric(Triangle::Upper),
    Structure::Hermitian(Triangle::Lower),
    Structure::Hermitian(Triangle::Upper),
    Structure::SkewSymmetric(Triangle::Lower),
    Structure::SkewSymmetric(Triangle::Upper),
];

#[test]
fn every_format_and_type_round_trips() {
    for layout in layouts() {
        let capabilities = capabilities(&layout).unwrap();
        for &value_type in ValueType::ALL {
            for iso in [false, true] {
                for structure in STRUCTURES {
                    let hermitian = matches!(structure, Structure::Hermitian(_));
                    if hermitian && !value_type.is_complex()
                        || structure != Structure::General && !capabilities.structure
                    {
                        continue;
                    }
                    let square = structure != Structure::General;
                    let cols = if layout.rank() == 1 {
                        1
                    } else if square {
                        9
                    } else {
                        12
                    };
                    let shape = Shape { rows: 9, cols };
                    let mut matrix = matrix(shape, value_type, structure, iso);
                    matrix.header.order = capabilities.orders[0];
                    check(&matrix, &layout);
                }
            }
        }
    }
}

fn check(matrix: &Matrix, layout: &Layout) {
    for size in [1, 4, 1000] {
        let memory = matrix.write(layout, &Options::default(), size).unwrap();
        let source = open(&memory);
        let header = source.header();
        assert_eq!(header.shape, matrix.header.shape);
        assert_eq!(header.order, matrix.header.order);
        assert_eq!(header.value_type, matrix.header.value_type);
        assert_eq!(header.structure, matrix.header.structure);
        let dense = layout.tree().contains("dense(element)");
        assert_eq!(header.iso, matrix.header.iso && !dense, "{layout}");
        let vector = layout.rank() == 1;
        let flat = |(at, v): &Entry| (if vector { at[..1].to_vec() } else { at.clone() }, *v);
        let expected: Vec<Entry> = matrix.list().iter().map(flat).collect();
        let found = all_entries(&source).unwrap();
        if dense {
            let zero = common::zero(matrix.header.value_type);
            let (found, expected) = (without(found, zero), without(expected, zero));
            assert_eq!(sorted(&found), sorted(&expected), "{layout}");
        } else {
            assert_eq!(sorted(&found), sorted(&expected), "{layout}");
        }
        assert_eq!(faults(&memory), Vec::<String>::new(), "{layout}");
        let diagonal = matrix.entries.keys().filter(|(row, col)| row == col).count() as u64;
        let stated = source.descriptor().diagonal();
        let structured = matrix.header.structure != Structure::General;
        assert_eq!(stated, structured.then_some(diagonal));
    }
}

#[test]
fn golden_matrices_convert_between_all_formats_of_their_order() {
    for case in Case::all("valid/") {
        let Ok(source) = MatrixSource::open(case.open().unwrap()) else {
            continue;
        };
        let header = source.header().clone();
        if header.shape.rows > 1000 || header.shape.cols > 1000 {
            continue;
        }
        let vector = source.descriptor().shape.len() == 1;
        let found = all_entries(&source).unwrap().into_iter();
        let entries = found.map(|(at, v)| ((at[0], at.get(1).copied().unwrap_or(0)), v));
        let matrix = Matrix { header: header.clone(), entries: entries.collect() };
        for layout in layouts() {
            let capabilities = capabilities(&layout).unwrap();
            let fits = capabilities.orders.contains(&header.order)
                && (capabilities.structure || header.structure == Structure::General)
                && (layout.rank() == 2 || header.shape.cols == 1);
            if !fits {
                continue;
            }
            let memory = matrix.write(&layout, &Options::default(), 5).unwrap();
            let back = open(&memory);
            assert_eq!(back.header().fill.map(bits), header.fill.map(bits));
            let dense = layout.tree().contains("dense(element)");
            let (mut found, mut expected) = (all_entries(&back).unwrap(), matrix.list());
            if layout.rank() == 1 || vector {
                found.iter_mut().for_each(|(at, _)| at.truncate(1));
                expected.iter_mut().for_each(|(at, _)| at.truncate(1));
            }
            if dense {
                let background = header.fill.unwrap_or_else(|| common::zero(header.value_type));
                found = without(found, background);
                expected = without(expected, background);
            }
            assert_eq!(sorted(&found), sorted(&expected), "{} {layout}", case.path());
            assert_eq!(faults(&memory), Vec::<String>::new(), "{} {layout}", case.path());
        }
    }
}

#[test]
fn the_arrays_of_dcsr_are_those_of_the_specification() {
    let shape = Shape { rows: 1 << 33, cols: 5 };
    let mut small = matrix(shape_of(1, 1), ValueType::F32, Structure::General, false);
    small.header.shape = shape;
    small.entries = [(2, 4), (2, 0), (1 << 32, 3)]
        .into_iter()
        .zip([1.5_f32, 2.5, 3.5])
        .map(|(at, v)| (at, Scalar::F32(v)))
        .collect();
    small.header.nnz = Some(3);
    let options = Options {
        minimize: true,
        version: "0.1.0".parse().unwrap(),
        user: Keys::parse(r#"{"comment": "a\nb", "big": 123456789012345678901234567890.10}"#)
            .unwrap(),
        ..Options::default()
    };
    let memory = small.write(&Format::Dcsr.layout(), &options, 2).unwrap();
    let mut rows = [0_u64; 2];
    memory.arrays().array("indices_0").unwrap().read_into(0, &mut rows).unwrap();
    assert_eq!(rows, [2, 1 << 32]);
    let mut pointers = [0_u8; 3];
    memory.arrays().array("pointers_to_1").unwrap().read_into(0, &mut pointers).unwrap();
    assert_eq!(pointers, [0, 2, 3]);
    let mut cols = [0_u8; 3];
    memory.arrays().array("indices_1").unwrap().read_into(0, &mut cols).unwrap();
    assert_eq!(cols, [0, 4, 3]);
    assert_eq!(
        memory.arrays().attribute(DESCRIPTOR).unwrap(),
        concat!(
            r#"{"binsparse":{"version":"0.1.0","format":"DCSR","shape":[8589934592,5],"#,
            r#""number_of_stored_values":3,"data_types":{"indices_0":"uint64","#,
            r#""pointers_to_1":"uint8","indices_1":"uint8","values":"float32"}},"#,
            r#""comment":"a\nb","big":123456789012345678901234567890.10}"#
        )
    );
    let source = open(&memory);
    assert_eq!(source.metadata().keys.len(), 2);
    assert_eq!(source.about().unwrap().dialect.as_deref(), Some("DCSR"));
    assert_eq!(source.about().unwrap().version.as_deref(), Some("0.1.0"));
}

fn shape_of(rows: u64, cols: u64) -> Shape {
    Shape { rows, cols }
}

#[test]
fn shapes_without_elements_round_trip() {
    for layout in layouts() {
        for shape in [shape_of(0, 0), shape_of(0, 4), shape_of(4, 0), shape_of(3, 3)] {
            let cols = if layout.rank() == 1 { 1 } else { shape.cols };
            let mut empty =
                matrix(shape_of(shape.rows, cols), ValueType::I32, Structure::General, false);
            empty.header.order = capabilities(&layout).unwrap().orders[0];
            empty.entries.clear();
            empty.header.nnz = None;
            let memory = empty.write(&layout, &Options::default(), 1).unwrap();
            assert_eq!(open(&memory).header().shape, empty.header.shape, "{layout}");
            assert_eq!(without(all_entries(&open(&memory)).unwrap(), Scalar::I32(0)), []);
            assert_eq!(faults(&memory), Vec::<String>::new(), "{layout}");
        }
    }
}

/// Writes entries of a 3 x 3 matrix of float64, one batch each, and returns the error.
fn error_of(layout: &Layout, structure: Structure, batches: &[&[(u64, u64)]]) -> nnz_core::Error {
    let mut header = matrix(shape_of(3, 3), ValueType::F64, structure, false).header;
    header.order = capabilities(layout).unwrap().orders[0];
    let memory = Memory::new();
    let created = MatrixSink::create(memory.writer(), &header, layout, &Options::default());
    let mut sink = match created {
        Ok(sink) => sink,
        Err(error) => return error,
    };
    for places in batches {
        let batch = Batch {
            order: header.order,
            majors: Majors::Listed(places.iter().map(|place| place.0).collect()),
            offsets: (0..=places.len()).collect(),
            minors: Minors::U64(places.iter().map(|place| place.1).collect()),
            values: Values::F64(vec![1.0; places.len()]),
        };
        if let Err(error) = sink.write(&batch) {
            return error;
        }
    }
    panic!("it was written");
}

#[test]
fn invalid_entries_are_errors() {
    for layout in layouts().iter().filter(|layout| layout.rank() == 2) {
        let general = |batches: &[&[(u64, u64)]]| error_of(layout, Structure::General, batches);
        for twice in [general(&[&[(1, 1), (1, 1)]]), general(&[&[(1, 1)], &[(1, 1)]])] {
            assert!(matches!(twice.kind(), ErrorKind::Duplicate { .. }), "{layout} {twice}");
        }
        for back in [general(&[&[(1, 1), (1, 0)]]), general(&[&[(2, 0)], &[(1, 1)]])] {
            assert!(back.to_string().contains("out of order"), "{layout} {back}");
        }
        assert!(general(&[&[(1, 3)]]).to_string().contains("past the end"), "{layout}");
        assert!(general(&[&[(3, 0)]]).to_string().contains("past the end"), "{layout}");
        let lower = Structure::SkewSymmetric(Triangle::Lower);
        if capabilities(layout).unwrap().structure {
            let wrong =
                if capabilities(layout).unwrap().orders == [Order::Row] { (0, 1) } else { (1, 0) };
            assert!(
                error_of(layout, lower, &[&[wrong]]).to_string().contains("above the diagonal")
            );
            assert!(error_of(layout, lower, &[&[(1, 1)]]).to_string().contains("zero on the diag"));
        } else {
            assert!(error_of(layout, lower, &[]).to_string().contains("one triangle"));
        }
    }
}

#[test]
fn types_that_are_too_small_are_errors() {
    let header = matrix(shape_of(300, 300), ValueType::F64, Structure::General, false).header;
    let csr = Format::Csr.layout();
    let create = |options: &Options| {
        MatrixSink::create(Memory::new().writer(), &header, &csr, options).map(drop)
    };
    let index = |t| Options { index_type: Some(t), ..Options::default() };
    let pointer = |t| Options { pointer_type: Some(t), ..Options::default() };
    assert!(create(&index(ValueType::U8)).is_err());
    assert!(create(&index(ValueType::F64)).is_err());
    assert!(create(&index(ValueType::Bint8)).is_err());
    assert!(create(&index(ValueType::I16)).is_ok());
    assert!(create(&pointer(ValueType::I8)).is_err());
    assert!(create(&pointer(ValueType::I64)).is_ok());
    // A user key `binsparse` would hide the descriptor.
    let user = Keys::parse(r#"{"binsparse": 1}"#).unwrap();
    assert!(create(&Options { user, ..Options::default() }).is_err());
}

#[test]
fn pointers_that_overflow_their_type_are_errors() {
    // The header has fewer entries than are written.
    let mut wrong = matrix(shape_of(60, 60), ValueType::U8, Structure::General, false);
    wrong.header.nnz = Some(10);
    let options = Options { minimize: true, ..Options::default() };
    let error = wrong.write(&Format::Csr.layout(), &options, 50).unwrap_err();
    assert!(error.to_string().contains("pointers_to_1: found 2"), "{error}");
}

#[test]
fn the_fill_value_is_kept_in_dense_elements() {
    for layout in layouts() {
        let cols = if layout.rank() == 1 { 1 } else { 5 };
        let mut filled = matrix(shape_of(6, cols), ValueType::I16, Structure::General, false);
        filled.header.order = capabilities(&layout).unwrap().orders[0];
        filled.header.fill = Some(Scalar::I16(-7));
        let memory = filled.write(&layout, &Options::default(), 4).unwrap();
        let source = open(&memory);
        assert_eq!(source.header().fill, Some(Scalar::I16(-7)));
        let found = without(all_entries(&source).unwrap(), Scalar::I16(-7));
        assert_eq!(found.len(), filled.entries.len(), "{layout}");
    }
}

#[test]
fn files_round_trip_and_unfinished_ones_are_removed() {
    use nnz_container::hdf5::{Hdf5Group, Hdf5Options, Hdf5Writer};
    use nnz_storage::staging::WriteOptions;

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.h5");
    for layout in layouts() {
        let order = capabilities(&layout).unwrap().orders[0];
        for &value_type in ValueType::ALL {
            let cols = if layout.rank() == 1 { 1 } else { 12 };
            let mut matrix = matrix(shape_of(9, cols), value_type, Structure::General, false);
            matrix.header.order = order;
            let create = |overwrite| {
                let write = WriteOptions::default().overwrite(overwrite).sync(false);
                let writer = Hdf5Writer::create(&path, "a/b", write, Hdf5Options::default());
                let options = Options::default();
                let writer = NamedArraysWriter::new(writer.unwrap());
                MatrixSink::create(writer, &matrix.header, &layout, &options).unwrap()
            };
            let mut unfinished = create(false);
            unfinished.write(&matrix.batches(5, false)[0]).unwrap();
            drop(unfinished);
            assert!(!path.exists());
            let mut sink = create(false);
            for batch in matrix.batches(5, true) {
                sink.write(&batch).unwrap();
            }
            assert!(Box::new(sink).finish().unwrap().bytes > 0);
            let source =
                MatrixSource::open(NamedArrays::new(Hdf5Group::open(&path, "a/b").unwrap()))
                    .unwrap();
            let zero = common::zero(value_type);
            let found = without(all_entries(&source).unwrap(), zero);
            let mut expected = without(matrix.list(), zero);
            if layout.rank() == 1 {
                expected.iter_mut().for_each(|(at, _)| at.truncate(1));
            }
            assert_eq!(sorted(&found), sorted(&expected), "{layout} {value_type}");
            std::fs::remove_file(&path).unwrap();
        }
    }
}
