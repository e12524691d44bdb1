//! Arrays of one dimension.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{ArrayAbout, At, Bint8, Error, Place, Result, Scalar, ValueType, Values, readable};

use crate::NumberArray;
use crate::cached::BlockCache;
use crate::tree::{ElementType, Group, NdArray};

/// Number of elements for which no stored data is required.
const UNPROVEN: u64 = 64 << 20;

/// Numbers in one dimension: an array of one dimension, or a row of an array of two.
pub struct Vector {
    source: Source,
    value_type: ValueType,
    len: u64,
    chunk: Option<u64>,
    /// Cached reads, if enabled.
    cache: Option<Box<BlockCache>>,
}

enum Source {
    Numbers(Box<dyn NumberArray>),
    /// With the indices of the dimensions before the last.
    Row(Arc<dyn NdArray>, Vec<Range<u64>>),
    /// Zeros that are not stored.
    Zeros(Place),
}

impl Vector {
    /// Opens an array of a group.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, does not have one dimension, or is not numeric.
    pub fn open(group: &dyn Group, name: &str) -> Result<Self> {
        let array = group.array(name)?;
        let &[len] = array.shape() else { return Err(other_rank(&*array, "one dimension")) };
        let value_type = array.value_type()?;
        if *array.element_type() == ElementType::Float16 {
            return Self::new(array);
        }
        let chunk = array.storage().chunk_shape.and_then(|chunk| chunk.first().copied());
        let source = Source::Numbers(group.container()?.array(name)?);
        Ok(Self { source, value_type, len, chunk, cache: None })
    }

    /// Wraps an array of one dimension.
    ///
    /// # Errors
    ///
    /// Fails if it does not have one dimension, or is not numeric.
    pub fn new(array: Box<dyn NdArray>) -> Result<Self> {
        let &[len] = array.shape() else { return Err(other_rank(&*array, "one dimension")) };
        if len > UNPROVEN && !array.is_fully_stored()? {
            let found = format!("{len} elements in chunks of which some are not stored");
            return Err(Error::mismatch(array.place(), found, "all chunks"));
        }
        let value_type = array.value_type()?;
        let chunk = array.storage().chunk_shape.and_then(|chunk| chunk.first().copied());
        let source = Source::Row(array.into(), Vec::new());
        Ok(Self { source, value_type, len, chunk, cache: None })
    }

    /// Wraps numbers of any origin.
    #[must_use]
    pub fn of_numbers(array: Box<dyn NumberArray>) -> Self {
        let (value_type, len) = (array.value_type(), array.len());
        Self { source: Source::Numbers(array), value_type, len, chunk: None, cache: None }
    }

    /// Wraps a row of an array of two dimensions.
    ///
    /// # Errors
    ///
    /// Fails if it does not have two dimensions, has no such row, or is not numeric.
    pub fn row(array: &Arc<dyn NdArray>, row: u64) -> Result<Self> {
        let &[rows, len] = array.shape() else {
            return Err(other_rank(&**array, "two dimensions"));
        };
        if row >= rows {
            let found = format!("{rows} rows");
            return Err(Error::mismatch(array.place(), found, format!("{} or more", row + 1)));
        }
        let value_type = array.value_type()?;
        let outer = std::iter::once(row..row + 1).collect();
        let source = Source::Row(Arc::clone(array), outer);
        Ok(Self { source, value_type, len, chunk: None, cache: None })
    }

    /// Creates a vector of zeros of type `uint8`, which are not stored. `place` is its location in
    /// messages.
    #[must_use]
    pub fn zeros(len: u64, place: Place) -> Self {
        Self {
            source: Source::Zeros(place),
            value_type: ValueType::U8,
            len,
            chunk: None,
            cache: None,
        }
    }

    /// Caches short reads, as [`CachedArray`](crate::CachedArray).
    #[must_use]
    pub fn cached(mut self) -> Self {
        self.cache = Some(Box::new(BlockCache::new(self.value_type, self.len)));
        self
    }

    /// Keeps the first `len` elements; all if there are fewer.
    #[must_use]
    pub fn truncated(mut self, len: u64) -> Self {
        self.len = self.len.min(len);
        self
    }

    /// Returns the location of the array, for messages.
    #[must_use]
    pub fn place(&self) -> Place {
        match &self.source {
            Source::Zeros(place) => place.clone(),
            Source::Numbers(array) => array.place(),
            Source::Row(array, _) => array.place(),
        }
    }

    /// Returns the location of an element.
    #[must_use]
    pub fn place_of(&self, element: u64) -> Place {
        let before = match &self.source {
            Source::Row(_, outer) => outer.first().map_or(0, |row| row.start),
            Source::Numbers(_) | Source::Zeros(_) => 0,
        };
        self.place().at(At::Element(before.saturating_mul(self.len).saturating_add(element)))
    }

