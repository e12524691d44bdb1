//! Types of `indptr` in other libraries.

use nnz_core::{Error, Place, Result};

mod sealed {
    pub trait Sealed {}
}

/// `indptr` of a compressed matrix: the start of each row (CSR) or column (CSC) among the entries, and the end
/// of the last; a `Vec` of `u64`, `usize`, `u32`, `i64` or `i32`.
///
/// ```
/// use nnz_core::{Order, Shape};
/// use nnz_engine::CsMatrix;
///
/// let shape = Shape { rows: 2, cols: 3 };
/// let indptr: Vec<usize> = vec![0, 1, 2];
/// let matrix = CsMatrix::from_parts(shape, Order::Row, indptr, vec![0_u32, 2], vec![1.0, 2.0])?;
/// assert_eq!(matrix.indptr(), [0, 1, 2]);
/// let negative = CsMatrix::from_parts(shape, Order::Row, vec![0_i32, -1, 2], vec![0_u32, 2], vec![1.0, 2.0]);
/// assert!(negative.is_err());
/// # Ok::<(), nnz_core::Error>(())
/// ```
pub trait IndexPointers: sealed::Sealed {
    /// Returns them as `u64`.
    ///
    /// # Errors
    ///
    /// Fails if one is negative.
    fn into_u64(self) -> Result<Vec<u64>>;
}

impl sealed::Sealed for Vec<u64> {}

impl IndexPointers for Vec<u64> {
    fn into_u64(self) -> Result<Vec<u64>> {
        Ok(self)
    }
}

macro_rules! converted {
    ($($element:ty),*) => {$(
        impl sealed::Sealed for Vec<$element> {}

        impl IndexPointers for Vec<$element> {
            fn into_u64(self) -> Result<Vec<u64>> {
                let convert = |(at, pointer): (usize, $element)| {
                    u64::try_from(pointer).map_err(|_| {
                        let found = format!("{pointer} at position {at} of indptr");
                        Error::mismatch(Place::default(), found, "at least 0")
                    })
                };
                self.into_iter().enumerate().map(convert).collect()
            }
        }
    )*};
}
converted!(usize, u32, i64, i32);
