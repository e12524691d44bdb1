//! Version 2: `.zarray`, `.zgroup` and `.zattrs`.

use nnz_core::{Place, Result, ValueType};
use serde_json::Value;

use super::{DataType, Keys, Metadata, Reader, fill};
use crate::npy::Element;
use crate::zarr::codec::Codec;
use crate::zarr::node::Fields;

/// Checks that metadata are of this version.
pub(in crate::zarr) fn check_version(fields: &Fields, place: &Place) -> Result<()> {
    let reader = Reader { fields, place };
    let version = reader.value("zarr_format")?;
    match version.as_u64() {
        Some(2) => Ok(()),
        _ => Err(reader.unexpected("zarr_format", version, "2")),
    }
}

/// Reads an array.
pub(in crate::zarr) fn array(fields: &Fields, place: &Place) -> Result<Metadata> {
    check_version(fields, place)?;
    let reader = Reader { fields, place };
    let len = reader.len()?;
    let chunk = reader.chunk("chunks", &reader.value("chunks")?)?;
    let dtype = reader.value("dtype")?;
    let filters = reader.filters()?;
    let unsupported = || reader.unsupported(format!("Zarr arrays of type {dtype} are not handled"));
    let (data_type, filters) = match (dtype.as_str(), &filters[..]) {
        (Some("|O"), [Filter { id, .. }, rest @ ..]) if id == "vlen-utf8" => {
            (DataType::Texts, rest)
        }
        (Some(dtype), filters) => {
            (DataType::Fixed(Element::parse(dtype).ok_or_else(unsupported)?), filters)
        }
        _ => return Err(unsupported()),
    };
    let mut codecs = Vec::new();
    for filter in filters {
        codecs.push(reader.filter(filter, data_type)?);
    }
    codecs.extend(reader.compressor()?);
    let pipeline = reader.pipeline(codecs)?;
    let value = reader.value("fill_value")?;
    let fill = match data_type {
        DataType::Fixed(element) => fill::bytes(&value, element),
        DataType::Texts => fill::text(&value),
    };
    let expected = "a value of the array's type";
    let fill = fill.ok_or_else(|| reader.unexpected("fill_value", &value, expected))?;
    // In one dimension nothing needs to be separated.
    reader.checked(Metadata {
        data_type,
        len,
        chunk,
        pipeline,
        shard: None,
        keys: Keys::Bare,
        fill,
    })
}

/// A codec by its name, and what is set for it.
struct Filter {
    id: String,
    settings: Value,
}

impl Filter {
    fn of(settings: Value) -> Option<Self> {
        let id = settings.get("id")?.as_str()?.to_owned();
        Some(Self { id, settings })
    }
}

impl Reader<'_> {
    fn filters(&self) -> Result<Vec<Filter>> {
        if !self.fields.contains_key("filters") {
            return Ok(Vec::new());
        }
        let filters = match self.value("filters")? {
            Value::Null => Some(Vec::new()),
            Value::Array(list) => list.into_iter().map(Filter::of).collect(),
            _ => None,
        };
        let raw = self.raw("filters")?;
        filters.ok_or_else(|| self.unexpected("filters", raw, "a list of codecs"))
    }

    fn filter(&self, filter: &Filter, data_type: DataType) -> Result<Codec> {
        let unsupported = || {
            let what = format!("the Zarr filter {:?} is not handled here", filter.id);
            self.unsupported(what)
        };
        match filter.id.as_str() {
            "shuffle" => {
                let width = filter.settings.get("elementsize").map_or(Some(4), Value::as_u64);
                let width = width.and_then(|width| usize::try_from(width).ok());
                Ok(Codec::Shuffle(width.ok_or_else(unsupported)?))
            }
            "delta" => {
                // Differences of floats do not add up to the same floats.
                let DataType::Fixed(Element::Number { value_type, big }) = data_type else {
                    return Err(unsupported());
                };
                let said = |name: &str| filter.settings.get(name).and_then(Value::as_str);
                let same = |name: &str| {
                    let element = said(name).or(said("dtype")).and_then(Element::parse);
                    element.map(DataType::Fixed) == Some(data_type)
                };
                let adds_up = value_type.is_integer() && value_type != ValueType::Bint8;
                if !(adds_up && same("dtype") && same("astype")) {
                    return Err(unsupported());
                }
                Ok(Codec::Delta { width: value_type.size(), big })
            }
            _ => Err(unsupported()),
        }
    }

    fn compressor(&self) -> Result<Option<Codec>> {
        let value = self.value("compressor")?;
        if value.is_null() {
            return Ok(None);
        }
        Ok(Some(match value.get("id").and_then(Value::as_str) {
            Some("gzip") => Codec::Gzip,
            Some("zlib") => Codec::Zlib,
            Some("zstd") => Codec::Zstd,
            Some("blosc") => Codec::Blosc,
            Some("lz4") => Codec::Lz4,
            Some(other) => {
                let what = format!("the Zarr compressor {other:?} is not handled");
                return Err(self.unsupported(what));
            }
            None => return Err(self.unexpected("compressor", value, "null or a codec")),
        }))
    }
}
