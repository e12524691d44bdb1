//! The metadata of an array.

mod element;
mod fill;
pub(super) mod v2;
pub(super) mod v3;

use nnz_core::{Error, Place, Result, ValueType};
use serde_json::Value;
use serde_json::value::RawValue;

use super::codec::{Pipeline, Step};
use super::node::Fields;
use crate::npy::Element;
use crate::tree::{StoredType, check_rank};
use nnz_chunk::codec::Codec;
use nnz_chunk::grid::{Grid, shown};

/// Maximum size of a member of the metadata: its parsed form takes many times that.
const MAX_LEN: usize = 1 << 20;

/// The type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataType {
    /// Elements of fixed size.
    Fixed(Element),
    /// Strings in UTF-8, each after its length.
    Texts,
    /// Elements of this size that are neither numbers nor strings.
    Other(u64),
}

/// The metadata of an array.
#[derive(Clone, Debug)]
pub(super) struct Metadata {
    pub(super) data_type: DataType,
    /// The element type in detail.
    pub(super) element: StoredType,
    pub(super) grid: Grid,
    /// The dimensions in the order of elements in a chunk, slowest first.
    pub(super) order: Vec<usize>,
    /// The names of all bytes-to-bytes codecs.
    pub(super) filters: Vec<String>,
    /// The number of elements.
    pub(super) len: u64,
    /// Number of elements of a chunk; chunks are stored completely.
    pub(super) chunk: u64,
    pub(super) pipeline: Pipeline,
    /// The shards, if chunks are stored in shards.
    pub(super) shard: Option<Shard>,
    pub(super) keys: Keys,
    /// The fill value in native byte order; in stored form, or empty for zeros, if it is neither a
    /// number nor a string.
    pub(super) fill: Vec<u8>,
}

/// A file with several chunks and an index of their offsets.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    /// Number of chunks of a shard along each dimension.
    pub(super) counts: Vec<u64>,
    /// Number of chunks of a shard.
    pub(super) chunks: u64,
    pub(super) index: Pipeline,
    /// Stored size of the index in bytes.
    pub(super) index_bytes: u64,
    pub(super) big: bool,
    pub(super) at_start: bool,
}

/// The names of chunk files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    /// `c/0`, `c/1` and so on.
    InDirectory,
    /// `c.0`, `c.1` and so on.
    WithPrefix,
    /// `0`, `1` and so on; `0.1` in two dimensions.
    Bare,
    /// `0/1` in two dimensions.
    BareInDirectory,
}

/// The members of a JSON object, and its name in messages.
struct Reader<'a> {
    fields: &'a Fields,
    place: &'a Place,
}

/// Returns whether running sums of differences are exact: for integers.
fn adds_up(value_type: ValueType) -> bool {
    value_type.is_integer() && value_type != ValueType::Bint8
}

