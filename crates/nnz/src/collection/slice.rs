//! Selected rows and columns of a collection.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Axis, MatrixSource, Place, Result};
use nnz_engine::{Selection, Slice};

use super::{Collection, Contents, ElementDifference, downcast};
use crate::formats::{FormatInfo, Member};
use crate::{Context, DiffOptions};

/// A collection with some of its rows and columns, and everything that belongs to them.
#[derive(Debug)]
pub struct CollectionSlice {
    inner: Arc<dyn Collection>,
    selected: [Selection; 2],
}

impl CollectionSlice {
    /// Selects rows and columns. They are searched when something is read.
    #[must_use]
    pub fn new(inner: Arc<dyn Collection>, [rows, cols]: [&Selection; 2]) -> Self {
        Self { inner, selected: [rows.clone(), cols.clone()] }
    }

    fn slice<'a>(&self, source: Box<dyn MatrixSource + 'a>) -> Result<Slice<'a>> {
        let [rows, cols] = &self.selected;
        Slice::new(source, rows, cols)
    }

    /// Returns the positions in the inner collection of what is selected from the selected rows and columns.
    fn within(&self, [rows, cols]: [&Selection; 2]) -> Result<[Selection; 2]> {
        let slice = Slice::new(self.axes()?, rows, cols)?;
        let outer = self.slice(self.inner.axes()?)?;
        let along = |axis, given: &Selection, own: &Selection| {
            if given.is_all() && own.is_all() {
                return Selection::all();
            }
            let composed = compose(&outer.ranges(axis), &slice.ranges(axis));
            Selection::ranges(composed).allow_empty(true)
        };
        let [own_rows, own_cols] = &self.selected;
        Ok([along(Axis::Rows, rows, own_rows), along(Axis::Cols, cols, own_cols)])
    }

    /// Opens a matrix of the inner collection, with selected rows and columns of it. A matrix with axes of its own is found
    /// in the whole collection only.
    fn open_selected(
        &self,
        path: &str,
        [rows, cols]: [&Selection; 2],
    ) -> Result<Box<dyn MatrixSource>> {
        if let Some(inner) = downcast::<Self>(&*self.inner) {
            let [rows, cols] = inner.within([rows, cols])?;
            return inner.open_selected(path, [&rows, &cols]);
        }
        let [rows, cols] = self.inner.selected(path, [rows, cols])?;
        Ok(Box::new(Slice::new(self.inner.open(path)?, &rows, &cols)?))
    }

    /// Returns the whole collection of which another one may be a slice, or a slice of a slice, and the positions of
    /// the selected rows and columns in it.
    pub(crate) fn flatten(collection: &dyn Collection) -> Result<FlatSlice<'_>> {
        let Some(outer) = downcast::<Self>(collection) else {
            return Ok(FlatSlice { whole: collection, selected: None, notes: Vec::new() });
        };
        let inner = Self::flatten(&*outer.inner)?;
        let slice = outer.slice(outer.inner.axes()?)?;
        let of_axis = |axis| slice.ranges(axis);
        let ranges = [of_axis(Axis::Rows), of_axis(Axis::Cols)];
        let selected = match inner.selected {
            None => ranges,
            Some([rows, cols]) => [compose(&rows, &ranges[0]), compose(&cols, &ranges[1])],
        };
        Ok(FlatSlice { whole: inner.whole, selected: Some(selected), notes: slice.notes() })
    }
}

/// A whole collection, and the selected rows and columns.
pub(crate) struct FlatSlice<'a> {
    pub(crate) whole: &'a dyn Collection,
    /// The positions of rows and of columns; `None` for everything.
    selected: Option<[Vec<Range<u64>>; 2]>,
    /// Notes on how rows and columns were found.
    pub(crate) notes: Vec<String>,
}

impl FlatSlice<'_> {
    /// Returns the selections of rows and of columns; `None` for everything.
    pub(crate) fn selections(&self) -> Option<[Selection; 2]> {
        let of_axis =
            |ranges: &Vec<Range<u64>>| Selection::ranges(ranges.iter().cloned()).allow_empty(true);
        self.selected.as_ref().map(|selected| selected.each_ref().map(of_axis))
    }
}

