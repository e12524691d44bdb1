//! A build with few formats. It is a program of its own because the other tests need all features;
//! `cargo xtask test` runs it with two.
#![cfg(all(feature = "bpcells", feature = "matrix-market"))]
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops where it fails")]

use nnz::Context;
use nnz::{ConvertOptions, ReadOptions};

#[test]
fn converts_between_the_two_formats() {
    let scratch = tempfile::tempdir().unwrap();
    let [text, store, back] = ["a.mtx", "a.bpcells", "b.mtx"].map(|name| scratch.path().join(name));
    let entries = "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 5\n2 2 7\n1 3 6\n";
    std::fs::write(&text, entries).unwrap();
    for (from, to) in [(&text, &store), (&store, &back)] {
        nnz::convert(from, to, &ConvertOptions::default(), &Context::default()).unwrap();
    }
    let [first, last] = [&text, &back]
        .map(|at| nnz::read(at, &ReadOptions::default(), &Context::default()).unwrap());
    assert_eq!((first.nnz(), first.indptr()), (3, last.indptr()));
    let names: Vec<_> = nnz::formats::list().iter().map(|format| format.name).collect();
    // A container that was left out is named; no directory is written under its name.
    #[cfg(not(feature = "hdf5"))]
    for (name, kind) in
        [("c.bsp.h5", "HDF5"), ("c.zarr", "Zarr"), ("c.nc", "NetCDF"), ("c.bsp.npz", "npz")]
    {
        let to = scratch.path().join(name);
        let error =
            nnz::convert(&text, &to, &ConvertOptions::default(), &Context::default()).unwrap_err();
        assert!(error.to_string().ends_with(&format!("this build has no {kind}")), "{error}");
        assert!(!to.exists());
    }
    #[cfg(not(feature = "hdf5"))]
    {
        let at = scratch.path().join("d.h5ad");
        std::fs::write(&at, b"\x89HDF\r\n\x1a\n and more").unwrap();
        let error = nnz::read(&at, &ReadOptions::default(), &Context::default()).unwrap_err();
        assert!(error.to_string().ends_with("the feature hdf5 is off"), "{error}");
    }
    assert!(names.contains(&"bpcells".into()) && names.contains(&"mtx".into()), "{names:?}");
}
