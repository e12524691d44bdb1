//! The stored entries of a row or column.

use nnz_core::{At, Duplicates, Error, ErrorKind, Header, Order, Place, Result, ValueType};

use crate::compute::Float;
use crate::compute::aggregate::EXACT;

/// The stored entries of a row or column, or some of them.
#[derive(Debug, Default)]
pub(in crate::compute) struct Line<T> {
    pub(in crate::compute) position: u64,
    pub(in crate::compute) values: Vec<T>,
    pub(in crate::compute) minors: Vec<u32>,
}

impl<T: Float> Line<T> {
    pub(in crate::compute) fn new(position: u64) -> Self {
        Self { position, values: Vec::new(), minors: Vec::new() }
    }

    /// Removes all entries, for those of another row or column.
    pub(in crate::compute) fn start(&mut self, position: u64) {
        self.position = position;
        self.values.clear();
        self.minors.clear();
    }

    pub(in crate::compute) fn extend(&mut self, values: &[T], minors: &[u32]) {
        self.values.extend_from_slice(values);
        self.minors.extend_from_slice(minors);
    }

    pub(in crate::compute) fn append(&mut self, other: &Self) {
        self.extend(&other.values, &other.minors);
    }
}

/// What the header of a matrix states of its rows or columns.
#[derive(Clone, Debug)]
pub(in crate::compute) struct Layout {
    order: Order,
    /// The number of elements of each.
    pub(in crate::compute) len: u64,
    duplicates: Duplicates,
    /// Whether several entries of an element have one value.
    shared: bool,
    /// Values of more bits than those of floats are less than this.
    pub(in crate::compute) limit: Option<f64>,
}

impl Layout {
    pub(in crate::compute) fn new(header: &Header) -> Self {
        Self {
            order: header.order,
            len: header.shape.minor(header.order),
            duplicates: header.duplicates,
            shared: header.iso || header.value_type == ValueType::Bint8,
            limit: matches!(header.value_type, ValueType::I64 | ValueType::U64).then_some(EXACT),
        }
    }

    /// Returns the place of an entry.
    pub(in crate::compute) fn place(&self, position: u64, minor: u32) -> Place {
        let (row, col) = self.order.row_col(position, minor.into());
        Place::default().at(At::Entry { row, col })
    }

    /// Sorts the entries of a row or column, and adds up those of one element.
    ///
    /// # Errors
    ///
    /// Fails if an element has several entries and may not, and if an index is out of bounds.
    pub(in crate::compute) fn unify<T: Float>(&self, line: &mut Line<T>) -> Result<()> {
        if !nnz_bitpack::ascends(&line.minors) {
            let pairs = line.minors.drain(..).zip(line.values.drain(..));
            let mut pairs: Vec<(u32, T)> = pairs.collect();
            pairs.sort_by_key(|(minor, _)| *minor);
            for (minor, value) in pairs {
                match line.values.last_mut() {
                    Some(last) if line.minors.last() == Some(&minor) => {
                        if self.duplicates == Duplicates::Refused {
                            let kind = ErrorKind::Duplicate { other: None };
                            return Err(Error::new(kind, self.place(line.position, minor)));
                        }
                        if !self.shared {
                            *last = T::of((*last).into() + value.into());
                        }
                    }
                    _ => {
                        line.minors.push(minor);
                        line.values.push(value);
                    }
                }
            }
        }
        match line.minors.last() {
            Some(last) if u64::from(*last) >= self.len => {
                let one = self.order.major().singular();
                let what = format!("an index out of bounds in {one} {}", line.position);
                Err(Error::mismatch(Place::default(), what, "indices within the matrix"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the values of a row or column are integers that floats have. `what` is done by them.
    pub(in crate::compute) fn check_exact<T: Float>(
        &self,
        line: &Line<T>,
        what: &str,
    ) -> Result<()> {
        let Some(limit) = self.limit else { return Ok(()) };
        let large = |value: &T| -> bool { (*value).into().abs() >= limit };
        match line.values.iter().position(large) {
            Some(at) => {
                let number: f64 = line.values[at].into();
                let what = format!("a value of {number}: {what} integers below 2^53");
                Err(Error::unsupported(self.place(line.position, line.minors[at]), what))
            }
            None => Ok(()),
        }
    }
}
