//! Specifications of arrays to write.

use nnz_core::{Error, Place, Result, Scalar};

use super::element::ElementType;
use crate::Compression;

/// The specification of an array: element type, shape and storage.
///
/// ```
/// use nnz_container::Compression;
/// use nnz_container::tree::{ArraySpec, ElementType};
/// use nnz_core::ValueType;
///
/// let float32 = ElementType::Number(ValueType::F32);
/// let dense = ArraySpec::new(float32.clone(), &[1000, 50]).chunk(&[100, 50]);
/// let data = ArraySpec::growing(float32, &[]).compress(Compression::Gzip(4));
/// # let _ = (dense, data);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ArraySpec {
    pub(crate) element: ElementType,
    pub(crate) shape: Vec<u64>,
    pub(crate) is_null: bool,
    pub(crate) growing: bool,
    pub(crate) unwritten: bool,
    pub(crate) chunk: Option<Vec<u64>>,
    pub(crate) shard: Option<Vec<u64>>,
    pub(crate) compression: Compression,
    pub(crate) shuffle: bool,
    pub(crate) fill: Option<Scalar>,
    pub(crate) dimensions: Option<Vec<String>>,
    pub(crate) by_column: bool,
    pub(crate) max_shape: Option<Vec<Option<u64>>>,
}

impl ArraySpec {
    /// Creates an array of a shape; the shape of a scalar is empty.
    #[must_use]
    pub fn new(element: ElementType, shape: &[u64]) -> Self {
        Self {
            element,
            shape: shape.to_vec(),
            is_null: false,
            growing: false,
            unwritten: false,
            chunk: None,
            shard: None,
            compression: Compression::None,
            shuffle: false,
            fill: None,
            dimensions: None,
            by_column: false,
            max_shape: None,
        }
    }

    /// Creates a scalar.
    #[must_use]
    pub fn scalar(element: ElementType) -> Self {
        Self::new(element, &[])
    }

    /// Creates an array without value and shape: the null dataspace of HDF5.
    #[must_use]
    pub fn null(element: ElementType) -> Self {
        Self { is_null: true, ..Self::new(element, &[]) }
    }

    /// Creates an array whose first dimension has the length of the appended data; `others` are the
    /// lengths of the other dimensions.
    #[must_use]
    pub fn growing(element: ElementType, others: &[u64]) -> Self {
        Self { growing: true, ..Self::new(element, &[&[0], others].concat()) }
    }

    /// Stores no elements, so that all have the fill value.
    #[must_use]
    pub fn unwritten(self) -> Self {
        Self { unwritten: true, ..self }
    }

    /// Sets the shape of chunks. By default it is derived from the shape and the container.
    ///
    /// Chunks are limited to the shape of the array. Chunks of strings may be divided
    /// differently: a chunk has strings that are adjacent in the array.
    #[must_use]
    pub fn chunk(self, chunk: &[u64]) -> Self {
        Self { chunk: Some(chunk.to_vec()), ..self }
    }

    /// Sets the shape of shards, which are files of several chunks, in containers that support
    /// them. The lengths have to be multiples of the lengths of chunks.
    #[must_use]
    pub fn shard(self, shard: &[u64]) -> Self {
        Self { shard: Some(shard.to_vec()), ..self }
    }

    /// Compresses chunks.
    #[must_use]
    pub fn compress(self, compression: Compression) -> Self {
        Self { compression, ..self }
    }

    /// Applies the shuffle filter before compression, in containers that have it.
    #[must_use]
    pub fn shuffle(self) -> Self {
        Self { shuffle: true, ..self }
    }

    /// Sets the fill value; the default is zero. It must be a number of the element type.
    #[must_use]
    pub fn fill(self, fill: Scalar) -> Self {
        Self { fill: Some(fill), ..self }
    }

    /// Names the dimensions, in containers with named dimensions. Dimensions of a group with the
    /// same name have the same length.
    #[must_use]
    pub fn dimensions<T: Into<String>>(self, names: impl IntoIterator<Item = T>) -> Self {
        Self { dimensions: Some(names.into_iter().map(Into::into).collect()), ..self }
    }

    /// Appends the elements of a matrix by column instead of by row, in HDF5. The chunks are the same. They have
    /// to be set, and a band is the adjacent chunks down a column.
    #[must_use]
    pub fn by_column(self) -> Self {
        Self { by_column: true, ..self }
    }

    /// Sets the maximum length of each dimension, `None` for unlimited, in containers that limit it. Chunks have to
    /// be set.
    #[must_use]
    pub fn max_shape(self, max: &[Option<u64>]) -> Self {
        Self { max_shape: Some(max.to_vec()), ..self }
    }

    /// Returns the type of the elements.
    #[must_use]
    pub fn element(&self) -> &ElementType {
        &self.element
    }

    /// Returns the length of each dimension; the first is 0 if it is not known yet.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the type of elements of an array of one dimension that grows, which is all that a container without
    /// shapes has.
    ///
    /// # Errors
    ///
    /// Fails if it is another array.
    pub fn list_element(&self, place: &Place) -> Result<&ElementType> {
        if self.shape.len() == 1 && self.growing && !self.is_null && !self.unwritten {
            return Ok(&self.element);
        }
        let what = "an array other than a list of numbers or strings";
        Err(Error::unsupported(place.clone(), what))
    }

    /// Fails if elements are appended by column, which only HDF5 supports.
    #[cfg(any(feature = "zarr", feature = "npz"))]
    pub(crate) fn check_by_row(&self) -> Result<()> {
        match self.by_column {
            true => Err(Error::argument("arrays are written by column only to HDF5")),
            false => Ok(()),
        }
    }

    /// Returns the shape of chunks: as set, or the last dimensions up to `most` elements.
    pub(crate) fn chunk_shape(&self, most: u64) -> Result<Vec<u64>> {
        let grows = |at| self.growing && at == 0;
        if let Some(chunk) = &self.chunk {
            if chunk.len() != self.shape.len() || chunk.contains(&0) {
                return Err(Error::argument(
                    "the chunk and the shape have different numbers of dimensions",
                ));
            }
            self.check_shard(chunk)?;
            let fitting = chunk.iter().zip(&self.shape).enumerate().map(|(at, (by, len))| {
                // The shape of chunks divides the shape of shards.
                if grows(at) || self.shard.is_some() { *by } else { (*by).min(*len).max(1) }
            });
            return Ok(fitting.collect());
        }
        if self.shard.is_some() {
            return Err(Error::argument("shards require chunks"));
        }
        let mut left = most.max(1);
        let mut chunk = vec![1; self.shape.len()];
        for (at, (by, len)) in chunk.iter_mut().zip(&self.shape).enumerate().rev() {
            *by = if grows(at) { left } else { (*len).clamp(1, left) };
            left = (left / *by).max(1);
        }
        Ok(chunk)
    }

    fn check_shard(&self, chunk: &[u64]) -> Result<()> {
        let Some(shard) = &self.shard else { return Ok(()) };
        let divides = |(shard, chunk): (&u64, &u64)| *shard > 0 && shard.is_multiple_of(*chunk);
        if shard.len() != chunk.len() || !shard.iter().zip(chunk).all(divides) {
            let what = "the lengths of shards must be multiples of the lengths of chunks";
            return Err(Error::argument(what));
        }
        Ok(())
    }
}
