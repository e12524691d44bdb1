//! The fuzz targets, compiled only.

use crate::cargo::{cargo, root, run, target_directory};
use crate::error::Result;

/// Checks the targets, without the C++ of libFuzzer, which is needed to link them only.
pub(super) fn check() -> Result<()> {
    run(cargo()
        .args(["check", "--locked", "--manifest-path"])
        .arg(root().join("fuzz").join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target_directory()?)
        .env("CUSTOM_LIBFUZZER_PATH", "not-linked/libfuzzer.a"))
}
