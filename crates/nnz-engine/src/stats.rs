//! Sums, means, variances, minimum and maximum of a matrix or of each row and column.

mod bands;
mod counting;
mod exact;
mod float;
mod narrow;
mod number;
mod tally;

use nnz_core::{
    Axis, Bint8, Error, ErrorKind, Header, MatrixSource, Order, Place, Projection, Result, Storage,
    ValueType,
};

use crate::check::{Ascent, Watch};
use crate::flow::{Workers, run};
use crate::stages::{Builder, DropZeros, DuplicatePolicy, expand, expanded_type};
use crate::{Cancellation, default_memory};
use counting::{Counted, Counting, Watched};
pub use number::Number;
use number::Value;
use tally::{Nothing, Slim, Tally};

/// What is computed. Data that is not needed is not decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measures {
    /// The number of stored entries.
    Nnz,
    /// nnz, sum and mean.
    Sums,
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
    /// What is computed.
    pub measures: Measures,
    /// Memory in bytes for rows and columns, and for finding duplicates.
    pub memory: u64,
    /// Number of threads.
    pub threads: usize,
    /// Cancels the operation.
    pub cancellation: Option<Cancellation>,
}

nnz_core::setters! {
    StatsOptions {
        rows: bool,
        cols: bool,
        measures: Measures,
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
    }
}

/// The whole matrix, with the [default memory](default_memory) and all cores.
impl Default for StatsOptions {
    fn default() -> Self {
        Self {
            rows: false,
            cols: false,
            measures: Measures::default(),
            memory: default_memory(),
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            cancellation: None,
        }
    }
}

/// Statistics of a matrix, a row or a column. Cells that are not stored count as zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The number of stored entries; for a dense matrix, of nonzero cells.
    pub nnz: u64,
    /// Sum and mean, if requested.
    pub total: Option<Total>,
    /// Variance, minimum and maximum, if requested.
    pub spread: Option<Spread>,
}

/// Sum and mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// The sum: exact for integers, with compensated summation for floats.
    pub sum: Number,
    /// The sum divided by the number of cells. NaN if there are none.
    pub mean: f64,
}

/// Variance, minimum and maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The sample variance, with n - 1 in the denominator. NaN for fewer than two cells.
    pub variance: f64,
    /// The minimum; `None` if there are no cells.
    pub min: Option<Number>,
    /// The maximum.
    pub max: Option<Number>,
}

/// The result of [`stats`].
#[derive(Clone, Debug, PartialEq)]
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
/// `place` is the name of the matrix in messages. The result is the same for any number of threads.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if its values are complex, and if there are
/// duplicate entries in a format that does not define their meaning.
pub fn stats(source: &dyn MatrixSource, place: &Place, options: &StatsOptions) -> Result<Stats> {
    let header = source.header();
    // If all cells are stored, the fill value has no meaning.
    if header.fill.is_some() && header.storage == Storage::Sparse {
        let what = "statistics of a matrix with a fill value other than zero";
        return Err(Error::unsupported(place.clone(), what));
    }
    let computed = match expanded_type(header) {
        ValueType::F32 => measure::<f32>(source, options),
        ValueType::F64 => measure::<f64>(source, options),
        ValueType::U8 => measure::<u8>(source, options),
        ValueType::U16 => measure::<u16>(source, options),
        ValueType::U32 => measure::<u32>(source, options),
        ValueType::U64 => measure::<u64>(source, options),
        ValueType::I8 => measure::<i8>(source, options),
        ValueType::I16 => measure::<i16>(source, options),
        ValueType::I32 => measure::<i32>(source, options),
        ValueType::I64 => measure::<i64>(source, options),
        ValueType::Bint8 => measure::<Bint8>(source, options),
        ValueType::ComplexF32 | ValueType::ComplexF64 => {
            let what = "statistics of complex numbers";
            Err(Error::unsupported(place.clone(), what))
        }
    };
    computed.map_err(|error| crate::convert::locate(error, source).with_context(place))
}

fn measure<T: Value>(source: &dyn MatrixSource, options: &StatsOptions) -> Result<Stats> {
    match options.measures {
        Measures::Nnz => compute::<T, Nothing>(source, options),
        Measures::Sums => compute::<T, T::Sum>(source, options),
        Measures::All => compute::<T, T::All>(source, options),
    }
}

fn compute<T: Value, S: Slim<T>>(
    source: &dyn MatrixSource,
    options: &StatsOptions,
) -> Result<Stats> {
    let header = source.header();
    let order = header.order;
    check_memory::<T, S>(header, options)?;
    let (by_major, by_minor) = match order {
        Order::Row => (options.rows, options.cols),
        Order::Col => (options.cols, options.rows),
    };
    let (mut steps, _) = expand(header);
    if header.storage == Storage::Dense {
        steps.push(Box::new(DropZeros(Builder::new(order, header.shape))));
    }
    let watch = Watch::of(source, DuplicatePolicy::Refuse) != Watch::Not;
    // Steps and the check for duplicates need whole entries.
    let whole = !steps.is_empty() || watch;
    let fields = Projection { minors: by_minor || whole, values: S::VALUES || whole };

    let minors = by_minor.then(|| header.shape.minor(order));
    let counting = Counting::<T, S>::new(header, steps, by_major, minors);
    let mut watched = Watched(watch.then(|| Ascent::new(source)));
    let mut counted = Counted::new(&counting);
    let units = source.units(0..header.shape.major(order), fields)?;
    let workers = Workers { threads: options.threads, cancellation: options.cancellation.as_ref() };
    run(units, &counting, &mut watched, &mut counted, workers)?;
    if let Watched(Some(ascent)) = watched {
        ascent.finish(source, options.memory, workers)?;
    }
    let found = counted.finish();

    let finish = |tallies: Vec<Tally<S::Sums>>, axis: Axis| -> Vec<Moments> {
        let across = match axis {
            Axis::Rows => header.shape.cols,
            Axis::Cols => header.shape.rows,
        };
        let len = usize::try_from(header.shape.len(axis)).unwrap_or(usize::MAX);
        let missing = len.saturating_sub(tallies.len());
        let tallies = tallies.into_iter().chain(std::iter::repeat_n(Tally::default(), missing));
        tallies.map(|tally| tally.moments(across.into())).collect()
    };
    let (rows, cols) = match order {
        Order::Row => (found.majors, found.minors),
        Order::Col => (found.minors, found.majors),
    };
    Ok(Stats {
        whole: found.whole.moments(header.shape.cells()),
        rows: rows.map(|tallies| finish(tallies, Axis::Rows)),
        cols: cols.map(|tallies| finish(tallies, Axis::Cols)),
    })
}

/// Refuses shapes whose statistics do not fit into memory.
fn check_memory<T: Value, S: Slim<T>>(header: &Header, options: &StatsOptions) -> Result<()> {
    for (axis, wanted) in [(Axis::Rows, options.rows), (Axis::Cols, options.cols)] {
        let mut each = size_of::<Tally<S::Sums>>() + size_of::<Moments>();
        if axis != header.order.major() {
            each += Counting::<T, S>::MINOR_BYTES * options.threads.max(1);
        }
        let needed = header.shape.len(axis).saturating_mul(each as u64);
        if wanted && needed > options.memory {
            let kind = ErrorKind::Memory { needed, allowed: options.memory };
            return Err(Error::new(kind, Place::default()));
        }
    }
    Ok(())
}