    /// Returns the type that elements are read as.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of elements of a chunk, if the array is chunked.
    #[must_use]
    pub fn chunk(&self) -> Option<u64> {
        self.chunk
    }

    /// Describes the array.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read its size.
    pub fn about(&self) -> Result<ArrayAbout> {
        let bytes = match &self.source {
            Source::Numbers(array) => ArrayAbout::size(array.stored_bytes())?,
            Source::Row(array, _) => {
                ArrayAbout::size(readable(array.stored_bytes()).map(Option::unwrap_or_default))?
            }
            Source::Zeros(_) => Some(0),
        };
        let (name, value_type) = (self.place().array.unwrap_or_default(), Some(self.value_type));
        Ok(ArrayAbout { name, value_type, len: Some(self.len), bytes })
    }

    /// Announces that ranges of elements will be read soon.
    pub fn will_read(&self, ranges: &[Range<u64>]) {
        let Source::Numbers(array) = &self.source else { return };
        match &self.cache {
            Some(cache) => array.will_read(&cache.missing(ranges)),
            None => array.will_read(ranges),
        }
    }

    /// Returns whether each read has a latency, so that reads are worth announcing.
    #[must_use]
    pub fn has_latency(&self) -> bool {
        matches!(&self.source, Source::Numbers(array) if array.has_latency())
    }

    /// Fills `out` with elements from `first` on, in native byte order.
    ///
    /// # Errors
    ///
    /// Fails if the range is past the end, or if the storage cannot be read.
    pub fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        match &self.cache {
            Some(cache) => cache.read(first, out, &|first, out| self.read_stored(first, out)),
            None => self.read_stored(first, out),
        }
    }

    fn read_stored(&self, first: u64, out: &mut [u8]) -> Result<()> {
        match &self.source {
            Source::Numbers(array) => array.read_bytes(first, out),
            Source::Row(array, outer) => {
                let count = (out.len() / self.value_type.size()) as u64;
                let mut selection = outer.clone();
                selection.push(first..first.saturating_add(count));
                array.read_bytes(&selection, out)
            }
            Source::Zeros(_) => {
                out.fill(0);
                Ok(())
            }
        }
    }

    /// Reads an element.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](Self::read).
    pub fn get(&self, element: u64) -> Result<Scalar> {
        let mut one = Values::new(self.value_type);
        self.read(element..element.saturating_add(1), &mut one)?;
        one.get(0).ok_or_else(|| Error::mismatch(self.place(), "no element", "one"))
    }

    /// Reads a range of elements.
    ///
    /// # Errors
    ///
    /// Fails as [`read_bytes`](Self::read_bytes), or if a boolean is neither 0 nor 1.
    pub fn read(&self, range: Range<u64>, values: &mut Values) -> Result<()> {
        let count = range.end.saturating_sub(range.start);
        self.read_bytes(range.start, prepare(values, self.value_type, count))?;
        check_booleans(values, |at| self.place_of(range.start.saturating_add(at)))
    }
}

impl NumberArray for Vector {
    fn place(&self) -> Place {
        self.place()
    }

    fn value_type(&self) -> ValueType {
        self.value_type
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn stored_bytes(&self) -> Result<u64> {
        match &self.source {
            Source::Numbers(array) => array.stored_bytes(),
            Source::Row(array, _) => readable(array.stored_bytes()).map(Option::unwrap_or_default),
            Source::Zeros(_) => Ok(0),
        }
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        self.read_bytes(first, out)
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        self.will_read(ranges);
    }

    fn has_latency(&self) -> bool {
        self.has_latency()
    }
}

impl std::fmt::Debug for Vector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vector").field("place", &self.place()).field("len", &self.len).finish()
    }
}

/// Resizes to `count` values of a type, and returns their bytes.
pub fn prepare(values: &mut Values, value_type: ValueType, count: u64) -> &mut [u8] {
    if values.value_type() != value_type || matches!(values, Values::Iso(_)) {
        *values = Values::new(value_type);
    }
    // Few: a unit.
    values.resize_bytes(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Checks that booleans are 0 or 1. `place` returns the location of a value.
///
/// # Errors
///
/// Fails at the first that is not.
pub fn check_booleans(values: &Values, place: impl Fn(u64) -> Place) -> Result<()> {
    let Values::Bint8(values) = values else { return Ok(()) };
    match values.iter().enumerate().find(|(_, Bint8(value))| *value > 1) {
        None => Ok(()),
        Some((at, Bint8(value))) => Err(Error::mismatch(place(at as u64), value, "0 or 1")),
    }
}

fn other_rank(array: &dyn NdArray, expected: &str) -> Error {
    let found = match array.shape() {
        [] => "a single number".to_owned(),
        shape => format!("an array of {}", crate::tree::shown(shape)),
    };
    Error::mismatch(array.place(), found, expected)
}
