//! The type, shape and storage of a dataset.

use std::sync::Arc;

use nnz_chunk::grid;
use nnz_core::{Error, Place, Result};

use super::chunk_table::ChunkTable;
use super::file::File;
use super::layout::Layout;
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::fault::invalid;
use crate::filters::Pipeline;
use crate::message::{MessageType, dataspace, external_files, fill_value, filter_pipeline, layout};
use crate::read::object::{Object, ObjectKind};

/// Size of elements in bytes for which no stored data is required, such as fill values.
const UNCHECKED_BYTES: u64 = 64 << 20;

/// A dataset whose metadata has been read.
#[derive(Debug)]
pub struct Dataset {
    pub(crate) file: Arc<File>,
    pub(crate) place: Place,
    datatype: Datatype,
    space: Dataspace,
    /// The length of each dimension.
    pub(crate) shape: Vec<u64>,
    /// The number of elements.
    pub(crate) len: u64,
    /// The stored size of an element in bytes.
    pub(crate) size: usize,
    pub(crate) layout: Layout,
    /// The fill value; empty for zeros.
    pub(crate) fill: Vec<u8>,
    pub(crate) threads: usize,
}

impl Dataset {
    /// Opens a dataset, with a location for messages and the number of threads that decode the chunks of a large read.
    /// No data is read, and its length is not checked.
    ///
    /// # Errors
    ///
    /// Fails if the object is not a dataset, or if its metadata are invalid. Data in other files is an error when it is
    /// read.
    pub fn open(object: &Object, place: Place, threads: usize) -> Result<Self> {
        let found = Self::parse(object, &place, threads);
        found.map_err(|error| error.with_context(&place))
    }

    fn parse(object: &Object, place: &Place, threads: usize) -> Result<Self> {
        let file = object.file();
        let body = |kind| object.header.body(file, kind);
        let incomplete = || match object.kind() {
            ObjectKind::Dataset => invalid("a dataset without datatype, dataspace or layout"),
            _ => Error::mismatch(Place::default(), "another object", "a dataset"),
        };
        let space = body(MessageType::DATASPACE)?.ok_or_else(incomplete)?;
        let space = dataspace::parse(&space, file.sizes)?;
        let datatype = object.datatype()?;
        let size = datatype.bytes;
        if size == 0 {
            return Err(Error::mismatch(Place::default(), "elements of 0 bytes", "1 byte or more"));
        }
        let shape = match &space {
            Dataspace::Null => vec![0],
            Dataspace::Scalar => Vec::new(),
            Dataspace::Simple { shape, .. } => shape.clone(),
        };
        let len = length(&shape)?;
        let bytes = len.checked_mul(size as u64).ok_or_else(|| {
            let found = format!("{len} elements of {size} bytes");
            Error::mismatch(Place::default(), found, "fewer than 2^64 bytes")
        })?;
        let filters = body(MessageType::FILTER_PIPELINE)?;
        let filters = filters.map_or(Ok(Vec::new()), |body| filter_pipeline::parse(&body))?;
        let layout = match body(MessageType::EXTERNAL_FILES)? {
            Some(body) => {
                let name = external_files::first_name(file, &body)?;
                Layout::External(format!("HDF5 data in external files is not supported: {name:?}"))
            }
            None => {
                let parsed = body(MessageType::LAYOUT)?.ok_or_else(incomplete)?;
                let parsed = layout::parse(&parsed, file.sizes)?;
                Layout::of(file, parsed, Pipeline::new(filters), (&space, &shape), (bytes, size))?
            }
        };
        let fill = fill_value::of(&object.header, file)?;
        let fill = fill.filter(|fill| fill.len() == size).unwrap_or_default();
        let (file, place) = (Arc::clone(file), place.clone());
        Ok(Self { file, place, datatype, space, shape, len, size, layout, fill, threads })
    }

    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Returns the location for messages.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the type of its elements.
    #[must_use]
    pub fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// Returns its shape as it is stored.
    #[must_use]
    pub fn space(&self) -> &Dataspace {
        &self.space
    }

    /// Returns the length of each dimension; a dataset without a value has the length 0.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the fill value in stored form; empty for zeros.
    #[must_use]
    pub fn fill_value(&self) -> &[u8] {
        &self.fill
    }

    /// Returns the number of threads that decode the chunks of a large read.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns where the data is.
    ///
    /// # Errors
    ///
    /// Fails if it is in other files.
    pub fn layout(&self) -> Result<&Layout> {
        match &self.layout {
            Layout::External(what) => Err(Error::unsupported(self.place.clone(), what)),
            layout => Ok(layout),
        }
    }

    /// Checks that the file has data for the length of the dataset, because readers allocate memory
    /// for it.
    ///
    /// # Errors
    ///
    /// Fails if it has not.
    pub fn check_extent(&self) -> Result<()> {
        let claimed = self.len * self.size as u64;
        let plenty = self.file.bytes.saturating_mul(2).saturating_add(UNCHECKED_BYTES);
        if claimed <= plenty {
            return Ok(());
        }
        let stored = match &self.layout {
            Layout::Chunked(chunked) => {
                let (count, stored) = match self.table(chunked)? {
                    // All of a tree would be read for its size.
                    ChunkTable::Tree(_) => (chunked.grid.count(), self.file.bytes),
                    table => table.size(chunked)?,
                };
                // Chunks that share bytes are damaged.
                let stored = stored.min(self.file.bytes);
                let decoded = count.saturating_mul(chunked.bytes as u64);
                decoded.min(stored.saturating_mul(chunked.pipeline.most_ratio()))
            }
            _ => 0,
        };
        if claimed <= stored.saturating_add(UNCHECKED_BYTES) {
            return Ok(());
        }
        let found = format!("{} elements with chunks of {stored} bytes in total", self.len);
        let expected = format!("{claimed} bytes");
        Err(Error::mismatch(self.place.clone(), found, expected))
    }

    /// Returns the stored size of the elements in bytes.
    ///
    /// # Errors
    ///
    /// Fails if the chunk index is invalid.
    pub fn stored_bytes(&self) -> Result<u64> {
        Ok(match &self.layout {
            Layout::Unallocated { .. } | Layout::External(_) => 0,
            Layout::Compact(_) | Layout::Contiguous(_) => self.len * self.size as u64,
            Layout::Chunked(chunked) => self.table(chunked)?.size(chunked)?.1,
        })
    }

    /// Returns the number of chunks that are not stored, which have the fill value.
    ///
    /// # Errors
    ///
    /// Fails if the chunk index is invalid.
    pub fn missing_chunks(&self) -> Result<u64> {
        Ok(match &self.layout {
            Layout::Unallocated { chunks } => *chunks,
            Layout::Compact(_) | Layout::Contiguous(_) | Layout::External(_) => 0,
            Layout::Chunked(chunked) => {
                let stored = self.table(chunked)?.size(chunked)?.0;
                chunked.grid.count().saturating_sub(stored)
            }
        })
    }
}

fn length(shape: &[u64]) -> Result<u64> {
    let counted = grid::product(shape);
    counted.or_else(|| shape.contains(&0).then_some(0)).ok_or_else(|| {
        let found = format!("a dataset of {}", grid::shown(shape));
        Error::mismatch(Place::default(), found, "fewer than 2^64 elements")
    })
}
