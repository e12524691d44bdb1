//! Quantiles of the rows or columns of a matrix.

use nnz_core::{Axis, Error, ErrorKind, MatrixSource, Result};
use nnz_storage::TaskContext;

use super::aggregate::check_values;
use super::lines::{Layout, Line, LineWork, Ranked, process_lines};

/// Where a quantile lies between two values, named as in NumPy. R numbers them from type 4 to 9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuantileMethod {
    /// Type 4.
    InterpolatedInvertedCdf,
    /// Type 5.
    Hazen,
    /// Type 6.
    Weibull,
    /// Type 7. The default.
    #[default]
    Linear,
    /// Type 8.
    MedianUnbiased,
    /// Type 9.
    NormalUnbiased,
}

impl QuantileMethod {
    /// All methods and their names.
    pub const ALL: [(&str, Self); 6] = [
        ("interpolated_inverted_cdf", Self::InterpolatedInvertedCdf),
        ("hazen", Self::Hazen),
        ("weibull", Self::Weibull),
        ("linear", Self::Linear),
        ("median_unbiased", Self::MedianUnbiased),
        ("normal_unbiased", Self::NormalUnbiased),
    ];

    /// Returns the position of a quantile among `len` sorted values, counted from 0.
    #[allow(clippy::cast_precision_loss, reason = "there are fewer than 2^53")]
    fn position(self, len: u64, quantile: f64) -> f64 {
        let len = len as f64;
        let [alpha, beta] = match self {
            Self::InterpolatedInvertedCdf => [0.0, 1.0],
            Self::Hazen => [0.5; 2],
            Self::Weibull => [0.0; 2],
            // Without this, the position of a value is rounded.
            Self::Linear => return (len - 1.0) * quantile,
            Self::MedianUnbiased => [1.0 / 3.0; 2],
            Self::NormalUnbiased => [3.0 / 8.0; 2],
        };
        let position = len * quantile + (alpha + quantile * (1.0 - alpha - beta)) - 1.0;
        position.clamp(0.0, (len - 1.0).max(0.0))
    }
}

/// The result of [`quantiles`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Quantiles {
    /// A list for each quantile, with a number for each row or column.
    pub values: Vec<Vec<f64>>,
    /// The time in seconds that it took to sort the entries, if they were not in this order.
    pub sorting_seconds: Option<f64>,
}

/// Computes quantiles of each row, or of each column, as `numpy.quantile` does.
///
/// Elements without an entry are zero, and an element with several entries has their sum. A row or column with NaN, or without
/// elements, has the quantiles NaN. A matrix that is stored by the axis is read in one pass; the entries of another one are sorted
/// first, in memory or in a temporary file. The result is the same for any number of threads.
///
/// ```
/// use nnz_core::{Axis, Order, Shape};
/// use nnz_engine::TaskContext;
/// use nnz_engine::compute::{QuantileMethod, quantiles};
///
/// // 4 . 2
/// // . . 3
/// let shape = Shape { rows: 2, cols: 3 };
/// let matrix =
///     nnz_engine::CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3], vec![0_u32, 2, 2], vec![4_u32, 2, 3])?;
/// let (source, context) = (matrix.into_source()?, TaskContext::default());
/// let found = quantiles(&*source, Axis::Rows, &[0.5, 0.75], QuantileMethod::Linear, &context)?;
/// assert_eq!(found.values, [[2.0, 0.0], [3.0, 1.5]]);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if a quantile is not from 0 to 1, if the matrix cannot be read or is broken, if it has complex numbers, a fill value or
/// integers of 2^53 or more, if an element has several entries in a format that does not define their meaning, if the result takes
/// more memory than allowed, and if cancelled.
pub fn quantiles(
    source: &dyn MatrixSource,
    axis: Axis,
    quantiles: &[f64],
    method: QuantileMethod,
    context: &TaskContext,
) -> Result<Quantiles> {
    let place = &source.place();
    check_values(source, "quantiles of")?;
    if let Some(quantile) = quantiles.iter().find(|one| !(0.0..=1.0).contains(*one)) {
        return Err(Error::argument(format!("a quantile of {quantile}: expected 0 to 1")));
    }
    let shape = source.header().shape;
    let (count, len) = (shape.len(axis), shape.len(axis.other()));
    let needed = count.saturating_mul(quantiles.len() as u64).saturating_mul(8);
    if needed > context.result_memory() {
        let kind = ErrorKind::Memory { needed, allowed: context.result_memory() };
        return Err(Error::new(kind, place.clone()));
    }
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    // Rows and columns without entries.
    let empty = if len == 0 { f64::NAN } else { 0.0 };
    let mut values = vec![vec![empty; count]; quantiles.len()];
    let positions = quantiles.iter().map(|quantile| method.position(len, *quantile)).collect();
    let mut add = |position: u64, numbers: &[f64]| {
        let Ok(position) = usize::try_from(position) else { return };
        for (values, number) in values.iter_mut().zip(numbers) {
            values.get_mut(position).into_iter().for_each(|into| *into = *number);
        }
    };
    let work = Positions(positions);
    let sorting_seconds = process_lines(source, axis, &work, ("sorting", &mut add), context)
        .map_err(|error| crate::convert::locate(error, source).with_context(place))?;
    Ok(Quantiles { values, sorting_seconds })
}

/// The positions of quantiles among sorted values.
struct Positions(Vec<f64>);

impl LineWork for Positions {
    type Scratch<T: Ranked> = Vec<T::Key>;

    fn process<T: Ranked>(
        &self,
        layout: &Layout,
        keys: &mut Vec<T::Key>,
        line: &Line<T>,
        found: &mut Vec<f64>,
    ) -> Result<()> {
        layout.check_exact(line, "quantiles are those of")?;
        keys.clear();
        let numbers = line.values.iter().map(|value| -> f64 { (*value).into() });
        let nonzero = line.values.iter().zip(numbers).filter(|(_, number)| *number != 0.0);
        keys.extend(nonzero.map(|(value, _)| value.key(0)));
        if line.values.iter().any(|value| -> bool { (*value).into().is_nan() }) {
            found.extend(self.0.iter().map(|_| f64::NAN));
            return Ok(());
        }
        keys.sort_unstable();
        let zeros = usize::try_from(layout.len).unwrap_or(usize::MAX).saturating_sub(keys.len());
        let negative = keys.partition_point(|key| T::is_negative(*key));
        let value = |at: usize| -> f64 {
            let key = match at {
                _ if at < negative => keys.get(at),
                _ if at - negative < zeros => None,
                _ => keys.get(at - zeros).or(keys.last()),
            };
            key.map_or(0.0, |key| T::value(*key).into())
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is not negative"
        )]
        let between = |position: &f64| {
            let (at, part) = (position.floor(), position.fract());
            match part == 0.0 {
                true => value(at as usize),
                false => interpolated([value(at as usize), value(at as usize + 1)], part),
            }
        };
        found.extend(self.0.iter().map(between));
        Ok(())
    }
}

/// Returns a value between two others, as NumPy rounds it.
fn interpolated([low, high]: [f64; 2], part: f64) -> f64 {
    let difference = high - low;
    match part >= 0.5 {
        _ if low == high => low,
        true => high - difference * (1.0 - part),
        false => low + difference * part,
    }
}
