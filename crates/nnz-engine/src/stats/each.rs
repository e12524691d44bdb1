//! Statistics of each row or column across the storage order, of which only tallies are kept.

use nnz_core::{Error, ErrorKind, MatrixSource, Place, Result, Storage, ValueType};
use nnz_storage::TaskContext;

use super::minors::SharedTallies;
use super::number::Value;
use super::streamed::EachMajor;
use super::tally::{Nothing, Slim, Tally};
use super::{Measures, Moments, StatsOptions, count, summed_type};
use crate::stages::expanded_type;

/// Computes nnz, or nnz, sum and mean, of each row or column of the axis in the options, in order. There are as few
/// threads as fit into memory.
///
/// # Errors
///
/// Fails as [`stats`](super::stats).
pub(crate) fn stats_of_each(
    source: &dyn MatrixSource,
    options: &StatsOptions,
    each: &mut EachMajor<'_>,
    context: &TaskContext,
) -> Result<()> {
    let place = &source.place();
    let header = source.header();
    if header.fill.is_some() && header.storage == Storage::Sparse {
        let what = "statistics of a matrix with a fill value other than zero are not supported";
        return Err(Error::unsupported(place.clone(), what));
    }
    let counted = match (options.measures, summed_type(expanded_type(source.header()))) {
        (Measures::Nnz, _) => visit::<u32, Nothing>(source, options, each, context),
        (_, Some(ValueType::U32)) => {
            visit::<u32, <u32 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::I32)) => {
            visit::<i32, <i32 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::U64)) => {
            visit::<u64, <u64 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::I64)) => {
            visit::<i64, <i64 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::F32)) => {
            visit::<f32, <f32 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::F64)) => {
            visit::<f64, <f64 as Value>::Sum>(source, options, each, context)
        }
        _ => {
            let what = "statistics of complex numbers are not supported";
            return Err(Error::unsupported(place.clone(), what));
        }
    };
    counted.map_err(|error| crate::convert::locate(error, source).with_context(place))
}

fn visit<T: Value, S: Slim<T>>(
    source: &dyn MatrixSource,
    options: &StatsOptions,
    each: &mut EachMajor<'_>,
    context: &TaskContext,
) -> Result<()> {
    let (shape, order) = (source.header().shape, source.header().order);
    let (len, across, is_major) = match options.rows {
        true => (shape.rows, shape.cols, order == nnz_core::Order::Row),
        false => (shape.cols, shape.rows, order == nnz_core::Order::Col),
    };
    let threads = match is_major {
        true => context.threads(),
        false => threads::<T, S>(len, context)?,
    };
    for (found, _) in
        count::<T, S>(source, options, &[], 0, &context.clone().with_threads(threads))?
    {
        let tallies = if is_major { found.majors } else { found.minors }.unwrap_or_default();
        // Adjacent ones often have the same.
        let mut same: Option<(Moments, u64)> = None;
        for moments in tallies.iter().map(|tally| tally.moments(across.into())) {
            match &mut same {
                Some((last, number)) if *last == moments => *number += 1,
                _ => {
                    if let Some((last, number)) = same.replace((moments, 1)) {
                        each(&last, number);
                    }
                }
            }
        }
        same.iter().for_each(|(last, number)| each(last, *number));
        let rest = len.saturating_sub(tallies.len() as u64);
        if rest > 0 {
            each(&Tally::<S::Sums>::default().moments(across.into()), rest);
        }
    }
    Ok(())
}

/// Returns how many threads, each with tallies of all minors, fit into memory.
fn threads<T: Value, S: Slim<T>>(len: u64, context: &TaskContext) -> Result<usize> {
    let own = len.saturating_mul(size_of::<Tally<S::Sums>>() as u64);
    let [shared, on_thread] =
        SharedTallies::<T, S>::bytes(len).map(|bytes| len.saturating_mul(bytes as u64));
    let own = own.saturating_add(shared);
    let needed = own.saturating_add(on_thread);
    if needed > context.memory() {
        let kind = ErrorKind::Memory { needed, allowed: context.memory() };
        return Err(Error::new(kind, Place::default()));
    }
    let fit = (context.memory() - own).checked_div(on_thread).unwrap_or(u64::MAX);
    Ok(context.threads().min(usize::try_from(fit).unwrap_or(usize::MAX)).max(1))
}
