//! Functions of values.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Axis, Batch, Error, Minors, Result, Shape};

use super::float::Float;

/// A function of the values of a matrix, under which zero stays zero, so that only entries change.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ValueStep {
    /// Multiplies all values by a number.
    Scale(f64),
    /// Multiplies the values of each row, or of each column, by a number of its own.
    ScaleAxis(Axis, Arc<[f64]>),
    /// `ln(1 + value)`. Values below -1 become NaN.
    Log1p,
    /// `exp(value) - 1`.
    Expm1,
    /// The absolute value.
    Abs,
    /// The nearest value from a minimum, which is at most 0, to a maximum, which is at least 0.
    Clip(f64, f64),
    /// The value, or a limit for each row, or for each column, if it is greater. Limits are at least 0.
    LimitAxis(Axis, Arc<[f64]>),
    /// 1 if the value is greater than a number, which is at least 0, and otherwise 0.
    Binarize(f64),
}

impl ValueStep {
    /// Checks that a step can be applied to a matrix of a shape.
    ///
    /// # Errors
    ///
    /// Fails if zero would not stay zero, or if the number of factors is not the number of rows or columns.
    pub fn check(&self, shape: Shape) -> Result<()> {
        match self {
            Self::Scale(factor) if !factor.is_finite() => {
                Err(Error::argument(format!("a factor of {factor}: expected a finite number")))
            }
            Self::ScaleAxis(axis, factors) => {
                check_len(factors, "factors", *axis, shape)?;
                match factors.iter().find(|factor| !factor.is_finite()) {
                    Some(factor) => {
                        let what = format!("a factor of {factor}: expected finite numbers");
                        Err(Error::argument(what))
                    }
                    None => Ok(()),
                }
            }
            Self::LimitAxis(axis, limits) => {
                check_len(limits, "limits", *axis, shape)?;
                match limits.iter().find(|limit| limit.is_nan() || **limit < 0.0) {
                    Some(limit) => {
                        Err(Error::argument(format!("a limit of {limit}: expected at least 0")))
                    }
                    None => Ok(()),
                }
            }
            // NaN is neither.
            Self::Clip(min, max) if !(*min <= 0.0 && *max >= 0.0) => {
                let what = "expected a minimum of at most 0 and a maximum of at least 0";
                Err(Error::argument(format!("clipping to {min} and {max}: {what}")))
            }
            Self::Binarize(threshold) if threshold.is_nan() || *threshold < 0.0 => {
                Err(Error::argument(format!("a threshold of {threshold}: expected at least 0")))
            }
            _ => Ok(()),
        }
    }

    /// Checks that factors do not become zero or infinite as `f32`.
    pub(super) fn check_narrow(&self) -> Result<()> {
        #[allow(clippy::cast_possible_truncation, reason = "what becomes of it is checked")]
        let lost = |factor: &f64| {
            let narrow = *factor as f32;
            narrow.is_infinite() || (narrow == 0.0 && *factor != 0.0)
        };
        let found = match self {
            Self::Scale(factor) => Some(*factor).filter(|factor| lost(factor)),
            Self::ScaleAxis(_, factors) => factors.iter().copied().find(|factor| lost(factor)),
            _ => None,
        };
        match found {
            Some(factor) => {
                let what = format!(
                    "a factor of {factor:e} is out of range for float32, the type of the values"
                );
                Err(Error::argument(what))
            }
            None => Ok(()),
        }
    }

