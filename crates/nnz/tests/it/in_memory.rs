//! Matrices in memory, written to and read from all formats.

use std::path::Path;

use crate::common::{location, root, sparing, unsynced};
use nnz::{
    Axis, Batch, CsMatrix, Dense, ErrorKind, Order, Projection, ReadOptions, Shape, Values,
    WriteMatrix as _, convert_source, formats::FormatOptions, matrix::Minors,
};
use proptest::prelude::*;

const ROW: Order = Order::Row;
const COL: Order = Order::Col;

fn options(order: Option<Order>) -> ReadOptions {
    ReadOptions::default().order(order)
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(ROW), Just(COL)]
}

/// Any bits, with some zeros of both signs.
fn bits() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-0.0), any::<u64>().prop_map(f64::from_bits)]
}

fn dense() -> impl Strategy<Value = Dense> {
    (0_u64..70, 0_u64..70, order()).prop_flat_map(|(rows, cols, order)| {
        let elements = usize::try_from(rows * cols).unwrap();
        prop::collection::vec(bits(), elements).prop_map(move |values| Dense {
            shape: Shape { rows, cols },
            order,
            values: Values::F64(values),
        })
    })
}

fn compressed() -> impl Strategy<Value = CsMatrix> {
    (0_u64..40, 1_u32..50, order()).prop_flat_map(|(majors, minors, order)| {
        let places = prop::collection::btree_set(0..minors, 0..12);
        let vectors = prop::collection::vec(places, usize::try_from(majors).unwrap());
        vectors.prop_map(move |vectors| {
            let mut pointers = vec![0];
            let mut list: Vec<u32> = Vec::new();
            for vector in &vectors {
                list.extend(vector);
                pointers.push(list.len() as u64);
            }
            let values = Values::U32((1..).take(list.len()).collect());
            let shape = match order {
                Order::Row => Shape { rows: majors, cols: minors.into() },
                Order::Col => Shape { rows: minors.into(), cols: majors },
            };
            CsMatrix::from_parts(shape, order, pointers, list, values).unwrap()
        })
    })
}

/// Returns the bits of elements by row and column.
fn elements(dense: &Dense) -> Vec<Vec<u64>> {
    let Values::F64(values) = &dense.values else { panic!("{:?}", dense.values) };
    let [rows, cols] = [dense.shape.rows, dense.shape.cols].map(|n| usize::try_from(n).unwrap());
    let element = |row: usize, col: usize| match dense.order {
        Order::Row => values[row * cols + col].to_bits(),
        Order::Col => values[col * rows + row].to_bits(),
    };
    assert_eq!(values.len(), rows * cols);
    (0..rows).map(|row| (0..cols).map(|col| element(row, col)).collect()).collect()
}

fn write(source: &dyn nnz::MatrixSource, path: &Path, threads: usize) {
    let context = sparing().with_threads(threads);
    convert_source(source, location(path), &unsynced(), &context).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn dense_matrices_round_trip_bit_by_bit(
        dense in dense(), wanted in prop::option::of(order()), threads in 1_usize..4,
    ) {
        let folder = tempfile::tempdir().unwrap();
        // One source, written several times.
        let opened = dense.clone().into_source().unwrap();
        for name in ["x.dbdf", "x.bsp.h5", "x.zarr", "x.bsp.npz", "x.nc"] {
            let path = folder.path().join(name);
            write(&*opened, &path, threads);
            let read = nnz::read_dense(location(&path), &options(wanted), &sparing().with_threads(threads)).unwrap();
            prop_assert!(wanted.is_none_or(|wanted| wanted == read.order), "{}", name);
            prop_assert_eq!(elements(&read), elements(&dense), "{}", name);
        }
    }

    #[test]
    fn sparse_matrices_round_trip(matrix in compressed(), threads in 1_usize..4) {
        let folder = tempfile::tempdir().unwrap();
        let opened = matrix.clone().into_source().unwrap();
        for name in ["x.bpcells", "x.bsp.h5", "x.mtx", "x.dbdf"] {
            let path = folder.path().join(name);
            write(&*opened, &path, threads);
            let read = nnz::read(location(&path), &options(Some(matrix.order())), &sparing().with_threads(threads)).unwrap();
            prop_assert_eq!(read.indptr(), matrix.indptr(), "{}", name);
            prop_assert_eq!(read.indices(), matrix.indices(), "{}", name);
            let values = format!("{:?}", matrix.values());
            let same = format!("{:?}", read.values()).replace("I64", "U32") == values;
            prop_assert!(same, "{} {:?}", name, read.values());
        }
    }

    #[test]
    fn sparse_matrices_are_read_as_dense(
        matrix in compressed(), wanted in prop::option::of(order()),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.bpcells");
        write(&*matrix.clone().into_source().unwrap(), &path, 1);
        let dense = nnz::read_dense(location(&path), &options(wanted), &sparing().with_threads(2)).unwrap();
        let (Values::U32(elements), Values::U32(values)) = (&dense.values, matrix.values()) else {
            panic!("{:?}", dense.values)
        };
        let Minors::U32(minors) = matrix.indices() else { panic!() };
        let mut expected = vec![0; elements.len()];
        for (major, ends) in (0..).zip(matrix.indptr().windows(2)) {
            for entry in usize::try_from(ends[0]).unwrap()..usize::try_from(ends[1]).unwrap() {
                let (row, col) = matrix.order().row_col(major, minors[entry].into());
                let element = match dense.order {
                    Order::Row => row * dense.shape.cols + col,
                    Order::Col => col * dense.shape.rows + row,
                };
                expected[usize::try_from(element).unwrap()] = values[entry];
            }
        }
        prop_assert_eq!(elements, &expected);
    }
}

