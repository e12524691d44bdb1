//! Reading a frame from a file.

use std::ops::Range;
use std::path::Path;

use nnz_core::{About, Axis, Place, Result, check_requested};
use nnz_storage::Opened;

use super::reader::{BlockReader, RowReader};
use super::{Column, FrameReader};
use crate::block::Finder;
use crate::file::DataFile;
use crate::matrix::about;
use crate::object::Object;
use crate::{Block, DataType, Dialect, ReadOptions};

/// A frame in a file, read by row.
///
/// ```no_run
/// use nnz_daphne::{FrameBatch, FrameReader as _, FrameSource, ReadOptions};
///
/// let frame = FrameSource::open("x.dbdf".as_ref(), &ReadOptions::default())?;
/// let mut rows = frame.batches(0..frame.rows())?;
/// let mut batch = FrameBatch::default();
/// while rows.next_batch(&mut batch)? {
///     println!("{:?}: {:?}", batch.rows, batch.columns);
/// }
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Debug)]
pub struct FrameSource {
    pub(super) object: Object,
    pub(super) finder: Finder,
}

impl FrameSource {
    /// Opens a file, and reads its header and the positions of its blocks.
    ///
    /// The labels of DAPHNE's dialects are in the `.meta` file, or `col_0` and so on without one:
    /// the bytes for labels in the file are uninitialized memory.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is not a frame in the requested dialect or any, has blocks
    /// that share elements, or contradicts its `.meta` file.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        Self::from_file(DataFile::open(path)?, options)
    }

    /// Creates a source for an open file.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    pub fn from_opened(opened: &Opened, options: &ReadOptions) -> Result<Self> {
        Self::from_file(DataFile::from_opened(opened)?, options)
    }

    fn from_file(file: DataFile, options: &ReadOptions) -> Result<Self> {
        let object = Object::open(file, options)?;
        if object.data_type != DataType::Frame {
            return Err(object.file.mismatch(1, "a matrix", "a frame"));
        }
        let finder = Finder::default();
        Ok(Self { object, finder })
    }

    /// Returns the name of the frame in messages: its path.
    #[must_use]
    pub fn place(&self) -> Place {
        Place::path(self.object.file.path())
    }

    /// Returns labels and types.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.object.columns
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.object.shape.rows
    }

    /// Returns the dialect of the file.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.object.dialect
    }

    /// Lists the blocks that cover elements, by row and column. DAPHNE's dialects have none.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.object.blocks
    }

    /// Describes how the frame is stored.
    #[must_use]
    pub fn about(&self) -> About {
        about(&self.object)
    }

    /// Returns notes on what is unusual but allowed.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.object.notes
    }

    /// Starts reading some rows.
    ///
    /// # Errors
    ///
    /// Fails if they are past the end.
    pub fn batches(&self, rows: Range<u64>) -> Result<Box<dyn FrameReader + '_>> {
        check_requested(&rows, self.rows(), Axis::Rows)?;
        Ok(match self.object.dialect {
            Dialect::Spec => Box::new(BlockReader::new(self, rows)),
            _ => Box::new(RowReader::new(self, rows)),
        })
    }
}
