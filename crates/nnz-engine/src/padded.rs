//! A matrix with empty rows and columns appended.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    Annotations, Axis, Error, Header, MatrixSource, Names, Projection, Result, Shape, Storage,
    Structure, UnitReader, Wrapped,
};

use crate::concat::Shifted;
use crate::parts::{InParts, Next, Steps};
use crate::stages::{Step, drop_unstored};

/// A matrix that is enlarged by empty rows and columns. A dense matrix becomes sparse, without its zeros.
///
/// With a [`Slice`](crate::Slice) of it, rows and columns can be at any position of a larger
/// matrix.
///
/// ```
/// use nnz_core::{MatrixSource, Order, Shape};
/// use nnz_engine::{CsMatrix, Padded};
///
/// let shape = Shape { rows: 1, cols: 1 };
/// let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![0_u32], vec![2.0])?;
/// let larger = Shape { rows: 1, cols: 3 };
/// let padded = Padded::new(matrix.into_source()?, larger)?;
/// assert_eq!(padded.header().shape.to_string(), "1 x 3");
/// # Ok::<(), nnz_core::Error>(())
/// ```
pub struct Padded {
    inner: Box<dyn MatrixSource>,
    header: Header,
    steps: Arc<Steps>,
}

impl std::fmt::Debug for Padded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Padded").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Padded {
    /// Enlarges a matrix.
    ///
    /// # Errors
    ///
    /// Fails if the shape is smaller than the matrix, or if the matrix has a structure, a fill value
    /// other than zero, or one value that all entries share.
    pub fn new(inner: Box<dyn MatrixSource>, shape: Shape) -> Result<Self> {
        let place = inner.place();
        let source = inner.header();
        if shape.rows < source.shape.rows || shape.cols < source.shape.cols {
            let expected = format!("at most {shape}");
            return Err(Error::mismatch(place, source.shape, expected));
        }
        if source.structure != Structure::General || source.fill.is_some() || source.iso {
            let what =
                "only a general matrix without a fill value or a shared value can be enlarged";
            return Err(Error::unsupported(place, what));
        }
        let dense = source.storage == Storage::Dense;
        let header =
            source.clone().shape(shape).storage(Storage::Sparse).nnz(source.nnz.filter(|_| !dense));
        let mut steps: Vec<Box<dyn Step>> = Vec::new();
        if dense {
            steps.extend(drop_unstored(source));
        }
        steps.push(Box::new(Shifted::new(source, &header, 0, 0)));
        let steps = Arc::new(Steps::new(place, steps));
        Ok(Self { inner, header, steps })
    }

    fn own(&self) -> u64 {
        self.inner.header().shape.major(self.header.order)
    }
}

impl MatrixSource for Padded {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    /// There are none, as the added rows and columns have no names.
    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn annotations(&self, _: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        Ok(None)
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.header.check_majors(&majors)?;
        let own = majors.start.min(self.own())..majors.end.min(self.own());
        let mut begun = own.is_empty() && !majors.is_empty();
        Ok(Box::new(InParts::new(Box::new(move || {
            if std::mem::replace(&mut begun, true) {
                return Ok(None);
            }
            // The values show which elements are zero.
            let units = self.inner.units(own.clone(), Projection::ALL)?;
            Ok(Some(Next::Part(units, Arc::clone(&self.steps))))
        }))))
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        match self.inner.header().storage {
            Storage::Dense => Ok(None),
            _ => self.inner.stored_before(major.min(self.own())),
        }
    }

    fn is_vector(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use nnz_core::Order;

    use super::*;
    use crate::CsMatrix;

    #[test]
    fn added_rows_and_columns_are_empty() {
        for order in [Order::Row, Order::Col] {
            // 1 .
            // . 2
            let (indptr, indices) = (vec![0, 1, 2], vec![0_u32, 1]);
            let small = Shape { rows: 2, cols: 2 };
            let matrix =
                CsMatrix::from_parts(small, order, indptr, indices, vec![1.0, 2.0]).unwrap();
            let large = Shape { rows: 3, cols: 4 };
            let padded = Padded::new(matrix.into_source().unwrap(), large).unwrap();
            let read = crate::read(
                &padded,
                &crate::ReadOptions::default(),
                &crate::TaskContext::default(),
            )
            .unwrap();
            assert_eq!(read.shape(), large);
            let mut indptr = vec![0, 1, 2];
            indptr.resize(usize::try_from(large.major(order)).unwrap() + 1, 2);
            assert_eq!(read.indptr(), indptr);
            assert!(Padded::new(read.into_source().unwrap(), small).is_err());
        }
    }
}
