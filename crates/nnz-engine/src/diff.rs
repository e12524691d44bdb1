//! Comparing two matrices.

mod alike;
mod by_name;
mod columns;
mod unstored;

use nnz_core::{
    Axis, Error, MatrixSource, Order, Place, Placed, Result, Rounding, Scalar, Shape, Structure,
    ValueType,
};
use nnz_storage::TaskContext;

use crate::convert::locate;
use crate::entry_reader::{Entry, EntryReader, read_in_storage_order, read_sorted};
use crate::flow::Workers;
use crate::sort::SortPlan;
use crate::stages::{Builder, DropValue, Step, expand};
use crate::{Observed, Selection, Slice};
use alike::RunComparison;
pub use by_name::{MatchedNames, match_names};
pub use columns::{ElementValue, diff_columns};
use unstored::{Gaps, Unstored};

/// Options of a comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DiffOptions {
    /// Whether stored entries are compared, including explicit zeros, instead of elements.
    pub stored: bool,
    /// Whether rows and columns are matched by name, so that matrices that differ in their order are equal.
    pub by_name: bool,
    /// Maximum number of differences.
    pub max_diffs: usize,
}

nnz_core::setters! {
    DiffOptions {
        stored: bool,
        by_name: bool,
        max_diffs: usize,
    }
}

/// Compares elements, up to ten differences.
impl Default for DiffOptions {
    fn default() -> Self {
        Self { stored: false, by_name: false, max_diffs: 10 }
    }
}

/// One difference between two matrices.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Difference {
    /// The shapes differ; nothing else is compared.
    Shape(Shape, Shape),
    /// They are tensors that differ.
    Tensor,
    /// A name of an axis differs.
    Names(Axis),
    /// Only one of the matrices has a name, which is only reported if rows and columns are matched by name.
    Name {
        /// The axis.
        axis: Axis,
        /// The name in the first matrix.
        first: Option<String>,
        /// The name in the second matrix.
        second: Option<String>,
    },
    /// The fill values differ, which is only reported if stored entries are compared; `None` for
    /// zero.
    Fill(Option<Scalar>, Option<Scalar>),
    /// Entries differ; `None` for a missing one.
    Entry {
        /// The row.
        row: u64,
        /// The column.
        col: u64,
        /// The value in the first matrix.
        first: Option<Scalar>,
        /// The value in the second matrix.
        second: Option<Scalar>,
    },
}

/// Compares two matrices and passes the first differences to `each`.
///
/// All elements are compared by their numbers, whatever their type and storage order, and names if both
/// matrices have them. A stored entry that is equal to the fill
/// value (zero by default) equals an element that is not stored, and entries that follow from a symmetry are
/// included; with [`stored`](DiffOptions::stored), neither is the case. If the fill values differ, elements
/// that neither matrix stores differ. Differences have the positions of the first matrix.
///
/// # Errors
///
/// Fails if one of them cannot be read or is broken, and, if rows or columns are matched by name, if a name is repeated.
pub fn diff(
    sources: [&dyn MatrixSource; 2],
    options: &DiffOptions,
    context: &TaskContext,
    each: &mut dyn FnMut(Difference),
) -> Result<()> {
    let [first, second] = sources.map(|source| source.header().nnz);
    let total = first.zip(second).map(|(first, second)| first.saturating_add(second));
    let context = &context.in_part("comparing", total);
    let [first, second] =
        sources.map(|source| Observed::new(source, "comparing", context.progress()));
    compare([&first, &second], options, each, context)
}

