//! Reading, counting and comparing sources made of others.

use nnz_core::{Axis, MatrixSource, Order, Shape};
use nnz_engine::{
    Concat, ConcatOptions, CsMatrix, DiffOptions, ReadOptions, Selection, Slice, StatsOptions,
    Transposed, diff, read, stats,
};
use nnz_storage::TaskContext;

/// Creates `1 . 2` above `. . 3`.
fn small() -> Box<dyn MatrixSource> {
    let shape = Shape { rows: 2, cols: 3 };
    let (indices, values) = (vec![0_u32, 2, 2], vec![1.0, 2.0, 3.0]);
    let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3], indices, values);
    matrix.unwrap().into_source().unwrap()
}

#[test]
fn concatenations_are_read() {
    let parts = vec![small(), small()];
    let all = Concat::new(parts, Axis::Cols, &ConcatOptions::default()).unwrap();
    let whole = read(&all, &ReadOptions::default(), &TaskContext::default()).unwrap();
    assert_eq!(whole.shape(), Shape { rows: 2, cols: 6 });
    assert_eq!(whole.indptr(), [0, 4, 6]);
    assert_eq!(*whole.indices(), vec![0_u32, 2, 3, 5, 2, 5].into());
    assert_eq!(*whole.values(), vec![1.0, 2.0, 1.0, 2.0, 3.0, 3.0].into());
}

#[test]
fn slices_are_counted() {
    let cols = Selection::names(["2"]);
    let slice = Slice::new(small(), &Selection::all(), &cols).unwrap();
    let found = stats(&slice, &StatsOptions::default(), &TaskContext::default()).unwrap();
    assert_eq!(found.whole.nnz, 2);
    assert_eq!(found.whole.total.unwrap().sum.to_string(), "5.0");
}

#[test]
fn transposing_twice_changes_nothing() {
    let twice = Transposed::new(Box::new(Transposed::new(small())) as Box<dyn MatrixSource>);
    let each = &mut |difference| panic!("{difference:?}");
    diff([&*small(), &twice], &DiffOptions::default(), &TaskContext::default(), each).unwrap();
}
