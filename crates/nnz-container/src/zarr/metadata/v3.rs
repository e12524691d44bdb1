//! Version 3: `zarr.json`.

mod codecs;

use nnz_core::{Place, Result, ValueType};
use serde_json::Value;

use super::{DataType, Keys, Metadata, Reader, element, fill};
use crate::npy::Element;
use crate::tree::StoredType;
use crate::zarr::node::{Fields, Group, Node};

/// The members of the metadata of both kinds, of groups, and of arrays.
const COMMON: &[&str] = &["zarr_format", "node_type", "attributes"];
const OF_GROUPS: &[&str] = &["consolidated_metadata"];
const OF_ARRAYS: &[&str] = &[
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "dimension_names",
    "storage_transformers",
];

/// Parses the metadata of a group or an array.
pub(in crate::zarr) fn node(fields: Fields, place: &Place) -> Result<Node> {
    let reader = Reader { fields: &fields, place };
    let version = reader.value("zarr_format")?;
    if version.as_u64() != Some(3) {
        return Err(reader.unexpected("zarr_format", version, "3"));
    }
    match reader.value("node_type")?.as_str() {
        Some("group") => {
            reader.check_known(OF_GROUPS)?;
            let attributes = match fields.get("attributes") {
                None => Fields::new(),
                Some(raw) => serde_json::from_str(raw.get()).map_err(|error| {
                    reader.unexpected("attributes", raw, "an object").with_source(error)
                })?,
            };
            Ok(Node::Group(Group { attributes, version: 3 }))
        }
        Some("array") => Ok(Node::Array(fields, 3)),
        _ => Err(reader.unexpected("node_type", reader.raw("node_type")?, "group or array")),
    }
}

/// Parses the metadata of an array.
pub(in crate::zarr) fn array(fields: &Fields, place: &Place) -> Result<Metadata> {
    let reader = Reader { fields, place };
    reader.check_known(OF_ARRAYS)?;
    reader.array()
}

/// An extension point of version 3: a name and its configuration.
pub(super) struct Extension<'a> {
    pub(super) name: &'a str,
    configuration: &'a Value,
}

impl<'a> Extension<'a> {
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        let (name, configuration) = match value {
            Value::String(name) => (name.as_str(), &Value::Null),
            _ => (value.get("name")?.as_str()?, value.get("configuration").unwrap_or(&Value::Null)),
        };
        Some(Self { name, configuration })
    }

    pub(super) fn get(&self, name: &str) -> &'a Value {
        self.configuration.get(name).unwrap_or(&Value::Null)
    }
}

