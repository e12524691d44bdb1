//! Reading the whole matrix into memory, and copying it: a lower bound of the time to read.

use std::hint::black_box;
use std::time::Instant;

use nnz::{Context, Location, Order, ReadOptions, Values, matrix::Minors};

use crate::memory::peak;
use crate::{Measured, Result, measured};

pub(crate) fn measure(
    location: &Location,
    order: Option<Order>,
    threads: usize,
) -> Result<Measured> {
    let options = ReadOptions::default().order(order);
    let context = Context::default().with_threads(threads);
    let started = Instant::now();
    let matrix = black_box(nnz::read(location, &options, &context)?);
    let seconds = started.elapsed().as_secs_f64();
    // Before anything else is in memory.
    let peak = peak();
    let pointers = bytemuck::cast_slice(matrix.indptr());
    let minors = match matrix.indices() {
        Minors::U32(minors) => bytemuck::cast_slice(minors),
        Minors::U64(minors) | Minors::Spans(minors) => bytemuck::cast_slice(minors),
    };
    let arrays = [pointers, minors, matrix.values().bytes()];
    let copy_seconds: f64 = arrays.map(|array| copy(array, threads)).iter().sum();
    Ok(measured([
        ("seconds", seconds.into()),
        ("copy_seconds", copy_seconds.into()),
        ("entries", matrix.nnz().into()),
        ("check", sum(matrix.values()).into()),
        ("peak_rss", peak.into()),
    ]))
}

/// Reads a matrix as a dense array.
pub(crate) fn measure_dense(location: &Location, threads: usize) -> Result<Measured> {
    let options = ReadOptions::default();
    let context = Context::default().with_threads(threads);
    let started = Instant::now();
    let matrix = black_box(nnz::read_dense(location, &options, &context)?);
    let seconds = started.elapsed().as_secs_f64();
    Ok(measured([
        ("seconds", seconds.into()),
        ("entries", matrix.values.len().into()),
        ("check", sum(&matrix.values).into()),
        ("peak_rss", peak().into()),
    ]))
}

/// Times a copy into untouched memory, with as many threads.
fn copy(from: &[u8], threads: usize) -> f64 {
    let started = Instant::now();
    // Zeroed memory of this size is mapped, but not touched.
    let mut to = vec![0; from.len()];
    let part = from.len().div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        for (to, from) in to.chunks_mut(part).zip(from.chunks(part)) {
            scope.spawn(|| to.copy_from_slice(from));
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    black_box(&to);
    seconds
}

/// Sums the values, as a number that other programs can compute.
#[allow(clippy::cast_precision_loss, reason = "sums of the inputs stay below 2^53")]
fn sum(values: &Values) -> f64 {
    fn whole<T: Copy + Into<i128>>(values: &[T]) -> f64 {
        values.iter().copied().map(Into::<i128>::into).sum::<i128>() as f64
    }
    match values {
        Values::U8(values) => whole(values),
        Values::U16(values) => whole(values),
        Values::U32(values) => whole(values),
        Values::U64(values) => whole(values),
        Values::I8(values) => whole(values),
        Values::I16(values) => whole(values),
        Values::I32(values) => whole(values),
        Values::I64(values) => whole(values),
        Values::F32(values) => values.iter().map(|&value| f64::from(value)).sum(),
        Values::F64(values) => values.iter().sum(),
        // The inputs have no other types; NaN is not equal to any result.
        _ => f64::NAN,
    }
}
