//! Binsparse files of other programs and their manifest.

use std::path::{Path, PathBuf};

use nnz_container::{NamedArrays, Vector};
use nnz_core::ValueType;
use serde_json::Value;

/// A file with a matrix or a tensor.
pub(crate) struct Golden {
    pub(crate) path: PathBuf,
    pub(crate) group: String,
    entry: Value,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/binsparse")
}

/// Returns the valid files in a kind of container, `hdf5` or `netcdf`.
pub(crate) fn valid(container: &str) -> Vec<Golden> {
    let manifest = std::fs::read(root().join("manifest.json")).unwrap();
    let mut manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let Value::Array(entries) = manifest["entries"].take() else { panic!("no entries") };
    let wanted = |entry: &Value| entry["container"] == container && entry.get("arrays").is_some();
    let golden = entries.into_iter().filter(wanted).map(|entry| Golden {
        path: root().join(entry["path"].as_str().unwrap()),
        group: entry["group"].as_str().unwrap().trim_matches('/').to_owned(),
        entry,
    });
    golden.collect()
}

/// Returns the path of an invalid HDF5 file.
pub(crate) fn malformed(name: &str) -> PathBuf {
    root().join(format!("malformed/{name}.bsp.h5"))
}

impl Golden {
    /// Compares a container with the manifest, and returns the number of arrays.
    pub(crate) fn check(&self, container: &NamedArrays) -> usize {
        let path = self.path.display();
        let text =
            container.attribute("binsparse").unwrap_or_else(|error| panic!("{path}: {error}"));
        let found: Value = serde_json::from_str(&text).unwrap();
        let expected = &self.entry["descriptor"];
        if expected["comment"] == "<70000 x>" {
            // The manifest has a short form of this one.
            assert_eq!(found["binsparse"], expected["binsparse"], "{path}");
            assert!(found["comment"] == "x".repeat(70_000), "{path}");
        } else {
            assert!(found == *expected, "{path}");
        }
        let members = container.members().unwrap();
        let arrays = self.entry["arrays"].as_object().unwrap();
        for (name, expected) in arrays {
            assert!(members.contains(name), "{path}: {name} is not among {members:?}");
            let array = container.array(name).unwrap_or_else(|error| panic!("{path}: {error}"));
            let dtype = expected["dtype"].as_str().unwrap();
            let found = array.value_type();
            // The manifest has every form of booleans as a byte.
            let same = found.name() == dtype
                || dtype == "uint8" && matches!(found, ValueType::I8 | ValueType::Bint8);
            assert!(same, "{path}: {name} is {found}, not {dtype}");
            let data = expected["data"].as_array().unwrap();
            assert_eq!(array.len(), data.len() as u64, "{path}: {name}");
            let numbers = read(&array);
            let expected: Vec<Vec<u8>> = data.iter().map(|value| bytes(found, value)).collect();
            assert!(same_numbers(found, &numbers, &expected.concat()), "{path}: {name}");
        }
        arrays.len()
    }
}

/// Reads an array as a whole, and again element by element.
fn read(array: &Vector) -> Vec<u8> {
    let size = array.value_type().size();
    let mut whole = vec![0; usize::try_from(array.len()).unwrap() * size];
    array.read_bytes(0, &mut whole).unwrap();
    for (at, element) in whole.chunks(size).enumerate() {
        let mut one = vec![0; size];
        array.read_bytes(at as u64, &mut one).unwrap();
        assert_eq!(one, element);
    }
    whole
}

/// Returns a number of the manifest in native-endian form.
fn bytes(value_type: ValueType, value: &Value) -> Vec<u8> {
    let float = || match value.as_str() {
        Some(special) => special.parse().unwrap(),
        None => value.as_f64().unwrap(),
    };
    let whole = || -> i128 {
        match (value.as_u64(), value.as_i64()) {
            (Some(value), _) => value.into(),
            (None, value) => value.unwrap().into(),
        }
    };
    match value_type {
        ValueType::U8 | ValueType::Bint8 => u8::try_from(whole()).unwrap().to_ne_bytes().to_vec(),
        ValueType::U16 => u16::try_from(whole()).unwrap().to_ne_bytes().to_vec(),
        ValueType::U32 => u32::try_from(whole()).unwrap().to_ne_bytes().to_vec(),
        ValueType::U64 => u64::try_from(whole()).unwrap().to_ne_bytes().to_vec(),
        ValueType::I8 => i8::try_from(whole()).unwrap().to_ne_bytes().to_vec(),
        ValueType::I16 => i16::try_from(whole()).unwrap().to_ne_bytes().to_vec(),
        ValueType::I32 => i32::try_from(whole()).unwrap().to_ne_bytes().to_vec(),
        ValueType::I64 => i64::try_from(whole()).unwrap().to_ne_bytes().to_vec(),
        #[allow(clippy::cast_possible_truncation)]
        ValueType::F32 => (float() as f32).to_ne_bytes().to_vec(),
        _ => float().to_ne_bytes().to_vec(),
    }
}

/// Compares bits, except that the manifest does not distinguish NaNs.
fn same_numbers(value_type: ValueType, found: &[u8], expected: &[u8]) -> bool {
    let nan = |bytes: &[u8]| match value_type {
        ValueType::F32 => f32::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        ValueType::F64 => f64::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        _ => false,
    };
    let size = value_type.size();
    let mut pairs = found.chunks(size).zip(expected.chunks(size));
    found.len() == expected.len() && pairs.all(|(a, b)| a == b || nan(a) && nan(b))
}
