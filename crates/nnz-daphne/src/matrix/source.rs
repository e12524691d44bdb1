//! A matrix file as a matrix source.

use std::ops::Range;
use std::path::Path;

use nnz_core::{
    About, At, Axis, Duplicates, Header, Names, Order, Projection, Result, Storage, UnitReader,
    check_requested,
};
use nnz_storage::Opened;

use super::about::about;
use super::units::Units;
use crate::block::{Arrays, Decoder, Finder, scan};
use crate::file::DataFile;
use crate::object::Object;
use crate::{Block, BlockType, DataType, Dialect, ReadOptions};

/// The largest size of a dense object that is read as elements, as a multiple of the file size.
const LARGEST_EXPANSION: u128 = 64;

/// The size in bytes up to which a dense object is always read as elements.
const SMALL: u128 = 16 << 20;

/// A matrix in a file, read by row.
///
/// A dense object is read as panels of elements, whatever its blocks are, unless nearly all of it
/// is empty: then it is read as entries, like a sparse one. Elements of dense blocks whose bits are
/// not all zero are entries of such a matrix.
///
/// ```no_run
/// use nnz_core::MatrixSource as _;
/// use nnz_daphne::{MatrixSource, ReadOptions};
///
/// let matrix = MatrixSource::open("x.dbdf".as_ref(), &ReadOptions::default())?;
/// println!("{} in {} blocks", matrix.header().shape, matrix.blocks().len());
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Debug)]
pub struct MatrixSource {
    pub(crate) object: Object,
    pub(super) header: Header,
    pub(super) finder: Finder,
    /// Whether empty rows may be left out, because there may be any number of them.
    pub(super) listed: bool,
}

impl MatrixSource {
    /// Opens a file, and reads its header and the positions of its blocks.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is not a matrix in the requested dialect or any, has
    /// blocks that share elements, or contradicts its `.meta` file.
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
        if object.data_type == DataType::Frame {
            return Err(object.file.mismatch(1, "a frame", "a matrix"));
        }
        let dense = reads_dense(&object);
        Ok(Self::new(object, dense))
    }

    /// Creates a source of elements, or of entries.
    pub(crate) fn new(object: Object, dense: bool) -> Self {
        let shape = object.shape;
        let elements = shape.elements();
        let only = |kinds: &[BlockType]| {
            object.blocks.iter().all(|block| kinds.contains(&block.block_type))
        };
        let stored = if dense {
            u64::try_from(elements).ok()
        } else if only(&[BlockType::Empty, BlockType::Sparse, BlockType::UltraSparse]) {
            Some(object.blocks.iter().map(|block| block.stored).sum())
        } else {
            None
        };
        let listed = object.covered() < elements || !only(&[BlockType::Dense, BlockType::Sparse]);
        let header = Header::new(shape, Order::Row, object.value_type())
            .sorted_indices((dense || only(&[BlockType::Dense, BlockType::Empty])).then_some(true))
            .nnz(stored)
            .storage(if dense { Storage::Dense } else { Storage::Sparse })
            .duplicates(Duplicates::Refused);
        Self { object, header, finder: Finder::default(), listed }
    }

    /// Returns the dialect of the file.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.object.dialect
    }

    /// Returns the type of the object.
    #[must_use]
    pub fn data_type(&self) -> DataType {
        self.object.data_type
    }

    /// Lists the blocks that cover elements, by row and column.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.object.blocks
    }

    /// Starts reading some rows and columns; units can be decoded by many threads.
    ///
    /// Blocks outside of the columns are not read. Rows and columns of entries are counted in
    /// the whole matrix; rows in which no block is read may be left out.
    ///
    /// # Errors
    ///
    /// Fails if a range is past the end, or if the data cannot be read.
    pub fn units_of_range(
        &self,
        rows: Range<u64>,
        cols: Range<u64>,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        check_requested(&rows, self.header.shape.rows, Axis::Rows)?;
        check_requested(&cols, self.header.shape.cols, Axis::Cols)?;
        Ok(Box::new(Units::new(self, rows, cols)))
    }

    pub(super) fn decoder(&self) -> Decoder<'_> {
        Decoder { file: &self.object.file, cols: self.header.shape.cols }
    }
}

/// Returns whether an object is read as elements, not as entries.
pub(crate) fn reads_dense(object: &Object) -> bool {
    let bytes = object.shape.elements().saturating_mul(object.value_type().size() as u128);
    let most = (LARGEST_EXPANSION * u128::from(object.file.len())).max(SMALL);
    object.data_type == DataType::Dense && bytes <= most
}

impl nnz_core::MatrixSource for MatrixSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        Ok(about(&self.object))
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.units_of_range(majors, 0..self.header.shape.cols)
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        if self.header.storage == Storage::Dense {
            return Ok(major.checked_mul(self.header.shape.cols));
        }
        match self.object.blocks.as_slice() {
            [block]
                if self.object.dialect == Dialect::Daphne && major <= self.header.shape.rows =>
            {
                let file = &self.object.file;
                let starts = Arrays::of(block).starts(file, block, major, major)?;
                Ok(starts.first().copied())
            }
            _ => Ok(None),
        }
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        let object = &self.object;
        let mut found = Vec::new();
        for block in &object.blocks {
            let rows = block.row..block.row_end();
            let cols = block.col..block.col_end();
            if !rows.contains(&row) || !cols.contains(&col) {
                continue;
            }
            let (row, col) = (row - block.row, col - block.col);
            if block.block_type == BlockType::Dense {
                let element = row * u64::from(block.cols) + col;
                found.push(At::Byte(block.data + element * block.size() as u64));
            }
            scan(&object.file, block, row..row + 1, &mut |entry| {
                if (entry.row, entry.col) == (row, col) && found.len() < 2 {
                    found.push(At::Byte(entry.at));
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn notes(&self) -> Vec<String> {
        self.object.notes.clone()
    }
}