    /// Returns whether the result for a sum is the sum of the results, so that entries of the same element can
    /// be processed one by one.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        matches!(self, Self::Scale(_) | Self::ScaleAxis(..))
    }

    /// Returns the step for selected rows and columns, given by ranges.
    pub(super) fn selected(&self, ranges: &[Vec<Range<u64>>; 2]) -> Self {
        let of = |axis: Axis, numbers: &[f64]| {
            let ranges = &ranges[usize::from(axis == Axis::Cols)];
            // Sources check their ranges.
            ranges.iter().cloned().flatten().map(|at| factor(numbers, at)).collect()
        };
        match self {
            Self::ScaleAxis(axis, factors) => Self::ScaleAxis(*axis, of(*axis, factors)),
            Self::LimitAxis(axis, limits) => Self::LimitAxis(*axis, of(*axis, limits)),
            other => other.clone(),
        }
    }

    /// Returns whether it needs minor indices.
    pub(super) fn needs_minors(&self, major: Axis) -> bool {
        matches!(self, Self::ScaleAxis(axis, _) | Self::LimitAxis(axis, _) if *axis != major)
    }

    /// Changes the values of the entries of a batch.
    pub(super) fn apply<T: Float>(&self, batch: &Batch, values: &mut [T]) {
        match self {
            Self::Scale(factor) => T::scale(values, *factor),
            Self::ScaleAxis(axis, factors) if *axis == batch.order.major() => {
                for run in 0..batch.runs() {
                    let factor = factor(factors, batch.majors.get(run));
                    T::scale(&mut values[batch.run(run)], factor);
                }
            }
            Self::ScaleAxis(axis, factors) => match &batch.minors {
                Minors::U32(minors) => T::scale_at(values, factors, minors),
                _ => by_axis(batch, values, (*axis, factors), |value, factor| {
                    value * T::of(factor).into()
                }),
            },
            Self::LimitAxis(axis, limits) => {
                // NaN stays NaN.
                let limited = |value, limit| if value > limit { limit } else { value };
                by_axis(batch, values, (*axis, limits), limited);
            }
            Self::Log1p => T::log1p(values),
            Self::Expm1 => change(values, f64::exp_m1),
            Self::Abs => change(values, f64::abs),
            Self::Clip(min, max) => change(values, |value| value.clamp(*min, *max)),
            Self::Binarize(threshold) => change(values, |value| f64::from(value > *threshold)),
        }
    }
}

/// Checks that there is a number for each row or column.
fn check_len(numbers: &[f64], name: &str, axis: Axis, shape: Shape) -> Result<()> {
    let len = shape.len(axis);
    match numbers.len() as u64 == len {
        true => Ok(()),
        false => Err(Error::argument(format!("{} {name} for {len} {axis}", numbers.len()))),
    }
}

/// Returns a factor. Sources check their indices, so there is one.
fn factor(factors: &[f64], at: u64) -> f64 {
    usize::try_from(at).ok().and_then(|at| factors.get(at)).copied().unwrap_or(f64::NAN)
}

fn change<T: Float>(values: &mut [T], function: impl Fn(f64) -> f64) {
    values.iter_mut().for_each(|value| *value = T::of(function((*value).into())));
}

/// Combines each value with the number of its row or column.
fn by_axis<T: Float>(
    batch: &Batch,
    values: &mut [T],
    (axis, numbers): (Axis, &[f64]),
    function: impl Fn(f64, f64) -> f64,
) {
    let change = |value: &mut T, number: f64| *value = T::of(function((*value).into(), number));
    if axis == batch.order.major() {
        for run in 0..batch.runs() {
            let number = factor(numbers, batch.majors.get(run));
            values[batch.run(run)].iter_mut().for_each(|value| change(value, number));
        }
        return;
    }
    match &batch.minors {
        Minors::U32(minors) => {
            for (value, minor) in values.iter_mut().zip(minors) {
                change(value, numbers.get(*minor as usize).copied().unwrap_or(f64::NAN));
            }
        }
        Minors::U64(minors) => {
            for (value, minor) in values.iter_mut().zip(minors) {
                change(value, factor(numbers, *minor));
            }
        }
        Minors::Spans(starts) => {
            for (run, start) in starts.iter().enumerate() {
                for (value, minor) in values[batch.run(run)].iter_mut().zip(*start..) {
                    change(value, factor(numbers, minor));
                }
            }
        }
    }
}
