//! Arrays of one dimension.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    ArrayAbout, At, Bint8, Element, Error, Place, Result, Scalar, ValueType, Values, readable,
};
use nnz_storage::Mapped;

use crate::cached::BlockCache;
use crate::tree::{Attributes, ElementType, Group, NdArray, one_range};

/// Numbers in one dimension: an array of one dimension, or a row of an array of two. Clones share it.
#[derive(Clone)]
pub struct Vector {
    array: Arc<dyn NdArray>,
    /// The row, of an array of two dimensions.
    row: Option<u64>,
    value_type: ValueType,
    element: ElementType,
    shape: [u64; 1],
    chunk: Option<u64>,
    /// Cached reads, if enabled.
    cache: Option<Arc<BlockCache>>,
}

impl Vector {
    /// Opens an array of a group.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, does not have one dimension, is not numeric, or has no data for its length.
    pub fn open(group: &dyn Group, name: &str) -> Result<Self> {
        Self::new(group.array(name)?)
    }

    /// Wraps an array of one dimension.
    ///
    /// # Errors
    ///
    /// Fails if it does not have one dimension, is not numeric, or has no data for its length.
    pub fn new(array: Box<dyn NdArray>) -> Result<Self> {
        let &[len] = array.shape() else { return Err(other_rank(&*array, "one dimension")) };
        let value_type = array.value_type()?;
        array.check_extent()?;
        let chunk = array.storage().chunk_shape.and_then(|chunk| chunk.first().copied());
        Ok(Self { chunk, ..Self::of(array.into(), None, value_type, len) })
    }

    fn of(array: Arc<dyn NdArray>, row: Option<u64>, value_type: ValueType, len: u64) -> Self {
        let element = ElementType::Number(value_type);
        Self { array, row, value_type, element, shape: [len], chunk: None, cache: None }
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
        Ok(Self::of(Arc::clone(array), Some(row), value_type, len))
    }

    /// Creates a vector of zeros of type `uint8`, which are not stored. `place` is its location in
    /// messages.
    #[must_use]
    pub fn zeros(len: u64, place: Place) -> Self {
        Self::of(Arc::new(Zeros { place, shape: [len] }), None, ValueType::U8, len)
    }

    /// Caches short reads, up to 32 MiB in blocks of 16 KiB: for arrays that are read at many single positions, such as the
    /// pointers of a matrix. Long reads are passed on, except for cached blocks at their ends.
    #[must_use]
    pub fn cached(mut self) -> Self {
        self.cache = Some(Arc::new(BlockCache::new(self.value_type, self.len())));
        self
    }

    /// Keeps the first `len` elements; all if there are fewer.
    #[must_use]
    pub fn truncated(mut self, len: u64) -> Self {
        self.shape = [self.len().min(len)];
        self
    }

    /// Returns the location of the array, for messages.
    #[must_use]
    pub fn place(&self) -> Place {
        self.array.place()
    }

    /// Returns the location of an element.
    #[must_use]
    pub fn place_of(&self, element: u64) -> Place {
        let before = self.row.unwrap_or(0);
        self.place().at(At::Element(before.saturating_mul(self.len()).saturating_add(element)))
    }

