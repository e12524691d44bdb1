//! Selected rows and columns of any matrix, in any order.

mod few;
mod names;
mod pick;
mod position_map;
mod selection;
mod sorter;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    Annotations, At, Axis, CopyEntries, Error, Header, MatrixSource, Names, Order, Place,
    Projection, Result, Shape, Storage, Structure, UnitReader, Wrapped,
};

use crate::annotations;
use crate::parts::{Gathering, InParts, Next, Open, Steps};
use crate::stages::{Mirroring, Step, mirror, stays_shared};
use few::{ShortStretches, few, undivided};
use pick::{Majors, Pick};
use position_map::{PositionMap, Stretch};
use selection::ResolvedSelection;
pub use selection::{NameCache, NameIndex, Selection, matching};
pub(crate) use selection::{Pattern, comparison, describe_nothing, nothing_selected, one_of_kind};

/// The selected rows and columns of a matrix, in the order of the selection.
///
/// From a source with random access, only the selected majors are read. A source that is read from
/// start to end is filtered; entries that follow from a symmetry are added first.
///
/// ```
/// use nnz_core::{Axis, MatrixSource, Order, Shape};
/// use nnz_engine::{CsMatrix, Selection, Slice};
///
/// let shape = Shape { rows: 2, cols: 3 };
/// let matrix =
///     CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3], vec![0_u32, 2, 2], vec![1.0, 2.0, 3.0])?
///         .with_names(Axis::Rows, ["CD3E", "CD8A"])?;
/// let (genes, cells) = (Selection::names(["CD8A"]), Selection::ranges([0..2]));
/// let slice = Slice::new(matrix.into_source()?, &genes, &cells)?;
/// assert_eq!(slice.header().shape.to_string(), "1 x 2");
/// # Ok::<(), nnz_core::Error>(())
/// ```
pub struct Slice<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    place: Place,
    /// Rows and columns.
    picked: [Arc<PositionMap>; 2],
    header: Header,
    /// Notes on how rows and columns were found.
    notes: Vec<String>,
}

