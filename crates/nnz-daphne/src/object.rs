//! The metadata of a file: its header, and the positions of its blocks.

mod blocks;
mod header;
mod overlap;
mod recognise;
mod sidecar;

use std::path::Path;

use nnz_core::{Place, Result, Shape, ValueType};
use nnz_storage::InputFile;

use crate::file::DataFile;
use crate::{Block, Column, Dialect, Meta};

pub(crate) use header::Header;

/// The type of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// A matrix with values for every element.
    Dense,
    /// A matrix with few stored elements.
    Csr,
    /// Columns of different types, with labels.
    Frame,
}

impl DataType {
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        [Self::Dense, Self::Csr, Self::Frame].get(usize::from(code.checked_sub(1)?)).copied()
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Dense => 1,
            Self::Csr => 2,
            Self::Frame => 3,
        }
    }

    /// Returns the name, such as `CSRMatrix`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "DenseMatrix",
            Self::Csr => "CSRMatrix",
            Self::Frame => "Frame",
        }
    }
}

/// Options for reading a file. By default its dialect is detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The dialect, if it is not to be detected.
    pub dialect: Option<Dialect>,
}

/// Returns whether a file is a matrix or a frame, from its first bytes.
///
/// # Errors
///
/// Fails if it cannot be read, or is neither.
pub fn data_type(path: &Path) -> Result<DataType> {
    header::data_type(&DataFile::open(path)?)
}

/// Returns whether an open file is a matrix or a frame, from its first bytes.
///
/// # Errors
///
/// Fails like [`data_type`].
pub fn data_type_of(file: &InputFile) -> Result<DataType> {
    header::data_type(&DataFile::new(file.clone()))
}

/// A file whose header and blocks are known.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) file: DataFile,
    pub(crate) dialect: Dialect,
    pub(crate) data_type: DataType,
    pub(crate) shape: Shape,
    /// The type of a matrix, or of each column of a frame.
    pub(crate) columns: Vec<Column>,
    /// The first byte after the header.
    pub(crate) body: u64,
    /// All blocks that cover elements, by row and column.
    pub(crate) blocks: Vec<Block>,
    /// The number of blocks that cover no elements.
    pub(crate) without_elements: u64,
    pub(crate) meta: Option<Meta>,
    /// The `.meta` file, for messages.
    meta_place: Place,
    pub(crate) notes: Vec<String>,
}

impl Object {
    /// Reads header, blocks and `.meta` file, which must be consistent.
    pub(crate) fn open(file: DataFile, options: &ReadOptions) -> Result<Self> {
        let mut object = Self::read(file, options)?;
        object.compare_meta()?;
        Ok(object)
    }

    /// Reads header, blocks and `.meta` file.
    pub(crate) fn read(file: DataFile, options: &ReadOptions) -> Result<Self> {
        let meta_file = file.sidecar(Meta::SUFFIX)?;
        let meta = meta_file.as_ref().map(Meta::of).transpose()?;
        let meta_place = meta_file.map(|meta_file| meta_file.place());
        let (dialect, parsed, certain) = recognise::recognise(&file, meta.as_ref(), options)?;
        let ObjectLayout { header, blocks, without_elements } = parsed;
        let mut object = Self {
            file,
            dialect,
            data_type: header.data_type,
            shape: header.shape,
            columns: header.columns,
            body: header.body,
            blocks,
            without_elements,
            meta,
            meta_place: meta_place.unwrap_or_default(),
            notes: Vec::new(),
        };
        if !certain {
            let what =
                format!("it has no elements, so its dialect may be a different one than {dialect}");
            object.notes.push(what);
        }
        Ok(object)
    }

    /// Returns the value type of a matrix.
    pub(crate) fn value_type(&self) -> ValueType {
        self.columns.first().map_or(ValueType::F64, |column| column.value_type)
    }

    /// Counts the elements covered by blocks.
    pub(crate) fn covered(&self) -> u128 {
        let area = |block: &Block| u128::from(block.rows) * u128::from(block.cols);
        self.blocks.iter().map(area).sum()
    }
}

/// A header and the blocks after it, parsed in one of the dialects.
#[derive(Debug)]
pub(crate) struct ObjectLayout {
    pub(crate) header: Header,
    pub(crate) blocks: Vec<Block>,
    pub(crate) without_elements: u64,
}
