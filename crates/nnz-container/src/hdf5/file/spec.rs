//! What a dataset is to be.

use nnz_core::{Error, Result};

use super::dataspace::Dataspace;
use super::element::ElementType;
use super::message::layout::MAX_COMPACT;
use super::pack::Form;
use crate::compress::Compression;
use crate::product::product;

/// How the data of a dataset is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// In the object header.
    Compact,
    /// In one piece.
    Contiguous,
    /// In chunks of some elements along each axis.
    Chunked(Vec<u32>),
}

/// What a dataset is to be: its elements, shape and storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetSpec {
    pub(super) element: ElementType,
    pub(super) space: Dataspace,
    pub(super) layout: Layout,
    /// Whether the length of the first axis is what is appended.
    pub(super) growing: bool,
    /// Whether no elements are stored.
    pub(super) unwritten: bool,
    /// Whether a chunk may become shorter where the array is.
    pub(super) fitting: bool,
    /// What is read where no element is stored, as it would be stored; zeros if none.
    pub(super) fill: Option<Vec<u8>>,
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
            fitting: false,
            fill: None,
            compression,
            shuffle: false,
        }
    }

    /// Describes a dataset without elements.
    #[must_use]
    pub fn null(element: ElementType) -> Self {
        Self::new(element, Dataspace::Null, Layout::Contiguous)
    }

    /// Describes a dataset of one element.
    #[must_use]
    pub fn scalar(element: ElementType) -> Self {
        Self::new(element, Dataspace::Scalar, Layout::Contiguous)
    }

    /// Describes an array stored in one piece.
    #[must_use]
    pub fn contiguous(element: ElementType, shape: &[u64]) -> Self {
        Self::new(element, Dataspace::simple(shape), Layout::Contiguous)
    }

    /// Describes a small array stored in the object header.
    #[must_use]
    pub fn compact(element: ElementType, shape: &[u64]) -> Self {
        Self::new(element, Dataspace::simple(shape), Layout::Compact)
    }

    /// Describes an array stored in chunks of `chunk` elements along each axis.
    #[must_use]
    pub fn chunked(element: ElementType, shape: &[u64], chunk: &[u32]) -> Self {
        Self::new(element, Dataspace::simple(shape), Layout::Chunked(chunk.to_vec()))
    }

    /// Takes as the length of the first axis what is appended. The array has to be in chunks.
    ///
    /// The length may grow without limit later, unless [`max_shape`](Self::max_shape) says less.
    #[must_use]
    pub fn growing(mut self) -> Self {
        self.growing = true;
        if let Dataspace::Simple { shape, max_shape: max_shape @ None } = &mut self.space {
            let others = shape.iter().skip(1).map(|len| Some(*len));
            *max_shape = Some(std::iter::once(None).chain(others).collect());
        }
        self
    }

    /// Makes a chunk no longer than the array, where that ends before its first chunk.
    #[must_use]
    pub fn fitting(mut self) -> Self {
        self.fitting = true;
        self
    }

    /// Sets what is read where no element is stored: an element as it would be stored.
    #[must_use]
    pub fn fill(mut self, element: &[u8]) -> Self {
        self.fill = Some(element.to_vec());
        self
    }

    /// Stores no elements: all are read as zeros, or as the fill value. The array has to be in chunks.
    #[must_use]
    pub fn unwritten(mut self) -> Self {
        self.unwritten = true;
        self
    }

    /// Sets how far each axis may grow later, `None` meaning without limit. The array has to be in
    /// chunks.
    #[must_use]
    pub fn max_shape(mut self, max: &[Option<u64>]) -> Self {
        if let Dataspace::Simple { max_shape, .. } = &mut self.space {
            *max_shape = Some(max.to_vec());
        }
        self
    }

    /// Compresses chunks, after their bytes are shuffled if that is asked for. The array has to be in chunks.
    #[must_use]
    pub fn compress(self, compression: Compression, shuffle: bool) -> Self {
        Self { compression, shuffle, ..self }
    }

    /// Returns the bytes of an element.
    pub(super) fn element_bytes(&self) -> Result<u32> {
        let size = u32::try_from(self.element.size()).ok().filter(|size| *size > 0);
        size.ok_or_else(|| Error::argument("elements of 0 bytes, or of 4 GiB or more"))
    }

    /// Returns the bytes of a row: of all elements of one index along the first axis.
    pub(super) fn row_bytes(&self) -> Result<u64> {
        let shape = match &self.space {
            Dataspace::Null => return Ok(0),
            Dataspace::Scalar => &[][..],
            Dataspace::Simple { shape, .. } => shape.get(1..).unwrap_or_default(),
        };
        product(shape.iter().copied().chain([u64::from(self.element_bytes()?)]))
    }

    /// Returns how chunks are stored.
    pub(super) fn form(&self) -> Result<Form> {
        let Layout::Chunked(chunk) = &self.layout else {
            return Err(Error::argument("the dataset is not in chunks"));
        };
        let element = self.element_bytes()?;
        let bytes = product(chunk.iter().map(|len| u64::from(*len)).chain([element.into()]))?;
        let bytes = u32::try_from(bytes).ok().filter(|bytes| *bytes > 0);
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let bytes = bytes.ok_or_else(|| Error::argument("chunks of 0 bytes, or 4 GiB or more"))?;
        let shuffle = self.shuffle.then_some(element);
        Ok(Form { chunk: bytes, shuffle, compression: self.compression })
    }

    /// Checks that there can be such a dataset.
    pub(super) fn check(&self) -> Result<()> {
        self.space.rank()?;
        if self.fill.as_ref().is_some_and(|fill| fill.len() as u64 != self.element.size()) {
            return Err(Error::argument("a fill value of another size than an element"));
        }
        let bytes = product([self.space.elements()?, self.element_bytes()?.into()].into_iter())?;
        let growing_alone = |what: &str| Err(Error::argument(format!("{what} cannot grow")));
        match (&self.layout, &self.space) {
            (Layout::Chunked(chunk), Dataspace::Simple { shape, max_shape }) => {
                self.compression.check()?;
                self.form()?;
                if chunk.len() != shape.len() {
                    return Err(Error::argument("a chunk of other dimensions than the shape"));
                }
                let fixed = |axis: usize| match max_shape {
                    Some(max) => max.get(axis).copied().flatten(),
                    None => shape.get(axis).copied(),
                };
                let exceeds = |(axis, len): (usize, &u32)| {
                    // A length of 0 has chunks all the same.
                    fixed(axis).is_some_and(|max| u64::from(*len) > max.max(1))
                };
                if chunk.iter().enumerate().any(exceeds) {
                    return Err(Error::argument("a chunk longer than an axis can be"));
                }
                if self.growing && self.row_bytes()? == 0 {
                    return Err(Error::argument("rows of 0 bytes cannot be counted"));
                }
                Ok(())
            }
            (Layout::Chunked(_), _) => Err(Error::argument("chunks of no dimensions")),
            _ if self.unwritten || self.shuffle || self.compression != Compression::None => {
                Err(Error::argument("only chunks are compressed or left out"))
            }
            (_, Dataspace::Simple { max_shape: Some(_), .. }) => {
                growing_alone("an array that is not in chunks")
            }
            (_, Dataspace::Null | Dataspace::Scalar) if self.growing => growing_alone("a scalar"),
            (Layout::Compact, _) if bytes > MAX_COMPACT => {
                Err(Error::argument(format!("{bytes} bytes: compact data has {MAX_COMPACT}")))
            }
            _ => Ok(()),
        }
    }
}
