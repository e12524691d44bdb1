//! Sums of rows and columns.

use std::hint::black_box;
use std::time::Instant;

use nnz::{
    Axis, Context, Location, StatsOptions,
    engine::{Measures, Moments},
};

use crate::{Measured, Result, measured};

pub(crate) fn measure(location: &Location, axis: Axis, threads: usize) -> Result<Measured> {
    let options = StatsOptions::default()
        .rows(axis == Axis::Rows)
        .cols(axis == Axis::Cols)
        .measures(Measures::Sums);
    let context = Context::default().with_threads(threads);
    let started = Instant::now();
    let stats = black_box(nnz::stats(location, &options, &context)?);
    let seconds = started.elapsed().as_secs_f64();
    let each = match axis {
        Axis::Rows => stats.rows,
        Axis::Cols => stats.cols,
    };
    Ok(measured([("seconds", seconds.into()), ("check", check(&each.unwrap_or_default()).into())]))
}

/// Sums the results, weighted by position, so that their order matters.
fn check(each: &[Moments]) -> f64 {
    let sum = |moments: &Moments| moments.total.map_or(f64::NAN, |total| float(&total.sum));
    (1_u32..).zip(each).map(|(place, moments)| f64::from(place % 97) * sum(moments)).sum()
}

fn float(number: &impl ToString) -> f64 {
    number.to_string().parse().unwrap_or(f64::NAN)
}
