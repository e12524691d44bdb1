//! The codecs of an array, and of its shards.

use nnz_core::Result;
use serde_json::Value;

use super::Extension;
use crate::tree::shown;
use crate::zarr::codec::Codec;
use crate::zarr::metadata::{Reader, Shard};

/// The codecs of an array, sorted by what they do.
pub(super) struct Codecs {
    /// How elements become bytes; the byte order where that is said.
    pub(super) big: Option<bool>,
    pub(super) texts: bool,
    pub(super) shard: Option<Value>,
    pub(super) packing: Vec<Codec>,
    /// The names of those.
    pub(super) names: Vec<String>,
    /// The dimensions in the order that elements change in, the fastest last.
    pub(super) order: Vec<usize>,
}

impl Reader<'_> {
    /// Reads the list of codecs of an array with so many dimensions.
    pub(super) fn codecs(&self, list: &Value, rank: usize) -> Result<Codecs> {
        let expected = "a list of codecs, one of which makes bytes of elements";
        let unexpected = || self.unexpected("codecs", list, expected);
        let mut found = Codecs {
            big: None,
            texts: false,
            shard: None,
            packing: Vec::new(),
            names: Vec::new(),
            order: (0..rank).collect(),
        };
        let mut are_bytes = false;
        for codec in list.as_array().ok_or_else(unexpected)? {
            let codec = Extension::of(codec).ok_or_else(unexpected)?;
            match codec.name {
                // In one dimension nothing can change places.
                "transpose" if !are_bytes && rank < 2 => continue,
                "transpose" if !are_bytes => {
                    let order = transposed(&found.order, codec.get("order"));
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
                name if are_bytes => {
                    let known = packing(name, codec.configuration);
                    let known = known.ok_or_else(|| {
                        self.unsupported(format!("the Zarr codec {name:?} is not handled"))
                    })?;
                    found.packing.push(known);
                    found.names.push(name.to_owned());
                }
                name => {
                    let what = format!("the Zarr codec {name:?} is not handled before bytes");
                    return Err(self.unsupported(what));
                }
            }
        }
        if are_bytes { Ok(found) } else { Err(unexpected()) }
    }

    fn byte_order(&self, endian: &Value) -> Result<Option<bool>> {
        match endian {
            Value::Null => Ok(None),
            Value::String(order) if order == "little" => Ok(Some(false)),
            Value::String(order) if order == "big" => Ok(Some(true)),
            other => Err(self.unexpected("endian", other, "little or big")),
        }
    }

    /// Reads how the chunks of a shard of a shape are stored, and their shape.
    pub(super) fn shard(&self, configuration: &Value, outer: &[u64]) -> Result<(Vec<u64>, Shard)> {
        let get = |name: &str| configuration.get(name).unwrap_or(&Value::Null);
        let chunk = self.chunk("chunk_shape of shards", get("chunk_shape"), outer)?;
        if !outer.iter().zip(&chunk).all(|(outer, chunk)| outer.is_multiple_of(*chunk)) {
            let outer = shown(outer);
            let expected = format!("a length that {outer}, of the shard, is a multiple of");
            return Err(self.unexpected("chunk_shape of shards", shown(&chunk), &expected));
        }
        // An index has one dimension more, and is not transposed.
        let codecs = self.codecs(get("index_codecs"), 0)?;
        let sums = codecs.packing.len() as u64;
        let plain = codecs.packing.iter().all(|codec| *codec == Codec::Crc32c);
        let (Some(big), true, false) = (codecs.big, plain, codecs.texts) else {
            let expected = "bytes, and crc32c at most";
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
        let index_bytes = index_bytes
            .ok_or_else(|| self.unexpected("shards of", chunks, "fewer chunks than that"))?;
        let index = self.pipeline(codecs.packing)?;
        Ok((chunk, Shard { counts, chunks, index, index_bytes, big, at_start }))
    }
}

/// Puts dimensions into another order; `None` where that does not name each once.
fn transposed(dimensions: &[usize], order: &Value) -> Option<Vec<usize>> {
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

/// Reads a codec that makes bytes of bytes. Those of numcodecs are called so by Python.
fn packing(name: &str, configuration: &Value) -> Option<Codec> {
    Some(match name.strip_prefix("numcodecs.").unwrap_or(name) {
        "gzip" => Codec::Gzip,
        "zlib" => Codec::Zlib,
        "zstd" => Codec::Zstd,
        "blosc" => Codec::Blosc,
        "lz4" => Codec::Lz4,
        "crc32c" if name == "crc32c" => Codec::Crc32c,
        "shuffle" => {
            let width = configuration.get("elementsize").map_or(Some(4), Value::as_u64)?;
            Codec::Shuffle(usize::try_from(width).ok()?)
        }
        _ => return None,
    })
}