impl std::fmt::Debug for Slice<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slice").field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> Slice<'a> {
    /// Selects rows and columns of a matrix.
    ///
    /// # Errors
    ///
    /// Fails if a selected row or column does not exist, is selected twice, or is ambiguous, if a selection selects
    /// nothing and [may not](Selection::allow_empty), and if names are needed and cannot be read.
    pub fn new(
        inner: Box<dyn MatrixSource + 'a>,
        rows: &Selection,
        cols: &Selection,
    ) -> Result<Self> {
        let place = inner.place();
        let resolve = |selection: &Selection, axis| {
            selection.resolve(&*inner, axis).map_err(|error| error.with_context(&place))
        };
        let independent = Selection::independent([rows, cols]);
        let [rows, cols] = independent.as_ref().map_or([rows, cols], <[Selection; 2]>::each_ref);
        let resolved = [resolve(rows, Axis::Rows)?, resolve(cols, Axis::Cols)?];
        Self::of(inner, resolved)
    }

    /// Selects rows and columns of a matrix in the order of the matrix. Ranges may extend past the
    /// end.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](Self::new).
    pub fn in_source_order(
        inner: Box<dyn MatrixSource + 'a>,
        rows: &Selection,
        cols: &Selection,
    ) -> Result<Self> {
        let place = inner.place();
        let resolve = |selection: &Selection, axis| {
            selection.resolve_sorted(&*inner, axis).map_err(|error| error.with_context(&place))
        };
        let independent = Selection::independent([rows, cols]);
        let [rows, cols] = independent.as_ref().map_or([rows, cols], <[Selection; 2]>::each_ref);
        let resolved = [resolve(rows, Axis::Rows)?, resolve(cols, Axis::Cols)?];
        Self::of(inner, resolved)
    }

    /// Returns the position in the whole matrix of a row or column of the slice.
    #[must_use]
    pub fn origin(&self, axis: Axis, position: u64) -> Option<u64> {
        let [rows, cols] = &self.picked;
        match axis {
            Axis::Rows => rows.origin(position),
            Axis::Cols => cols.origin(position),
        }
    }

    /// Returns the positions in the whole matrix of the rows or columns of the slice, in its order.
    #[must_use]
    pub fn ranges(&self, axis: Axis) -> Vec<Range<u64>> {
        let picked = &self.picked[usize::from(axis == Axis::Cols)];
        picked.stretches().iter().map(Stretch::old).collect()
    }

    fn of(inner: Box<dyn MatrixSource + 'a>, resolved: [ResolvedSelection; 2]) -> Result<Self> {
        let place = inner.place();
        let mut notes = Vec::new();
        let picked = resolved.map(|one| {
            notes.extend(one.notes);
            Arc::new(one.picked)
        });
        Self::with_picked(inner, place, picked, notes)
    }

    fn with_picked(
        inner: Box<dyn MatrixSource + 'a>,
        place: Place,
        picked: [Arc<PositionMap>; 2],
        notes: Vec<String>,
    ) -> Result<Self> {
        let source = inner.header();
        let [major, minor] = by_order(&picked, source.order);
        let general = source.structure == Structure::General;
        let stored = match (general, minor.is_whole(), major.is_whole()) {
            (true, true, true) => source.nnz,
            (true, true, false) => {
                let old: Vec<_> = major.stretches().iter().map(Stretch::old).collect();
                inner.will_read(&old, Projection { minors: false, values: false });
                stored(&*inner, major.stretches())?
            }
            _ => None,
        };
        let in_order = inner.random_access() || major.ascends();
        let header = source
            .clone()
            .shape(Shape { rows: picked[0].len(), cols: picked[1].len() })
            .sorted_majors(source.sorted_majors && general && in_order)
            .sorted_indices(source.sorted_indices.filter(|_| general && minor.ascends()))
            .nnz(stored)
            .iso(source.iso && stays_shared(source))
            .structure(Structure::General);
        Ok(Self { inner, place, picked, header, notes })
    }

    /// Returns the steps on the entries of a piece.
    fn steps(&self, majors: Majors) -> Vec<Box<dyn Step>> {
        let source = self.inner.header();
        let [_, minor] = by_order(&self.picked, source.order);
        let mut steps: Vec<Box<dyn Step>> = mirror(source, Mirroring::Expand);
        steps.push(Box::new(Pick::new(majors, minor, self.header.shape, source.order)));
        steps
    }

    /// Opens stretches of majors; short ones together.
    fn open_stretches(&self, mut stretches: VecDeque<Stretch>, fields: Projection) -> Open<'_> {
        let inner = &*self.inner;
        let gathering =
            Gathering::new(self.header.order, self.header.shape, self.header.value_type);
        // Minors that are not in order are sorted in each batch, so that a major should be in one.
        let [_, minors] = by_order(&self.picked, self.header.order);
        let take = if minors.ascends() { few } else { undivided };
        Box::new(move || {
            if let Some((stretches, entries)) = take(inner, &mut stretches)? {
                let few = ShortStretches { slice: self, stretches, entries, fields, gathering };
                return Ok(Some(Next::Unit(Box::new(few))));
            }
            let Some(one) = stretches.pop_front() else { return Ok(None) };
            let units = self.open(one.old(), fields)?;
            let steps = Steps::new(self.place.clone(), self.steps(Majors::Moved(one)));
            Ok(Some(Next::Part(units, Arc::new(steps))))
        })
    }

    /// Starts reading a range of majors, without other minors than the selected ones if that is less work.
    fn open(&self, majors: Range<u64>, fields: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let source = self.inner.header();
        let [_, minors] = by_order(&self.picked, source.order);
        if minors.is_few() || (source.storage == Storage::Dense && !minors.is_whole()) {
            let wanted: Vec<_> = minors.sorted().iter().map(Stretch::old).collect();
            if let Some(units) = self.inner.units_within(majors.clone(), &wanted, fields)? {
                return Ok(units);
            }
        }
        self.inner.units(majors, fields)
    }

    /// Opens the whole source, to be filtered.
    fn open_all(&self, fields: Projection) -> Open<'_> {
        let mut begun = false;
        Box::new(move || {
            if std::mem::replace(&mut begun, true) {
                return Ok(None);
            }
            let source = self.inner.header();
            let units = self.inner.units(0..source.shape.major(source.order), fields)?;
            let [major, _] = by_order(&self.picked, source.order);
            let steps = self.steps(Majors::Found(Arc::clone(major)));
            Ok(Some(Next::Part(units, Arc::new(Steps::new(self.place.clone(), steps)))))
        })
    }
}

/// Returns a step that selects ranges of rows or columns, and the shape of what it selects.
pub(crate) fn selecting(
    axis: Axis,
    ranges: Vec<Range<u64>>,
    header: &Header,
) -> Result<(Box<dyn Step>, Shape)> {
    let all = |axis| std::iter::once(0..header.shape.len(axis)).collect();
    let of = |of: Axis, ranges| {
        PositionMap::new(ranges, header.shape.len(of), of.singular()).map(Arc::new)
    };
    let (some, others) = (of(axis, ranges)?, of(axis.other(), all(axis.other()))?);
    let picked = if axis == Axis::Rows { [some, others] } else { [others, some] };
    let shape = Shape { rows: picked[0].len(), cols: picked[1].len() };
    let [major, minor] = by_order(&picked, header.order);
    let step = Pick::new(Majors::Found(Arc::clone(major)), minor, shape, header.order);
    Ok((Box::new(step), shape))
}

