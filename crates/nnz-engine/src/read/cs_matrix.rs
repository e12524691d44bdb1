//! A sparse matrix in memory.

use nnz_core::{
    Axis, AxisKind, Duplicates, Error, MatrixSource, Minors, Order, Place, Result, Shape, Storage,
    StringList, Values,
};

use super::index_pointers::IndexPointers;
use super::source::{InMemory, header};

/// A compressed sparse matrix: CSR in row order, CSC in column order.
///
/// It is checked on creation. [`read`](crate::read()) returns indices that ascend in each row (CSR) or
/// column (CSC), and both triangles of symmetric matrices. It has the names of the file, and the kinds of
/// its axes.
///
/// ```
/// use nnz_core::{Axis, Order, Shape};
/// use nnz_engine::CsMatrix;
///
/// // 1 . 2
/// // . . 3
/// let shape = Shape { rows: 2, cols: 3 };
/// let matrix =
///     CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3], vec![0_u32, 2, 2], vec![1.0, 2.0, 3.0])?
///         .with_names(Axis::Rows, ["a", "b"])?;
/// assert_eq!(matrix.nnz(), 3);
/// assert_eq!(matrix.indptr(), [0, 2, 3]);
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CsMatrix {
    pub(crate) shape: Shape,
    pub(crate) order: Order,
    pub(crate) pointers: Vec<u64>,
    pub(crate) minors: Minors,
    pub(crate) values: Values,
    pub(crate) names: [Option<StringList>; 2],
    pub(crate) axis_kinds: [AxisKind; 2],
}

impl CsMatrix {
    /// Creates a matrix from the arrays `indptr`, `indices` and `data` of SciPy.
    ///
    /// `indptr` has one element more than there are rows (CSR) or columns (CSC), of any type of
    /// [`IndexPointers`]. Indices are `u32` or `u64`, in any order, and may be repeated.
    ///
    /// # Errors
    ///
    /// Fails if `indptr` does not ascend from 0 to the number of indices or has another length, if
    /// the number of values is not the number of indices, and if an index is out of bounds.
    pub fn from_parts(
        shape: Shape,
        order: Order,
        indptr: impl IndexPointers,
        indices: impl Into<Minors>,
        values: impl Into<Values>,
    ) -> Result<Self> {
        let (minors, values) = (indices.into(), values.into());
        let matrix = Self::unchecked(shape, order, indptr.into_u64()?, minors, values);
        matrix.check()?;
        Ok(matrix)
    }

    pub(super) fn unchecked(
        shape: Shape,
        order: Order,
        pointers: Vec<u64>,
        minors: Minors,
        values: Values,
    ) -> Self {
        let (names, axis_kinds) = ([None, None], [AxisKind::Unknown; 2]);
        Self { shape, order, pointers, minors, values, names, axis_kinds }
    }

    /// Returns `indptr`, the indices and the values.
    #[must_use]
    pub fn into_parts(self) -> (Vec<u64>, Minors, Values) {
        (self.pointers, self.minors, self.values)
    }

    /// Sets the names of the rows or columns.
    ///
    /// # Errors
    ///
    /// Fails if the number of names is not the number of rows or columns.
    pub fn with_names<T: AsRef<[u8]>>(
        mut self,
        axis: Axis,
        names: impl IntoIterator<Item = T>,
    ) -> Result<Self> {
        let names: StringList = names.into_iter().collect();
        let (len, at) = match axis {
            Axis::Rows => (self.shape.rows, 0),
            Axis::Cols => (self.shape.cols, 1),
        };
        if names.len() != len {
            let found = format!("{} names", names.len());
            return Err(mismatch(found, format!("{len}, one for each {}", axis.singular())));
        }
        self.names[at] = Some(names);
        Ok(self)
    }

    /// Sets the kinds of the axes. Formats with a fixed axis of cells then keep cells as cells; if the kinds are
    /// unknown, rows stay rows.
    ///
    /// ```
    /// # use nnz_core::{AxisKind, Order, Shape};
    /// # use nnz_engine::CsMatrix;
    /// # let shape = Shape { rows: 1, cols: 1 };
    /// # let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![0_u32], vec![1.0])?;
    /// let matrix = matrix.with_axis_kinds([AxisKind::Features, AxisKind::Cells]);
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_axis_kinds(mut self, [rows, cols]: [AxisKind; 2]) -> Self {
        self.axis_kinds = [rows, cols];
        self
    }

