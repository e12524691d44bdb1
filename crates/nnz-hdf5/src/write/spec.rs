//! The specification of a dataset.

use nnz_core::{Error, Result};

use super::pack::{self, Form};
use crate::dataspace::Dataspace;
use crate::element::ElementType;
use crate::message::layout::MAX_COMPACT;
use nnz_chunk::codec;
use nnz_chunk::product;
use nnz_chunk::{Compression, Filters};

/// The layout of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Compact, in the object header.
    Compact,
    /// Contiguous.
    Contiguous,
    /// Chunked, with the number of elements of a chunk along each axis.
    Chunked(Vec<u32>),
}

/// The specification of a dataset: type, shape and storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetSpec {
    pub(crate) element: ElementType,
    pub(crate) space: Dataspace,
    pub(crate) layout: Layout,
    /// Whether the first axis is as long as the appended data.
    pub(crate) growing: bool,
    /// Whether no elements are stored.
    pub(crate) unwritten: bool,
    /// Whether elements are appended by column.
    pub(crate) by_column: bool,
    /// Whether the chunk is shortened if the array is shorter.
    pub(crate) fitting: bool,
    /// The fill value in stored form; zeros if `None`.
    pub(crate) fill: Option<Vec<u8>>,
    compression: Compression,
    shuffle: bool,
}

impl DatasetSpec {
    fn new(element: ElementType, space: Dataspace, layout: Layout) -> Self {
        let compression = Compression::None;
        Self {
            element,
            space,
            layout,
            growing: false,
            unwritten: false,
            by_column: false,
            fitting: false,
            fill: None,
            compression,
            shuffle: false,
        }
    }

    /// Creates a null dataset.
    #[must_use]
    pub fn null(element: ElementType) -> Self {
        Self::new(element, Dataspace::Null, Layout::Contiguous)
    }

    /// Creates a scalar.
    #[must_use]
    pub fn scalar(element: ElementType) -> Self {
        Self::new(element, Dataspace::Scalar, Layout::Contiguous)
    }

    /// Creates an array with contiguous layout.
    #[must_use]
    pub fn contiguous(element: ElementType, shape: &[u64]) -> Self {
        Self::new(element, Dataspace::simple(shape), Layout::Contiguous)
    }

    /// Creates a small array with compact layout, in the object header.
    #[must_use]
    pub fn compact(element: ElementType, shape: &[u64]) -> Self {
        Self::new(element, Dataspace::simple(shape), Layout::Compact)
    }

    /// Creates an array in chunks of `chunk` elements along each axis.
    #[must_use]
    pub fn chunked(element: ElementType, shape: &[u64], chunk: &[u32]) -> Self {
        Self::new(element, Dataspace::simple(shape), Layout::Chunked(chunk.to_vec()))
    }

    /// Sets the length of the first axis from the appended data. The array has to be chunked.
    ///
    /// The length may grow without limit later, unless [`max_shape`](Self::max_shape) is set.
    #[must_use]
    pub fn growing(mut self) -> Self {
        self.growing = true;
        if let Dataspace::Simple { shape, max_shape: max_shape @ None } = &mut self.space {
            let others = shape.iter().skip(1).map(|len| Some(*len));
            *max_shape = Some(std::iter::once(None).chain(others).collect());
        }
        self
    }

    /// Shortens the chunk of an array that ends before its first chunk.
    #[must_use]
    pub fn fitting(mut self) -> Self {
        self.fitting = true;
        self
    }

    /// Sets the fill value, an element in stored form.
    #[must_use]
    pub fn fill(mut self, element: &[u8]) -> Self {
        self.fill = Some(element.to_vec());
        self
    }

    /// Stores no elements, so that all have the fill value. The array has to be chunked.
    #[must_use]
    pub fn unwritten(mut self) -> Self {
        self.unwritten = true;
        self
    }

    /// Appends the elements of a matrix by column. They are stored in the same way as by row. The array has to be
    /// chunked, and may not grow while it is written.
    #[must_use]
    pub fn by_column(mut self) -> Self {
        self.by_column = true;
        self
    }

    /// Sets the maximum length of each axis, `None` for unlimited. The array has to be chunked.
    #[must_use]
    pub fn max_shape(mut self, max: &[Option<u64>]) -> Self {
        if let Dataspace::Simple { max_shape, .. } = &mut self.space {
            *max_shape = Some(max.to_vec());
        }
        self
    }

    /// Compresses chunks, after shuffling if `shuffle` is set or the compression includes it. The array has to be
    /// chunked.
    #[must_use]
    pub fn compress(self, compression: Compression, shuffle: bool) -> Self {
        let included = match compression {
            Compression::Filtered(filters) => filters.shuffle,
            _ => pack::filter(compression).is_some_and(|(codec, _)| codec.shuffles),
        };
        Self { compression, shuffle: shuffle || included, ..self }
    }

