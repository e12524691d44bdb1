//! Cancelled operations end at the next batch, and succeed with a new token.

use nnz_core::{Error, ErrorKind, MatrixSource, Order};
use nnz_engine::{
    Cancellation, DiffOptions, ReadOptions, StatsOptions, check, diff, read, read_dense, stats,
};
use nnz_storage::TaskContext;

use crate::sources::{Cancelling, matrix};

/// Runs an operation that is cancelled at its third unit, and again to the end.
fn cancelled(run: impl Fn(&dyn MatrixSource, Cancellation) -> Result<(), Error>) {
    let cancellation = Cancellation::new();
    let source = Cancelling::new(&cancellation, 3);
    let error = run(&source, cancellation.clone()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
    // A token stays cancelled.
    let error = run(&source, cancellation).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
    run(&source, Cancellation::new()).unwrap();
}

#[test]
fn reading_is_cancelled() {
    let whole = matrix();
    for threads in [1, 2] {
        // In column order, the matrix is sorted first.
        for order in [None, Some(Order::Col)] {
            cancelled(|source, cancellation| {
                let context =
                    TaskContext::default().with_threads(threads).with_cancellation(cancellation);
                let options = ReadOptions::default().order(order);
                let found = read(source, &options, &context)?;
                assert_eq!(found.nnz(), whole.nnz());
                assert!(order.is_some() || found == whole);
                Ok(())
            });
        }
        cancelled(|source, cancellation| {
            let context =
                TaskContext::default().with_threads(threads).with_cancellation(cancellation);
            let options = ReadOptions::default();
            read_dense(source, &options, &context).map(|_| ())
        });
    }
}

#[test]
fn operations_on_all_entries_are_cancelled() {
    let other = matrix().into_source().unwrap();
    for threads in [1, 2] {
        cancelled(|source, cancellation| {
            let context =
                TaskContext::default().with_threads(threads).with_cancellation(cancellation);
            let options = StatsOptions::default();
            stats(source, &options, &context).map(|_| ())
        });
        cancelled(|source, cancellation| {
            let context =
                TaskContext::default().with_threads(threads).with_cancellation(cancellation);
            check(source, &context, &mut |finding| panic!("{finding}"))
        });
        cancelled(|source, cancellation| {
            let context =
                TaskContext::default().with_threads(threads).with_cancellation(cancellation);
            let options = DiffOptions::default();
            let each = &mut |difference| panic!("{difference:?}");
            diff([source, &*other], &options, &context, each)
        });
    }
}
