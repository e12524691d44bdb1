//! The filters and the compression of the chunks of an array.

use std::borrow::Cow;

use nnz_core::{Error, ErrorKind, Place, Result, ValueType};
use serde_json::{Value, json};

use super::element::{BIG, ElementDescription};
use crate::npy;
use crate::tree::ElementType;
use crate::zarr::codec::subtract;
use nnz_chunk::codec::{self, Codec, Settings, ZarrEncoder};
use nnz_chunk::shuffle::shuffle;
use nnz_chunk::{Compression, Filters};

/// Number of bytes by which is decided whether differences are stored.
const SAMPLE: usize = 256 << 10;

/// The compression of what pcodec does not compress.
const OTHERS: u32 = 9;

/// How chunks are encoded: filters, then a compression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoding {
    delta: Delta,
    /// Size of an element in bytes, if elements are shuffled.
    shuffle: Option<usize>,
    compressor: Option<(&'static Codec, &'static ZarrEncoder, Settings)>,
}

/// Whether differences are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delta {
    No,
    /// If the first chunk is smaller with them.
    Undecided(ValueType),
    Yes(ValueType),
}

impl Encoding {
    /// The encoding of elements of a type.
    pub(super) fn new(compression: Compression, element: &ElementType) -> Self {
        let number = match element {
            ElementType::Number(value_type) => Some(*value_type),
            _ => None,
        };
        let wide = number.filter(|value_type| value_type.size() > 1);
        if let Compression::Filtered(Filters { delta, shuffle, method, .. }) = compression {
            let integer = number.filter(|one| one.is_integer() && *one != ValueType::Bint8);
            let delta = match integer.filter(|_| delta) {
                Some(value_type) => Delta::Undecided(value_type),
                None => Delta::No,
            };
            let shuffle = wide.filter(|_| shuffle).map(ValueType::size);
            return Self { delta, shuffle, ..Self::new(method.into(), element) };
        }
        let compressor = match codec::of(compression) {
            Some((codec, _)) if !codec.supports(number, BIG) => {
                return Self::new(Compression::Zstd(OTHERS), element);
            }
            Some((codec, level)) => {
                let encoder = codec.zarr.written.as_ref();
                encoder.map(|encoder| (codec, encoder, (level, number)))
            }
            None => None,
        };
        Self { delta: Delta::No, shuffle: None, compressor }
    }

    /// Decides by the first chunk whether differences are stored.
    pub(super) fn decide(&mut self, chunk: &[u8], place: &Place) -> Result<()> {
        let Delta::Undecided(value_type) = self.delta else { return Ok(()) };
        let sample = &chunk[..chunk.len().min(SAMPLE)];
        let length = |delta| Self { delta, ..*self }.encode(sample, place).map(|bytes| bytes.len());
        self.delta = match length(Delta::Yes(value_type))? < length(Delta::No)? {
            true => Delta::Yes(value_type),
            false => Delta::No,
        };
        Ok(())
    }

    /// Encodes a chunk.
    pub(super) fn encode<'a>(&self, bytes: &'a [u8], place: &Place) -> Result<Cow<'a, [u8]>> {
        let io = |error| Error::new(ErrorKind::Io(error), place.clone());
        let mut bytes = Cow::Borrowed(bytes);
        if let Delta::Yes(value_type) = self.delta {
            subtract(bytes.to_mut(), value_type.size());
        }
        if let Some(width) = self.shuffle {
            let mut planes = vec![0; bytes.len()];
            shuffle(&bytes, width, &mut planes);
            bytes = Cow::Owned(planes);
        }
        match self.compressor {
            None => Ok(bytes),
            Some((_, encoder, settings)) => {
                Ok(Cow::Owned((encoder.compress)(&bytes, settings).map_err(io)?))
            }
        }
    }

    /// Returns the filters and the compressor in version 2.
    pub(super) fn v2(&self, element: &ElementDescription) -> [Value; 2] {
        let mut filters = Vec::new();
        if element.is_text {
            filters.push(json!({"id": "vlen-utf8"}));
        }
        if let Delta::Yes(_) = self.delta {
            filters.push(json!({"id": "delta", "dtype": element.name, "astype": element.name}));
        }
        if let Some(width) = self.shuffle {
            filters.push(json!({"id": "shuffle", "elementsize": width}));
        }
        let compressor = self.compressor.map(|(codec, encoder, settings)| {
            let mut compressor = (encoder.v2)(settings);
            compressor["id"] = codec.name.into();
            compressor
        });
        let compressor = compressor.into();
        [if filters.is_empty() { Value::Null } else { filters.into() }, compressor]
    }

    /// Returns the codecs in version 3. Those of numcodecs have the names that zarr-python uses.
    pub(super) fn v3(&self, element: &ElementDescription) -> Value {
        let mut codecs = Vec::new();
        let mut push = |name: &str, configuration: Value| {
            codecs.push(json!({"name": name, "configuration": configuration}));
        };
        if let Delta::Yes(value_type) = self.delta {
            let dtype = npy::Element::Number { value_type, big: BIG }.descr();
            push("numcodecs.delta", json!({"dtype": dtype}));
        }
        let compressor = self.compressor.map(|(codec, encoder, settings)| {
            (codec, json!({"name": codec.zarr.v3, "configuration": (encoder.v3)(settings)}))
        });
        let (codec, compressor) = compressor.unzip();
        if codec.is_some_and(|codec| codec.zarr.numbers.is_some()) {
            codecs.extend(compressor);
            return codecs.into();
        }
        match (element.is_text, element.has_order) {
            (true, _) => codecs.push(json!({"name": "vlen-utf8"})),
            (false, false) => codecs.push(json!({"name": "bytes"})),
            (false, true) => {
                let order = if BIG { "big" } else { "little" };
                codecs.push(json!({"name": "bytes", "configuration": {"endian": order}}));
            }
        }
        let mut push = |name: &str, configuration: Value| {
            codecs.push(json!({"name": name, "configuration": configuration}));
        };
        if let Some(width) = self.shuffle {
            push("numcodecs.shuffle", json!({"elementsize": width}));
        }
        codecs.extend(compressor);
        codecs.into()
    }
}
