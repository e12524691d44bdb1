//! Sums, means, variances, minimum and maximum of a matrix or of each row and column.

mod counting;
mod each;
pub(crate) mod entries;
mod exact;
mod extent;
mod float;
mod minors;
mod narrow;
mod number;
mod streamed;
mod tally;

use nnz_storage::TaskContext;
use std::ops::Range;

use nnz_core::{
    Axis, Duplicates, Error, ErrorKind, Header, MatrixSource, Order, Place, Projection, Result,
    Rounding, Shape, Storage, ValueType,
};

use crate::check::{Ascent, DuplicateSearch};
use crate::flow::{Workers, run};
use crate::slice::selecting;
use crate::stages::{Builder, Cast, DropZeros, PositiveZeros, expand, expanded_type};
use crate::summed::Summed;
pub(crate) use counting::lock;
use counting::{BatchOrder, Counting, CountingWork, Tallies};
pub(crate) use each::stats_of_each;
use entries::Entries;
use minors::SharedTallies;
pub use number::Number;
use number::Value;
pub(crate) use streamed::stats_of_majors;
use tally::{Nothing, Slim, Sums, Tally};

/// Statistics to compute. Data that is not needed is not decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measures {
    /// The number of stored entries.
    Nnz,
    /// The number of elements that are not zero.
    Nonzero,
    /// The number of elements that are not zero, sum and mean.
    NonzeroSums,
    /// nnz, sum and mean.
    Sums,
    /// nnz, sum, mean and variance.
    Variance,
    /// nnz, minimum and maximum.
    Extremes,
    /// nnz, sum, mean, variance, minimum and maximum. The default.
    #[default]
    All,
}

/// Options of [`stats`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StatsOptions {
    /// Whether statistics of each row are computed.
    pub rows: bool,
    /// Whether statistics of each column are computed.
    pub cols: bool,
    /// Statistics to compute.
    pub measures: Measures,
}

nnz_core::setters! {
    StatsOptions {
        rows: bool,
        cols: bool,
        measures: Measures,
    }
}

/// The whole matrix.
impl Default for StatsOptions {
    fn default() -> Self {
        Self { rows: false, cols: false, measures: Measures::default() }
    }
}

/// Statistics of a matrix, a row or a column. Elements that are not stored count as zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The number of stored entries; for a dense matrix, or if requested, of nonzero elements.
    pub nnz: u64,
    /// Sum and mean, if requested.
    pub total: Option<Total>,
    /// Variance, minimum and maximum, if requested.
    pub spread: Option<Spread>,
}

/// Sum and mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// The sum: exact for integers, in 64 bits for 32-bit floats, with compensated summation for 64-bit floats.
    pub sum: Number,
    /// The sum divided by the number of elements. NaN if there are none.
    pub mean: f64,
}

/// Variance, minimum and maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The sample variance, with n - 1 in the denominator. NaN for fewer than two elements, and if it is not requested.
    pub variance: f64,
    /// The minimum; `None` if there are no elements, and if it is not requested.
    pub min: Option<Number>,
    /// The maximum, in the same way.
    pub max: Option<Number>,
}

/// The result of [`stats`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// The whole matrix.
    pub whole: Moments,
    /// Each row, if requested.
    pub rows: Option<Vec<Moments>>,
    /// Each column, if requested.
    pub cols: Option<Vec<Moments>>,
}

/// Computes statistics in one pass over the entries, decoding only what they need: for the sums of
/// columns of a matrix in column order, row indices are not read.
///
/// The result is the same for any number of threads.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if its values are complex, and if there are
/// duplicate entries in a format that does not define their meaning. If they are summed in the format, as
/// in SciPy, the variance and the extremes are computed from the sums.
pub fn stats(
    source: &dyn MatrixSource,
    options: &StatsOptions,
    context: &TaskContext,
) -> Result<Stats> {
    let mut found = stats_of_parts(source, options, &[], context)?.into_iter();
    found.next().ok_or_else(|| Error::argument("nothing is computed"))
}

/// Some rows or columns of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct RowsOrCols {
    pub(crate) axis: Axis,
    pub(crate) ranges: Vec<Range<u64>>,
}

