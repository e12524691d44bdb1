//! Sums of the rows or columns of each group.

use crate::flow::Workers;
use nnz_storage::TaskContext;
use std::sync::{Mutex, PoisonError};

use nnz_core::{
    Axis, Batch, Duplicates, Error, ErrorKind, MatrixSource, Place, Result, Unit, ValueType,
};

use super::duplicates::{DuplicateCheck, UnitEnds, several_entries};
use super::entries::{Buffers, Entries, pass};
use super::float::complex;
use super::product::total;
use crate::accumulators::{Accumulators, TOGETHER, count_of};
use crate::check::Ascent;
use crate::flow::{Done, Join, Work};
use crate::summed::Summed;

/// Function applied to the elements of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aggregation {
    /// The sum.
    #[default]
    Sum,
    /// The sum, divided by the number of rows or columns in the group.
    Mean,
    /// The number of elements that are not zero.
    CountNonzero,
    /// The variance, with the number of rows or columns minus 1 in the denominator: NaN for a single one.
    Variance,
}

/// Numbers that are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    Values,
    Squares,
    Nonzero,
}

impl Term {
    fn of(self, value: f64) -> f64 {
        match self {
            Self::Values => value,
            Self::Squares => value * value,
            Self::Nonzero => f64::from(value != 0.0),
        }
    }
}

impl Aggregation {
    /// Returns what it is computed from.
    fn terms(self) -> &'static [Term] {
        match self {
            Self::Sum | Self::Mean => &[Term::Values],
            Self::CountNonzero => &[Term::Nonzero],
            Self::Variance => &[Term::Values, Term::Squares],
        }
    }
}

/// Computes numbers for each group of the rows, or of the columns, of a matrix, and each element of the other axis, in one pass.
/// Returns a list for each function, by group: all numbers of the first group come first.
///
/// `codes` has the number of the group of each row or column, counted from 0; those with `None` are left out. The
/// result is the same for any number of threads.
///
/// ```
/// use nnz_core::{Axis, Order, Shape};
/// use nnz_engine::TaskContext;
/// use nnz_engine::compute::{Aggregation, aggregate};
///
/// // 1 . 2
/// // . . 3
/// let shape = Shape { rows: 2, cols: 3 };
/// let matrix =
///     nnz_engine::CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3], vec![0_u32, 2, 2], vec![1_u32, 2, 3])?;
/// let codes = [Some(1), None, Some(1)];
/// let context = TaskContext::default();
/// let source = matrix.into_source()?;
/// let found = aggregate(&*source, Axis::Cols, (&codes, 2), &[Aggregation::Sum, Aggregation::Mean], &context)?;
/// assert_eq!(found[0], [0.0, 0.0, 3.0, 3.0]);
/// assert_eq!(found[1][2..], [1.5, 1.5]);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the number of codes is not the number of rows or columns, if the matrix cannot be read or is broken, if it
/// has complex numbers or a fill value, if sums of integers are so large, 2^53 or more, that they may be rounded, if the
/// result takes more memory than allowed, and if cancelled. Counts and variances fail if an element has several entries, which
/// the format sums.
pub fn aggregate(
    source: &dyn MatrixSource,
    axis: Axis,
    (codes, groups): (&[Option<u32>], u32),
    functions: &[Aggregation],
    context: &TaskContext,
) -> Result<Vec<Vec<f64>>> {
    let place = &source.place();
    check_groups(source, axis, (codes, groups), "aggregating")?;
    let mut terms: Vec<Term> = Vec::new();
    for term in functions.iter().flat_map(|function| function.terms()) {
        if !terms.contains(term) {
            terms.push(*term);
        }
    }
    let by_element = terms.iter().any(|term| *term != Term::Values);
    let summed = by_element.then(|| Summed::of_unordered(Box::new(source), context));
    let source = summed.as_deref().unwrap_or(source);
    let header = source.header();
    let width = usize::try_from(header.shape.len(axis.other())).unwrap_or(usize::MAX);
    let count = usize::try_from(groups).unwrap_or(usize::MAX);
    let each = width.saturating_mul(count);
    let sums = each.saturating_mul(terms.len().max(1));
    let sets = count_of(sums.saturating_mul(size_of::<f64>())).saturating_add(functions.len());
    let needed = (sums.saturating_mul(sets) as u64).saturating_mul(size_of::<f64>() as u64);
    if needed > context.result_memory() {
        let kind = ErrorKind::Memory { needed, allowed: context.result_memory() };
        return Err(Error::new(kind, place.clone()));
    }
    let by_group = header.order.major() == axis;
    let is_added = functions.iter().any(|one| matches!(one, Aggregation::Sum | Aggregation::Mean));
    let integers = header.value_type.is_integer() && is_added;
    let is_open = by_element && header.sorted_indices != Some(true);
    let work = GroupSums {
        entries: Entries::new(source),
        codes,
        stride: if by_group { width } else { count },
        by_group,
        terms: &terms,
        each,
        checks: is_open && header.duplicates == Duplicates::Summed,
        measures: integers && is_signed(header.value_type),
        magnitude: Mutex::new(0.0),
        accumulators: Accumulators::new(count_of(sums * size_of::<f64>()), || vec![0.0; sums]),
    };
    let refused = is_open && header.duplicates == Duplicates::Refused;
    let mut checks = UnitCheck {
        source,
        number: 0,
        duplicates: DuplicateCheck::default(),
        ascent: refused.then(|| Ascent::new(source)),
    };
    let located = |error: Error| crate::convert::locate(error, source).with_context(place);
    pass(source, &work, &mut checks, &mut Done, Workers::of(context)).map_err(located)?;
    match checks.ascent {
        Some(ascent) if !ascent.ascends() && !source.rereadable() => {
            return Err(located(several_entries()));
        }
        Some(ascent) => ascent.finish(source, context).map_err(located)?,
        None => {}
    }
    let sums = total(work.accumulators);
    let sums_of = |wanted: Term| {
        let at = terms.iter().position(|term| *term == wanted).unwrap_or_default();
        let sums = &sums[at * each..][..each];
        if by_group { sums.to_vec() } else { exchanged(sums, count) }
    };
    let magnitude = work.magnitude.into_inner().unwrap_or_else(PoisonError::into_inner);
    if work.measures && magnitude >= EXACT {
        let what =
            "the absolute values of these integers add up to 2^53 or more, so sums may be rounded";
        return Err(Error::unsupported(place.clone(), what));
    }
    if integers {
        check_exact(&sums_of(Term::Values)).map_err(|error| error.with_context(place))?;
    }
    let sizes = sizes(codes, count);
    let computed = |function: &Aggregation| match function {
        Aggregation::Sum => sums_of(Term::Values),
        Aggregation::CountNonzero => sums_of(Term::Nonzero),
        Aggregation::Mean => {
            let mut means = sums_of(Term::Values);
            for (means, size) in means.chunks_exact_mut(width.max(1)).zip(&sizes) {
                means.iter_mut().for_each(|mean| *mean /= size);
            }
            means
        }
        Aggregation::Variance => {
            let (sums, mut squares) = (sums_of(Term::Values), sums_of(Term::Squares));
            let groups =
                squares.chunks_exact_mut(width.max(1)).zip(sums.chunks_exact(width.max(1)));
            for ((squares, sums), size) in groups.zip(&sizes) {
                for (square, sum) in squares.iter_mut().zip(sums) {
                    // It may be less than zero by rounding. NaN stays NaN.
                    let spread = *square - sum * (sum / size);
                    *square = if spread < 0.0 { 0.0 } else { spread } / (size - 1.0);
                }
            }
            squares
        }
    };
    Ok(functions.iter().map(computed).collect())
}

