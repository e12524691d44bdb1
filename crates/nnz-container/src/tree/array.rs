//! Arrays of any number of dimensions.

use std::ops::Range;

use nnz_core::{Error, ErrorKind, Names, Place, Result, Scalar, StringList, ValueType, Values};

use nnz_storage::Mapped;

use super::element::ElementType;
use super::group::{Attributes, not_strings};
use super::selection;

/// An array of any number of dimensions, read by hyperslab from many threads.
///
/// A hyperslab is a range of indices for each dimension. Elements are returned in C order, whatever
/// their order in storage. A scalar has no dimensions, and is read without ranges.
pub trait NdArray: Attributes {
    /// Returns the location of the array, for messages.
    fn place(&self) -> Place;

    /// Returns the length of each dimension; empty for a scalar.
    fn shape(&self) -> &[u64];

    /// Returns whether it has no value and no shape: the null dataspace of HDF5.
    fn is_null(&self) -> bool {
        false
    }

    /// Returns the type of the elements.
    fn element_type(&self) -> &ElementType;

    /// Describes how elements are stored.
    fn storage(&self) -> ArrayStorage {
        ArrayStorage::default()
    }

    /// Returns the stored size of elements in bytes, without strings of variable length.
    ///
    /// # Errors
    ///
    /// Fails if the chunk index cannot be read.
    fn stored_bytes(&self) -> Result<u64>;

    /// Returns whether all chunks are stored. Elements of missing chunks have the fill value.
    ///
    /// # Errors
    ///
    /// Fails if the chunk index cannot be read.
    fn is_fully_stored(&self) -> Result<bool> {
        Ok(true)
    }

    /// Returns the number of chunks that do not exist, which Zarr and HDF5 allow: their elements have the fill value.
    /// Of an array with shards, the number of missing shards. 0 for other containers.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be listed, or if the chunk index cannot be read.
    fn missing_chunks(&self) -> Result<u64> {
        Ok(0)
    }

    /// Returns the number of chunks that the shards of the array do not contain.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be listed, or if the index of a shard cannot be read.
    fn missing_in_shards(&self) -> Result<u64> {
        Ok(0)
    }

    /// Returns the value of elements that are not stored, if it is a number other than zero.
    ///
    /// # Errors
    ///
    /// Fails if the chunk index cannot be read.
    fn fill_value(&self) -> Result<Option<Scalar>> {
        Ok(None)
    }

    /// Fills `out` with the numbers of a hyperslab, in native byte order.
    ///
    /// # Errors
    ///
    /// Fails if the array is not numeric, if the hyperslab is not inside the shape, if `out` has
    /// another size, or if the storage cannot be read.
    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()>;

    /// Announces that ranges of elements of an array of one dimension will be read soon, each not empty and inside
    /// the array.
    fn will_read(&self, ranges: &[Range<u64>]) {
        let _ = ranges;
    }

    /// Returns whether each read has a latency, so that reads are worth announcing.
    fn has_latency(&self) -> bool {
        false
    }

    /// Maps `bytes` bytes of an array of one dimension into memory, from element `first` on, in native byte order.
    ///
    /// Returns `None` if they are not stored in this form or cannot be mapped for any reason; reading them returns the
    /// error. Worthwhile from several hundred kilobytes on.
    fn map(&self, first: u64, bytes: usize) -> Option<Mapped> {
        let _ = (first, bytes);
        None
    }

    /// Checks that the storage has data for the length of the array, before a caller allocates memory for it.
    ///
    /// # Errors
    ///
    /// Fails if it does not, apart from some megabytes of elements that are not stored, or if the chunk index cannot be
    /// read.
    fn check_extent(&self) -> Result<()> {
        Ok(())
    }

    /// Returns the number of bytes after the last complete element.
    fn trailing_bytes(&self) -> u64 {
        0
    }