fn compare(
    sources: [&dyn MatrixSource; 2],
    options: &DiffOptions,
    each: &mut dyn FnMut(Difference),
    context: &TaskContext,
) -> Result<()> {
    let places = sources.map(|source| source.place());
    let [a, b] = sources;
    let shapes = [a.header().shape, b.header().shape];
    if shapes[0] != shapes[1] {
        each(Difference::Shape(shapes[0], shapes[1]));
    }
    if options.by_name {
        return diff_by_name(sources, options, each, context);
    }
    if shapes[0] != shapes[1] {
        return Ok(());
    }
    for axis in [Axis::Rows, Axis::Cols] {
        if names_differ([a, b], axis)? {
            each(Difference::Names(axis));
        }
    }
    let fills = [a, b].map(|source| source.header().fill);
    let unstored = if options.stored {
        let alike = match fills {
            [Some(x), Some(y)] => same(x, y),
            fills => fills == [None, None],
        };
        if !alike {
            each(Difference::Fill(fills[0], fills[1]));
        }
        Unstored::Passed
    } else {
        Unstored::of([a.header(), b.header()])
    };
    // In the order of the first matrix, so that at most the second has to be sorted.
    let order = a.header().own_order().unwrap_or(Order::Col);
    let comparison = Comparison { sources: [a, b], places, order, unstored, options, context };
    // In storage order if that is sorted, otherwise sorted.
    let found = match comparison.run(false)? {
        Some(found) => found,
        None => comparison.run(true)?.unwrap_or_default(),
    };
    found.into_iter().for_each(each);
    Ok(())
}

/// Compares two matrices after the rows and columns of the second one are put into the order of the first one. If names
/// are missing in one of them, only those are differences. An axis without names is compared by position.
fn diff_by_name(
    sources: [&dyn MatrixSource; 2],
    options: &DiffOptions,
    each: &mut dyn FnMut(Difference),
    context: &TaskContext,
) -> Result<()> {
    let mut orders = [Selection::all(), Selection::all()];
    let mut differ = false;
    for (axis, order) in [Axis::Rows, Axis::Cols].into_iter().zip(&mut orders) {
        match match_names(sources, axis, context.memory())? {
            MatchedNames::InPlace => {}
            MatchedNames::Moved(selection) => *order = selection,
            MatchedNames::Different { first_only, second_only } => {
                differ = true;
                missing_names(axis, first_only, second_only, options.max_diffs)
                    .for_each(&mut *each);
            }
        }
    }
    let [first, second] = sources;
    if differ || first.header().shape != second.header().shape {
        return Ok(());
    }
    let [rows, cols] = &orders;
    let second = Slice::new(Box::new(second), rows, cols)?;
    let second = Placed::new(Box::new(second), sources[1].place());
    compare([first, &second], &options.clone().by_name(false), each, context)
}

/// Returns the differences of names that only one of two matrices has, up to `max_diffs` of each.
pub fn missing_names(
    axis: Axis,
    first_only: Vec<String>,
    second_only: Vec<String>,
    max_diffs: usize,
) -> impl Iterator<Item = Difference> {
    let first = first_only.into_iter().take(max_diffs).map(move |name| Difference::Name {
        axis,
        first: Some(name),
        second: None,
    });
    let second = second_only.into_iter().take(max_diffs).map(move |name| Difference::Name {
        axis,
        first: None,
        second: Some(name),
    });
    first.chain(second)
}

/// Compares the names of an axis, if both matrices have them. All names are read in any case.
fn names_differ(sources: [&dyn MatrixSource; 2], axis: Axis) -> Result<bool> {
    let places = &sources.map(|source| source.place());
    let [first, second] =
        [0, 1].map(|which| move |error: Error| error.with_context(&places[which]));
    let mut a = sources[0].read_names(axis).map_err(first)?;
    let mut b = sources[1].read_names(axis).map_err(second)?;
    let mut differ = false;
    if let (Some(a), Some(b)) = (&mut a, &mut b) {
        loop {
            let pair = (a.next_string().map_err(first)?, b.next_string().map_err(second)?);
            differ |= pair.0 != pair.1;
            if pair.0.is_none() || pair.1.is_none() {
                break;
            }
        }
    }
    a.map_or(Ok(()), |mut names| names.drain()).map_err(first)?;
    b.map_or(Ok(()), |mut names| names.drain()).map_err(second)?;
    Ok(differ)
}

