//! Properties of a matrix that are known before its entries are read.

use std::fmt;
use std::ops::Range;

use crate::{AxisKind, Order, Result, Scalar, Shape, ValueType, check_requested};

/// The half of a matrix that is stored if the other half follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// On and below the diagonal.
    Lower,
    /// On and above the diagonal.
    Upper,
}

/// Structure of a matrix: how entries that are not stored follow from stored ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Structure {
    /// Entries that are not stored are zero. The default.
    #[default]
    General,
    /// The other triangle mirrors this one.
    Symmetric(Triangle),
    /// The other triangle is the negated mirror image; the diagonal is zero.
    SkewSymmetric(Triangle),
    /// The other triangle is the complex conjugate of the mirror image.
    Hermitian(Triangle),
}

impl Structure {
    /// Returns the triangle that is stored, or `None` if both are.
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

/// Whether every element is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Only some elements are stored; stored zeros are explicit. The default.
    #[default]
    Sparse,
    /// Every element (of the stored triangle) is stored; zeros are not entries of a sparse target.
    Dense,
}

/// Meaning of two stored entries at the same position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Both are kept. The default.
    #[default]
    Kept,
    /// The value of the element is their sum, as in SciPy. Both are kept.
    Summed,
    /// The format forbids them or does not define their meaning: an error unless they are summed.
    Refused,
}

/// Properties of a matrix that are known before its entries are read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Header {
    /// Number of rows and columns.
    pub shape: Shape,
    /// The storage order of the entries.
    pub order: Order,
    /// Whether the format defines the order. Matrix Market does not.
    pub ordered: bool,
    /// Whether majors do not descend from the start to the end of the matrix.
    pub sorted_majors: bool,
    /// Whether minors ascend inside each major, if known without reading.
    pub sorted_indices: Option<bool>,
    /// The type of the values.
    pub value_type: ValueType,
    /// Whether all entries share one value, as in a pattern, whose entries are 1.
    pub iso: bool,
    /// Number of stored entries, if known.
    pub nnz: Option<u64>,
    /// Whether every element is stored.
    pub storage: Storage,
    /// How entries that are not stored follow from stored ones.
    pub structure: Structure,
    /// The value of elements that are not stored and do not follow from others, if it is not zero.
    pub fill: Option<Scalar>,
    /// Meaning of two entries at the same position.
    pub duplicates: Duplicates,
    /// Kinds of the rows and columns.
    pub axis_kinds: [AxisKind; 2],
}

crate::setters! {
    Header {
        shape: Shape,
        order: Order,
        ordered: bool,
        sorted_majors: bool,
        sorted_indices: Option<bool>,
        value_type: ValueType,
        iso: bool,
        nnz: Option<u64>,
        storage: Storage,
        structure: Structure,
        fill: Option<Scalar>,
        duplicates: Duplicates,
    }
}

impl Header {
    /// Describes a general sparse matrix without fill value, stored in ascending majors, as its format defines:
    /// [`ordered`](#structfield.ordered) and [`sorted_majors`](#structfield.sorted_majors) are set. The order of
    /// minors and the number of entries are unknown, and duplicate entries are kept.
    #[must_use]
    pub const fn new(shape: Shape, order: Order, value_type: ValueType) -> Self {
        Self {
            shape,
            order,
            ordered: true,
            sorted_majors: true,
            sorted_indices: None,
            value_type,
            iso: false,
            nnz: None,
            storage: Storage::Sparse,
            structure: Structure::General,
            fill: None,
            duplicates: Duplicates::Kept,
            axis_kinds: [AxisKind::Unknown; 2],
        }
    }

    /// Sets [`axis_kinds`](#structfield.axis_kinds).
    #[must_use]
    pub fn axis_kinds(mut self, axis_kinds: [AxisKind; 2]) -> Self {
        self.axis_kinds = axis_kinds;
        self
    }

    /// Returns the storage order, if the format defines one.
    #[must_use]
    pub fn own_order(&self) -> Option<Order> {
        self.ordered.then_some(self.order)
    }

    /// Checks that a range of majors is within the axis.
    ///
    /// # Errors
    ///
    /// Fails if it is not.
    pub fn check_majors(&self, majors: &Range<u64>) -> Result<()> {
        check_requested(majors, self.shape.major(self.order), self.order.major())
    }
}