/// Orders a pair for rows and columns as major, minor.
fn by_order(picked: &[Arc<PositionMap>; 2], order: Order) -> [&Arc<PositionMap>; 2] {
    let [rows, cols] = picked;
    match order {
        Order::Row => [rows, cols],
        Order::Col => [cols, rows],
    }
}

/// Counts the entries of majors, if that is fast.
fn stored(source: &dyn MatrixSource, stretches: &[Stretch]) -> Result<Option<u64>> {
    const CHEAP: usize = 1 << 14;
    if stretches.len() > CHEAP || !source.random_access() {
        return Ok(None);
    }
    let mut stored = 0_u64;
    for one in stretches {
        let [start, end] = [one.old().start, one.old().end].map(|at| source.stored_before(at));
        let (Some(start), Some(end)) = (start?, end?) else { return Ok(None) };
        let Some(sum) = end.checked_sub(start).and_then(|count| stored.checked_add(count)) else {
            return Ok(None);
        };
        stored = sum;
    }
    Ok(Some(stored))
}

impl MatrixSource for Slice<'_> {
    /// Positions in messages are those in the slice.
    fn place(&self) -> Place {
        let whole = self.picked.iter().all(|picked| picked.is_whole());
        self.place.clone().with_selection(self.place.selection || !whole)
    }

    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(&*self.inner)
    }

    fn is_log1p(&self) -> bool {
        self.inner.is_log1p()
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        let picked = match axis {
            Axis::Rows => &self.picked[0],
            Axis::Cols => &self.picked[1],
        };
        let Some(names) = self.inner.read_names(axis)? else { return Ok(None) };
        Ok(Some(if picked.is_whole() {
            names
        } else if picked.ascends() {
            Box::new(names::Filtered::new(names, picked))
        } else {
            Box::new(names::Reordered::new(&*self.inner, axis, picked))
        }))
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let picked = &self.picked[usize::from(axis == Axis::Cols)];
        let Some(table) = self.inner.annotations(axis)? else { return Ok(None) };
        if picked.is_whole() {
            return Ok(Some(table));
        }
        let ranges = picked.stretches().iter().map(Stretch::old).collect();
        Ok(Some(Box::new(annotations::SelectedRows::new(table, ranges))))
    }

    fn random_access(&self) -> bool {
        self.inner.random_access() && self.inner.header().structure == Structure::General
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let count = self.header.shape.major(self.header.order);
        // The positions of entries decide whether they are selected, and their values what follows
        // from them.
        let values = fields.values || self.inner.header().structure != Structure::General;
        let fields = Projection { minors: true, values };
        let open = if self.random_access() {
            self.header.check_majors(&majors)?;
            let [major, _] = by_order(&self.picked, self.header.order);
            let stretches = major.within(&majors);
            let old: Vec<_> = stretches.iter().map(Stretch::old).collect();
            self.inner.will_read(&old, fields);
            self.open_stretches(stretches, fields)
        } else if majors == (0..count) {
            self.open_all(fields)
        } else {
            let what = "a slice of a source without random access can only be read as a whole";
            return Err(Error::unsupported(self.place.clone(), what));
        };
        Ok(Box::new(InParts::new(open)))
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        let [majors, minors] = by_order(&self.picked, self.header.order);
        if !self.random_access() || !minors.is_whole() {
            return Ok(None);
        }
        let before = majors.within(&(0..major.min(majors.len())));
        stored(&*self.inner, &Vec::from(before))
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        match (self.picked[0].origin(row), self.picked[1].origin(col)) {
            (Some(row), Some(col)) => self.inner.locate(row, col),
            _ => Ok(Vec::new()),
        }
    }

    /// Rows and columns are selected before values are computed.
    fn over_copy<'b>(
        &'b self,
        selected: Option<&[Vec<Range<u64>>; 2]>,
        copy: &mut CopyEntries<'b, '_>,
    ) -> Result<Option<Box<dyn MatrixSource + 'b>>> {
        if selected.is_some() || self.inner.header().structure != Structure::General {
            return Ok(None);
        }
        let ranges = [self.ranges(Axis::Rows), self.ranges(Axis::Cols)];
        self.inner.over_copy(Some(&ranges), &mut |inner| {
            let picked = self.picked.each_ref().map(Arc::clone);
            copy(Box::new(Slice::with_picked(inner, self.place.clone(), picked, Vec::new())?))
        })
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.inner.notes();
        notes.extend(self.notes.iter().cloned());
        notes
    }

    fn is_vector(&self) -> bool {
        self.inner.is_vector() && self.header.shape.cols == 1
    }
}
