//! Binsparse files of the test data and their contents.

use std::path::{Path, PathBuf};

use nnz_container::NamedArrays;
use nnz_core::ValueType;
use serde_json::Value;

/// Returns the directory of the files.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/binsparse")
}

/// Returns the valid entries of the manifest for a kind of container.
pub(crate) fn entries(container: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(root().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let all = manifest["entries"].as_array().unwrap().iter();
    let valid = all.filter(|entry| entry["container"] == container && entry["malformed"] != true);
    valid.cloned().collect()
}

/// Returns the native-endian bytes of an array in the manifest.
pub(crate) fn expected(array: &Value) -> (ValueType, Vec<u8>) {
    let value_type: ValueType = match array["dtype"].as_str().unwrap() {
        "bool" => ValueType::Bint8,
        name => name.parse().unwrap(),
    };
    let data = array["data"].as_array().unwrap().iter();
    (value_type, data.flat_map(|value| number(value, value_type)).collect())
}

fn number(value: &Value, value_type: ValueType) -> Vec<u8> {
    let float = || match value.as_str() {
        Some("nan") => f64::NAN,
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        _ => value.as_f64().unwrap(),
    };
    match value_type {
        ValueType::F32 => (float() as f32).to_ne_bytes().to_vec(),
        ValueType::F64 => float().to_ne_bytes().to_vec(),
        _ => {
            let whole = value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
            let wide = whole.unwrap().to_le_bytes();
            let mut bytes = wide[..value_type.size()].to_vec();
            if cfg!(target_endian = "big") {
                bytes.reverse();
            }
            bytes
        }
    }
}

/// Compares a container with an entry of the manifest.
pub(crate) fn check(container: &NamedArrays, entry: &Value) {
    let id = entry["id"].as_str().unwrap();
    let text: Value = serde_json::from_str(&container.attribute("binsparse").unwrap()).unwrap();
    assert_eq!(text, entry["descriptor"], "{id}");
    let arrays = entry["arrays"].as_object().unwrap();
    assert!(!arrays.is_empty());
    for (name, described) in arrays {
        let (value_type, bytes) = expected(described);
        let array = container.array(name).unwrap();
        assert_eq!(array.value_type(), value_type, "{id} {name}");
        assert_eq!(array.len(), (bytes.len() / value_type.size()) as u64, "{id} {name}");
        let mut found = vec![0; bytes.len()];
        array.read_bytes(0, &mut found).unwrap();
        assert!(found == bytes, "{id} {name}");
        // And from the middle on.
        let half = array.len() / 2;
        let from = usize::try_from(half).unwrap() * value_type.size();
        array.read_bytes(half, &mut found[from..]).unwrap();
        assert!(found == bytes, "{id} {name}");
    }
    let mut names = container.members().unwrap();
    names.retain(|name| name != "binsparse");
    assert_eq!(names, arrays.keys().cloned().collect::<Vec<_>>(), "{id}");
}

/// Returns the manifest of the files of `testdata/FOLDER`, which have all codecs.
pub(crate) fn codec_files(folder: &str) -> (PathBuf, Value) {
    let root = root().join("..").join(folder);
    let text = std::fs::read_to_string(root.join("manifest.json")).unwrap();
    (root, serde_json::from_str(&text).unwrap())
}

/// Compares the arrays of a container with the arrays of `file` in the manifest.
pub(crate) fn check_codec_file(container: &NamedArrays, manifest: &Value, file: &str) {
    let arrays = manifest["arrays"][file].as_object().unwrap();
    assert!(arrays.len() >= 3);
    for (name, described) in arrays {
        if described == "strings" {
            let expected: Vec<&[u8]> = manifest["strings"]
                .as_array()
                .unwrap()
                .iter()
                .map(|string| string.as_str().unwrap().as_bytes())
                .collect();
            let found = container.strings(name).unwrap();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{file} {name}");
            continue;
        }
        let value_type = parse_type(described.as_str().unwrap());
        let values = manifest["values"].as_array().unwrap().iter();
        let expected: Vec<u8> = values.flat_map(|value| cast_number(value, value_type)).collect();
        let array = container.array(name).unwrap();
        assert_eq!(array.value_type(), value_type, "{file} {name}");
        // Complete chunks, then parts of them.
        for step in [array.len(), 77] {
            let bytes = usize::try_from(step).unwrap() * value_type.size();
            for (first, expected) in
                (0..).step_by(bytes / value_type.size()).zip(expected.chunks(bytes))
            {
                let mut found = vec![0; expected.len()];
                array.read_bytes(first, &mut found).unwrap();
                assert!(found == expected, "{file} {name}");
            }
        }
    }
}

fn parse_type(name: &str) -> ValueType {
    match name {
        "bool" => ValueType::Bint8,
        "complex64" => ValueType::ComplexF32,
        "complex128" => ValueType::ComplexF64,
        name => name.parse().unwrap(),
    }
}

/// Casts a whole number below 100, as NumPy does.
fn cast_number(value: &Value, value_type: ValueType) -> Vec<u8> {
    match value_type {
        ValueType::Bint8 => vec![u8::from(value != 0)],
        ValueType::ComplexF32 => [number(value, ValueType::F32), vec![0; 4]].concat(),
        ValueType::ComplexF64 => [number(value, ValueType::F64), vec![0; 8]].concat(),
        _ => number(value, value_type),
    }
}