/// Two matrices to be compared in one order.
struct Comparison<'a> {
    sources: [&'a dyn MatrixSource; 2],
    places: [Place; 2],
    order: Order,
    unstored: Unstored,
    options: &'a DiffOptions,
    context: &'a TaskContext,
}

impl Comparison<'_> {
    /// Compares entries; `None` if they are not sorted as assumed.
    fn run(&self, sort: bool) -> Result<Option<Vec<Difference>>> {
        let directory = self.context.temporary_directory();
        let meanings = self.sources.map(|source| meaning(source, self.unstored));
        let mut readers = Vec::with_capacity(2);
        for ((which, source), (steps, value_type)) in (0..).zip(self.sources).zip(&meanings) {
            let header = source.header();
            let fits = header.order == self.order && header.structure == Structure::General;
            let as_they_come = fits && source.rereadable() && header.sorted_majors && !sort;
            let reader = if as_they_come {
                read_in_storage_order(source, steps)?
            } else {
                let (memory, workers) = (self.context.memory(), Workers::of(self.context));
                let plan = SortPlan {
                    value_type: Some(*value_type),
                    ..SortPlan::of(source, self.order, memory / 2, &directory, workers)
                };
                read_sorted(source, steps, plan).map_err(|error| self.explain(error, which))?
            };
            readers.push(EntryReader::new(reader, self.order, source, Workers::of(self.context)));
        }
        self.compare(&mut readers, sort)
    }

    fn explain(&self, error: Error, which: usize) -> Error {
        locate(error, self.sources[which]).with_context(&self.places[which])
    }

    /// Reads both side by side.
    fn compare(
        &self,
        readers: &mut [EntryReader<'_>],
        sorted: bool,
    ) -> Result<Option<Vec<Difference>>> {
        let mut found = Vec::new();
        let fills = self.sources.map(|source| source.header().fill);
        let mut gaps = Gaps::new(self.sources[0].header().shape, self.order, self.unstored);
        let neither = |(major, minor)| {
            let (row, col) = self.order.row_col(major, minor);
            Difference::Entry { row, col, first: fills[0], second: fills[1] }
        };
        let mut alike = RunComparison::default();
        let next = |readers: &mut [EntryReader<'_>], which: usize| {
            readers[which].next().map_err(|error| self.explain(error, which))
        };
        let (mut a, mut b) = (next(readers, 0)?, next(readers, 1)?);
        // Differences are valid only if all entries were in order.
        while found.len() < self.options.max_diffs || !sorted {
            let place = |entry: &Option<Entry>| entry.map(|(place, _)| place);
            let (at, first, second) = match (place(&a), place(&b)) {
                (None, None) => {
                    let left = self.options.max_diffs.saturating_sub(found.len());
                    found.extend(gaps.rest(left).into_iter().map(neither));
                    break;
                }
                (Some(at), None) => (at, true, false),
                (None, Some(at)) => (at, false, true),
                (Some(x), Some(y)) => (x.min(y), x <= y, y <= x),
            };
            let take = |entry: Option<Entry>, wanted: bool| {
                entry.filter(|_| wanted).map(|(_, value)| value)
            };
            let (x, y) = (take(a, first), take(b, second));
            let left = self.options.max_diffs.saturating_sub(found.len());
            let (fresh, before) = gaps.reach(at, left);
            found.extend(before.into_iter().map(neither));
            if !self.unstored.alike(x, y, fresh) && found.len() < self.options.max_diffs {
                let (row, col) = self.order.row_col(at.0, at.1);
                let (first, second) = match self.unstored {
                    Unstored::Two(_) => (x.or(fills[0]), y.or(fills[1])),
                    _ => (x, y),
                };
                found.push(Difference::Entry { row, col, first, second });
            }
            // If one entry is equal in both, the next may be, too.
            let last = match (&mut *readers, self.unstored) {
                ([a, b], Unstored::Passed | Unstored::One(_)) if first && second => {
                    alike.pass(a, b, at)
                }
                _ => at,
            };
            for (which, taken, entry) in [(0, first, &mut a), (1, second, &mut b)] {
                if taken {
                    *entry = next(&mut *readers, which)?;
                    if place(entry).is_some_and(|place| place < last) {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(found))
    }
}

/// Returns the steps from stored entries to elements, and the type of values after them.
fn meaning(source: &dyn MatrixSource, unstored: Unstored) -> (Vec<Box<dyn Step>>, ValueType) {
    let header = source.header();
    if unstored == Unstored::Passed {
        return (Vec::new(), header.value_type);
    }
    let (mut steps, value_type) = expand(header);
    if let Unstored::One(value) = unstored {
        // A negative zero as fill value is zero, but not the same number.
        let builder = Builder::new(header.order, header.shape);
        if let Some(drop) = DropValue::of_type(builder, value_type, value) {
            steps.push(Box::new(drop));
        }
    }
    (steps, value_type)
}

/// A difference between two files with several elements.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElementDifference {
    /// The path of the element in both files.
    pub path: String,
    /// The difference.
    pub what: ElementChange,
}

impl ElementDifference {
    /// Creates a difference of the element at a path.
    #[must_use]
    pub fn new(path: String, what: ElementChange) -> Self {
        Self { path, what }
    }
}

/// The difference of an element.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElementChange {
    /// Only the first file has it.
    FirstOnly,
    /// Only the second file has it.
    SecondOnly,
    /// They are matrices with this difference.
    Matrix(Difference),
    /// They are tables of different lengths.
    Shape {
        /// The shape in the first file.
        first: String,
        /// The shape in the second file.
        second: String,
    },
    /// They are of different kinds or types, or arrays of different lengths.
    Kind {
        /// The description in the first file.
        first: String,
        /// The description in the second file.
        second: String,
    },
    /// A value differs; `-` for a missing one.
    Value {
        /// The position of the value, or of the row of a table; `None` if there is only one.
        position: Option<u64>,
        /// The value in the first file.
        first: String,
        /// The value in the second file.
        second: String,
    },
}

/// Returns whether two values are the same number, including the sign of zero and the payload of NaN.
#[must_use]
pub fn same_value(a: Scalar, b: Scalar) -> bool {
    same(a, b)
}

fn same(a: Scalar, b: Scalar) -> bool {
    // Common types, as this is called for each entry.
    match (a, b) {
        (Scalar::U32(a), Scalar::U32(b)) => return a == b,
        (Scalar::F32(a), Scalar::F32(b)) => return a.to_bits() == b.to_bits(),
        (Scalar::F64(a), Scalar::F64(b)) => return a.to_bits() == b.to_bits(),
        (Scalar::U32(a), Scalar::I64(b)) | (Scalar::I64(b), Scalar::U32(a)) => {
            return i64::from(a) == b;
        }
        _ => {}
    }
    let bits = |value: Scalar| value.repeat(1).bytes().to_vec();
    let equals = |from: Scalar, to: Scalar| {
        let cast = from.cast(to.value_type(), Rounding::Refused);
        cast.is_ok_and(|value| bits(value) == bits(to))
    };
    equals(a, b) || equals(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_different_types_are_compared() {
        assert!(same(Scalar::U32(3), Scalar::F64(3.0)));
        assert!(same(Scalar::I64(-1), Scalar::F32(-1.0)));
        assert!(!same(Scalar::F32(0.1), Scalar::F64(0.1)));
        assert!(!same(Scalar::F64(0.0), Scalar::F64(-0.0)));
        assert!(same(Scalar::F64(f64::NAN), Scalar::F64(f64::NAN)));
        assert!(same(Scalar::U64(1 << 40), Scalar::I64(1 << 40)));
        assert!(!same(Scalar::U64(u64::MAX), Scalar::I64(-1)));
        assert!(!same(Scalar::ComplexF64([1.0, 1.0]), Scalar::F64(1.0)));
    }
}
