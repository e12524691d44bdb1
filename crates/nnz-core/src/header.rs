//! What is known of a matrix before any entry is read.

use std::fmt;
use std::ops::Range;

use crate::{AxisKind, Order, Result, Scalar, Shape, ValueType, check_requested};

/// Names the half of a matrix that is stored when the other half follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// On and below the diagonal.
    Lower,
    /// On and above the diagonal.
    Upper,
}

/// Says how the entries that are not stored follow from those that are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Structure {
    /// They do not: what is not stored is zero. The default.
    #[default]
    General,
    /// The other triangle mirrors this one.
    Symmetric(Triangle),
    /// The other triangle mirrors this one with the sign turned; the diagonal is zero.
    SkewSymmetric(Triangle),
    /// The other triangle mirrors this one's complex conjugates.
    Hermitian(Triangle),
}

impl Structure {
    /// Returns the triangle that is stored, or `None` where both are.
    #[must_use]
    pub fn triangle(self) -> Option<Triangle> {
        match self {
            Self::General => None,
            Self::Symmetric(t) | Self::SkewSymmetric(t) | Self::Hermitian(t) => Some(t),
        }
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::General => "general",
            Self::Symmetric(_) => "symmetric",
            Self::SkewSymmetric(_) => "skew-symmetric",
            Self::Hermitian(_) => "hermitian",
        })?;
        match self.triangle() {
            None => Ok(()),
            Some(Triangle::Lower) => f.write_str(" (lower)"),
            Some(Triangle::Upper) => f.write_str(" (upper)"),
        }
    }
}

/// Says whether every cell is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Only some cells are; a stored zero was meant to be stored. The default.
    #[default]
    Sparse,
    /// Every cell is (of the stored triangle); its zeros are no entries of a sparse target.
    Dense,
}

/// Says what two stored entries at the same place mean to a format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Both are kept as they are. The default.
    #[default]
    Kept,
    /// The format leaves their meaning open or forbids them: an error unless summed.
    Refused,
}

/// What is known of a matrix before any entry is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Number of rows and columns.
    pub shape: Shape,
    /// The axis entries are grouped by as they are read.
    pub order: Order,
    /// Whether the format fixes that order. Matrix Market does not.
    pub ordered: bool,
    /// Whether majors never go down as the matrix is read from its start.
    pub sorted_majors: bool,
    /// Whether minors go up inside each major, where that is known without reading.
    pub sorted_indices: Option<bool>,
    /// The type of each value.
    pub value_type: ValueType,
    /// Whether all entries share one value (a pattern is such a matrix of ones).
    pub iso: bool,
    /// Number of stored entries, where known.
    pub nnz: Option<u64>,
    /// Whether every cell is stored.
    pub storage: Storage,
    /// How entries that are not stored follow from those that are.
    pub structure: Structure,
    /// What cells hold that are not stored and do not follow from others, where that is not zero.
    pub fill: Option<Scalar>,
    /// What two entries at one place mean.
    pub duplicates: Duplicates,
    /// What rows and columns stand for.
    pub axis_kinds: [AxisKind; 2],
}

impl Header {
    /// Returns the storage order, where the format fixes one.
    #[must_use]
    pub fn own_order(&self) -> Option<Order> {
        self.ordered.then_some(self.order)
    }

    /// Refuses a range of majors that ends past the axis.
    ///
    /// # Errors
    ///
    /// Fails where it does.
    pub fn check_majors(&self, majors: &Range<u64>) -> Result<()> {
        check_requested(majors, self.shape.major(self.order), self.order.major())
    }
}
