//! What an array says of itself.

mod element;
mod fill;
pub(super) mod v2;
pub(super) mod v3;

use nnz_core::{Error, Place, Result};
use serde_json::Value;
use serde_json::value::RawValue;

use super::codec::Pipeline;
use super::node::Fields;
use crate::npy::Element;
use crate::tree::{Grid, Stored, check_rank, shown};

/// The longest member of an array's metadata: parsed it takes many times that.
const LONGEST: usize = 1 << 20;

/// What the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataType {
    /// All of the same number of bytes.
    Fixed(Element),
    /// Strings in UTF-8, each behind its length.
    Texts,
    /// Elements of so many bytes that are neither numbers nor strings.
    Other(u64),
}

/// What an array says of itself.
#[derive(Clone, Debug)]
pub(super) struct Metadata {
    pub(super) data_type: DataType,
    /// The type as it is named, for messages.
    pub(super) type_name: String,
    /// What an element is, in more detail.
    pub(super) element: Stored,
    pub(super) grid: Grid,
    /// The dimensions in the order that elements of a chunk change in, the fastest last.
    pub(super) order: Vec<usize>,
    /// The names of all codecs that pack bytes.
    pub(super) filters: Vec<String>,
    /// The number of elements.
    pub(super) len: u64,
    /// Elements of a chunk; all chunks are stored whole.
    pub(super) chunk: u64,
    pub(super) pipeline: Pipeline,
    /// What several chunks are stored together in, if they are.
    pub(super) shard: Option<Shard>,
    pub(super) keys: Keys,
    /// The element that stands where none is stored, in the machine's byte order; in that of the
    /// store, or empty for zeros, where it is neither a number nor a string.
    pub(super) fill: Vec<u8>,
}

/// Chunks stored in one file, with an index of where each lies.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    /// Chunks of a shard along each dimension.
    pub(super) counts: Vec<u64>,
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
    /// `0`, `1` and so on; `0.1` where there are two dimensions.
    Bare,
    /// `0/1` where there are two dimensions.
    BareInDirectory,
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

    /// Reads the lengths of all dimensions.
    fn shape(&self) -> Result<Vec<u64>> {
        let shape = self.value("shape")?;
        let found = lengths(&shape)
            .ok_or_else(|| self.unexpected("shape", shape, "a list of whole numbers"))?;
        check_rank(found.len(), self.place)?;
        Ok(found)
    }

    /// Reads the lengths of chunks of an array.
    fn chunk(&self, name: &str, lengths_of: &Value, shape: &[u64]) -> Result<Vec<u64>> {
        let found = lengths(lengths_of).filter(|found| found.len() == shape.len());
        let found = found.map(|mut found| {
            // Chunks of nothing are those of arrays of nothing.
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

    /// Counts the chunks of an array.
    fn grid(&self, shape: &[u64], chunk: &[u64]) -> Result<Grid> {
        Grid::new(shape, chunk).ok_or_else(|| {
            let found = format!("{} elements in chunks of {}", shown(shape), shown(chunk));
            Error::mismatch(self.place.clone(), found, "fewer than 2^64 bytes")
        })
    }

    /// Counts the elements of an array.
    fn len(&self, shape: &[u64]) -> Result<u64> {
        let counted = shape.iter().try_fold(1_u64, |count, &length| count.checked_mul(length));
        counted.or(shape.contains(&0).then_some(0)).ok_or_else(|| {
            let found = format!("{} elements", shown(shape));
            Error::mismatch(self.place.clone(), found, "fewer than 2^64 bytes")
        })
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
            Self::Other(bytes) => Some(bytes),
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

    /// Refuses an array of elements that are no numbers or strings.
    pub(super) fn check_element(&self, place: &Place) -> Result<()> {
        let DataType::Other(_) = self.data_type else { return Ok(()) };
        let what = format!("Zarr arrays of type {} are not handled", self.type_name);
        Err(Error::unsupported(place.clone(), what))
    }

    /// Refuses an array that is not of one dimension.
    pub(super) fn check_list(fields: &Fields, place: &Place) -> Result<()> {
        let found = match &(Reader { fields, place }).shape()?[..] {
            [_] => return Ok(()),
            [] => "a single value".to_owned(),
            shape => format!("an array of {}", shown(shape)),
        };
        Err(Error::mismatch(place.clone(), found, "one dimension"))
    }
}
