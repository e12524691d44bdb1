//! Builds of the library with some of its features.

use crate::cargo::{cargo, run};
use crate::error::Result;

/// The features of `nnz`. `fragments` and `daphne` include others.
const FEATURES: [&str; 11] = [
    "bpcells",
    "daphne",
    "fragments",
    "hdf5",
    "matrix-market",
    "netcdf",
    "npz",
    "scientific",
    "singlecell",
    "sprs",
    "zarr",
];

/// Checks each feature on its own, and tests builds without features and with two; the tests of the
/// workspace cover all.
pub(super) fn check() -> Result<()> {
    for feature in FEATURES {
        run(cargo()
            .args(["check", "-p", "nnz", "--lib", "--no-default-features"])
            .args(["--features", feature]))?;
    }
    run(cargo().args(["test", "-p", "nnz", "--no-default-features", "--lib"]))?;
    run(cargo()
        .args(["test", "-p", "nnz", "--no-default-features", "--features", "bpcells,matrix-market"])
        .args(["--lib", "--test", "few_formats"]))?;
    run(cargo().args([
        "test",
        "-p",
        "nnz-engine",
        "--features",
        "sprs",
        "--test",
        "it",
        "sprs_matrix",
    ]))
}
