//! A bounded run of stored entries.

use std::ops::Range;

use crate::{At, Error, Header, Order, Place, Projection, Result, Shape, Values};

/// The major vector (row or column) of each run of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Majors {
    /// The first run has this major, and each run the next one.
    Consecutive(u64),
    /// One major for each run, in any order.
    Listed(Vec<u64>),
}

impl Majors {
    /// Returns the major of a run.
    #[must_use]
    pub fn get(&self, run: usize) -> u64 {
        match self {
            Self::Consecutive(first) => first.saturating_add(run as u64),
            Self::Listed(list) => list[run],
        }
    }

    /// Returns the list, cleared, after replacing the value by a list if it is not one.
    pub fn listed_mut(&mut self) -> &mut Vec<u64> {
        if !matches!(self, Self::Listed(_)) {
            *self = Self::Listed(Vec::new());
        }
        match self {
            Self::Listed(list) => {
                list.clear();
                list
            }
            Self::Consecutive(_) => unreachable!("set just above"),
        }
    }
}

/// The position of each entry along the minor axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Minors {
    /// An index for each entry, for minor axes of at most 2^32.
    U32(Vec<u32>),
    /// An index for each entry.
    U64(Vec<u64>),
    /// The start of each run, which has adjacent elements: dense panels, and columns of a triangle.
    Spans(Vec<u64>),
}

impl From<Vec<u32>> for Minors {
    fn from(indices: Vec<u32>) -> Self {
        Self::U32(indices)
    }
}

impl From<Vec<u64>> for Minors {
    fn from(indices: Vec<u64>) -> Self {
        Self::U64(indices)
    }
}

impl Minors {
    /// Returns the indices, cleared, after replacing them by 32-bit ones if they are not.
    pub fn u32_mut(&mut self) -> &mut Vec<u32> {
        if !matches!(self, Self::U32(_)) {
            *self = Self::U32(Vec::new());
        }
        match self {
            Self::U32(list) => {
                list.clear();
                list
            }
            _ => unreachable!("set just above"),
        }
    }

    /// Returns the indices with their contents, to overwrite them, after replacing them by 32-bit
    /// ones if they are not.
    pub fn u32_buffer(&mut self) -> &mut Vec<u32> {
        match self {
            Self::U32(list) => list,
            other => other.u32_mut(),
        }
    }

    /// Returns the indices, cleared, after replacing them by 64-bit ones if they are not.
    pub fn u64_mut(&mut self) -> &mut Vec<u64> {
        if !matches!(self, Self::U64(_)) {
            *self = Self::U64(Vec::new());
        }
        match self {
            Self::U64(list) => {
                list.clear();
                list
            }
            _ => unreachable!("set just above"),
        }
    }

    /// Returns the starts of spans, cleared, after replacing the indices by spans if they are not.
    pub fn spans_mut(&mut self) -> &mut Vec<u64> {
        if !matches!(self, Self::Spans(_)) {
            *self = Self::Spans(Vec::new());
        }
        match self {
            Self::Spans(list) => {
                list.clear();
                list
            }
            _ => unreachable!("set just above"),
        }
    }
}

/// A bounded run of stored entries, grouped into runs of one major vector each.
///
/// Run `r` has the entries `offsets[r]..offsets[r + 1]`. A major vector that is longer than a batch
/// continues in the next one, whose first run then has the same major. Runs may be empty. The size
/// of a batch depends on its entries, never on the dimensions of the matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The major axis of the runs.
    pub order: Order,
    /// The major of each run.
    pub majors: Majors,
    /// The offsets of the runs in the entries: one more than runs.
    pub offsets: Vec<usize>,
    /// The minor index of each entry.
    pub minors: Minors,
    /// The value of each entry.
    pub values: Values,
}

impl Batch {
    /// Creates an empty batch.
    #[must_use]
    pub fn new(order: Order, values: Values) -> Self {
        Self {
            order,
            majors: Majors::Consecutive(0),
            offsets: vec![0],
            minors: Minors::U32(Vec::new()),
            values,
        }
    }

    /// Sets the runs from the major of each entry: one run for each sequence of equal majors.
    pub fn list_majors<T: Copy + PartialEq + Into<u64>>(&mut self, majors: &[T]) {
        let listed = self.majors.listed_mut();
        self.offsets.clear();
        self.offsets.push(0);
        let mut end = 0;
        for run in majors.chunk_by(PartialEq::eq) {
            listed.extend(run.first().map(|&major| major.into()));
            end += run.len();
            self.offsets.push(end);
        }
    }

    /// Sets the runs to a range of the elements of a matrix that stores all elements, with `len` elements
    /// per major vector. There are no runs if `len` is 0.
    pub fn span_elements(&mut self, elements: Range<u64>, len: u64) {
        self.majors = Majors::Consecutive(elements.start.checked_div(len).unwrap_or(0));
        self.offsets.clear();
        self.offsets.push(0);
        let starts = self.minors.spans_mut();
        let mut at = elements.start;
        while at < elements.end {
            starts.push(at % len);
            at = (at - at % len).saturating_add(len).min(elements.end);
            self.offsets.push(usize::try_from(at - elements.start).unwrap_or(usize::MAX));
        }
    }

    /// Returns the number of runs.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Returns the entries of a run.
    #[must_use]
    pub fn run(&self, run: usize) -> std::ops::Range<usize> {
        self.offsets[run]..self.offsets[run + 1]
    }