/// Wider than the part that is decoded at once.
#[test]
fn rows_of_any_length_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.dbdf");
    let (rows, cols) = (3, 600_001);
    let values = (0..rows * cols).map(|n| f64::from(u32::try_from(n).unwrap())).collect();
    let dense = Dense { shape: Shape { rows, cols }, order: ROW, values: Values::F64(values) };
    write(&*dense.clone().into_source().unwrap(), &path, 2);
    for threads in [1, 3] {
        let read =
            nnz::read_dense(location(&path), &options(None), &sparing().with_threads(threads))
                .unwrap();
        assert_eq!(read, dense);
    }
}

/// Short rows of DAPHNE, in ranges with any start.
#[test]
fn many_short_rows_of_daphne_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("short.dbdf");
    let rows = 200_003_u64;
    let mut pointers = vec![0];
    let mut minors = Vec::new();
    for row in 0..rows {
        minors.extend((0..u32::try_from(row % 7).unwrap()).map(|n| n * 13 + 1));
        pointers.push(minors.len() as u64);
    }
    let values =
        Values::F64((0..minors.len()).map(|n| f64::from(u32::try_from(n).unwrap())).collect());
    let shape = Shape { rows, cols: 100 };
    let matrix = CsMatrix::from_parts(shape, ROW, pointers, minors, values).unwrap();
    for dialect in ["spec", "daphne-2022"] {
        let format_options = FormatOptions::new()
            .with("dialect", dialect)
            .with("block-type", "sparse")
            .with("layout", "coordinate");
        let how = unsynced().format_options(format_options);
        let opened = matrix.clone().into_source().unwrap();
        convert_source(&*opened, location(&path), &how, &sparing()).unwrap();
        for threads in [1, 3] {
            let read = nnz::read(location(&path), &options(None), &sparing().with_threads(threads))
                .unwrap();
            assert!(read == matrix, "{dialect:?} {threads}");
        }
    }
}

