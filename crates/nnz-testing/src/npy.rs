//! Arrays of NumPy, and matrices made of them, byte by byte.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// A `.npy` file of version 1.0: magic bytes, length of the description, description, elements.
pub fn npy(path: &Path, descr: &str, shape: &str, fortran: bool, elements: &[u8]) -> String {
    let fortran = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let length = u16::try_from(text.len()).unwrap().to_le_bytes();
    let bytes = [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), elements].concat();
    fs::write(path, bytes).unwrap();
    crate::command::text(path).to_owned()
}

/// A directory of arrays: int64, or what else the description says of one of that name.
pub fn binsparse(path: &Path, mut description: Value, arrays: &[(&str, &[i32])]) -> String {
    fs::create_dir(path).unwrap();
    description["version"] = "0.1".into();
    for &(name, elements) in arrays {
        let types = &mut description["data_types"];
        let value_type = types[name].as_str().unwrap_or("int64").to_owned();
        let (descr, size) = match &*value_type {
            "float64" => ("<f8", 8),
            "uint16" => ("<u2", 2),
            "int16" => ("<i2", 2),
            "int32" => ("<i4", 4),
            _ => ("<i8", 8),
        };
        let bytes = |element: &i32| match descr {
            "<f8" => f64::from(*element).to_le_bytes(),
            _ => i64::from(*element).to_le_bytes(),
        };
        let bytes: Vec<u8> =
            elements.iter().flat_map(|element| bytes(element).into_iter().take(size)).collect();
        types[name] = value_type.into();
        let shape = format!("({},)", elements.len());
        npy(&path.join(name).with_extension("npy"), descr, &shape, false, &bytes);
    }
    let text = serde_json::json!({ "binsparse": description }).to_string();
    fs::write(path.join("binsparse.json"), text).unwrap();
    crate::command::text(path).to_owned()
}