/// Checks that groups fit a matrix, and that it has values to compute with. `what` is the name of that.
pub(super) fn check_groups(
    source: &dyn MatrixSource,
    axis: Axis,
    (codes, groups): (&[Option<u32>], u32),
    what: &str,
) -> Result<()> {
    let header = source.header();
    let grouped = header.shape.len(axis);
    if codes.len() as u64 != grouped {
        return Err(Error::argument(format!("{} group codes for {grouped} {axis}", codes.len())));
    }
    if let Some(code) = codes.iter().flatten().find(|code| **code >= groups) {
        return Err(Error::argument(format!(
            "group code {code} is out of bounds: expected less than {groups}"
        )));
    }
    check_values(source, what)
}

/// Checks that a matrix has values to compute with. `what` is the name of that.
pub(super) fn check_values(source: &dyn MatrixSource, what: &str) -> Result<()> {
    let header = source.header();
    if header.value_type.is_complex() {
        return Err(complex().with_context(&source.place()));
    }
    if header.fill.is_some() && header.storage == nnz_core::Storage::Sparse {
        let what = format!("{what} a matrix with a fill value other than zero is not supported");
        return Err(Error::unsupported(source.place(), what));
    }
    Ok(())
}

/// 2^53: `f64` has all integers below.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

fn is_signed(value_type: ValueType) -> bool {
    matches!(value_type, ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64)
}

/// Refuses sums of integers that may be rounded. Sums of unsigned integers only grow, so that a rounded partial sum is
/// found in the total.
fn check_exact(sums: &[f64]) -> Result<()> {
    match sums.iter().find(|sum| sum.abs() >= EXACT) {
        Some(sum) => {
            let what = format!("an integer sum of {sum}: sums of 2^53 or more may be rounded");
            Err(Error::unsupported(Place::default(), what))
        }
        None => Ok(()),
    }
}

/// Returns rows of `width` numbers as columns.
fn exchanged(numbers: &[f64], width: usize) -> Vec<f64> {
    let columns = 0..width;
    columns.flat_map(|column| numbers.iter().skip(column).step_by(width.max(1)).copied()).collect()
}

/// Returns the number of rows or columns of each group.
#[allow(clippy::cast_precision_loss, reason = "there are fewer than 2^53")]
fn sizes(codes: &[Option<u32>], groups: usize) -> Vec<f64> {
    let mut sizes = vec![0_u64; groups];
    for code in codes.iter().flatten() {
        if let Some(size) = usize::try_from(*code).ok().and_then(|code| sizes.get_mut(code)) {
            *size += 1;
        }
    }
    sizes.into_iter().map(|size| size as f64).collect()
}

