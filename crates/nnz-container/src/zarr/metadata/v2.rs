//! Version 2: `.zarray`, `.zgroup` and `.zattrs`.

use nnz_core::{Place, Result};
use serde_json::Value;

use super::{DataType, Keys, Metadata, Reader, adds_up, element, fill};
use crate::npy::Element;
use crate::tree::StoredType;
use crate::zarr::codec::Step;
use crate::zarr::node::Fields;
use nnz_chunk::codec;

/// Checks the version of the metadata.
pub(in crate::zarr) fn check_version(fields: &Fields, place: &Place) -> Result<()> {
    let reader = Reader { fields, place };
    let version = reader.value("zarr_format")?;
    match version.as_u64() {
        Some(2) => Ok(()),
        _ => Err(reader.unexpected("zarr_format", version, "2")),
    }
}

/// Parses the metadata of an array.
pub(in crate::zarr) fn array(fields: &Fields, place: &Place) -> Result<Metadata> {
    check_version(fields, place)?;
    let reader = Reader { fields, place };
    let shape = reader.shape()?;
    let chunk = reader.chunk("chunks", &reader.value("chunks")?, &shape)?;
    let grid = reader.grid(&shape, &chunk)?;
    let dtype = reader.value("dtype")?;
    let filters = reader.filters()?;
    let unsupported =
        || reader.unsupported(format!("Zarr arrays of type {dtype} are not supported"));
    let (data_type, filters) = match (dtype.as_str(), &filters[..]) {
        (Some("|O"), [Filter { id, .. }, rest @ ..]) if id == "vlen-utf8" => {
            (DataType::Texts, rest)
        }
        (Some("|O"), [Filter { id, .. }, ..]) => {
            let what =
                format!("Zarr arrays of type \"|O\" with the filter {id:?} are not supported");
            return Err(reader.unsupported(what));
        }
        (_, filters) => match dtype.as_str().and_then(Element::parse) {
            Some(element) => (DataType::Fixed(element), filters),
            None => {
                let bytes = element::of_v2(&dtype).and_then(|element| element.bytes());
                (DataType::Other(bytes.ok_or_else(unsupported)? as u64), filters)
            }
        },
    };
    let element = match data_type {
        DataType::Texts => StoredType::Variable { bytes: 0 },
        _ => element::of_v2(&dtype).ok_or_else(unsupported)?,
    };
    let mut steps = Vec::new();
    let mut names = Vec::new();
    for filter in filters {
        names.push(filter.id.clone());
        steps.push(reader.filter(filter, data_type)?);
    }
    if let Some((step, name)) = reader.compressor(data_type, &names)? {
        steps.push(step);
        names.push(name);
    }
    let pipeline = reader.pipeline(steps)?;
    let value = reader.value("fill_value")?;
    let fill = match data_type {
        DataType::Fixed(element) => fill::bytes(&value, element),
        DataType::Texts => fill::text(&value),
        DataType::Other(_) => fill::stored(&value, &element),
    };
    let expected = "a value of the array's type";
    let fill = fill.ok_or_else(|| reader.unexpected("fill_value", &value, expected))?;
    let keys = reader.keys_of_v2()?;
    let order = reader.order(shape.len())?;
    let len = reader.len(&shape)?;
    reader.check(Metadata {
        data_type,
        element,
        len,
        chunk: grid.elements(),
        grid,
        order,
        filters: names,
        pipeline,
        shard: None,
        keys,
        fill,
    })
}

/// A codec: its name and its configuration.
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
    /// Parses the separator in the names of chunks.
    fn keys_of_v2(&self) -> Result<Keys> {
        if !self.fields.contains_key("dimension_separator") {
            return Ok(Keys::Bare);
        }
        let mark = self.value("dimension_separator")?;
        match mark.as_str() {
            Some("/") => Ok(Keys::BareInDirectory),
            Some(".") => Ok(Keys::Bare),
            _ if mark.is_null() => Ok(Keys::Bare),
            _ => Err(self.unexpected("dimension_separator", mark, "a dot or a slash")),
        }
    }

    /// Parses the order of dimensions in a chunk.
    fn order(&self, rank: usize) -> Result<Vec<usize>> {
        // In one dimension both are the same.
        let has_order = self.fields.contains_key("order") && rank > 1;
        let order = if has_order { self.value("order")? } else { Value::Null };
        match order.as_str() {
            Some("F") => Ok((0..rank).rev().collect()),
            Some("C") => Ok((0..rank).collect()),
            None if order.is_null() => Ok((0..rank).collect()),
            _ => Err(self.unexpected("order", order, "C or F")),
        }
    }

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

    fn filter(&self, filter: &Filter, data_type: DataType) -> Result<Step> {
        let unsupported = || {
            let what = format!("the Zarr filter {:?} is not supported here", filter.id);
            self.unsupported(what)
        };
        match filter.id.as_str() {
            "shuffle" => {
                let width = filter.settings.get("elementsize").map_or(Some(4), Value::as_u64);
                let width = width.and_then(|width| usize::try_from(width).ok());
                Ok(Step::Shuffle(width.ok_or_else(unsupported)?))
            }
            "delta" => {
                // Running sums of floating-point differences are not exact.
                let DataType::Fixed(Element::Number { value_type, big }) = data_type else {
                    return Err(unsupported());
                };
                let setting = |name: &str| filter.settings.get(name).and_then(Value::as_str);
                let same = |name: &str| {
                    let element = setting(name).or(setting("dtype")).and_then(Element::parse_name);
                    element.map(DataType::Fixed) == Some(data_type)
                };
                if !(adds_up(value_type) && same("dtype") && same("astype")) {
                    return Err(unsupported());
                }
                Ok(Step::Delta { width: value_type.size(), big })
            }
            _ => Err(unsupported()),
        }
    }

    /// Parses the compressor of elements of a type, after filters.
    fn compressor(
        &self,
        data_type: DataType,
        filters: &[String],
    ) -> Result<Option<(Step, String)>> {
        let value = self.value("compressor")?;
        if value.is_null() {
            return Ok(None);
        }
        let Some(name) = value.get("id").and_then(Value::as_str) else {
            return Err(self.unexpected("compressor", value, "null or a codec"));
        };
        let codec = codec::named(name).ok_or_else(|| {
            self.unsupported(format!("the Zarr compressor {name:?} is not supported"))
        })?;
        // Differences have the same type.
        let numbers = filters.iter().all(|filter| filter == "delta");
        let step = self.compress(codec, if numbers { data_type.number() } else { None })?;
        Ok(Some((step, name.to_owned())))
    }
}