    /// Returns the type that elements are read as.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.shape[0]
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
        let bytes = ArrayAbout::size(self.stored_bytes())?;
        let (name, value_type) = (self.place().array.unwrap_or_default(), Some(self.value_type));
        Ok(ArrayAbout::new(name).value_type(value_type).len(self.len()).bytes(bytes))
    }

    /// Returns the stored size of the array in bytes. Invalid chunks are not counted; they are an error when their elements
    /// are read.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read it.
    pub fn stored_bytes(&self) -> Result<u64> {
        readable(self.array.stored_bytes()).map(Option::unwrap_or_default)
    }

    /// Returns the number of bytes after the last complete element.
    #[must_use]
    pub fn trailing_bytes(&self) -> u64 {
        self.array.trailing_bytes()
    }

    /// Announces that ranges of elements will be read soon, each not empty and inside the vector.
    pub fn will_read(&self, ranges: &[Range<u64>]) {
        if self.row.is_some() || !self.has_latency() {
            return;
        }
        match &self.cache {
            Some(cache) => self.array.will_read(&cache.missing(ranges)),
            None => self.array.will_read(ranges),
        }
    }

    /// Returns whether each read has a latency, so that reads are worth announcing.
    #[must_use]
    pub fn has_latency(&self) -> bool {
        self.array.has_latency()
    }

    /// Maps `bytes` bytes of elements from `first` on into memory, as [`NdArray::map`].
    #[must_use]
    pub fn map(&self, first: u64, bytes: usize) -> Option<Mapped> {
        let inside = self.row.is_none() && self.check_range(first, bytes).is_ok();
        inside.then(|| self.array.map(first, bytes)).flatten()
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
        self.check_range(first, out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let range = first..first + (out.len() / self.value_type.size()) as u64;
        match self.row {
            None => self.array.read_bytes(&[range], out),
            Some(row) => self.array.read_bytes(&[row..row + 1, range], out),
        }
    }

    /// Checks that `bytes` bytes from element `first` on are in the vector.
    fn check_range(&self, first: u64, bytes: usize) -> Result<()> {
        let size = self.value_type.size();
        let end = first.checked_add((bytes / size) as u64);
        if bytes.is_multiple_of(size) && end.is_some_and(|end| end <= self.len()) {
            return Ok(());
        }
        Err(Error::mismatch(
            self.place().at(At::Element(self.len())),
            format!("the end of the array after {} elements", self.len()),
            format!("at least {} elements", first.saturating_add(bytes.div_ceil(size) as u64)),
        ))
    }

    /// Fills `out` with elements from `first` on.
    ///
    /// # Errors
    ///
    /// Fails if elements are of another type, or as [`read_bytes`](Self::read_bytes).
    pub fn read_into<T: Element>(&self, first: u64, out: &mut [T]) -> Result<()> {
        if self.value_type != T::TYPE {
            return Err(self.wrong_type(T::TYPE));
        }
        self.read_bytes(first, bytemuck::cast_slice_mut(out))
    }

    /// Fills `out` with 32- or 64-bit unsigned elements from `first` on.
    ///
    /// # Errors
    ///
    /// Fails if elements are of another type, or as [`read_bytes`](Self::read_bytes).
    pub fn read_widened(&self, first: u64, out: &mut [u64]) -> Result<()> {
        match self.value_type {
            ValueType::U64 => self.read_into(first, out),
            ValueType::U32 => {
                // The narrow elements are read into the upper half of the same memory and widened
                // from the front, so each is read before it is overwritten.
                let len = out.len();
                let words: &mut [u32] = bytemuck::cast_slice_mut(out);
                self.read_into(first, &mut words[len..])?;
                for i in 0..len {
                    let wide = u64::from(words[len + i]).to_ne_bytes();
                    let (low, high) = wide.split_at(4);
                    words[2 * i] = bytemuck::pod_read_unaligned(low);
                    words[2 * i + 1] = bytemuck::pod_read_unaligned(high);
                }
                Ok(())
            }
            _ => Err(self.wrong_type(ValueType::U64)),
        }
    }

    fn wrong_type(&self, expected: ValueType) -> Error {
        Error::mismatch(
            self.place(),
            format!("elements of type {}", self.value_type),
            format!("elements of type {expected}"),
        )
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

impl Attributes for Vector {}

impl NdArray for Vector {
    fn place(&self) -> Place {
        self.place()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.stored_bytes()
    }

    fn trailing_bytes(&self) -> u64 {
        self.trailing_bytes()
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        self.read_bytes(one_range(self, selection, out)?, out)
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        self.will_read(ranges);
    }

    fn has_latency(&self) -> bool {
        self.has_latency()
    }

    fn map(&self, first: u64, bytes: usize) -> Option<Mapped> {
        self.map(first, bytes)
    }
}

impl std::fmt::Debug for Vector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vector").field("place", &self.place()).field("len", &self.len()).finish()
    }
}

/// Zeros that are not stored.
#[derive(Debug)]
struct Zeros {
    place: Place,
    shape: [u64; 1],
}

impl Attributes for Zeros {}

impl NdArray for Zeros {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        &ElementType::Number(ValueType::U8)
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(0)
    }

    fn read_bytes(&self, _: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        out.fill(0);
        Ok(())
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
        shape => format!("an array of {}", nnz_chunk::grid::shown(shape)),
    };
    Error::mismatch(array.place(), found, expected)
}
