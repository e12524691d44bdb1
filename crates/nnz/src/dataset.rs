//! The data of a location.

use std::fmt;
use std::sync::Arc;

use nnz_core::{Error, FragmentSource, MatrixSource, Result};

use crate::Selection;
use crate::collection::{Collection, CollectionSlice};
use crate::engine::Slice;
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
    /// Several matrices and tables along shared axes, such as AnnData.
    Collection(Arc<dyn Collection>),
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
            Self::Collection(_) => DatasetKind::Collection,
        }
    }

    /// Returns the matrix, or the main matrix of a collection. A vector is a matrix of one column.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or if it is broken.
    pub fn into_matrix(self) -> Result<Box<dyn MatrixSource>> {
        match self {
            Self::Matrix(matrix) => Ok(matrix),
            Self::Tensor(tensor) => tensor.into_matrix(),
            Self::Collection(collection) => collection.main(),
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

    /// Returns the matrix, or the names and tables of a collection without a main matrix, as a matrix without entries.
    ///
    /// # Errors
    ///
    /// Fails as [`into_matrix`](Self::into_matrix).
    pub fn into_axes(self) -> Result<Box<dyn MatrixSource>> {
        match self {
            Self::Collection(collection) => collection.main_or_axes(),
            other => other.into_matrix(),
        }
    }

    /// Selects rows and columns of a matrix, or everything that belongs to rows and columns of a collection. Those of
    /// a collection are searched when something is read.
    ///
    /// # Errors
    ///
    /// Fails as [`Slice::new`], and if it is neither.
    pub fn slice(self, [rows, cols]: [&Selection; 2]) -> Result<Self> {
        Ok(match self {
            Self::Collection(collection) => {
                Self::Collection(Arc::new(CollectionSlice::new(collection, [rows, cols])))
            }
            other => Self::Matrix(Box::new(Slice::new(other.into_matrix()?, rows, cols)?)),
        })
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