/// Computes statistics of a matrix, and of some of its rows or columns each, in one pass. The first result is for
/// the whole matrix.
///
/// # Errors
///
/// Fails as [`stats`].
pub(crate) fn stats_of_parts(
    source: &dyn MatrixSource,
    options: &StatsOptions,
    parts: &[RowsOrCols],
    context: &TaskContext,
) -> Result<Vec<Stats>> {
    let place = &source.place();
    let header = source.header();
    // If all elements are stored, the fill value has no meaning.
    if header.fill.is_some() && header.storage == Storage::Sparse {
        let what = "statistics of a matrix with a fill value other than zero are not supported";
        return Err(Error::unsupported(place.clone(), what));
    }
    let computed = match options.measures {
        Measures::Nnz | Measures::Nonzero => {
            compute::<u32, Nothing>(source, options, parts, context)
        }
        measures => match summed_type(expanded_type(header)) {
            Some(ValueType::U32) => sum::<u32>(source, options, parts, measures, context),
            Some(ValueType::I32) => sum::<i32>(source, options, parts, measures, context),
            Some(ValueType::U64) => sum::<u64>(source, options, parts, measures, context),
            Some(ValueType::I64) => sum::<i64>(source, options, parts, measures, context),
            Some(ValueType::F32) => sum::<f32>(source, options, parts, measures, context),
            Some(ValueType::F64) => sum::<f64>(source, options, parts, measures, context),
            _ => {
                return Err(Error::unsupported(
                    place.clone(),
                    "statistics of complex numbers are not supported",
                ));
            }
        },
    };
    computed.map_err(|error| crate::convert::locate(error, source).with_context(place))
}

/// Returns the type in which values are summed: there is no code for integers of 8 and 16 bits.
fn summed_type(stored: ValueType) -> Option<ValueType> {
    match stored {
        ValueType::U8 | ValueType::U16 | ValueType::Bint8 => Some(ValueType::U32),
        ValueType::I8 | ValueType::I16 => Some(ValueType::I32),
        ValueType::ComplexF32 | ValueType::ComplexF64 => None,
        stored => Some(stored),
    }
}

fn sum<T: Value>(
    source: &dyn MatrixSource,
    options: &StatsOptions,
    parts: &[RowsOrCols],
    measures: Measures,
    context: &TaskContext,
) -> Result<Vec<Stats>> {
    match measures {
        Measures::All => compute::<T, T::All>(source, options, parts, context),
        Measures::Variance => compute::<T, T::Variance>(source, options, parts, context),
        Measures::Extremes => compute::<T, T::Extremes>(source, options, parts, context),
        _ => compute::<T, T::Sum>(source, options, parts, context),
    }
}

fn compute<T: Value, S: Slim<T>>(
    source: &dyn MatrixSource,
    options: &StatsOptions,
    parts: &[RowsOrCols],
    context: &TaskContext,
) -> Result<Vec<Stats>> {
    let each = size_of::<Moments>();
    let order = source.header().order;
    let counted = count::<T, S>(source, options, parts, each, context)?;
    let of_one = |(found, shape)| finished(found, shape, order, options.measures);
    Ok(counted.into_iter().map(of_one).collect())
}

/// Counts in one pass. The statistics of a row or column take `each` bytes in addition.
fn count<T: Value, S: Slim<T>>(
    source: &dyn MatrixSource,
    options: &StatsOptions,
    parts: &[RowsOrCols],
    each: usize,
    context: &TaskContext,
) -> Result<Vec<(Tallies<S::Sums>, Shape)>> {
    let header = source.header();
    let each = size_of::<Tally<S::Sums>>() + each;
    let times = 1 + parts.len();
    let (major, minor) = (header.shape.major(header.order), header.shape.minor(header.order));
    let [shared, on_thread] = SharedTallies::<T, S>::bytes(minor);
    let threads = threads_in_memory(
        [each, shared, on_thread].map(|bytes| bytes * times),
        header,
        options,
        context,
    )?;
    let values = S::VALUES.then_some(T::TYPE);
    let Pass { entries, mut fields, by_major, minors, ascent } = Pass::new(source, options, values);
    let mut order = BatchOrder::new(ascent);
    let mut shapes = vec![header.shape];
    let whole = Counting::new(entries, by_major, minors);
    let mut several = CountingWork::<T, S> { whole, shape: header.shape, parts: Vec::new() };
    for RowsOrCols { axis, ranges } in parts {
        let (step, shape) = selecting(*axis, ranges.clone(), header)?;
        fields.minors |= *axis != header.order.major();
        let entries = Entries::new(header.order, T::TYPE, Vec::new());
        let minors = minors.map(|_| shape.minor(header.order));
        several.parts.push((step, Counting::new(entries, by_major, minors)));
        shapes.push(shape);
    }
    let mut writers = several.writers();
    let units = source.units(0..major, fields)?;
    let workers =
        Workers { threads, cancellation: context.cancellation() }.within(context.memory());
    run(units, &several, &mut order, &mut writers, workers)?;
    if let Some(ascent) = order.ascent
        && let Err(error) = ascent.finish(source, context)
    {
        let are_summed = header.duplicates == Duplicates::Summed;
        if !are_summed || !matches!(error.kind(), ErrorKind::Duplicate { .. }) {
            return Err(error);
        }
        let summed = Summed::new(Box::new(source), context);
        return count::<T, S>(&summed, options, parts, each, context);
    }
    let counted = several.finish(writers);
    let lengths = |shape: &Shape| [shape.major(header.order), shape.minor(header.order)];
    let mut all = counted.iter().zip(&shapes);
    if source.rereadable() && !all.all(|(found, shape)| found.are_precise(lengths(shape))) {
        return count::<T, S::Careful>(source, options, parts, each, context);
    }
    Ok(counted.into_iter().zip(shapes).collect())
}

