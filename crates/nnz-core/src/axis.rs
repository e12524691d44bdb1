//! Rows, columns, and storage order.

use std::fmt;

/// An axis of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// The rows.
    Rows,
    /// The columns.
    Cols,
}

impl Axis {
    /// Returns the other axis.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Rows => Self::Cols,
            Self::Cols => Self::Rows,
        }
    }

    /// Returns the name of one position of the axis: `row` or `column`.
    #[must_use]
    pub fn singular(self) -> &'static str {
        match self {
            Self::Rows => "row",
            Self::Cols => "column",
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rows => "rows",
            Self::Cols => "columns",
        })
    }
}

/// Kind of an axis of a matrix, if the format defines it.
///
/// 10x and BPCells matrices are features x cells, AnnData is cells x features; in other formats it
/// is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisKind {
    /// Genes, peaks, proteins.
    Features,
    /// Cells, barcodes, observations.
    Cells,
    /// Not defined by the format. The default.
    #[default]
    Unknown,
}

impl AxisKind {
    /// Returns the axis of the cells, given the kinds of rows and columns; `None` if neither or both are cells.
    #[must_use]
    pub fn cell_axis(kinds: [Self; 2]) -> Option<Axis> {
        match kinds.map(|kind| kind == Self::Cells) {
            [true, false] => Some(Axis::Rows),
            [false, true] => Some(Axis::Cols),
            _ => None,
        }
    }
}

impl fmt::Display for AxisKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Features => "features",
            Self::Cells => "cells",
            Self::Unknown => "unknown",
        })
    }
}

/// Whether entries are grouped by row or by column.
///
/// The grouping axis is the *major* one, the other the *minor* one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// By row (CSR).
    Row,
    /// By column (CSC).
    Col,
}

impl Order {
    /// Returns the axis that entries are grouped by.
    #[must_use]
    pub fn major(self) -> Axis {
        match self {
            Self::Row => Axis::Rows,
            Self::Col => Axis::Cols,
        }
    }

    /// Converts (major, minor) to (row, column).
    #[must_use]
    pub fn row_col(self, major: u64, minor: u64) -> (u64, u64) {
        match self {
            Self::Row => (major, minor),
            Self::Col => (minor, major),
        }
    }

    /// Converts (row, column) to (major, minor).
    #[must_use]
    pub fn major_minor(self, row: u64, col: u64) -> (u64, u64) {
        // The swap is its own inverse.
        self.row_col(row, col)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Row => "row",
            Self::Col => "col",
        })
    }
}

/// The number of rows and columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub cols: u64,
}

impl Shape {
    /// Returns the length of an axis.
    #[must_use]
    pub fn len(self, axis: Axis) -> u64 {
        match axis {
            Axis::Rows => self.rows,
            Axis::Cols => self.cols,
        }
    }

    /// Returns whether the matrix has no elements.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.rows == 0 || self.cols == 0
    }

    /// Returns the length of the major axis.
    #[must_use]
    pub fn major(self, order: Order) -> u64 {
        order.major_minor(self.rows, self.cols).0
    }

    /// Returns the length of the minor axis.
    #[must_use]
    pub fn minor(self, order: Order) -> u64 {
        order.major_minor(self.rows, self.cols).1
    }

    /// Returns the number of elements, stored or not.
    #[must_use]
    pub fn elements(self) -> u128 {
        u128::from(self.rows) * u128::from(self.cols)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.rows, self.cols)
    }
}
