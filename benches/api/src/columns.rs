//! Random columns.

use std::hint::black_box;
use std::time::Instant;

use nnz::{Batch, Location, Order, Projection, Values, matrix::Element};

use crate::{Measured, Result, measured};

pub(crate) fn measure(location: &Location, count: u64) -> Result<Measured> {
    let cols = nnz::open(location)?.into_matrix()?.header().shape.cols;
    let chosen = choose(count.min(cols), cols);

    let started = Instant::now();
    let opened = nnz::open(location)?.into_matrix()?;
    let header = opened.header();
    if header.order != Order::Col {
        return Err("the matrix is not stored by column".into());
    }
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let (mut entries, mut sum) = (0_u64, 0_u64);
    for col in chosen {
        let mut batches = opened.batches(col..col + 1, Projection::ALL)?;
        while batches.next_batch(&mut batch)? {
            let values = u32::slice(&batch.values).ok_or("the values are not uint32")?;
            entries += batch.entries() as u64;
            sum += values.iter().map(|&value| u64::from(value)).sum::<u64>();
            black_box(&batch);
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok(measured([("seconds", seconds.into()), ("entries", entries.into()), ("check", sum.into())]))
}

/// Selects `count` of `cols` columns: the first of every stretch, shifted by a few. The other
/// programs select the same ones.
fn choose(count: u64, cols: u64) -> Vec<u64> {
    let stretch = cols / count.max(1);
    (0..count).map(|place| place * stretch + place * 7919 % stretch.max(1)).collect()
}