    /// Returns the minor index of an entry of a run.
    #[must_use]
    pub fn minor(&self, run: usize, entry: usize) -> u64 {
        match &self.minors {
            Minors::U32(list) => u64::from(list[entry]),
            Minors::U64(list) => list[entry],
            Minors::Spans(starts) => starts[run].saturating_add((entry - self.offsets[run]) as u64),
        }
    }

    /// Returns row and column of an entry, given by its index in the batch.
    #[must_use]
    pub fn row_col(&self, entry: usize) -> (u64, u64) {
        // The last run that starts at or before the entry; empty runs may start there too.
        let run = self.offsets.partition_point(|&start| start <= entry) - 1;
        self.order.row_col(self.majors.get(run), self.minor(run, entry))
    }

    /// Checks that runs, indices and values agree in number. Fields that were not read are not checked.
    ///
    /// # Errors
    ///
    /// Fails if not.
    pub fn check_lengths(&self, fields: Projection) -> Result<()> {
        let (runs, entries) = (self.runs(), self.entries());
        let broken = |found: String, expected: String| {
            Err(Error::mismatch(Place::default(), found, expected))
        };
        if self.offsets.first() != Some(&0) || !self.offsets.is_sorted() {
            return broken("offsets of runs that decrease".to_owned(), "offsets from 0".to_owned());
        }
        if let Majors::Listed(list) = &self.majors
            && list.len() != runs
        {
            return broken(format!("{} majors", list.len()), format!("{runs}, one for each run"));
        }
        let (minors, expected) = match &self.minors {
            Minors::U32(list) => (list.len(), entries),
            Minors::U64(list) => (list.len(), entries),
            Minors::Spans(starts) => (starts.len(), runs),
        };
        if fields.minors && minors != expected {
            return broken(format!("{minors} minors"), expected.to_string());
        }
        match self.values.len().filter(|&len| fields.values && len != entries) {
            Some(len) => broken(format!("{len} values"), entries.to_string()),
            None => Ok(()),
        }
    }

    /// Checks that the batch is one of a matrix with this header: as [`check_lengths`](Self::check_lengths), the type
    /// of the values, and as [`check_positions`](Self::check_positions).
    ///
    /// # Errors
    ///
    /// Fails if not.
    pub fn check(&self, header: &Header) -> Result<()> {
        self.check_lengths(Projection::ALL)?;
        let found = self.values.value_type();
        if found != header.value_type {
            let found = format!("values of type {found}");
            return Err(Error::mismatch(Place::default(), found, header.value_type));
        }
        self.check_positions(header.shape, Projection::ALL)
    }

    /// Checks that every run and, if minors were read, every entry is inside of a matrix. The lengths are valid
    /// ([`check_lengths`](Self::check_lengths)).
    ///
    /// # Errors
    ///
    /// Fails if not, with the position of the first entry that is outside.
    pub fn check_positions(&self, shape: Shape, fields: Projection) -> Result<()> {
        let (majors, minors) = (shape.major(self.order), shape.minor(self.order));
        let last = match &self.majors {
            Majors::Consecutive(_) => self.runs().checked_sub(1).map(|run| self.majors.get(run)),
            Majors::Listed(list) => list.iter().copied().max(),
        };
        if let Some(last) = last.filter(|&last| last >= majors) {
            let found = format!("{} {last}", self.order.major().singular());
            return Err(Error::mismatch(Place::default(), found, format!("less than {majors}")));
        }
        let last = match &self.minors {
            _ if !fields.minors => None,
            Minors::U32(list) => list.iter().max().map(|&minor| minor.into()),
            Minors::U64(list) => list.iter().copied().max(),
            Minors::Spans(starts) => {
                let lengths = self.offsets.windows(2).map(|pair| (pair[1] - pair[0]) as u64);
                let spans = starts.iter().zip(lengths).filter(|(_, length)| *length > 0);
                spans.map(|(start, length)| start.saturating_add(length - 1)).max()
            }
        };
        if last.is_none_or(|last| last < minors) {
            return Ok(());
        }
        self.try_for_each(|_, major, minor| match minor < minors {
            true => Ok(()),
            false => {
                let (row, col) = self.order.row_col(major, minor);
                let place = Place::default().at(At::Entry { row, col });
                let expected = format!("a position inside {shape}");
                Err(Error::mismatch(place, "an entry outside the matrix", expected))
            }
        })
    }

    /// Calls `each` with run, major and minor of every entry, in order.
    ///
    /// # Errors
    ///
    /// Stops at the first error of `each` and returns it.
    pub fn try_for_each<E>(
        &self,
        mut each: impl FnMut(usize, u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        for run in 0..self.runs() {
            let major = self.majors.get(run);
            for entry in self.run(run) {
                each(entry, major, self.minor(run, entry))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_col_skips_empty_runs() {
        let batch = Batch {
            order: Order::Col,
            majors: Majors::Listed(vec![4, 5, 6, 9]),
            offsets: vec![0, 2, 2, 3, 4],
            minors: Minors::U32(vec![10, 11, 12, 13]),
            values: Values::U32(vec![1, 2, 3, 4]),
        };
        let places: Vec<_> = (0..batch.entries()).map(|e| batch.row_col(e)).collect();
        assert_eq!(places, [(10, 4), (11, 4), (12, 6), (13, 9)]);
    }

    #[test]
    fn spans_are_adjacent_elements() {
        let batch = Batch {
            order: Order::Col,
            majors: Majors::Consecutive(0),
            offsets: vec![0, 3, 5],
            minors: Minors::Spans(vec![0, 1]),
            values: Values::F64(vec![0.0; 5]),
        };
        let places: Vec<_> = (0..5).map(|e| batch.row_col(e)).collect();
        assert_eq!(places, [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1)]);
    }
}
