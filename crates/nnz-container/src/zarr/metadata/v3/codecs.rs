//! The codecs of an array, and of its shards.

use nnz_core::{Result, ValueType};
use serde_json::Value;

use super::Extension;
use crate::npy::Element;
use crate::zarr::codec::Step;
use crate::zarr::metadata::{DataType, Reader, Shard, adds_up};
use nnz_chunk::codec;
use nnz_chunk::grid::shown;

/// Whether native byte order is big-endian.
const BIG: bool = cfg!(target_endian = "big");

/// The codecs of an array, grouped by type.
pub(super) struct Codecs {
    /// The array-to-bytes codec, with the byte order if it has one.
    pub(super) big: Option<bool>,
    pub(super) texts: bool,
    pub(super) shard: Option<Value>,
    pub(super) bytes_codecs: Vec<Step>,
    /// The names of the bytes-to-bytes codecs.
    pub(super) names: Vec<String>,
    /// The dimensions in the order of elements, slowest first.
    pub(super) order: Vec<usize>,
}

impl Reader<'_> {
    /// Parses the list of codecs of an array with `rank` dimensions and elements of a type.
    pub(super) fn codecs(&self, list: &Value, rank: usize, data_type: DataType) -> Result<Codecs> {
        let expected = "a list of codecs with one array-to-bytes codec";
        let unexpected = || self.unexpected("codecs", list, expected);
        let mut found = Codecs {
            big: None,
            texts: false,
            shard: None,
            bytes_codecs: Vec::new(),
            names: Vec::new(),
            order: (0..rank).collect(),
        };
        let mut are_bytes = false;
        let mut delta = None;
        for codec in list.as_array().ok_or_else(unexpected)? {
            let codec = Extension::of(codec).ok_or_else(unexpected)?;
            match codec.name {
                // In one dimension a transposition has no effect.
                "transpose" if !are_bytes && rank < 2 => continue,
                "transpose" if !are_bytes && delta.is_none() => {
                    let order = permute(&found.order, codec.get("order"));
                    found.order = order.ok_or_else(|| {
                        self.unexpected("order of transpose", codec.get("order"), "all dimensions")
                    })?;
                }
                "bytes" | "vlen-utf8" | "sharding_indexed" if !are_bytes => {
                    are_bytes = true;
                    found.texts = codec.name == "vlen-utf8";
                    match codec.name {
                        "bytes" => found.big = self.byte_order(codec.get("endian"))?,
                        "sharding_indexed" => found.shard = Some(codec.configuration.clone()),
                        _ => {}
                    }
                }
                "numcodecs.delta" if !are_bytes && delta.is_none() => {
                    delta = Some(self.delta(codec.configuration, data_type)?);
                    found.names.push("delta".to_owned());
                }
                name if are_bytes => {
                    let known = self.bytes_codec(name, codec.configuration)?;
                    found.bytes_codecs.push(known);
                    found.names.push(name.to_owned());
                }
                name if let Some(codec) = of_numbers(name) => {
                    are_bytes = true;
                    let number = data_type.number().map(|(value_type, _)| (value_type, BIG));
                    found.big = Some(BIG);
                    found.bytes_codecs.push(self.compress(codec, number)?);
                    found.names.push(codec.name.to_owned());
                }
                name => {
                    let what = format!("the Zarr codec {name:?} is not supported before bytes");
                    return Err(self.unsupported(what));
                }
            }
        }
        if let Some(width) = delta {
            let big = found.big.unwrap_or(false);
            found.bytes_codecs.insert(0, Step::Delta { width, big });
        }
        if are_bytes { Ok(found) } else { Err(unexpected()) }
    }

    /// Checks the configuration of differences, and returns the size of an element in bytes.
    fn delta(&self, configuration: &Value, data_type: DataType) -> Result<usize> {
        let setting = |name: &str| configuration.get(name).and_then(Value::as_str);
        let size = match data_type {
            DataType::Fixed(Element::Number { value_type, .. }) if adds_up(value_type) => {
                let same = |name: &str| {
                    let element = setting(name).or(setting("dtype")).and_then(Element::parse_name);
                    // Big-endian sums have other bytes than the array before it is stored.
                    matches!(element, Some(Element::Number { value_type: found, big: false }) if found == value_type)
                };
                (same("dtype") && same("astype")).then_some(value_type.size())
            }
            _ => None,
        };
        size.ok_or_else(|| {
            let what = "the Zarr codec \"numcodecs.delta\" is only supported for integers of the array's type";
            self.unsupported(what.to_owned())
        })
    }

    /// Parses a bytes-to-bytes codec.
    fn bytes_codec(&self, name: &str, configuration: &Value) -> Result<Step> {
        let step = match name {
            "crc32c" => Some(Step::Crc32c),
            "shuffle" | "numcodecs.shuffle" => {
                let width = configuration.get("elementsize").map_or(Some(4), Value::as_u64);
                width.and_then(|width| usize::try_from(width).ok()).map(Step::Shuffle)
            }
            _ => {
                let codec = codec::of_zarr_v3(name).filter(|codec| codec.zarr.numbers.is_none());
                codec.map(|codec| Step::Compress(&codec.zarr, None))
            }
        };
        step.ok_or_else(|| self.unsupported(format!("the Zarr codec {name:?} is not supported")))
    }

    fn byte_order(&self, endian: &Value) -> Result<Option<bool>> {
        match endian {
            Value::Null => Ok(None),
            Value::String(order) if order == "little" => Ok(Some(false)),
            Value::String(order) if order == "big" => Ok(Some(true)),
            other => Err(self.unexpected("endian", other, "little or big")),
        }
    }

    /// Parses the configuration of shards with the shape `outer`.
    pub(super) fn shard(&self, configuration: &Value, outer: &[u64]) -> Result<(Vec<u64>, Shard)> {
        let get = |name: &str| configuration.get(name).unwrap_or(&Value::Null);
        let chunk = self.chunk("chunk_shape of shards", get("chunk_shape"), outer)?;
        if !outer.iter().zip(&chunk).all(|(outer, chunk)| outer.is_multiple_of(*chunk)) {
            let outer = shown(outer);
            let expected = format!("a divisor of {outer}, the length of the shard");
            return Err(self.unexpected("chunk_shape of shards", shown(&chunk), &expected));
        }
        // An index has an additional dimension, and is not transposed.
        let index = DataType::Fixed(Element::Number { value_type: ValueType::U64, big: false });
        let codecs = self.codecs(get("index_codecs"), 0, index)?;
        let sums = codecs.bytes_codecs.len() as u64;
        let plain = codecs.bytes_codecs.iter().all(|step| matches!(step, Step::Crc32c));
        let (Some(big), true, false) = (codecs.big, plain, codecs.texts) else {
            let expected = "bytes, and optionally crc32c";
            return Err(self.unexpected("index_codecs", get("index_codecs"), expected));
        };
        let at_start = match get("index_location") {
            Value::Null => false,
            Value::String(at) if at == "end" => false,
            Value::String(at) if at == "start" => true,
            other => return Err(self.unexpected("index_location", other, "start or end")),
        };
        let counts: Vec<u64> = outer.iter().zip(&chunk).map(|(outer, by)| outer / by).collect();
        let counted = counts.iter().try_fold(1_u64, |all, &count| all.checked_mul(count));
        let chunks = counted.unwrap_or(u64::MAX);
        let index_bytes = chunks.checked_mul(16).and_then(|bytes| bytes.checked_add(4 * sums));
        let index_bytes =
            index_bytes.ok_or_else(|| self.unexpected("shards of", chunks, "fewer chunks"))?;
        let index = self.pipeline(codecs.bytes_codecs)?;
        Ok((chunk, Shard { counts, chunks, index, index_bytes, big, at_start }))
    }
}

/// Permutes dimensions; `None` if `order` is not a permutation.
fn permute(dimensions: &[usize], order: &Value) -> Option<Vec<usize>> {
    let order: Vec<usize> = match order {
        Value::String(order) if order == "C" => return Some(dimensions.to_vec()),
        Value::String(order) if order == "F" => (0..dimensions.len()).rev().collect(),
        order => order
            .as_array()?
            .iter()
            .map(|at| usize::try_from(at.as_u64()?).ok())
            .collect::<Option<_>>()?,
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    let each_once = sorted.iter().copied().eq(0..dimensions.len());
    each_once.then(|| order.iter().map(|&at| dimensions[at]).collect())
}

/// Returns the codec of numbers with a name.
fn of_numbers(name: &str) -> Option<&'static codec::Codec> {
    codec::of_zarr_v3(name).filter(|codec| codec.zarr.numbers.is_some())
}
