//! The shape of a dataset or an attribute.

use nnz_core::{Error, Result};

use nnz_chunk::product;

/// Maximum number of dimensions (`H5S_MAX_RANK`).
pub(crate) const MAX_RANK: usize = 32;

/// The shape of a dataset or an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dataspace {
    /// No elements (`H5S_NULL`).
    Null,
    /// One element.
    Scalar,
    /// An array of elements.
    Simple {
        /// The number of elements along each axis.
        shape: Vec<u64>,
        /// The maximum length of each axis, `None` for unlimited; `shape` unless set.
        max_shape: Option<Vec<Option<u64>>>,
    },
}

impl Dataspace {
    /// Creates the dataspace of an array of fixed shape.
    #[must_use]
    pub fn simple(shape: &[u64]) -> Self {
        Self::Simple { shape: shape.to_vec(), max_shape: None }
    }

    /// Checks the dimensions and returns their number.
    pub(crate) fn rank(&self) -> Result<u8> {
        let Self::Simple { shape, max_shape } = self else { return Ok(0) };
        let rank = u8::try_from(shape.len()).ok();
        let Some(rank) = rank.filter(|rank| (1..=MAX_RANK).contains(&usize::from(*rank))) else {
            return Err(Error::argument(format!(
                "{} dimensions; HDF5 supports 1 to {MAX_RANK}",
                shape.len()
            )));
        };
        if let Some(max_shape) = max_shape {
            let grows = |(len, max): (&u64, &Option<u64>)| max.is_none_or(|max| max >= *len);
            if max_shape.len() != shape.len() || !shape.iter().zip(max_shape).all(grows) {
                return Err(Error::argument("a shape that exceeds its maximum shape"));
            }
        }
        Ok(rank)
    }

    /// Returns the number of elements.
    pub(crate) fn elements(&self) -> Result<u64> {
        match self {
            Self::Null => Ok(0),
            Self::Scalar => Ok(1),
            Self::Simple { shape, .. } => product(shape.iter().copied()),
        }
    }
}
