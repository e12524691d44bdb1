//! Pearson residuals of counts.

use nnz_core::{Axis, Error, MatrixSource, Result, Storage, ValueType};
use nnz_storage::TaskContext;

use super::derived::{Derived, LineFunction, checked, in_order};
use super::lines::{Layout, Line};
use super::totals::sums;
use crate::{Measures, StatsOptions, stats};

/// Options of [`pearson_residuals`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PearsonOptions {
    /// The overdispersion of the negative binomial distribution; infinity for the Poisson distribution.
    pub theta: f64,
    /// The greatest absolute value of residuals; by default the square root of the number of cells.
    pub clip: Option<f64>,
}

nnz_core::setters! {
    PearsonOptions {
        theta: f64,
        clip: Option<f64>,
    }
}

/// An overdispersion of 100, as in scanpy.
impl Default for PearsonOptions {
    fn default() -> Self {
        Self { theta: 100.0, clip: None }
    }
}

/// Returns the Pearson residuals of counts, as `scanpy.experimental.pp.normalize_pearson_residuals` computes them: the difference of
/// each element from what its cell and feature make expected, divided by the standard deviation that a negative binomial distribution
/// has there, and clipped.
///
/// They are a dense matrix, which is computed as it is read. `cells` is the axis of the cells. Residuals of cells or features without
/// counts are zero.
///
/// ```
/// use nnz_core::{Axis, Order, Shape};
/// use nnz_engine::compute::{PearsonOptions, pearson_residuals};
/// use nnz_engine::{CsMatrix, ReadOptions, TaskContext};
///
/// // 4 . expected are 2 and 2
/// // . 4              2 and 2
/// let shape = Shape { rows: 2, cols: 2 };
/// let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1, 2], vec![0_u32, 1], vec![4_u32, 4])?;
/// let (options, context) = (PearsonOptions::default().theta(f64::INFINITY), TaskContext::default());
/// let residuals = pearson_residuals(matrix.into_source()?, Axis::Rows, &options, &context)?;
/// let dense = nnz_engine::read_dense(&*residuals, &ReadOptions::default(), &context)?;
/// assert_eq!(dense.values, vec![2.0_f32.sqrt(), -2.0_f32.sqrt(), -2.0_f32.sqrt(), 2.0_f32.sqrt()].into());
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if theta or the greatest value is not positive, for negative sums, if the matrix has complex numbers or a fill value, and if
/// it cannot be read or is broken.
pub fn pearson_residuals<'a>(
    source: Box<dyn MatrixSource + 'a>,
    cells: Axis,
    options: &PearsonOptions,
    context: &TaskContext,
) -> Result<Box<dyn MatrixSource + 'a>> {
    let source = checked(source, "residuals of")?;
    let header = source.header();
    let (shape, order) = (header.shape, header.order);
    if options.theta.is_nan() || options.theta <= 0.0 {
        let what = format!("a theta of {}: expected a positive number", options.theta);
        return Err(Error::argument(what));
    }
    #[allow(clippy::cast_precision_loss, reason = "it rounds")]
    let clip = options.clip.unwrap_or_else(|| (shape.len(cells) as f64).sqrt());
    if clip.is_nan() || clip < 0.0 || options.clip == Some(0.0) {
        let what = format!("clipping to {clip}: expected a positive number");
        return Err(Error::argument(what));
    }
    let value_type = match header.value_type {
        ValueType::F64 | ValueType::I64 | ValueType::U64 => ValueType::F64,
        _ => ValueType::F32,
    };
    let source = in_order(source, order, context)?;
    let both = StatsOptions::default().rows(true).cols(true).measures(Measures::Sums);
    let found = stats(&*source, &both, context)?;
    let [rows, cols] = [found.rows, found.cols].map(Option::unwrap_or_default);
    let [rows, cols] = [sums(&rows), sums(&cols)];
    for (axis, sums) in [(Axis::Rows, &rows), (Axis::Cols, &cols)] {
        if let Some(at) = sums.iter().position(|sum| *sum < 0.0 || !sum.is_finite()) {
            let what = format!("{} {at} has the sum {}", axis.singular(), sums[at]);
            let what = format!("{what}: Pearson residuals are those of counts");
            return Err(Error::unsupported(source.place(), what));
        }
    }
    let total: f64 = rows.iter().sum();
    let [lines, others] = if order.major() == Axis::Rows { [rows, cols] } else { [cols, rows] };
    let function = Pearson { lines, others, total, theta: options.theta, clip };
    Ok(Box::new(Derived::new(source, Box::new(function), (value_type, Storage::Dense))))
}

/// Residuals of the elements of a row or column.
struct Pearson {
    /// The sums of the rows or columns, whichever are stored together, and of the others.
    lines: Vec<f64>,
    others: Vec<f64>,
    total: f64,
    theta: f64,
    clip: f64,
}

impl Pearson {
    fn residual(&self, value: f64, mean: f64) -> f64 {
        // NaN without any counts.
        if mean.is_nan() || mean <= 0.0 {
            return 0.0;
        }
        let residual = (value - mean) / (mean + mean * mean / self.theta).sqrt();
        // NaN stays NaN.
        if residual > self.clip {
            self.clip
        } else if residual < -self.clip {
            -self.clip
        } else {
            residual
        }
    }
}

impl LineFunction for Pearson {
    fn compute(&self, _: &Layout, line: &Line<f64>, into: &mut Vec<f64>) -> Result<()> {
        let sum = usize::try_from(line.position).ok().and_then(|at| self.lines.get(at));
        let sum = sum.copied().unwrap_or_default() / self.total;
        let start = into.len();
        into.extend(self.others.iter().map(|other| self.residual(0.0, sum * other)));
        for (value, minor) in line.values.iter().zip(&line.minors) {
            // Indices are those of elements.
            let at = *minor as usize;
            into[start + at] = self.residual(*value, sum * self.others[at]);
        }
        Ok(())
    }
}
