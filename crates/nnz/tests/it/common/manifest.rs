//! Manifests of files of other programs.

use nnz::Context;
use std::fs;
use std::path::{Path, PathBuf};

use nnz::{Axis, Dataset, Location, MatrixSource, Scalar};
use serde_json::Value;

/// A file of a manifest, or a location in one.
pub struct Entry {
    pub folder: PathBuf,
    pub json: Value,
}

/// Reads the entries of `testdata/NAME/manifest.json`.
pub fn entries(name: &str) -> Vec<Entry> {
    let folder = crate::common::root().join("testdata").join(name);
    let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let list = manifest["entries"].as_array().unwrap().clone();
    list.into_iter().map(|json| Entry { folder: folder.clone(), json }).collect()
}

impl Entry {
    pub fn text(&self, key: &str) -> &str {
        self.json[key].as_str().unwrap_or_default()
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join(self.text("path"))
    }

    /// Returns the location of the file or in it.
    pub fn location(&self) -> Location {
        let group = self.text("place").strip_prefix("::").map(ToOwned::to_owned);
        Location::Path { path: self.path(), group }
    }

    pub fn expected(&self) -> Option<&Value> {
        self.json.get("expected").filter(|expected| !expected.is_null())
    }

    pub fn name(&self) -> String {
        format!("{}{}", self.text("path"), self.text("place"))
    }
}

/// Compares a matrix with a manifest: shape, entries in order, names.
pub fn compare(matrix: &dyn MatrixSource, expected: &Value) -> Result<(), String> {
    let shape = matrix.header().shape;
    let lengths: Vec<u64> = serde_json::from_value(expected["shape"].clone()).unwrap();
    let of_vector =
        |lengths: &[u64]| matches!(lengths, &[len] if shape.rows == len && shape.cols == 1);
    if lengths != [shape.rows, shape.cols] && !of_vector(&lengths) {
        return Err(format!("the shape {shape}, expected {lengths:?}"));
    }
    let mut wanted = listed(expected, lengths.len());
    let mut found = Vec::new();
    for entry in matrix.entries().map_err(|error| error.to_string())? {
        let (row, col, value) = entry.map_err(|error| error.to_string())?;
        found.push((row, col, value));
    }
    if let Some(Value::Array(_)) = expected.get("cells") {
        wanted.sort_by_key(|(row, col, _)| (*row, *col));
        found.sort_by_key(|(row, col, _)| (*row, *col));
    }
    if found.len() != wanted.len() {
        return Err(format!("{} entries, expected {}", found.len(), wanted.len()));
    }
    for (number, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        let places = (found.0, found.1) == (wanted.0, wanted.1);
        if !places || !same(found.2, &wanted.2) {
            return Err(format!("entry {number} is {found:?}, expected {wanted:?}"));
        }
    }
    for (axis, key) in [(Axis::Rows, "row_names"), (Axis::Cols, "col_names")] {
        let Some(Value::Array(names)) = expected.get(key) else { continue };
        let names: Vec<&str> = names.iter().map(|name| name.as_str().unwrap()).collect();
        let list = matrix.names(axis).map_err(|error| error.to_string())?;
        let list = list.unwrap_or_default();
        let list: Vec<_> = list.iter().map(|name| String::from_utf8_lossy(name)).collect();
        if list != names {
            return Err(format!("the names of {axis} {list:?}, expected {names:?}"));
        }
    }
    Ok(())
}

/// Lists the expected entries: row, column, value.
fn listed(expected: &Value, rank: usize) -> Vec<(u64, u64, Value)> {
    let index = |value: &Value| value.as_u64().unwrap();
    let mut all = Vec::new();
    if let Some(Value::Array(rows)) = expected.get("cells") {
        for (row, elements) in (0..).zip(rows) {
            match elements {
                Value::Array(elements) if rank == 2 => {
                    all.extend((0..).zip(elements).map(|(col, value)| (row, col, value.clone())));
                }
                value => all.push((row, 0, value.clone())),
            }
        }
        return all;
    }
    for entry in expected["entries"].as_array().into_iter().flatten() {
        match &entry.as_array().unwrap()[..] {
            [row, col, value] => all.push((index(row), index(col), value.clone())),
            [row, value] => all.push((index(row), 0, value.clone())),
            other => panic!("{other:?}"),
        }
    }
    all
}

/// Returns whether a value equals a value of a manifest, including the sign of zero.
pub fn same(found: Scalar, wanted: &Value) -> bool {
    let float = |found: f64| match wanted {
        Value::String(name) => match name.as_str() {
            "nan" => found.is_nan(),
            "inf" => found == f64::INFINITY,
            "-inf" => found == f64::NEG_INFINITY,
            _ => panic!("{name}"),
        },
        number => number.as_f64().unwrap().to_bits() == found.to_bits(),
    };
    let both = |found: [f64; 2]| {
        let wanted = wanted.as_array().unwrap();
        found.iter().zip(wanted).all(|(found, wanted)| same(Scalar::F64(*found), wanted))
    };
    match found {
        Scalar::F32(value) => float(value.into()),
        Scalar::F64(value) => float(value),
        Scalar::ComplexF32([re, im]) => both([re.into(), im.into()]),
        Scalar::ComplexF64(value) => both(value),
        Scalar::Bint8(value) => {
            wanted.as_u64() == Some(value.0.into()) || wanted.as_bool() == Some(value.0 != 0)
        }
        other => {
            // Integers may be listed as floats.
            let wanted = match wanted.as_f64().filter(|_| wanted.is_f64()) {
                Some(float) => float.to_string(),
                None => wanted.to_string(),
            };
            other.to_string() == wanted
        }
    }
}

/// Opens a location as a matrix.
pub fn open(location: &Location) -> nnz::Result<Box<dyn MatrixSource>> {
    nnz::open(location.clone()).and_then(Dataset::into_matrix)
}

/// Reads all data of a location.
pub fn read_whole(location: &Location) -> nnz::Result<()> {
    let matrix = match nnz::open(location.clone())? {
        Dataset::Tensor(tensor) => {
            return tensor.cat(
                &nnz::CatOptions::default(),
                &Context::default(),
                &mut std::io::sink(),
            );
        }
        other => other.into_matrix()?,
    };
    for axis in [Axis::Rows, Axis::Cols] {
        matrix.names(axis)?;
    }
    matrix.entries()?.try_for_each(|entry| entry.map(drop))
}

/// Returns whether an error has a place in the path.
pub fn has_place(error: &nnz::Error, path: &Path) -> bool {
    error.place().path.as_deref().is_some_and(|place| {
        place.starts_with(path) || { place.to_string_lossy().starts_with(&*path.to_string_lossy()) }
    })
}
