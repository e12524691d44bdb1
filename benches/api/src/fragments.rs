//! Fragments: decoding all of them, and queries.

use std::time::Instant;

use nnz::fragments::{self, FragmentFields, Region};
use nnz::{Context, Location};

use crate::{Measured, Result, measured};

/// Decodes all cells, starts and ends, and sums them.
pub(crate) fn scan(location: &Location) -> Result<Measured> {
    let context = Context::default();
    let started = Instant::now();
    let source = fragments::open(location, &context)?;
    let mut sum = 0_u64;
    source.for_each_mapped(0..source.header().count, FragmentFields::ALL, &mut |batch| {
        for column in [&batch.cells, &batch.starts, &batch.ends] {
            sum = sum.wrapping_add(nnz_bitpack::sum(column));
        }
        Ok(())
    })?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(measured([("seconds", seconds.into()), ("check", sum.into())]))
}

/// Bases of a region, number of regions, and distance between them.
const WIDTH: u32 = 100_000;
const REGIONS: u32 = 100;
const STRIDE: u32 = 2_000_000;

/// Finds the fragments of regions on the first chromosome; returns the mean time, including
/// opening.
pub(crate) fn query(location: &Location) -> Result<Measured> {
    let context = Context::default();
    let started = Instant::now();
    let (mut found, mut sum) = (0_u64, 0_u64);
    for place in 0..REGIONS {
        let source = fragments::open(location, &context)?;
        let bases = place * STRIDE..place * STRIDE + WIDTH;
        fragments::query(&*source, &Region { chromosome: 0, bases }, &context, &mut |batch| {
            found += batch.starts.len() as u64;
            sum = sum.wrapping_add(nnz_bitpack::sum(&batch.starts));
            Ok(())
        })?;
    }
    let seconds = started.elapsed().as_secs_f64() / f64::from(REGIONS);
    Ok(measured([("seconds", seconds.into()), ("entries", found.into()), ("check", sum.into())]))
}