    /// Returns the kinds of the axes.
    #[must_use]
    pub fn axis_kinds(&self) -> [AxisKind; 2] {
        self.axis_kinds
    }

    /// Returns the number of rows and columns.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the storage order: rows for CSR, columns for CSC.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the number of stored entries.
    #[must_use]
    pub fn nnz(&self) -> u64 {
        self.pointers.last().copied().unwrap_or(0)
    }

    /// Returns the start of each row or column among the entries, and the end of the last.
    #[must_use]
    pub fn indptr(&self) -> &[u64] {
        &self.pointers
    }

    /// Returns the column (CSR) or row (CSC) of each entry.
    #[must_use]
    pub fn indices(&self) -> &Minors {
        &self.minors
    }

    /// Returns the value of each entry.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Returns the names of the rows or the columns, if it has any.
    #[must_use]
    pub fn names(&self, axis: Axis) -> Option<&StringList> {
        self.names[usize::from(axis == Axis::Cols)].as_ref()
    }

    /// Makes it a source, which can be converted or sliced.
    ///
    /// ```
    /// # use nnz_core::{MatrixSource, Order, Shape};
    /// # use nnz_engine::{CsMatrix, StatsOptions, TaskContext};
    /// # let shape = Shape { rows: 1, cols: 2 };
    /// let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![0_u32], vec![4.0])?;
    /// let source = matrix.into_source()?;
    /// let (options, context) = (StatsOptions::default(), TaskContext::default());
    /// let stats = nnz_engine::stats(&*source, &options, &context)?;
    /// assert_eq!(stats.whole.nnz, 1);
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Does not fail at present, as the matrix was checked on creation.
    pub fn into_source(self) -> Result<Box<dyn MatrixSource>> {
        let header = header(self.shape, self.order, &self.values, Storage::Sparse)
            .iso(self.values.len().is_none())
            .nnz(self.nnz())
            .sorted_indices(None)
            .duplicates(Duplicates::Kept)
            .axis_kinds(self.axis_kinds);
        Ok(Box::new(InMemory::new(header, self)))
    }

    /// Returns the minor index of an entry.
    pub(super) fn minor(&self, entry: usize) -> u64 {
        match &self.minors {
            Minors::U32(list) => list[entry].into(),
            Minors::U64(list) | Minors::Spans(list) => list[entry],
        }
    }

    fn check(&self) -> Result<()> {
        let (entries, past) = {
            let bound = self.shape.minor(self.order);
            match &self.minors {
                Minors::U32(list) => {
                    let past = nnz_bitpack::max(list).map(u64::from).filter(|max| *max >= bound);
                    (list.len(), past)
                }
                Minors::U64(list) => {
                    (list.len(), list.iter().copied().max().filter(|max| *max >= bound))
                }
                Minors::Spans(_) => {
                    return Err(mismatch("spans".into(), "an index for each entry".into()));
                }
            }
        };
        if let Some(values) = self.values.len().filter(|values| *values != entries) {
            return Err(mismatch(
                format!("{values} values"),
                format!("{entries}, one for each index"),
            ));
        }
        let majors = self.shape.major(self.order);
        if self.pointers.len() as u64 != majors.saturating_add(1) {
            let found = format!("an indptr of length {}", self.pointers.len());
            let expected = format!("one more than the {majors} {}", self.order.major());
            return Err(mismatch(found, expected));
        }
        let ends = (self.pointers.first(), self.pointers.last());
        let fall = self.pointers.windows(2).position(|pair| pair[0] > pair[1]);
        let wrong = match ends {
            (Some(&first @ 1..), _) => Some((0, first)),
            _ if fall.is_some() => fall.map(|at| (at + 1, self.pointers[at + 1])),
            (_, Some(&last)) if last != entries as u64 => Some((self.pointers.len() - 1, last)),
            _ => None,
        };
        if let Some((at, found)) = wrong {
            let expected =
                format!("pointers that ascend from 0 to {entries}, the number of indices");
            return Err(mismatch(format!("{found} at position {at} of indptr"), expected));
        }
        if let Some(past) = past {
            let bound = self.shape.minor(self.order);
            return Err(mismatch(format!("index {past}"), format!("an index less than {bound}")));
        }
        Ok(())
    }
}

fn mismatch(found: String, expected: String) -> Error {
    Error::mismatch(Place::default(), found, expected)
}