impl Reader<'_> {
    /// Refuses unknown members, unless they are marked as optional.
    fn check_known(&self, names: &[&str]) -> Result<()> {
        for (name, raw) in self.fields {
            if COMMON.contains(&name.as_str()) || names.contains(&name.as_str()) {
                continue;
            }
            let value: Option<Value> = serde_json::from_str(raw.get()).ok();
            let must = value.as_ref().and_then(|value| value.get("must_understand"));
            if must != Some(&Value::Bool(false)) {
                let what = format!("the Zarr extension {name:?} is not supported");
                return Err(self.unsupported(what));
            }
        }
        Ok(())
    }

    fn array(&self) -> Result<Metadata> {
        let transformers = self.fields.get("storage_transformers");
        if transformers.is_some_and(|raw| !matches!(raw.get(), "[]" | "null")) {
            return Err(self.unsupported("Zarr storage transformers are not supported".to_owned()));
        }
        let shape = self.shape()?;
        let data_type = self.data_type()?;
        let grid = self.value("chunk_grid")?;
        let chunk = match Extension::of(&grid) {
            Some(grid) if grid.name == "regular" => {
                self.chunk("chunk_shape", grid.get("chunk_shape"), &shape)?
            }
            _ => return Err(self.unexpected("chunk_grid", grid, "regular chunks")),
        };
        let codecs = self.codecs(&self.value("codecs")?, shape.len(), data_type)?;
        let (chunk, shard, codecs) = match &codecs.shard {
            None => (chunk, None, codecs),
            Some(configuration) => {
                if !codecs.bytes_codecs.is_empty() {
                    let what = "Zarr shards that are compressed as a unit are not supported";
                    return Err(self.unsupported(what.to_owned()));
                }
                if !codecs.order.iter().enumerate().all(|(at, &dimension)| at == dimension) {
                    let what = "Zarr shards of transposed arrays are not supported";
                    return Err(self.unsupported(what.to_owned()));
                }
                let (inner, shard) = self.shard(configuration, &chunk)?;
                let inside = configuration.get("codecs").unwrap_or(&Value::Null);
                let codecs = self.codecs(inside, shape.len(), data_type)?;
                if codecs.shard.is_some() {
                    let what = "nested Zarr shards are not supported";
                    return Err(self.unsupported(what.to_owned()));
                }
                (inner, Some(shard), codecs)
            }
        };
        if codecs.texts != (data_type == DataType::Texts) {
            let expected = "the codec vlen-utf8 for strings, and bytes for other types";
            return Err(self.unexpected("codecs", self.raw("codecs")?, expected));
        }
        let data_type = self.in_byte_order(data_type, codecs.big)?;
        let described = self.value("data_type")?;
        let big = codecs.big.unwrap_or(false);
        let element = match data_type {
            DataType::Texts => Some(StoredType::Variable { bytes: 0 }),
            _ => element::of_v3(&described, big),
        };
        let element = element.ok_or_else(|| self.untyped(&described))?;
        if let (DataType::Other(2..), None) = (data_type, codecs.big) {
            // Without a byte order only structures of NumPy are supported, which are little-endian.
            let plain = matches!(element, StoredType::Float16 { .. } | StoredType::Time { .. });
            if plain {
                let expected = "bytes with their byte order";
                return Err(self.unexpected("codecs", self.raw("codecs")?, expected));
            }
        }
        let value = self.value("fill_value")?;
        let fill = match data_type {
            DataType::Fixed(element) => fill::bytes(&value, element),
            DataType::Texts => fill::text(&value),
            DataType::Other(_) => fill::stored(&value, &element),
        };
        let expected = "a value of the array's type";
        let fill = fill.ok_or_else(|| self.unexpected("fill_value", &value, expected))?;
        let pipeline = self.pipeline(codecs.bytes_codecs)?;
        let keys = self.keys()?;
        let grid = self.grid(&shape, &chunk)?;
        self.check(Metadata {
            data_type,
            element,
            len: self.len(&shape)?,
            chunk: grid.elements(),
            grid,
            order: codecs.order,
            filters: codecs.names,
            pipeline,
            shard,
            keys,
            fill,
        })
    }

    fn data_type(&self) -> Result<DataType> {
        let value = self.value("data_type")?;
        let unsupported = || self.untyped(&value);
        let named = Extension::of(&value).ok_or_else(unsupported)?;
        let length = named.get("length_bytes").as_u64();
        let number = |value_type| Element::Number { value_type, big: false };
        Ok(DataType::Fixed(match (named.name, length) {
            ("string", _) => return Ok(DataType::Texts),
            ("bool", _) => number(ValueType::Bint8),
            ("complex64", _) => number(ValueType::ComplexF32),
            ("complex128", _) => number(ValueType::ComplexF64),
            ("fixed_length_utf32", Some(bytes)) if bytes.is_multiple_of(4) => {
                Element::Unicode { length: bytes / 4, big: false }
            }
            ("null_terminated_bytes", Some(length)) => Element::Bytes { length },
            // The common names; bint8 and complex[float32] are names used by nnz.
            (name, _) => {
                let plain = ValueType::ALL.iter().find(|found| found.name() == name);
                let plain =
                    plain.filter(|found| **found != ValueType::Bint8 && !found.is_complex());
                match plain {
                    Some(plain) => number(*plain),
                    None => {
                        let bytes = element::of_v3(&value, false).and_then(|found| found.bytes());
                        return Ok(DataType::Other(bytes.ok_or_else(unsupported)? as u64));
                    }
                }
            }
        }))
    }

    fn untyped(&self, data_type: &Value) -> nnz_core::Error {
        self.unsupported(format!("Zarr arrays of type {data_type} are not supported"))
    }

    fn in_byte_order(&self, data_type: DataType, big: Option<bool>) -> Result<DataType> {
        let DataType::Fixed(element) = data_type else { return Ok(data_type) };
        Ok(DataType::Fixed(match element {
            Element::Number { value_type, .. } => match big {
                Some(big) => Element::Number { value_type, big },
                None if value_type.size() == 1 => element,
                None => {
                    let expected = "bytes with their byte order";
                    return Err(self.unexpected("codecs", self.raw("codecs")?, expected));
                }
            },
            Element::Unicode { length, .. } => {
                Element::Unicode { length, big: big.unwrap_or(false) }
            }
            Element::Bytes { .. } => element,
        }))
    }

    fn keys(&self) -> Result<Keys> {
        let value = self.value("chunk_key_encoding")?;
        let keys = Extension::of(&value).and_then(|encoding| {
            Some(match (encoding.name, encoding.get("separator")) {
                ("default", Value::Null) => Keys::InDirectory,
                ("default", Value::String(mark)) if mark == "/" => Keys::InDirectory,
                ("default", Value::String(mark)) if mark == "." => Keys::WithPrefix,
                ("v2", Value::String(mark)) if mark == "/" => Keys::BareInDirectory,
                ("v2", _) => Keys::Bare,
                _ => return None,
            })
        });
        keys.ok_or_else(|| self.unexpected("chunk_key_encoding", value, "default or v2"))
    }
}