/// A few rows of DAPHNE, which are read in smaller pieces than the whole.
#[test]
fn ranges_of_rows_of_daphne_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.dbdf");
    let (rows, cols) = (3000_u64, 30_000_u32);
    let mut pointers = vec![0];
    let mut minors: Vec<u32> = Vec::new();
    for row in 0..rows {
        let count = if row % 1000 == 500 { cols } else { u32::try_from(row * 7919 % 257).unwrap() };
        minors.extend((0..count).map(|n| n * (cols / count)));
        pointers.push(minors.len() as u64);
    }
    let values =
        Values::F64((0..minors.len()).map(|n| f64::from(u32::try_from(n).unwrap())).collect());
    let shape = Shape { rows, cols: cols.into() };
    let matrix = CsMatrix::from_parts(shape, ROW, pointers, minors, values).unwrap();
    let Minors::U32(wanted) = matrix.indices() else { panic!("{:?}", matrix.indices()) };
    let at = |row: u64| usize::try_from(matrix.indptr()[usize::try_from(row).unwrap()]).unwrap();
    let opened = matrix.clone().into_source().unwrap();
    for dialect in ["spec", "daphne-2022"] {
        let format_options = FormatOptions::new().with("dialect", dialect);
        let how = unsynced().format_options(format_options);
        convert_source(&*opened, location(&path), &how, &sparing()).unwrap();
        let stored = nnz::open(location(&path)).and_then(nnz::Dataset::into_matrix).unwrap();
        for count in [1, 2, 30, 46, 47, 200] {
            for first in (0..rows - count).step_by(83).chain([499, 500, 501, rows - count]) {
                let mut reader = stored.batches(first..first + count, Projection::ALL).unwrap();
                let mut batch = Batch::new(ROW, Values::default());
                let mut found = Vec::new();
                while reader.next_batch(&mut batch).unwrap() {
                    batch
                        .try_for_each(|entry, row, col| {
                            let Values::F64(values) = &batch.values else { return Err(()) };
                            found.push((row, col, values[entry].to_bits()));
                            Ok(())
                        })
                        .unwrap();
                }
                let expected = (first..first + count).flat_map(|row| {
                    (at(row)..at(row + 1)).map(move |entry| {
                        let value = f64::from(u32::try_from(entry).unwrap());
                        (row, u64::from(wanted[entry]), value.to_bits())
                    })
                });
                assert!(found.iter().copied().eq(expected), "{count} rows from {first} on");
            }
        }
    }
}

/// Rows that are read in several parts, between empty ones.
#[test]
fn long_rows_between_empty_ones_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let lengths = [0_u32, 0, 600_001, 0, 3, 300_000, 1, 0];
    let mut pointers = vec![0];
    let mut minors = Vec::new();
    for length in lengths {
        minors.extend(0..length);
        pointers.push(minors.len() as u64);
    }
    let values = Values::U32((0..).take(minors.len()).collect());
    let shape = Shape { rows: lengths.len() as u64, cols: 700_000 };
    let matrix = CsMatrix::from_parts(shape, ROW, pointers, minors, values).unwrap();
    for name in ["long.dbdf", "long.bpcells", "long.bsp.h5", "long.bsp.npz"] {
        let path = folder.path().join(name);
        write(&*matrix.clone().into_source().unwrap(), &path, 2);
        for threads in [1, 2, 3] {
            let read =
                nnz::read(location(&path), &options(Some(ROW)), &sparing().with_threads(threads))
                    .unwrap();
            // Rows of BPCells are features.
            let read = read.with_axis_kinds(matrix.axis_kinds());
            assert!(read == matrix, "{name}, {threads} threads");
        }
    }
}

#[test]
fn inconsistent_arrays_are_refused() {
    let shape = Shape { rows: 2, cols: 3 };
    let make = |indptr: &[u64], indices: Minors, values: &[u8]| {
        CsMatrix::from_parts(shape, ROW, indptr.to_vec(), indices, values.to_vec())
    };
    let indices = || Minors::U32(vec![0, 2]);
    let matrix = make(&[0, 1, 2], indices(), &[1, 2]).unwrap();
    assert_eq!(matrix.clone().into_parts(), (vec![0, 1, 2], indices(), Values::U8(vec![1, 2])));
    // Both index types, in any order.
    make(&[0, 2, 2], Minors::U64(vec![2, 0]), &[1, 2]).unwrap();
    for (indptr, indices, values) in [
        (&[0, 2][..], indices(), &[1, 2][..]),
        (&[1, 1, 2], indices(), &[1, 2]),
        (&[0, 3, 2], indices(), &[1, 2]),
        (&[0, 1, 3], indices(), &[1, 2]),
        (&[0, 1, 2], indices(), &[1]),
        (&[0, 1, 2], Minors::Spans(vec![0, 0]), &[1, 2]),
        (&[0, 1, 2], Minors::U32(vec![0, 3]), &[1, 2]),
        (&[0, 1, 2], Minors::U64(vec![u64::MAX, 0]), &[1, 2]),
    ] {
        let text = format!("{indptr:?} {indices:?} {values:?}");
        assert!(make(indptr, indices, values).is_err(), "{text}");
    }
    assert!(matrix.clone().with_names(Axis::Rows, ["one"]).is_err());
    assert!(matrix.with_names(Axis::Cols, ["a", "b", "c", "d"]).is_err());
}

