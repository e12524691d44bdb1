//! The data of a location.

use std::fmt;

use nnz_core::{Error, FragmentSource, MatrixSource, Result};

use crate::formats::DatasetKind;
#[cfg(feature = "daphne")]
use crate::frames::FrameSource;
use crate::tensor::TensorFile;

/// The data of a location, as returned by [`open`](crate::open).
///
/// A group with both a matrix and fragments is opened as the matrix.
#[non_exhaustive]
pub enum Dataset {
    /// A matrix.
    Matrix(Box<dyn MatrixSource>),
    /// A Binsparse vector, scalar or tensor.
    Tensor(TensorFile),
    /// Genomic fragments.
    Fragments(Box<dyn FragmentSource>),
    /// Columns of different types: a DAPHNE frame.
    #[cfg(feature = "daphne")]
    Table(FrameSource),
}

impl Dataset {
    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> DatasetKind {
        match self {
            Self::Matrix(_) => DatasetKind::Matrix,
            Self::Tensor(_) => DatasetKind::Tensor,
            Self::Fragments(_) => DatasetKind::Fragments,
            #[cfg(feature = "daphne")]
            Self::Table(_) => DatasetKind::Table,
        }
    }

    /// Returns the matrix. A vector is a matrix of one column.
    ///
    /// # Errors
    ///
    /// Fails if it is neither.
    pub fn into_matrix(self) -> Result<Box<dyn MatrixSource>> {
        match self {
            Self::Matrix(matrix) => Ok(matrix),
            Self::Tensor(tensor) => tensor.into_matrix(),
            Self::Fragments(source) => {
                let version = source.about()?.version.unwrap_or_default();
                let what = format!(
                    "contains genomic fragments (version \"{}\"), not a matrix",
                    version.escape_debug()
                );
                let effect = "works with them";
                Err(Error::unsupported(source.place(), what).with_hint("fragments", effect))
            }
            #[cfg(feature = "daphne")]
            Self::Table(frame) => {
                let what = "contains a data frame, not a matrix";
                let effect = "converts it between .csv and .dbdf";
                Err(Error::unsupported(frame.place(), what).with_hint("frames::convert", effect))
            }
        }
    }

    /// Returns the fragments; `None` for other data.
    #[must_use]
    pub fn into_fragments(self) -> Option<Box<dyn FragmentSource>> {
        match self {
            Self::Fragments(source) => Some(source),
            _ => None,
        }
    }

    /// Returns the table; `None` for other data.
    #[cfg(feature = "daphne")]
    #[must_use]
    pub fn into_table(self) -> Option<FrameSource> {
        match self {
            Self::Table(frame) => Some(frame),
            _ => None,
        }
    }
}

impl fmt::Debug for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dataset").field("kind", &self.kind()).finish_non_exhaustive()
    }
}
