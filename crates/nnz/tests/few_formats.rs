//! A build with two families of formats, which `cargo xtask test` runs without the others.
#![cfg(all(feature = "bpcells", feature = "matrix-market"))]
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops where it fails")]

use nnz::{ConvertOptions, NoProgress, ReadOptions};

#[test]
fn two_formats_are_enough_to_convert() {
    let scratch = tempfile::tempdir().unwrap();
    let [text, store, back] = ["a.mtx", "a.bpcells", "b.mtx"].map(|name| scratch.path().join(name));
    let entries = "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 5\n2 2 7\n1 3 6\n";
    std::fs::write(&text, entries).unwrap();
    for (from, to) in [(&text, &store), (&store, &back)] {
        nnz::convert(from, to, &ConvertOptions::default(), &NoProgress).unwrap();
    }
    let [first, last] = [&text, &back].map(|at| nnz::read(at, &ReadOptions::default()).unwrap());
    assert_eq!((first.nnz(), first.indptr()), (3, last.indptr()));
    let names: Vec<_> = nnz::formats::list().iter().map(|format| format.name).collect();
    assert!(names.contains(&"bpcells") && names.contains(&"mtx"), "{names:?}");
}