#[test]
fn matrices_in_memory_are_written_with_names() {
    let folder = tempfile::tempdir().unwrap();
    let to = location(&folder.path().join("x.bpcells"));
    let shape = Shape { rows: 2, cols: 3 };
    let matrix =
        CsMatrix::from_parts(shape, ROW, vec![0, 2, 3], vec![0_u32, 2, 1], vec![5_u32, 6, 7])
            .and_then(|matrix| matrix.with_names(Axis::Rows, ["r0", "r1"]))
            .and_then(|matrix| matrix.with_names(Axis::Cols, ["a", "b", "c"]))
            .unwrap();
    assert_eq!(matrix.names(Axis::Cols).unwrap().get(2), Some(&b"c"[..]));
    matrix.write(&to, &unsynced(), &sparing()).unwrap();
    let source = nnz::open(&to).and_then(nnz::Dataset::into_matrix).unwrap();
    let names = source.names(Axis::Rows).unwrap().unwrap();
    assert_eq!(names.iter().collect::<Vec<_>>(), [b"r0", b"r1"]);
    let entries: Vec<_> = source.entries().unwrap().map(Result::unwrap).collect();
    let value = nnz::Scalar::U32;
    assert_eq!(entries, [(0, 0, value(5)), (0, 2, value(6)), (1, 1, value(7))]);
}

#[test]
fn matrices_above_the_memory_limit_are_refused() {
    let source = location(&root().join("testdata/bpcells/matrix_dir/basic_uint.packed.col"));
    let read = nnz::read_dense(&source, &options(None), &sparing().with_memory(1000));
    let error = read.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
}

#[test]
fn empty_rows_cost_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let dense =
        Dense { shape: Shape { rows: 3, cols: 0 }, order: ROW, values: Values::F64(Vec::new()) };
    let path = folder.path().join("x.bsp");
    write(&*dense.clone().into_source().unwrap(), &path, 1);
    let description = std::fs::read_to_string(path.join("binsparse.json")).unwrap();
    let huge = description.replace("[3,0]", "[1152921504606846976,0]");
    assert_ne!(huge, description);
    std::fs::write(path.join("binsparse.json"), huge).unwrap();
    let read =
        nnz::read_dense(location(&path), &options(None), &sparing().with_threads(2)).unwrap();
    assert_eq!((read.shape.rows, read.values), (1 << 60, dense.values));
}

/// Matrices in memory once had no names and kinds of axes, so that cells were written as genes.
#[test]
fn names_and_axis_kinds_are_read_into_memory() {
    use nnz::matrix::AxisKind;
    let folder = tempfile::tempdir().unwrap();
    let example = root().join("examples/pbmc_10x_v3_mtx");
    let matrix = nnz::read(location(&example), &nnz::ReadOptions::default(), &sparing()).unwrap();
    assert_eq!(matrix.axis_kinds(), [AxisKind::Features, AxisKind::Cells]);
    let genes = matrix.names(nnz::Axis::Rows).unwrap().clone();
    assert_eq!(genes.len(), matrix.shape().rows);
    let target = folder.path().join("x.h5ad");
    let cells = matrix.shape().cols;
    let summary = matrix.write(location(&target), &unsynced(), &sparing()).unwrap();
    assert!(
        summary.notes.iter().any(|note| note.contains("transposed: rows are now cells")),
        "{summary:?}"
    );
    let written = nnz::open(location(&target)).unwrap().into_matrix().unwrap();
    assert_eq!(written.header().shape.rows, cells);
    assert_eq!(written.names(nnz::Axis::Cols).unwrap().unwrap(), genes);
    let bare = nnz::ReadOptions::default().names(false);
    let bare = nnz::read(location(&example), &bare, &sparing()).unwrap();
    assert_eq!(bare.names(nnz::Axis::Rows), None);
}

#[test]
fn a_matrix_of_an_open_container_has_the_name_of_the_container() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.bsp.h5");
    let matrix =
        CsMatrix::from_parts(Shape { rows: 1, cols: 2 }, ROW, vec![0, 1], vec![1_u32], vec![2.0]);
    matrix.unwrap().write(&*path, &unsynced(), &nnz::Context::default()).unwrap();
    let arrays = nnz::container::NamedArrays::open(&path, "").unwrap();
    let opened = nnz::tensor::open(arrays).unwrap().into_matrix().unwrap();
    assert_eq!(opened.place(), nnz::Place::path(&path));
}
