//! A block of an object, and reading it.

mod arrays;
mod cast;
mod coo;
mod decode;
mod finder;
mod position;
mod queue;
mod rows;
mod scan;
mod stretch;

use std::fmt;
use std::str::FromStr;

use nnz_core::{Error, ValueType};

use crate::file::DataFile;

pub(crate) use arrays::Arrays;
pub(crate) use cast::{Widen, refused_type, refused_value, with_type};
pub(crate) use coo::{Coo, CooOrder};
pub(crate) use decode::{BlockPart, Decoder};
pub(crate) use finder::{ActiveBlock, Finder};
pub(crate) use position::{ALL, Landmarks, RowPosition};
pub(crate) use queue::BlockQueue;
pub(crate) use rows::{Bounds, RowLayout};
pub(crate) use scan::{Entry, scan};
pub(crate) use stretch::{Stretch, Stretches};

/// How a block stores its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockType {
    /// Only zeros, none of them stored.
    Empty,
    /// Every element, by row.
    Dense,
    /// Columns and values of some elements, by row (CSR).
    Sparse,
    /// Row, column and value of some elements (COO).
    UltraSparse,
}

impl BlockType {
    /// All types, in the order of their codes.
    const ALL: [Self; 4] = [Self::Empty, Self::Dense, Self::Sparse, Self::UltraSparse];

    /// Returns the type with this code.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// Returns the code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Dense => 1,
            Self::Sparse => 2,
            Self::UltraSparse => 3,
        }
    }

    /// Returns the name, such as `ultra-sparse`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Dense => "dense",
            Self::Sparse => "sparse",
            Self::UltraSparse => "ultra-sparse",
        }
    }
}

impl fmt::Display for BlockType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for BlockType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|block_type| block_type.name() == text);
        found.ok_or_else(|| "expected empty, dense, sparse or ultra-sparse".to_owned())
    }
}

/// A block: the elements it covers, and its position in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its first row in the object.
    pub row: u64,
    /// Its first column in the object.
    pub col: u64,
    /// The number of rows.
    pub rows: u32,
    /// The number of columns.
    pub cols: u32,
    /// How its elements are stored.
    pub block_type: BlockType,
    /// The type of its values; `None` for an empty block.
    pub value_type: Option<ValueType>,
    /// The number of stored elements according to its header.
    pub stored: u64,
    /// The first byte of its header.
    pub start: u64,
    /// The first byte of its rows, entries or elements.
    pub data: u64,
    /// The first byte after it.
    pub end: u64,
    /// The layout of its rows if it is sparse.
    pub(crate) layout: RowLayout,
}

impl Block {
    /// Returns the row after the last.
    #[must_use]
    pub fn row_end(&self) -> u64 {
        self.row.saturating_add(u64::from(self.rows))
    }

    /// Returns the column after the last.
    #[must_use]
    pub fn col_end(&self) -> u64 {
        self.col.saturating_add(u64::from(self.cols))
    }

    /// Returns whether it covers no elements.
    #[must_use]
    pub fn covers_no_elements(&self) -> bool {
        self.rows == 0 || self.cols == 0
    }

    /// Returns whether it stores no elements.
    pub(crate) fn stores_nothing(&self) -> bool {
        self.covers_no_elements() || self.block_type == BlockType::Empty
    }

    /// Returns the error for a file that has changed since its rows were found.
    #[cold]
    pub(crate) fn changed(&self, file: &DataFile) -> Error {
        let found = format!("different rows in the {self} than before");
        file.mismatch(self.start, found, "an unchanged file")
    }

    /// Returns the size of a value in bytes.
    pub(crate) fn size(&self) -> usize {
        self.value_type.map_or(0, ValueType::size)
    }

    /// Returns the size of a count or a column of a sparse block in bytes.
    pub(crate) fn width(&self) -> usize {
        self.layout.width()
    }

    /// Returns the size of a column and a value of a sparse block in bytes.
    pub(crate) fn stride(&self) -> usize {
        self.width() + self.size()
    }

    /// Returns the first byte of a row of a sparse block with counts. `entry` is the number of
    /// entries before it.
    pub(crate) fn row_at(&self, row: u64, entry: u64) -> u64 {
        self.data + row * self.width() as u64 + entry * self.stride() as u64
    }

    /// Returns the size of an entry of an ultra-sparse block in bytes. There is no column if the
    /// block has only one.
    pub(crate) fn coo_stride(&self) -> usize {
        self.size() + if self.cols == 1 { 4 } else { 8 }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, col, rows, cols, block_type, .. } = self;
        write!(f, "{block_type} block of {rows} x {cols} at row {row}, column {col}")
    }
}
