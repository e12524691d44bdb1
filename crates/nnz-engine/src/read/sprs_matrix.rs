//! Matrices of the sprs crate.

use nnz_core::{At, Element, Error, ErrorKind, Minors, Order, Place, Result, Shape, Values};
use sprs::{CsMatI, SpIndex};

use super::CsMatrix;

/// Moves the values; indices become `u32` if they fit, otherwise `u64`.
impl<T: Element, I: SpIndex, P: SpIndex> TryFrom<CsMatI<T, I, P>> for CsMatrix {
    type Error = Error;

    /// # Errors
    ///
    /// Fails as [`CsMatrix::from_parts`].
    fn try_from(matrix: CsMatI<T, I, P>) -> Result<Self> {
        let order = if matrix.is_csr() { Order::Row } else { Order::Col };
        let shape = Shape { rows: matrix.rows() as u64, cols: matrix.cols() as u64 };
        // The pointers of a sliced matrix need not start at 0.
        let indptr = matrix.indptr();
        let pointers: Vec<u64> = indptr.to_proper().iter().map(|end| end.index() as u64).collect();
        let (_, indices, values) = matrix.into_raw_storage();
        let short = u32::try_from(shape.minor(order)).is_ok();
        let minors = if short {
            let short = |index: &I| u32::try_from(index.index()).map_err(|_| too_large(index));
            Minors::U32(indices.iter().map(short).collect::<Result<_>>()?)
        } else {
            Minors::U64(indices.iter().map(|index| index.index() as u64).collect())
        };
        Self::from_parts(shape, order, pointers, minors, values)
    }
}

/// Moves the values if they have the requested type. Indices in each row (CSR) or column (CSC) are
/// sorted. Names are dropped.
///
/// ```
/// use nnz_core::{Order, Shape};
/// use nnz_engine::CsMatrix;
///
/// let shape = Shape { rows: 2, cols: 3 };
/// let parts = (vec![0, 2, 3], vec![0_u32, 2, 1], vec![5.0, 6.0, 7.0]);
/// let matrix = CsMatrix::from_parts(shape, Order::Row, parts.0, parts.1, parts.2)?;
/// let product = {
///     let matrix: sprs::CsMatI<f64, u32> = matrix.try_into()?;
///     &matrix * &matrix.transpose_view()
/// };
/// assert_eq!(product.get(0, 0), Some(&61.0));
/// # Ok::<(), nnz_core::Error>(())
/// ```
impl<T: Element, I: SpIndex, P: SpIndex> TryFrom<CsMatrix> for CsMatI<T, I, P> {
    type Error = Error;

    /// # Errors
    ///
    /// Fails if values are of another type, if there are duplicate entries, and if the index types
    /// cannot hold the shape or the number of entries.
    fn try_from(matrix: CsMatrix) -> Result<Self> {
        let (shape, order) = (matrix.shape(), matrix.order());
        let [rows, cols] = [index(shape.rows)?, index(shape.cols)?];
        let (pointers, minors, values) = matrix.into_parts();
        let len = index::<P>(pointers.last().copied().unwrap_or(0))?.index();
        let values = owned::<T>(values, len)?;
        let pointers = pointers.into_iter().map(index).collect::<Result<Vec<P>>>()?;
        let indices: Result<Vec<I>> = match minors {
            Minors::U32(list) => list.into_iter().map(|minor| index(minor.into())).collect(),
            Minors::U64(list) | Minors::Spans(list) => list.into_iter().map(index).collect(),
        };
        let indices: Vec<I> = indices.and_then(|list: Vec<I>| {
            // The shape must fit, too, as sprs converts it.
            index::<I>(shape.minor(order)).map(|_| list)
        })?;
        let made = match order {
            Order::Row => Self::new_from_unsorted((rows, cols), pointers, indices, values),
            Order::Col => Self::new_from_unsorted_csc((rows, cols), pointers, indices, values),
        };
        let made = made.map_err(|(.., error)| {
            Error::mismatch(Place::default(), error, "a valid sprs matrix").with_source(error)
        })?;
        refuse_shared(&made, order)?;
        Ok(made)
    }
}

/// Converts an index or a length.
fn index<I: SpIndex>(value: u64) -> Result<I> {
    let converted = usize::try_from(value).ok().and_then(I::try_from_usize);
    converted.ok_or_else(|| too_large(&value))
}

fn too_large(value: &dyn std::fmt::Debug) -> Error {
    Error::argument(format!("{value:?} does not fit into the index type"))
}

/// Returns values as a vector of a type, which must be theirs.
fn owned<T: Element>(mut values: Values, len: usize) -> Result<Vec<T>> {
    if let Values::Iso(scalar) = values {
        values = scalar.repeat(len);
    }
    if values.value_type() != T::TYPE {
        let (found, expected) = (values.value_type(), T::TYPE);
        return Err(Error::mismatch(
            Place::default(),
            format!("values of {found}"),
            expected.name(),
        ));
    }
    Ok(std::mem::take(T::vec_mut(&mut values)))
}

/// Refuses duplicate entries, whose indices are sorted.
fn refuse_shared<T, I: SpIndex, P: SpIndex>(matrix: &CsMatI<T, I, P>, order: Order) -> Result<()> {
    for (major, entries) in matrix.outer_iterator().enumerate() {
        let indices = entries.indices();
        let Some(shared) = indices.windows(2).find(|pair| pair[0] >= pair[1]) else { continue };
        let (major, minor) = (major as u64, shared[0].index() as u64);
        let (row, col) = match order {
            Order::Row => (major, minor),
            Order::Col => (minor, major),
        };
        let place = Place::default().at(At::Entry { row, col });
        return Err(Error::new(ErrorKind::Duplicate { other: None }, place));
    }
    Ok(())
}
