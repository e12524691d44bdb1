//! The metadata of groups and arrays, in both versions.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::element::ElementDescription;
use super::encoding::Encoding;
use super::options::ZarrVersion;

/// Attributes by name.
pub(super) type Attributes = BTreeMap<String, Box<RawValue>>;

/// A metadata file: its name and contents.
pub(super) type Document = (&'static str, String);

/// The metadata of an array.
pub(super) struct ArrayMetadata<'a> {
    pub(super) element: &'a ElementDescription,
    pub(super) shape: &'a [u64],
    pub(super) chunk: &'a [u64],
    pub(super) shard: Option<&'a [u64]>,
    pub(super) encoding: Encoding,
    pub(super) dimensions: Option<&'a [String]>,
}

/// Returns a text as a JSON string.
pub(super) fn string(text: &str) -> Box<RawValue> {
    let quoted = Value::from(text).to_string();
    // The text was created as JSON.
    RawValue::from_string(quoted).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Returns the metadata of a group.
pub(super) fn group(attributes: &Attributes, version: ZarrVersion) -> Vec<Document> {
    let attributes = object(attributes.iter().map(|(name, value)| (&**name, value.get())));
    match version {
        ZarrVersion::V2 => {
            let group = json!({"zarr_format": 2}).to_string();
            let mut documents = vec![(".zgroup", group)];
            if attributes != "{}" {
                documents.push((".zattrs", attributes));
            }
            documents
        }
        ZarrVersion::V3 => {
            let group = format!(
                "{{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{attributes}}}"
            );
            vec![("zarr.json", group)]
        }
    }
}

/// Adds the metadata of all groups and arrays, by path, to the metadata of the root group.
pub(super) fn consolidate<'a>(
    root: &mut Vec<Document>,
    nodes: impl Iterator<Item = (&'a str, &'a [Document])>,
    version: ZarrVersion,
) {
    match version {
        ZarrVersion::V2 => {
            let own = root.iter().map(|(name, text)| ((*name).to_owned(), &**text));
            let inner = nodes.flat_map(|(path, documents)| {
                documents.iter().map(move |(name, text)| (format!("{path}/{name}"), &**text))
            });
            let all: Vec<(String, &str)> = own.chain(inner).collect();
            let metadata = object(all.iter().map(|(key, text)| (&**key, *text)));
            let text = format!("{{\"metadata\":{metadata},\"zarr_consolidated_format\":1}}");
            root.push((".zmetadata", text));
        }
        ZarrVersion::V3 => {
            let inner = nodes
                .filter_map(|(path, documents)| documents.first().map(|(_, text)| (path, &**text)));
            let metadata = object(inner);
            for (_, text) in root {
                // An object, which ends with a brace.
                text.pop();
                text.push_str(",\"consolidated_metadata\":{\"kind\":\"inline\",");
                text.push_str("\"must_understand\":false,\"metadata\":");
                text.push_str(&metadata);
                text.push_str("}}");
            }
        }
    }
}

/// Creates an object from JSON members.
pub(super) fn object<'a>(members: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let members: Vec<String> =
        members.map(|(name, value)| format!("{}:{value}", string(name))).collect();
    format!("{{{}}}", members.join(","))
}

impl ArrayMetadata<'_> {
    /// Returns the metadata of the array.
    pub(super) fn documents(&self, attributes: &Attributes, version: ZarrVersion) -> Vec<Document> {
        let attributes = object(attributes.iter().map(|(name, value)| (&**name, value.get())));
        match version {
            ZarrVersion::V2 => {
                let mut documents = vec![(".zarray", self.v2().to_string())];
                if attributes != "{}" {
                    documents.push((".zattrs", attributes));
                }
                documents
            }
            ZarrVersion::V3 => {
                let text = self.v3().to_string();
                // Members are sorted, and attributes come first.
                let text = format!("{{\"attributes\":{attributes},{}", &text[1..]);
                vec![("zarr.json", text)]
            }
        }
    }

    fn v2(&self) -> Value {
        let [filters, compressor] = self.encoding.v2(self.element);
        json!({
            "zarr_format": 2,
            "shape": self.shape,
            "chunks": self.chunk,
            "dtype": self.element.name,
            "compressor": compressor,
            "fill_value": self.element.fill,
            "order": "C",
            "filters": filters,
            "dimension_separator": ".",
        })
    }

    fn v3(&self) -> Value {
        let mut codecs = self.encoding.v3(self.element);
        if self.shard.is_some() {
            codecs = json!([{"name": "sharding_indexed", "configuration": {
                "chunk_shape": self.chunk,
                "codecs": codecs,
                "index_codecs": [
                    {"name": "bytes", "configuration": {"endian": "little"}},
                    {"name": "crc32c"},
                ],
                "index_location": "end",
            }}]);
        }
        let chunk = self.shard.unwrap_or(self.chunk);
        let mut array = json!({
            "zarr_format": 3,
            "node_type": "array",
            "shape": self.shape,
            "data_type": self.element.name,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": self.element.fill,
            "codecs": codecs,
        });
        if let (Some(names), Some(array)) = (self.dimensions, array.as_object_mut()) {
            array.insert("dimension_names".to_owned(), names.into());
        }
        array
    }
}