/// Returns the positions of an axis that are selected from positions of the axis, which is a selection itself.
fn compose(within: &[Range<u64>], selected: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut starts = Vec::with_capacity(within.len());
    let mut len = 0_u64;
    for range in within {
        starts.push(len);
        len += range.end - range.start;
    }
    let mut composed = Vec::new();
    for range in selected {
        let mut at = range.start;
        let mut number = starts.partition_point(|start| *start <= at).saturating_sub(1);
        while at < range.end {
            let (Some(range_within), Some(start)) = (within.get(number), starts.get(number)) else {
                break;
            };
            let first = range_within.start + (at - start);
            let end = range_within.end.min(first + (range.end - at));
            if first < end {
                composed.push(first..end);
                at += end - first;
            }
            number += 1;
        }
    }
    composed
}

impl Collection for CollectionSlice {
    fn info(&self) -> &'static FormatInfo {
        self.inner.info()
    }

    fn place(&self) -> Place {
        self.inner.place()
    }

    fn bytes(&self) -> Option<u64> {
        // The size of the source is not the size of the selection.
        None
    }

    fn members(&self) -> Result<Vec<Member>> {
        let [rows, cols] = &self.selected;
        self.inner.check_selected([rows, cols])?;
        let shape = self.axes()?.header().shape;
        let mut members = self.inner.members()?;
        for member in &mut members {
            // Axes of its own, some rows and columns of which belong to the selected ones.
            if member.shape.len() == 2 && member.axes.iter().all(Option::is_none) {
                let shape = self.open(&member.path)?.header().shape;
                member.shape = vec![shape.rows, shape.cols];
            }
            for (extent, axis) in member.shape.iter_mut().zip(&member.axes) {
                *extent = axis.map_or(*extent, |axis| shape.len(axis));
            }
        }
        Ok(members)
    }

    fn open(&self, path: &str) -> Result<Box<dyn MatrixSource>> {
        let [rows, cols] = &self.selected;
        self.open_selected(path, [rows, cols])
    }

    fn selected(&self, path: &str, selections: [&Selection; 2]) -> Result<[Selection; 2]> {
        let [rows, cols] = self.within(selections)?;
        self.inner.selected(path, [&rows, &cols])
    }

    fn is_several(&self) -> bool {
        self.inner.is_several()
    }

    fn check_selected(&self, selections: [&Selection; 2]) -> Result<()> {
        self.inner.check_selected(selections)
    }

    fn has_main(&self) -> Result<bool> {
        self.inner.has_main()
    }

    fn main(&self) -> Result<Box<dyn MatrixSource>> {
        Ok(Box::new(self.slice(self.inner.main()?)?))
    }

    fn axes(&self) -> Result<Box<dyn MatrixSource>> {
        let [rows, cols] = &self.selected;
        self.inner.check_selected([rows, cols])?;
        Ok(Box::new(self.slice(self.inner.axes()?)?))
    }

    fn contents(&self) -> Result<Option<Contents>> {
        let [rows, cols] = &self.selected;
        let contents = self.inner.contents()?;
        contents.map(|contents| contents.slice([rows, cols])).transpose()
    }

    fn diff(
        &self,
        _: &dyn Collection,
        _: &DiffOptions,
        _: &Context,
        _: &mut dyn FnMut(ElementDifference),
    ) -> Result<bool> {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::compose;

    #[test]
    #[allow(clippy::single_range_in_vec_init, reason = "a selection of one range")]
    fn selections_of_selections_are_positions_of_the_whole() {
        let composed = |within: &[_], selected: &[_]| compose(within, selected);
        assert_eq!(composed(&[10..13, 2..4], &[1..5]), [11..13, 2..4]);
        assert_eq!(composed(&[10..13, 2..4], &[4..5, 0..1]), [3..4, 10..11]);
        assert_eq!(composed(&[5..5, 7..9], &[0..2]), [7..9]);
        assert_eq!(composed(&[5..9], &[]), []);
        assert_eq!(composed(&[], &[]), []);
    }
}
