//! A bounded run of stored entries.

use std::ops::Range;

use crate::{Order, Values};

/// Says which major vector (row or column) each run of a batch belongs to.
#[derive(Clone, Debug, PartialEq)]
pub enum Majors {
    /// The first run is this major, the next one the next, none left out.
    Consecutive(u64),
    /// One major for each run, in any order.
    Listed(Vec<u64>),
}

impl Majors {
    /// Returns the major of a run.
    #[must_use]
    pub fn get(&self, run: usize) -> u64 {
        match self {
            Self::Consecutive(first) => first + run as u64,
            Self::Listed(list) => list[run],
        }
    }

    /// Empties the list and returns it, after making one if there was none.
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

/// Says where along the minor axis each entry lies.
#[derive(Clone, Debug, PartialEq)]
pub enum Minors {
    /// One index an entry, for minor axes up to 2^32 long.
    U32(Vec<u32>),
    /// One index an entry.
    U64(Vec<u64>),
    /// Each run covers neighbouring cells and this is where it starts: dense panels, and the
    /// columns of a triangle.
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
    /// Empties the indices and returns them, after making them 32-bit ones if they were not.
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

    /// Returns the indices as they are, to be overwritten, after making them 32-bit ones if they
    /// were not.
    pub fn u32_buffer(&mut self) -> &mut Vec<u32> {
        match self {
            Self::U32(list) => list,
            other => other.u32_mut(),
        }
    }

    /// Empties the indices and returns them, after making them 64-bit ones if they were not.
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

    /// Empties the span starts and returns them, after making them such if they were not.
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
/// Run `r` holds the entries `offsets[r]..offsets[r + 1]`. A major vector longer than a batch
/// goes on in the next one, whose first run then has the same major. Empty runs are allowed.
/// The cost of a batch follows the entries it holds, never the dimensions of the matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The axis the runs go along.
    pub order: Order,
    /// The major of each run.
    pub majors: Majors,
    /// Where each run starts in the entries, and where the last one ends: one more than runs.
    pub offsets: Vec<usize>,
    /// The minor index of each entry.
    pub minors: Minors,
    /// The value of each entry.
    pub values: Values,
}

impl Batch {
    /// Makes an empty batch to be filled.
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

    /// Makes a run of each sequence of equal majors, where an entry has one each.
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

    /// Makes runs of neighbouring cells of a matrix of which all are stored, with `len` cells to a major vector.
    /// Where a major vector has none, there are none.
    pub fn span_cells(&mut self, cells: Range<u64>, len: u64) {
        self.majors = Majors::Consecutive(cells.start.checked_div(len).unwrap_or(0));
        self.offsets.clear();
        self.offsets.push(0);
        let starts = self.minors.spans_mut();
        let mut at = cells.start;
        while at < cells.end {
            starts.push(at % len);
            at = (at - at % len).saturating_add(len).min(cells.end);
            self.offsets.push(usize::try_from(at - cells.start).unwrap_or(usize::MAX));
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
            Minors::Spans(starts) => starts[run] + (entry - self.offsets[run]) as u64,
        }
    }

    /// Returns row and column of an entry, given by its position among all entries.
    #[must_use]
    pub fn row_col(&self, entry: usize) -> (u64, u64) {
        // The last run that starts at or before the entry; empty runs before it start there too.
        let run = self.offsets.partition_point(|&start| start <= entry) - 1;
        self.order.row_col(self.majors.get(run), self.minor(run, entry))
    }

    /// Calls `each` with run number, major and minor of every entry, in order.
    ///
    /// # Errors
    ///
    /// Stops at the first error of `each` and returns it.
    pub fn try_for_each<E>(
        &self,
        mut each: impl FnMut(usize, u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
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
    fn entries_know_their_row_and_column() {
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
    fn spans_count_up_from_where_each_run_starts() {
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