    /// Starts reading the strings of a hyperslab.
    ///
    /// # Errors
    ///
    /// Fails if elements are not strings, or if the hyperslab is not inside the shape.
    fn read_strings(&self, selection: &[Range<u64>]) -> Result<Names<'static>> {
        let _ = selection;
        let found = not_strings(self.element_type());
        Err(Error::mismatch(self.place(), found, "strings"))
    }

    /// Returns a field of compounds as an array. Its own dimensions follow the dimensions of this
    /// array.
    ///
    /// # Errors
    ///
    /// Fails if elements are not compounds, or have no such field.
    fn field(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let _ = name;
        let found = format!("elements of type {}", self.element_type());
        Err(Error::mismatch(self.place(), found, "compounds"))
    }

    /// Returns the integers of an enumeration as an array of numbers.
    ///
    /// # Errors
    ///
    /// Fails if the element type is not an enumeration.
    fn integers(&self) -> Result<Box<dyn NdArray>> {
        let found = format!("elements of type {}", self.element_type());
        Err(Error::mismatch(self.place(), found, "an enumeration"))
    }
}

/// How the elements of an array are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArrayStorage {
    /// The shape of a chunk; `None` if the array is contiguous.
    pub chunk_shape: Option<Vec<u64>>,
    /// The shape of a shard, a file with several chunks.
    pub shard_shape: Option<Vec<u64>>,
    /// The filters of chunks, in the order in which they were applied, such as `shuffle` and
    /// `deflate`.
    pub filters: Vec<String>,
}

impl dyn NdArray + '_ {
    /// Returns the complete range of each dimension.
    #[must_use]
    pub fn all(&self) -> Vec<Range<u64>> {
        self.shape().iter().map(|&length| 0..length).collect()
    }

    /// Returns the hyperslab of a range of the first dimension.
    ///
    /// # Errors
    ///
    /// Fails if there is no dimension.
    pub fn rows(&self, range: Range<u64>) -> Result<Vec<Range<u64>>> {
        let mut all = self.all();
        match all.first_mut() {
            Some(first) => *first = range,
            None => return Err(Error::mismatch(self.place(), "a single value", "rows")),
        }
        Ok(all)
    }

    /// Returns the type that elements are read as.
    ///
    /// # Errors
    ///
    /// Fails if they are not numbers.
    pub fn value_type(&self) -> Result<ValueType> {
        self.element_type().value_type().ok_or_else(|| match self.element_type() {
            ElementType::Other(what) => {
                Error::unsupported(self.place(), format!("{what} are not supported"))
            }
            ElementType::Enumeration(_) => {
                let what = format!("elements of type {} are not supported", self.element_type());
                Error::unsupported(self.place(), what)
            }
            other => {
                let found = format!("elements of type {other}");
                Error::mismatch(self.place(), found, "numbers")
            }
        })
    }

    /// Reads the numbers of a hyperslab into at most `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails as [`read_bytes`](NdArray::read_bytes), or if they take more memory.
    pub fn read(&self, selection: &[Range<u64>], memory: u64) -> Result<Values> {
        let value_type = self.value_type()?;
        let count = selection::count(selection, self.shape(), &self.place())?;
        let needed = count.saturating_mul(value_type.size() as u64);
        let refused = || Error::new(ErrorKind::Memory { needed, allowed: memory }, self.place());
        let count = usize::try_from(count).ok().filter(|_| needed <= memory);
        let zeroed = count.and_then(|count| Values::try_zeroed(value_type, count));
        let mut values = zeroed.ok_or_else(refused)?;
        self.read_bytes(selection, values.bytes_mut())?;
        Ok(values)
    }

    /// Reads the strings of a hyperslab into at most `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails as [`read_strings`](NdArray::read_strings), or if they take more memory.
    pub fn strings(&self, selection: &[Range<u64>], memory: u64) -> Result<StringList> {
        self.read_strings(selection)?.list_with_limit(memory)
    }

    /// Reads the only string, of a scalar or of an array of length one.
    ///
    /// # Errors
    ///
    /// Fails if there is not exactly one string, or if it is not UTF-8 or takes more than `memory`
    /// bytes.
    pub fn text(&self, memory: u64) -> Result<String> {
        if !self.element_type().is_string() {
            let found = not_strings(self.element_type());
            return Err(Error::mismatch(self.place(), found, "strings"));
        }
        let shape = self.shape();
        if shape.iter().any(|&length| length != 1) || self.is_null() {
            let found = format!("an array of {}", nnz_chunk::grid::shown(shape));
            return Err(Error::mismatch(self.place(), found, "a single string"));
        }
        let list = self.strings(&self.all(), memory)?;
        let text = list.iter().next().and_then(|text| std::str::from_utf8(text).ok());
        text.map(ToOwned::to_owned)
            .ok_or_else(|| Error::mismatch(self.place(), "text that is not UTF-8", "UTF-8"))
    }
}
