//! Visiting the slices of a tensor in storage order.

use std::ops::Range;

use nnz_core::{Error, Place, Result};

use crate::layout::{Layout, LevelKind};
use crate::store::product;

/// Receives every stored slice and element.
pub(super) trait Visit {
    /// Called for a slice of a sparse level, with one of its entries.
    fn slice(&mut self, level: usize, entry: usize) -> Result<()>;

    /// Called after all slices of a position.
    fn end(&mut self, level: usize) -> Result<()>;

    /// Called for an element with an entry.
    fn entry(&mut self, entry: usize) -> Result<()>;

    /// Called for consecutive elements without an entry.
    fn missing(&mut self, elements: u64) -> Result<()>;
}

/// The entries of a tensor, sorted for a layout.
pub(super) struct Walk<'a> {
    pub(super) levels: Vec<WalkLevel>,
    /// The coordinates of each entry, in the order of the levels.
    pub(super) columns: Vec<&'a [u64]>,
    /// The indices of the entries in the order of the layout.
    pub(super) order: Vec<usize>,
}

pub(super) struct WalkLevel {
    pub(super) kind: LevelKind,
    pub(super) dimensions: Range<usize>,
    extents: Vec<u64>,
    /// The number of elements of one position.
    size: u64,
}

impl WalkLevel {
    /// Lists the levels of a layout for dimensions of these lengths.
    pub(super) fn list(layout: &Layout, extents: &[u64]) -> Result<Vec<Self>> {
        let mut levels = Vec::new();
        let mut dimension = 0;
        for level in layout.merged().levels() {
            let dimensions = dimension..dimension + level.rank;
            dimension = dimensions.end;
            let extents = extents[dimensions.clone()].to_vec();
            let size = match level.kind {
                LevelKind::Sparse => Some(0),
                LevelKind::Dense => product(extents.iter().copied()),
            };
            let size = size.ok_or_else(|| {
                let what = format!("{extents:?} has more than 2^64 - 1 elements");
                Error::unsupported(Place::default(), what)
            })?;
            levels.push(Self { kind: level.kind, dimensions, extents, size });
        }
        Ok(levels)
    }
}

impl Walk<'_> {
    pub(super) fn visit(&self, visit: &mut dyn Visit) -> Result<()> {
        self.position(0, 0..self.order.len(), visit)
    }

    /// Visits one position of a level.
    fn position(&self, number: usize, mut left: Range<usize>, visit: &mut dyn Visit) -> Result<()> {
        let Some(level) = self.levels.get(number) else {
            return match self.order.get(left.start) {
                Some(&entry) if !left.is_empty() => visit.entry(entry),
                _ => visit.missing(1),
            };
        };
        match level.kind {
            LevelKind::Sparse => {
                while !left.is_empty() {
                    let here = self.same_slice(level, left.clone());
                    visit.slice(number, self.order[here.start])?;
                    left.start = here.end;
                    self.position(number + 1, here, visit)?;
                }
                visit.end(number)
            }
            LevelKind::Dense => {
                let mut next = 0;
                while !left.is_empty() {
                    let here = self.same_slice(level, left.clone());
                    let element = self.element(level, here.start);
                    self.gap(number, element - next, visit)?;
                    left.start = here.end;
                    self.position(number + 1, here, visit)?;
                    next = element + 1;
                }
                self.gap(number, level.size - next, visit)
            }
        }
    }

    /// Visits elements of a dense level without an entry.
    fn gap(&self, number: usize, elements: u64, visit: &mut dyn Visit) -> Result<()> {
        if number + 1 == self.levels.len() {
            return if elements > 0 { visit.missing(elements) } else { Ok(()) };
        }
        (0..elements).try_for_each(|_| self.position(number + 1, 0..0, visit))
    }

    /// Returns the first of these entries and those in the same slice.
    fn same_slice(&self, level: &WalkLevel, left: Range<usize>) -> Range<usize> {
        let columns = &self.columns[level.dimensions.clone()];
        let first = self.order[left.start];
        let same = |at: usize| columns.iter().all(|column| column[self.order[at]] == column[first]);
        let mut end = left.start + 1;
        while end < left.end && same(end) {
            end += 1;
        }
        left.start..end
    }

    /// Returns the index of an entry among the elements of a dense level.
    fn element(&self, level: &WalkLevel, at: usize) -> u64 {
        let columns = self.columns[level.dimensions.clone()].iter().zip(&level.extents);
        columns.fold(0, |element, (column, extent)| element * extent + column[self.order[at]])
    }
}

/// Counts what would be stored.
pub(super) struct Count {
    /// The number of slices of each level.
    pub(super) slices: Vec<u64>,
    pub(super) entries: u64,
    pub(super) missing: u64,
}

impl Visit for Count {
    fn slice(&mut self, level: usize, _: usize) -> Result<()> {
        self.slices[level] += 1;
        Ok(())
    }

    fn end(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn entry(&mut self, _: usize) -> Result<()> {
        self.entries += 1;
        Ok(())
    }

    fn missing(&mut self, elements: u64) -> Result<()> {
        let sum = self.missing.checked_add(elements);
        self.missing = sum.ok_or_else(|| {
            let what = "more than 2^64 - 1 elements";
            Error::unsupported(Place::default(), what)
        })?;
        Ok(())
    }
}
