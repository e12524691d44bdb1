//! Statistics of rows and columns.

use nnz::engine::{Measures, Moments, Number};
use nnz::{Axis, StatsOptions};

use crate::args::Args;
use crate::error::Failure;
use crate::read::limits;
use crate::sources::of;
use crate::task;
use crate::value::{Value, real};

/// Computes statistics of the rows or columns: matrix, axis, measure, limits.
pub(crate) fn stats(args: &Args<'_>) -> Result<Value, Failure> {
    let (matrix, axis) = (of(args, 0)?.matrix, args.axis(1)?);
    let measures = match args.text(2)? {
        "nonzero" => Measures::Nonzero,
        "sums" => Measures::Sums,
        "variance" => Measures::Variance,
        "extremes" => Measures::Extremes,
        _ => Measures::All,
    };
    let options = StatsOptions::default()
        .rows(axis == Axis::Rows)
        .cols(axis == Axis::Cols)
        .measures(measures);
    let found = task::run(limits(args, 3)?, move |context| {
        nnz::engine::stats(&*matrix, &options, context)
    })?;
    let found = match axis {
        Axis::Rows => found.rows,
        Axis::Cols => found.cols,
    };
    let found = found.unwrap_or_default();
    let column = |one: &dyn Fn(&Moments) -> f64| Value::Reals(found.iter().map(one).collect());
    let spread = |number: Option<Number>| number.map_or(f64::NAN, float);
    Ok(Value::list([
        ("sum", column(&|one| one.total.map_or(f64::NAN, |total| float(total.sum)))),
        ("mean", column(&|one| one.total.map_or(f64::NAN, |total| total.mean))),
        ("variance", column(&|one| one.spread.map_or(f64::NAN, |spread| spread.variance))),
        ("min", column(&|one| spread(one.spread.and_then(|spread| spread.min)))),
        ("max", column(&|one| spread(one.spread.and_then(|spread| spread.max)))),
        ("entries", column(&|one| real(one.nnz))),
    ]))
}

/// Counts the stored entries.
pub(crate) fn count(args: &Args<'_>) -> Result<Value, Failure> {
    let matrix = of(args, 0)?.matrix;
    let known = matrix.header().nnz;
    let count = match known {
        Some(known) => known,
        None => {
            let options = StatsOptions::default().measures(Measures::Nnz);
            let counted = task::run(limits(args, 1)?, move |context| {
                nnz::engine::stats(&*matrix, &options, context)
            })?;
            counted.whole.nnz
        }
    };
    Ok(Value::whole(count))
}

/// Converts a number, rounded above 2^53.
#[expect(clippy::cast_precision_loss, reason = "R has no larger whole numbers")]
fn float(number: Number) -> f64 {
    match number {
        Number::Integer(number) => number as f64,
        Number::Float(number) => number,
    }
}