/// A matrix whose rows or columns are added to the sums of their groups.
struct GroupSums<'a> {
    entries: Entries<f64>,
    codes: &'a [Option<u32>],
    /// The length of a row of the sums.
    stride: usize,
    /// Whether the sums have a row for each group; otherwise, there is one for each element of the other axis.
    by_group: bool,
    /// The terms to add up, each into its own sums.
    terms: &'a [Term],
    /// The number of sums of each term.
    each: usize,
    /// Whether elements with several entries are an error.
    checks: bool,
    /// Whether values are integers with a sign, of which large ones may cancel after they were rounded.
    measures: bool,
    /// The sum of all values without their signs.
    magnitude: Mutex<f64>,
    accumulators: Accumulators<Vec<f64>>,
}

/// Entries, and the ends of each unit if duplicates are an error.
type Units = Vec<(Buffers<f64>, UnitEnds)>;

/// Numbers units, and checks that rows or columns do not continue with an earlier index.
struct UnitCheck<'a> {
    source: &'a dyn MatrixSource,
    number: u64,
    duplicates: DuplicateCheck,
    /// For a format that does not allow duplicates.
    ascent: Option<Ascent>,
}

impl Join<GroupSums<'_>> for UnitCheck<'_> {
    fn join(&mut self, units: &Units) -> Result<Option<u64>> {
        units.iter().try_for_each(|(_, ends)| self.duplicates.add(ends, self.source))?;
        if let Some(ascent) = &mut self.ascent {
            units.iter().for_each(|(buffers, _)| ascent.watch(&buffers.batch));
        }
        self.number += 1;
        Ok(Some(self.number - 1))
    }
}

impl Work for GroupSums<'_> {
    type Batch = Batch;
    type Decoded = Units;
    type Encoded = ();
    type Joint = u64;

    fn together(&self) -> usize {
        TOGETHER
    }

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Units, Vec<u64>)> {
        let (decoded, stored) = self.entries.decode(units)?;
        let mut found = Vec::with_capacity(decoded.len());
        for buffers in decoded {
            let ends = UnitEnds::default();
            if self.checks {
                ends.find(&buffers.batch)?;
            }
            found.push((buffers, ends));
        }
        Ok((found, stored))
    }

    fn encode(&self, mut units: Units, number: u64) -> Result<()> {
        let prepared = units.iter_mut().try_for_each(|(buffers, _)| self.entries.prepare(buffers));
        let mut magnitude = 0.0;
        // Its turn passes also if it failed: others wait for it.
        self.accumulators.add(number, |sums| {
            prepared?;
            units.iter().try_for_each(|(buffers, _)| {
                buffers.for_each(|major, values, minors| {
                    if self.measures {
                        magnitude += values.iter().map(|value| value.abs()).sum::<f64>();
                    }
                    self.terms.iter().enumerate().all(|(at, term)| {
                        let sums = &mut sums[at * self.each..][..self.each];
                        let mut add = |sum: &mut f64, value: f64| *sum += term.of(value);
                        let done = if self.by_group {
                            self.add_to_group(sums, major, (values, minors), &mut add)
                        } else {
                            self.add_by_group(sums, major, (values, minors), &mut add)
                        };
                        done.is_some()
                    })
                })
            })
        })?;
        *self.magnitude.lock().unwrap_or_else(PoisonError::into_inner) += magnitude;
        units.into_iter().for_each(|(buffers, _)| self.entries.reuse(buffers));
        Ok(())
    }
}

impl GroupSums<'_> {
    /// Adds the entries of a row or column to the sums of its group; `None` if one is outside of the matrix.
    fn add_to_group(
        &self,
        sums: &mut [f64],
        major: u64,
        (values, minors): (&[f64], &[u32]),
        add: &mut impl FnMut(&mut f64, f64),
    ) -> Option<()> {
        let code = *self.codes.get(usize::try_from(major).ok()?)?;
        let Some(code) = code else { return Some(()) };
        let sums = row(sums, code.into(), self.stride)?;
        for (value, minor) in values.iter().zip(minors) {
            add(sums.get_mut(*minor as usize)?, *value);
        }
        Some(())
    }

    /// Adds the entries of an element of the other axis, each to its group.
    fn add_by_group(
        &self,
        sums: &mut [f64],
        major: u64,
        (values, minors): (&[f64], &[u32]),
        add: &mut impl FnMut(&mut f64, f64),
    ) -> Option<()> {
        let sums = row(sums, major, self.stride)?;
        for (value, minor) in values.iter().zip(minors) {
            if let Some(code) = self.codes.get(*minor as usize)? {
                add(sums.get_mut(*code as usize)?, *value);
            }
        }
        Some(())
    }
}

/// Returns a row of sums; `None` if there is no such row.
fn row(sums: &mut [f64], number: u64, stride: usize) -> Option<&mut [f64]> {
    let start = usize::try_from(number).ok()?.checked_mul(stride)?;
    sums.get_mut(start..)?.get_mut(..stride)
}