    /// Returns the size of an element in bytes.
    pub(crate) fn element_bytes(&self) -> Result<u32> {
        let size = u32::try_from(self.element.size()).ok().filter(|size| *size > 0);
        size.ok_or_else(|| Error::argument("elements of 0 bytes, or of 4 GiB or more"))
    }

    /// Returns the size of a row in bytes: all elements of one index along the first axis.
    pub(crate) fn row_bytes(&self) -> Result<u64> {
        let shape = match &self.space {
            Dataspace::Null => return Ok(0),
            Dataspace::Scalar => &[][..],
            Dataspace::Simple { shape, .. } => shape.get(1..).unwrap_or_default(),
        };
        product(shape.iter().copied().chain([u64::from(self.element_bytes()?)]))
    }

    /// Returns the form of chunks.
    pub(crate) fn form(&self) -> Result<Form> {
        let Layout::Chunked(chunk) = &self.layout else {
            return Err(Error::argument("the dataset is not chunked"));
        };
        let element = self.element_bytes()?;
        let bytes = product(chunk.iter().map(|len| u64::from(*len)).chain([element.into()]))?;
        let bytes = u32::try_from(bytes).ok().filter(|bytes| *bytes > 0);
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let bytes = bytes.ok_or_else(|| Error::argument("chunks of 0 bytes, or 4 GiB or more"))?;
        let shuffle = self.shuffle.then_some(element);
        Ok(Form { chunk: bytes, shuffle, compression: self.compression })
    }

    /// Checks that the specification is valid.
    pub(crate) fn check(&self) -> Result<()> {
        self.space.rank()?;
        if self.fill.as_ref().is_some_and(|fill| fill.len() as u64 != self.element.size()) {
            return Err(Error::argument("the fill value and the elements have different sizes"));
        }
        let bytes = product([self.space.elements()?, self.element_bytes()?.into()].into_iter())?;
        let growing_alone = |what: &str| Err(Error::argument(format!("{what} cannot grow")));
        if self.by_column && (self.growing || !matches!(self.layout, Layout::Chunked(_))) {
            let what = "appending by column requires a chunked array of known length";
            return Err(Error::argument(what));
        }
        match (&self.layout, &self.space) {
            (Layout::Chunked(chunk), Dataspace::Simple { shape, max_shape }) => {
                check_compression(self.compression)?;
                self.form()?;
                if chunk.len() != shape.len() {
                    return Err(Error::argument(
                        "the chunk and the shape have different numbers of dimensions",
                    ));
                }
                let fixed = |axis: usize| match max_shape {
                    Some(max) => max.get(axis).copied().flatten(),
                    None => shape.get(axis).copied(),
                };
                let exceeds = |(axis, len): (usize, &u32)| {
                    // An axis of length 0 has chunks too.
                    fixed(axis).is_some_and(|max| u64::from(*len) > max.max(1))
                };
                if chunk.iter().enumerate().any(exceeds) {
                    return Err(Error::argument(
                        "a chunk longer than the maximum length of an axis",
                    ));
                }
                if self.growing && self.row_bytes()? == 0 {
                    return Err(Error::argument("rows of 0 bytes cannot be appended"));
                }
                Ok(())
            }
            (Layout::Chunked(_), _) => Err(Error::argument("chunks require 1 or more dimensions")),
            _ if self.unwritten || self.shuffle || self.compression != Compression::None => {
                Err(Error::argument("only chunked datasets can be compressed or left unwritten"))
            }
            (_, Dataspace::Simple { max_shape: Some(_), .. }) => {
                growing_alone("an array without chunks")
            }
            (_, Dataspace::Null | Dataspace::Scalar) if self.growing => growing_alone("a scalar"),
            (Layout::Compact, _) if bytes > MAX_COMPACT => Err(Error::argument(format!(
                "compact data of {bytes} bytes: at most {MAX_COMPACT} are supported"
            ))),
            _ => Ok(()),
        }
    }
}

/// Refuses a compression that HDF5 does not have.
///
/// # Errors
///
/// Fails if there is no such filter, or if it has no such level.
pub fn check_compression(compression: Compression) -> Result<()> {
    let is_delta = matches!(compression, Compression::Filtered(Filters { delta: true, .. }));
    if is_delta || codec::of(compression).is_some_and(|(codec, _)| codec.hdf5.is_none()) {
        let what = format!("the option compress {compression} applies to Zarr, not to HDF5");
        return Err(Error::argument(what));
    }
    compression.check()
}
