//! Helpers of several tests.

pub mod entries;
pub mod manifest;
pub mod samples;
pub mod whole;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

pub fn location(path: &Path) -> nnz::Location {
    nnz::Location::Path { path: path.to_path_buf(), group: None }
}

/// Options of conversions in tests, without syncing.
pub fn unsynced() -> nnz::ConvertOptions {
    nnz::ConvertOptions::default().overwrite(true).sync(false)
}

/// The context of conversions in tests, in which sorting takes little memory.
pub fn sparing() -> nnz::Context {
    nnz::Context::default().with_memory(64 << 20).with_threads(1)
}