impl Reader<'_> {
    fn raw(&self, name: &str) -> Result<&RawValue> {
        let found = self.fields.get(name);
        found.map(|raw| &**raw).ok_or_else(|| {
            Error::mismatch(
                self.place.clone(),
                format!("metadata without {name}"),
                "complete metadata",
            )
        })
    }

    fn value(&self, name: &str) -> Result<Value> {
        let raw = self.raw(name)?.get();
        if raw.len() > MAX_LEN {
            let found = format!("of {} bytes", raw.len());
            return Err(self.unexpected(name, found, "at most 1 MiB of JSON"));
        }
        // Deeply nested JSON is refused.
        serde_json::from_str(raw).map_err(|error| {
            self.unexpected(name, raw, "JSON that is not nested deeply").with_source(error)
        })
    }

    fn unexpected(&self, name: &str, found: impl std::fmt::Display, expected: &str) -> Error {
        let found = found.to_string();
        let shown: String = found.chars().take(100).collect();
        Error::mismatch(self.place.clone(), format!("{name} {shown}"), expected)
    }

    fn unsupported(&self, what: String) -> Error {
        Error::unsupported(self.place.clone(), what)
    }

    /// Parses the lengths of all dimensions.
    fn shape(&self) -> Result<Vec<u64>> {
        let shape = self.value("shape")?;
        let found = lengths(&shape)
            .ok_or_else(|| self.unexpected("shape", shape, "a list of whole numbers"))?;
        check_rank(found.len(), self.place)?;
        Ok(found)
    }

    /// Parses the shape of chunks.
    fn chunk(&self, name: &str, lengths_of: &Value, shape: &[u64]) -> Result<Vec<u64>> {
        let found = lengths(lengths_of).filter(|found| found.len() == shape.len());
        let found = found.map(|mut found| {
            // Empty arrays may have empty chunks.
            for (chunk, length) in found.iter_mut().zip(shape) {
                if *length == 0 {
                    *chunk = (*chunk).max(1);
                }
            }
            found
        });
        let found = found.filter(|found| !found.contains(&0));
        let expected = match shape.len() {
            1 => "one length of 1 or more".to_owned(),
            rank => format!("{rank} lengths of 1 or more"),
        };
        found.ok_or_else(|| self.unexpected(name, lengths_of, &expected))
    }

    /// Creates the grid of the chunks of an array.
    fn grid(&self, shape: &[u64], chunk: &[u64]) -> Result<Grid> {
        Grid::new(shape, chunk).ok_or_else(|| {
            let found = format!("{} elements in chunks of {}", shown(shape), shown(chunk));
            Error::mismatch(self.place.clone(), found, "fewer than 2^64 bytes")
        })
    }

    /// Returns the number of elements of an array.
    fn len(&self, shape: &[u64]) -> Result<u64> {
        let counted = shape.iter().try_fold(1_u64, |count, &length| count.checked_mul(length));
        counted.or(shape.contains(&0).then_some(0)).ok_or_else(|| {
            let found = format!("{} elements", shown(shape));
            Error::mismatch(self.place.clone(), found, "fewer than 2^64 bytes")
        })
    }

    fn pipeline(&self, steps: Vec<Step>) -> Result<Pipeline> {
        let pipeline = Pipeline::new(steps);
        pipeline.ok_or_else(|| self.unsupported("chunks compressed twice are not supported".into()))
    }

    /// Returns the step of a codec for bytes, or for numbers of a type and byte order.
    fn compress(&self, codec: &'static Codec, number: Option<(ValueType, bool)>) -> Result<Step> {
        let (value_type, big) = number.unzip();
        if codec.supports(value_type, big.unwrap_or(false)) {
            return Ok(Step::Compress(&codec.zarr, value_type));
        }
        Err(self.unsupported(format!("{} is not supported for this type", codec.name)))
    }

    /// Checks that the size of a chunk, and of all elements, does not overflow.
    fn check(&self, metadata: Metadata) -> Result<Metadata> {
        let size = metadata.data_type.min_bytes();
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
    /// Returns the type and byte order of elements that are numbers.
    fn number(self) -> Option<(ValueType, bool)> {
        match self {
            Self::Fixed(Element::Number { value_type, big }) => Some((value_type, big)),
            _ => None,
        }
    }

    /// Returns the size of an element in bytes, or the minimum size of a string; `None` on
    /// overflow.
    pub(super) fn min_bytes(self) -> Option<u64> {
        match self {
            Self::Fixed(element) => element.size(),
            Self::Texts => Some(4),
            Self::Other(bytes) => Some(bytes),
        }
    }
}

impl Metadata {
    /// Parses the metadata of an array in a version of the format.
    pub(super) fn read(fields: &Fields, version: u32, place: &Place) -> Result<Self> {
        if version == 2 { v2::array(fields, place) } else { v3::array(fields, place) }
    }

    /// Returns the size of an element in bytes, or the minimum size of a string.
    pub(super) fn min_bytes(&self) -> u64 {
        self.data_type.min_bytes().unwrap_or(1)
    }

    /// Returns the name of the file of a chunk or a shard.
    pub(super) fn key(&self, at: &[u64]) -> String {
        let numbers = |mark: &str| at.iter().map(u64::to_string).collect::<Vec<_>>().join(mark);
        match (self.keys, at) {
            (Keys::InDirectory | Keys::WithPrefix, []) => "c".to_owned(),
            (Keys::Bare | Keys::BareInDirectory, []) => "0".to_owned(),
            (Keys::InDirectory, _) => format!("c/{}", numbers("/")),
            (Keys::WithPrefix, _) => format!("c.{}", numbers(".")),
            (Keys::Bare, _) => numbers("."),
            (Keys::BareInDirectory, _) => numbers("/"),
        }
    }
}
