//! The filters and the compression of the chunks of an array.

use std::borrow::Cow;

use nnz_core::{Error, ErrorKind, Place, Result, ValueType};
use serde_json::{Value, json};

use super::element::{BIG, Described};
use crate::compress::{Compression, Filters};
use crate::npy;
use crate::shuffle::shuffle;
use crate::tree::ElementType;
use crate::zarr::codec;

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
    compressor: Compressor,
}

/// Whether differences are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delta {
    No,
    /// If the first chunk is smaller with them.
    Undecided(ValueType),
    Yes(ValueType),
}

#[derive(Clone, Copy, Debug)]
enum Compressor {
    None,
    Gzip(u32),
    Zstd(u32),
    /// Of elements of this size in bytes.
    Blosc(usize),
    Pcodec(ValueType, u32),
}

impl Encoding {
    /// The encoding of elements of a type.
    pub(super) fn new(compression: Compression, element: &ElementType) -> Self {
        let number = match element {
            ElementType::Number(value_type) => Some(*value_type),
            _ => None,
        };
        let wide = number.filter(|value_type| value_type.size() > 1);
        let plain = |compressor| Self { delta: Delta::No, shuffle: None, compressor };
        match compression {
            Compression::None => plain(Compressor::None),
            Compression::Gzip(level) => plain(Compressor::Gzip(level)),
            Compression::Zstd(level) => plain(Compressor::Zstd(level)),
            Compression::Blosc => plain(Compressor::Blosc(wide.map_or(1, ValueType::size))),
            Compression::Pcodec(level) => match wide.filter(|one| codec::has_pcodec(*one)) {
                Some(value_type) => plain(Compressor::Pcodec(value_type, level)),
                None => plain(Compressor::Zstd(OTHERS)),
            },
            Compression::Filtered(Filters { delta, shuffle, method }) => {
                let integer = number.filter(|one| one.is_integer() && *one != ValueType::Bint8);
                let delta = match integer.filter(|_| delta) {
                    Some(value_type) => Delta::Undecided(value_type),
                    None => Delta::No,
                };
                let shuffle = wide.filter(|_| shuffle).map(ValueType::size);
                Self { delta, shuffle, ..Self::new(method.into(), element) }
            }
        }
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
            codec::subtract(bytes.to_mut(), value_type.size());
        }
        if let Some(width) = self.shuffle {
            let mut planes = vec![0; bytes.len()];
            shuffle(&bytes, width, &mut planes);
            bytes = Cow::Owned(planes);
        }
        Ok(match self.compressor {
            Compressor::None => bytes,
            Compressor::Gzip(level) => Cow::Owned(codec::gzip(&bytes, level).map_err(io)?),
            Compressor::Zstd(level) => Cow::Owned(codec::zstd(&bytes, level)),
            Compressor::Blosc(width) => Cow::Owned(crate::blosc::compress(&bytes, width)),
            Compressor::Pcodec(value_type, level) => {
                Cow::Owned(codec::pcodec(&bytes, value_type, level).map_err(io)?)
            }
        })
    }

    /// Returns the filters and the compressor in version 2.
    pub(super) fn v2(&self, element: &Described) -> [Value; 2] {
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
        let compressor = match self.compressor {
            Compressor::None => Value::Null,
            Compressor::Gzip(level) => json!({"id": "gzip", "level": level}),
            Compressor::Zstd(level) => json!({"id": "zstd", "level": level}),
            Compressor::Blosc(width) => json!({
                "id": "blosc",
                "cname": "lz4",
                "clevel": crate::blosc::LEVEL,
                "shuffle": u8::from(width > 1),
                "blocksize": 0,
            }),
            Compressor::Pcodec(_, level) => json!({
                "id": "pcodec",
                "level": level,
                "mode_spec": "auto",
                "delta_spec": "auto",
                "paging_spec": "equal_pages_up_to",
                "delta_encoding_order": null,
                "equal_pages_up_to": codec::PCODEC_PAGE,
            }),
        };
        [if filters.is_empty() { Value::Null } else { filters.into() }, compressor]
    }

    /// Returns the codecs in version 3. Those of numcodecs have the names that zarr-python uses.
    pub(super) fn v3(&self, element: &Described) -> Value {
        let mut codecs = Vec::new();
        let mut push = |name: &str, configuration: Value| {
            codecs.push(json!({"name": name, "configuration": configuration}));
        };
        if let Delta::Yes(value_type) = self.delta {
            let dtype = npy::Element::Number { value_type, big: BIG }.descr();
            push("numcodecs.delta", json!({"dtype": dtype}));
        }
        if let Compressor::Pcodec(_, level) = self.compressor {
            push("numcodecs.pcodec", json!({"level": level}));
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
        match self.compressor {
            Compressor::None | Compressor::Pcodec(..) => {}
            Compressor::Gzip(level) => push("gzip", json!({"level": level})),
            Compressor::Zstd(level) => push("zstd", json!({"level": level, "checksum": false})),
            Compressor::Blosc(width) => push(
                "blosc",
                json!({
                    "typesize": width,
                    "cname": "lz4",
                    "clevel": crate::blosc::LEVEL,
                    "shuffle": if width > 1 { "shuffle" } else { "noshuffle" },
                    "blocksize": 0,
                }),
            ),
        }
        codecs.into()
    }
}
