//! Arrays of any number of dimensions.

use std::ops::Range;

use nnz_core::{Error, ErrorKind, Names, Place, Result, Scalar, StringList, ValueType, Values};

use super::element::ElementType;
use super::group::Attributes;
use super::selection;

/// An array of any number of dimensions, read by hyperslab from many threads.
///
/// A hyperslab is a range of indices for each dimension; elements come with the last dimension
/// changing fastest, whatever their order in storage. A single value has no dimensions, and is read
/// with no ranges.
pub trait NdArray: Attributes {
    /// Returns the array's place, for messages.
    fn place(&self) -> Place;

    /// Returns the length of each dimension; empty for a single value.
    fn shape(&self) -> &[u64];

    /// Returns whether it holds no value at all, not even a shape: HDF5's null dataspace.
    fn is_null(&self) -> bool;

    /// Returns the type of the elements.
    fn element_type(&self) -> &ElementType;

    /// Returns how elements are stored.
    fn storage(&self) -> ArrayStorage;

    /// Returns the bytes that elements take where they are stored, strings of any length aside.
    ///
    /// # Errors
    ///
    /// Fails where chunks cannot be found.
    fn stored_bytes(&self) -> Result<u64>;

    /// Returns whether every chunk is stored. Elements of chunks that are not are read as the fill
    /// value.
    ///
    /// # Errors
    ///
    /// Fails where chunks cannot be found.
    fn is_fully_stored(&self) -> Result<bool>;

    /// Returns the value of elements that are not stored, where it is a number that is not zero.
    ///
    /// # Errors
    ///
    /// Fails where chunks cannot be found.
    fn fill_value(&self) -> Result<Option<Scalar>> {
        Ok(None)
    }

    /// Fills `out` with the numbers of a hyperslab, in native byte order.
    ///
    /// # Errors
    ///
    /// Fails where elements are no numbers, the hyperslab is not inside the shape, `out` has another
    /// size, or the storage cannot be read.
    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()>;

    /// Starts reading the strings of a hyperslab.
    ///
    /// # Errors
    ///
    /// Fails where elements are no strings, or the hyperslab is not inside the shape.
    fn read_strings(&self, selection: &[Range<u64>]) -> Result<Names<'_>>;

    /// Returns a field of compounds as an array. Its own dimensions come behind those of this array.
    ///
    /// # Errors
    ///
    /// Fails where elements are no compounds, or have no such field.
    fn field(&self, name: &str) -> Result<Box<dyn NdArray>>;
}

/// How the elements of an array are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayStorage {
    /// The lengths of a chunk; `None` where elements are in one piece.
    pub chunk_shape: Option<Vec<u64>>,
    /// The lengths of a shard, which is a file of several chunks.
    pub shard_shape: Option<Vec<u64>>,
    /// The filters that chunks went through when they were written, in that order, such as
    /// `shuffle` and `deflate`.
    pub filters: Vec<String>,
}

impl dyn NdArray + '_ {
    /// Returns the range of all indices in each dimension.
    #[must_use]
    pub fn all(&self) -> Vec<Range<u64>> {
        self.shape().iter().map(|&length| 0..length).collect()
    }

    /// Returns the hyperslab of some indices of the first dimension.
    ///
    /// # Errors
    ///
    /// Fails where there is no dimension.
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
    /// Fails where they are no numbers.
    pub fn value_type(&self) -> Result<ValueType> {
        self.element_type().value_type().ok_or_else(|| match self.element_type() {
            ElementType::Other(what) => {
                Error::unsupported(self.place(), format!("{what} are not handled"))
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
    /// Fails as [`read_bytes`](NdArray::read_bytes), or where they take more.
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
    /// Fails as [`read_strings`](NdArray::read_strings), or where they take more.
    pub fn strings(&self, selection: &[Range<u64>], memory: u64) -> Result<StringList> {
        self.read_strings(selection)?.list_within(memory)
    }

    /// Reads the only string, also where it is in an array of one.
    ///
    /// # Errors
    ///
    /// Fails where there is not one string, it is not UTF-8, or takes more than `memory` bytes.
    pub fn text(&self, memory: u64) -> Result<String> {
        let shape = self.shape();
        if shape.iter().any(|&length| length != 1) || self.is_null() {
            let found = format!("an array of {}", selection::shown(shape));
            return Err(Error::mismatch(self.place(), found, "a single string"));
        }
        let list = self.strings(&self.all(), memory)?;
        let text = list.iter().next().and_then(|text| std::str::from_utf8(text).ok());
        text.map(ToOwned::to_owned)
            .ok_or_else(|| Error::mismatch(self.place(), "text that is not UTF-8", "UTF-8"))
    }
}
