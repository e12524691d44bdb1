//! The files of `testdata/anndata`, and their manifest.

use std::path::{Path, PathBuf};

use nnz_core::{Batch, MatrixSource, Projection, Scalar, Values};
use nnz_singlecell::anndata::AnnData;
use serde_json::Value;

/// The files, with stores unpacked.
pub(crate) struct Golden {
    dir: tempfile::TempDir,
    pub(crate) manifest: Value,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/anndata")
}

impl Golden {
    pub(crate) fn new() -> Self {
        let text = std::fs::read_to_string(folder().join("manifest.json")).unwrap();
        Self { dir: tempfile::tempdir().unwrap(), manifest: serde_json::from_str(&text).unwrap() }
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self, file: &Value) -> PathBuf {
        let path = file["path"].as_str().unwrap();
        let Some(store) = path.strip_suffix(".tar.gz") else { return folder().join(path) };
        let unpacked = self.dir.path().join(store);
        if !unpacked.exists() {
            nnz_testing::tar::unpack(&folder().join(path), &unpacked);
        }
        unpacked
    }

    pub(crate) fn valid(&self) -> &[Value] {
        self.manifest["files"].as_array().unwrap()
    }

    pub(crate) fn malformed(&self) -> &[Value] {
        self.manifest["malformed"].as_array().unwrap()
    }
}

pub(crate) fn open(path: &Path) -> nnz_core::Result<AnnData> {
    AnnData::open(nnz_container::tree::open(path, "")?)
}

/// Reads all entries in the order of the file.
pub(crate) fn entries(source: &dyn MatrixSource) -> nnz_core::Result<Vec<(u64, u64, Scalar)>> {
    let header = source.header();
    let majors = header.shape.major(header.order);
    entries_of(source, 0..majors)
}

pub(crate) fn entries_of(
    source: &dyn MatrixSource,
    majors: std::ops::Range<u64>,
) -> nnz_core::Result<Vec<(u64, u64, Scalar)>> {
    let header = source.header();
    let mut reader = source.batches(majors, Projection::ALL)?;
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut all = Vec::new();
    while reader.next_batch(&mut batch)? {
        for entry in 0..batch.entries() {
            let (row, col) = batch.row_col(entry);
            all.push((row, col, batch.values.get(entry).unwrap()));
        }
    }
    Ok(all)
}

/// Compares a value with the manifest, bit by bit except for the bits of NaN.
pub(crate) fn same(value: Scalar, expected: &Value) -> bool {
    let float = |expected: &Value| match expected {
        Value::String(text) => text.parse().unwrap(),
        other => other.as_f64().unwrap(),
    };
    let same = |value: f64, expected: f64| {
        value.to_bits() == expected.to_bits() || (value.is_nan() && expected.is_nan())
    };
    #[expect(clippy::cast_possible_truncation, reason = "the manifest has the shortest form")]
    let narrow = |expected: &Value| f64::from(float(expected) as f32);
    match value {
        Scalar::F32(value) => same(value.into(), narrow(expected)),
        Scalar::F64(value) => same(value, float(expected)),
        Scalar::ComplexF32([re, im]) => {
            same(re.into(), narrow(&expected[0])) && same(im.into(), narrow(&expected[1]))
        }
        Scalar::ComplexF64([re, im]) => {
            same(re, float(&expected[0])) && same(im, float(&expected[1]))
        }
        Scalar::Bint8(value) => match expected {
            Value::Bool(expected) => (value.0 == 1) == *expected,
            other => Some(u64::from(value.0)) == other.as_u64(),
        },
        other => {
            let text = expected.to_string();
            other.to_string() == text
        }
    }
}
