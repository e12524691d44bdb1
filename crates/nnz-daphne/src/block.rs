//! A rectangle of an object, and what it takes to read it.

mod arrays;
mod cast;
mod coo;
mod decode;
mod dense;
mod finder;
mod queue;
mod rows;
mod scan;
mod stretch;
mod walk;

use std::fmt;
use std::str::FromStr;

use nnz_core::{Error, ValueType};

use crate::file::DataFile;

pub(crate) use arrays::Arrays;
pub(crate) use cast::{Widen, refused_type, refused_value, with_type};
pub(crate) use coo::{Coo, CooOrder};
pub(crate) use decode::{Decoder, Part, Piece};
pub(crate) use dense::Panels;
pub(crate) use finder::{Active, Finder};
pub(crate) use queue::BlockQueue;
pub(crate) use rows::{Bounds, RowLayout, Rows, split_pairs};
pub(crate) use scan::{Entry, scan};
pub(crate) use stretch::{Stretch, Stretches};
pub(crate) use walk::{ALL, Landmarks, Walk};

/// Names the way a block stores its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockType {
    /// Nothing but zeros, and none of them stored.
    Empty,
    /// Every cell, row by row.
    Dense,
    /// Columns and values of some cells, row by row (CSR).
    Sparse,
    /// Places and values of some cells (COO).
    UltraSparse,
}

impl BlockType {
    /// Returns the type that a code stands for.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        [Self::Empty, Self::Dense, Self::Sparse, Self::UltraSparse].get(usize::from(code)).copied()
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
        let all = [Self::Empty, Self::Dense, Self::Sparse, Self::UltraSparse];
        let found = all.into_iter().find(|block_type| block_type.name() == text);
        found.ok_or_else(|| format!("unknown block type {text:?}"))
    }
}

/// Describes a block: which cells it covers, and where in the file it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The row of the object its first row is.
    pub row: u64,
    /// The column of the object its first column is.
    pub col: u64,
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub cols: u32,
    /// How it stores its cells.
    pub block_type: BlockType,
    /// The type of its values; an empty block has none.
    pub value_type: Option<ValueType>,
    /// Number of cells it stores, or says that it does.
    pub stored: u64,
    /// The byte its position stands at.
    pub start: u64,
    /// The byte its rows, entries or cells start at.
    pub data: u64,
    /// The byte after its last.
    pub end: u64,
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

    /// Returns whether it covers no cell.
    #[must_use]
    pub fn is_hollow(&self) -> bool {
        self.rows == 0 || self.cols == 0
    }

    /// Returns whether it stores no cell.
    pub(crate) fn holds_nothing(&self) -> bool {
        self.is_hollow() || self.block_type == BlockType::Empty
    }

    /// Makes the error that a file is not what it was when its rows were found.
    #[cold]
    pub(crate) fn changed(&self, file: &DataFile) -> Error {
        let found = format!("other rows in the {self} than before");
        file.mismatch(self.start, found, "a file that does not change")
    }

    /// Bytes of a value.
    pub(crate) fn size(&self) -> usize {
        self.value_type.map_or(0, ValueType::size)
    }

    /// Bytes of an entry of an ultra-sparse block: without a column where there is only one.
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
