//! What groups and arrays say of themselves, in version 3.

use std::collections::BTreeMap;

use nnz_core::ValueType;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::compress::Compression;

/// Returns a text as a string in JSON.
pub(super) fn string(text: &str) -> Box<RawValue> {
    let quoted = Value::from(text).to_string();
    // What has just been written is JSON.
    RawValue::from_string(quoted).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Describes a group.
pub(super) fn group(attributes: &BTreeMap<String, Box<RawValue>>) -> String {
    let members = attributes.iter().map(|(name, value)| format!("{}:{value}", string(name)));
    let members: Vec<String> = members.collect();
    format!(
        "{{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{{{}}}}}",
        members.join(",")
    )
}

/// Describes an array of numbers.
pub(super) fn numbers(
    value_type: ValueType,
    len: u64,
    chunk: usize,
    compress: Compression,
) -> String {
    let (name, fill) = match value_type {
        ValueType::Bint8 => ("bool", json!(false)),
        ValueType::F32 | ValueType::F64 => (value_type.name(), json!(0.0)),
        ValueType::ComplexF32 => ("complex64", json!([0.0, 0.0])),
        ValueType::ComplexF64 => ("complex128", json!([0.0, 0.0])),
        _ => (value_type.name(), json!(0)),
    };
    let order = if cfg!(target_endian = "big") { "big" } else { "little" };
    let bytes = match value_type.size() {
        1 => json!({"name": "bytes"}),
        _ => json!({"name": "bytes", "configuration": {"endian": order}}),
    };
    array(name, &fill, &bytes, len, chunk, compress)
}

/// Describes a list of strings.
pub(super) fn strings(len: u64, chunk: usize, compress: Compression) -> String {
    array("string", &json!(""), &json!({"name": "vlen-utf8"}), len, chunk, compress)
}

fn array(
    data_type: &str,
    fill: &Value,
    bytes: &Value,
    len: u64,
    chunk: usize,
    compress: Compression,
) -> String {
    let mut codecs = vec![bytes.clone()];
    match compress {
        Compression::None => {}
        Compression::Gzip(level) => {
            codecs.push(json!({"name": "gzip", "configuration": {"level": level}}));
        }
        Compression::Zstd(level) => {
            let configuration = json!({"level": level, "checksum": false});
            codecs.push(json!({"name": "zstd", "configuration": configuration}));
        }
    }
    json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": [len],
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [chunk]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill,
        "codecs": codecs,
        "attributes": {},
    })
    .to_string()
}