/// Turns tallies into statistics.
fn finished<S: Sums>(found: Tallies<S>, shape: Shape, order: Order, measures: Measures) -> Stats {
    let Tallies { whole, majors, minors } = found;
    let moments_of =
        |tally: &Tally<S>, elements: u128| requested(tally.moments(elements), measures);
    let finish = |tallies: Option<Vec<Tally<S>>>, [len, across]: [u64; 2]| {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let moments = |tally: &Tally<S>| moments_of(tally, across.into());
        tallies.map(|tallies| {
            let mut all: Vec<Moments> = tallies.iter().map(moments).collect();
            all.resize(all.len().max(len), moments(&Tally::default()));
            all
        })
    };
    let [major, minor] = [shape.major(order), shape.minor(order)];
    let (majors, minors) = (finish(majors, [major, minor]), finish(minors, [minor, major]));
    let (rows, cols) = match order {
        Order::Row => (majors, minors),
        Order::Col => (minors, majors),
    };
    Stats { whole: moments_of(&whole, shape.elements()), rows, cols }
}

/// Removes what was not counted.
fn requested(moments: Moments, measures: Measures) -> Moments {
    match measures {
        Measures::Variance => {
            let spread = moments.spread.map(|spread| Spread { min: None, max: None, ..spread });
            Moments { spread, ..moments }
        }
        Measures::Extremes => {
            let spread = moments.spread.map(|spread| Spread { variance: f64::NAN, ..spread });
            Moments { total: None, spread, ..moments }
        }
        _ => moments,
    }
}

/// A pass over the entries.
struct Pass {
    entries: Entries,
    /// The fields to decode.
    fields: Projection,
    by_major: bool,
    /// The length of the minor axis, if its statistics are requested.
    minors: Option<u64>,
    /// A check for duplicates, if there may be some that matter.
    ascent: Option<Ascent>,
}

impl Pass {
    /// Plans a pass in which values are summed in a type, if they are needed.
    fn new(source: &dyn MatrixSource, options: &StatsOptions, values: Option<ValueType>) -> Self {
        let header = source.header();
        let order = header.order;
        let (by_major, by_minor) = match order {
            Order::Row => (options.rows, options.cols),
            Order::Col => (options.cols, options.rows),
        };
        let (mut steps, _) = expand(header);
        let nonzero = matches!(options.measures, Measures::Nonzero | Measures::NonzeroSums);
        if nonzero {
            steps.push(Box::new(PositiveZeros));
        }
        if nonzero || header.storage == Storage::Dense {
            steps.push(Box::new(DropZeros(Builder::new(order, header.shape))));
        }
        // Extremes, for example, are computed from the sums.
        let are_summed = header.duplicates == Duplicates::Summed
            && header.sorted_indices != Some(true)
            && !matches!(options.measures, Measures::Nnz | Measures::Sums)
            && source.rereadable();
        let repeats_matter =
            are_summed || DuplicateSearch::of(source, None) != DuplicateSearch::None;
        // These steps and the check for duplicates need whole entries.
        let whole = !steps.is_empty() || repeats_matter;
        let fields = Projection { minors: by_minor || whole, values: values.is_some() || whole };
        let stored = expanded_type(header);
        if let Some(target) = values.filter(|&target| target != stored) {
            steps.push(Box::new(Cast { target, rounding: Rounding::Refused, possible: &[] }));
        }
        Self {
            entries: Entries::new(order, stored, steps),
            fields,
            by_major,
            minors: by_minor.then(|| header.shape.minor(order)),
            ascent: repeats_matter.then(|| Ascent::new(source)),
        }
    }
}

/// Returns the number of threads whose tables fit into memory. A row or column takes the first number of bytes, a minor
/// one also the second number, and the third number on each thread.
fn threads_in_memory(
    [each, shared, minor]: [usize; 3],
    header: &Header,
    options: &StatsOptions,
    context: &TaskContext,
) -> Result<usize> {
    let mut threads = context.threads();
    for (axis, wanted) in [(Axis::Rows, options.rows), (Axis::Cols, options.cols)] {
        let (each, on_thread) = match axis == header.order.major() {
            true => (each, 0),
            false => (each + shared, minor as u64),
        };
        let bytes = |each| header.shape.len(axis).saturating_mul(each);
        let needed = bytes(each as u64 + on_thread);
        if wanted && needed > context.memory() {
            let kind = ErrorKind::Memory { needed, allowed: context.memory() };
            return Err(Error::new(kind, Place::default()));
        }
        let left = context.memory().saturating_sub(bytes(each as u64));
        if let (true, Some(fit)) = (wanted, left.checked_div(bytes(on_thread))) {
            threads = threads.min(usize::try_from(fit).unwrap_or(usize::MAX));
        }
    }
    Ok(threads.max(1))
}
