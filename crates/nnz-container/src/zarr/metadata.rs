//! What an array says of itself.

mod fill;
pub(super) mod v2;
pub(super) mod v3;

use nnz_core::{Error, Place, Result};
use serde_json::Value;
use serde_json::value::RawValue;

use super::codec::Pipeline;
use super::node::Fields;
use crate::npy::Element;

/// The longest member of an array's metadata: parsed it takes many times that.
const LONGEST: usize = 1 << 20;

/// What the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataType {
    /// All of the same number of bytes.
    Fixed(Element),
    /// Strings in UTF-8, each behind its length.
    Texts,
}

/// What an array of one dimension says of itself.
#[derive(Clone, Debug)]
pub(super) struct Metadata {
    pub(super) data_type: DataType,
    /// The number of elements.
    pub(super) len: u64,
    /// Elements of a chunk; all chunks are stored whole.
    pub(super) chunk: u64,
    pub(super) pipeline: Pipeline,
    /// What several chunks are stored together in, if they are.
    pub(super) shard: Option<Shard>,
    pub(super) keys: Keys,
    /// The element that stands where none is stored, in the machine's byte order.
    pub(super) fill: Vec<u8>,
}

/// Chunks stored in one file, with an index of where each lies.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    /// Chunks of a shard.
    pub(super) chunks: u64,
    pub(super) index: Pipeline,
    /// Bytes of the index as stored.
    pub(super) index_bytes: u64,
    pub(super) big: bool,
    pub(super) at_start: bool,
}

/// How the files of chunks are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    /// `c/0`, `c/1` and so on.
    InDirectory,
    /// `c.0`, `c.1` and so on.
    WithPrefix,
    /// `0`, `1` and so on.
    Bare,
}

/// The members of an object, and how they are called in messages.
struct Reader<'a> {
    fields: &'a Fields,
    place: &'a Place,
}

impl Reader<'_> {
    fn raw(&self, name: &str) -> Result<&RawValue> {
        let found = self.fields.get(name);
        found.map(|raw| &**raw).ok_or_else(|| {
            Error::mismatch(self.place.clone(), format!("metadata without {name}"), "all of it")
        })
    }

    fn value(&self, name: &str) -> Result<Value> {
        let raw = self.raw(name)?.get();
        if raw.len() > LONGEST {
            let found = format!("of {} bytes", raw.len());
            return Err(self.unexpected(name, found, "at most 1 MiB of JSON"));
        }
        // Whoever nests deeper than any metadata does is refused here.
        serde_json::from_str(raw).map_err(|_| self.unexpected(name, raw, "shallow JSON"))
    }

    fn unexpected(&self, name: &str, found: impl std::fmt::Display, expected: &str) -> Error {
        let found = found.to_string();
        let shown: String = found.chars().take(100).collect();
        Error::mismatch(self.place.clone(), format!("{name} {shown}"), expected)
    }

    fn unsupported(&self, what: String) -> Error {
        Error::unsupported(self.place.clone(), what)
    }

    /// Reads the length of an array of one dimension.
    fn len(&self) -> Result<u64> {
        let shape = self.value("shape")?;
        match lengths(&shape).as_deref() {
            Some([len]) => Ok(*len),
            Some([]) => Err(Error::mismatch(self.place.clone(), "a single value", "one dimension")),
            Some(several) => {
                let shape: Vec<String> = several.iter().map(u64::to_string).collect();
                let found = format!("an array of {}", shape.join(" x "));
                Err(Error::mismatch(self.place.clone(), found, "one dimension"))
            }
            None => Err(self.unexpected("shape", shape, "a list of whole numbers")),
        }
    }

    /// Reads the length of chunks of one dimension.
    fn chunk(&self, name: &str, lengths_of: &Value) -> Result<u64> {
        match lengths(lengths_of).as_deref() {
            Some(&[chunk]) if chunk > 0 => Ok(chunk),
            _ => Err(self.unexpected(name, lengths_of, "one length of 1 or more")),
        }
    }

    fn pipeline(&self, codecs: Vec<super::codec::Codec>) -> Result<Pipeline> {
        let pipeline = Pipeline::new(codecs);
        pipeline.ok_or_else(|| self.unsupported("chunks compressed twice are not handled".into()))
    }

    /// Checks that the bytes of a chunk, and of all elements, can be counted.
    fn checked(&self, metadata: Metadata) -> Result<Metadata> {
        let size = metadata.data_type.least_bytes();
        let chunks = metadata.shard.as_ref().map_or(1, |shard| shard.chunks);
        let countable = size.is_some_and(|size| {
            let longest = metadata.chunk.checked_mul(chunks).map(|chunk| chunk.max(metadata.len));
            longest.and_then(|longest| longest.checked_mul(size.max(1))).is_some()
        });
        if countable {
            return Ok(metadata);
        }
        let found = format!("{} elements in chunks of {}", metadata.len, metadata.chunk);
        Err(Error::mismatch(self.place.clone(), found, "fewer than 2^64 bytes"))
    }
}

fn lengths(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Value::as_u64).collect()
}

impl DataType {
    /// Returns the bytes of an element, or the fewest that a string takes; `None` if they cannot
    /// be counted.
    pub(super) fn least_bytes(self) -> Option<u64> {
        match self {
            Self::Fixed(element) => element.size(),
            Self::Texts => Some(4),
        }
    }
}

impl Metadata {
    /// Reads what an array says of itself in a version of the format.
    pub(super) fn read(fields: &Fields, version: u32, place: &Place) -> Result<Self> {
        if version == 2 { v2::array(fields, place) } else { v3::array(fields, place) }
    }

    /// Returns the bytes of an element, or the fewest that a string takes.
    pub(super) fn least_bytes(&self) -> u64 {
        self.data_type.least_bytes().unwrap_or(1)
    }

    /// Returns how the file of a chunk, or of a shard, is named.
    pub(super) fn key(&self, number: u64) -> String {
        match self.keys {
            Keys::InDirectory => format!("c/{number}"),
            Keys::WithPrefix => format!("c.{number}"),
            Keys::Bare => number.to_string(),
        }
    }
}
