//! Statistics of each row or column along which a matrix is stored, one after another, without keeping them.

use nnz_core::{Error, MatrixSource, Place, Result, ValueType};
use nnz_storage::TaskContext;

use super::counting::{BatchOrder, BatchTally, CountingWork};
use super::number::Value;
use super::tally::{Nothing, Slim, Sums, Tally};
use super::{Counting, Measures, Moments, Pass, StatsOptions, summed_type};
use crate::flow::{Workers, Write, run};
use crate::stages::expanded_type;

/// Receives the statistics of each major, in order, and how many adjacent ones have them.
pub(crate) type EachMajor<'a> = dyn FnMut(&Moments, u64) + Send + 'a;

/// Computes nnz, or nnz, sum and mean, of each row or column along which a matrix is stored. The majors of the source
/// ascend, and no other entries follow from those that are stored.
///
/// # Errors
///
/// Fails as [`stats`](super::stats).
pub(crate) fn stats_of_majors(
    source: &dyn MatrixSource,
    options: &StatsOptions,
    each: &mut EachMajor<'_>,
    context: &TaskContext,
) -> Result<()> {
    let place = &source.place();
    let streamed = match (options.measures, summed_type(expanded_type(source.header()))) {
        (Measures::Nnz, _) => stream::<u32, Nothing>(source, options, each, context),
        (_, Some(ValueType::U32)) => {
            stream::<u32, <u32 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::I32)) => {
            stream::<i32, <i32 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::U64)) => {
            stream::<u64, <u64 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::I64)) => {
            stream::<i64, <i64 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::F32)) => {
            stream::<f32, <f32 as Value>::Sum>(source, options, each, context)
        }
        (_, Some(ValueType::F64)) => {
            stream::<f64, <f64 as Value>::Sum>(source, options, each, context)
        }
        _ => {
            let what = "statistics of complex numbers are not supported";
            return Err(Error::unsupported(place.clone(), what));
        }
    };
    streamed.map_err(|error| crate::convert::locate(error, source).with_context(place))
}

fn stream<T: Value, S: Slim<T>>(
    source: &dyn MatrixSource,
    options: &StatsOptions,
    each: &mut EachMajor<'_>,
    context: &TaskContext,
) -> Result<()> {
    let header = source.header();
    let values = S::VALUES.then_some(T::TYPE);
    let Pass { entries, fields, by_major, minors, ascent } = Pass::new(source, options, values);
    let mut order = BatchOrder::new(ascent);
    let whole = Counting::<T, S>::new(entries, by_major, minors);
    let several = CountingWork { whole, shape: header.shape, parts: Vec::new() };
    let (len, across) = (header.shape.major(header.order), header.shape.minor(header.order));
    let mut majors = Majors { across, next: 0, current: Tally::<S::Sums>::default(), each };
    let workers = Workers::of(context);
    run(source.units(0..len, fields)?, &several, &mut order, &mut majors, workers)?;
    if let Some(ascent) = order.ascent {
        ascent.finish(source, context)?;
    }
    majors.reach(len);
    Ok(())
}

/// Joins the parts of each major.
struct Majors<'a, 'e, S> {
    /// The number of elements of a major.
    across: u64,
    /// The major after the current one, which is incomplete.
    next: u64,
    current: Tally<S>,
    each: &'a mut EachMajor<'e>,
}

impl<S: Sums> Majors<'_, '_, S> {
    /// Reports the majors before this one.
    fn reach(&mut self, major: u64) {
        let mut report = |tally: &Tally<S>, count: u64| {
            if count > 0 {
                (self.each)(&tally.moments(self.across.into()), count);
            }
        };
        report(&self.current, self.next.min(1));
        report(&Tally::default(), major - self.next);
        self.next = major;
        self.current = Tally::default();
    }
}

impl<T: Value, S: Slim<T>> Write<CountingWork<T, S>> for Majors<'_, '_, S::Sums> {
    fn write(&mut self, all: Vec<BatchTally<S::Sums>>) -> Result<()> {
        for (major, tally) in all.into_iter().flat_map(|part| part.majors) {
            if major + 1 < self.next {
                let found = format!("an entry of {major} after an entry of {}", self.next - 1);
                let expected = "ascending rows or columns";
                return Err(Error::mismatch(Place::default(), found, expected));
            }
            if major + 1 > self.next {
                self.reach(major);
                self.next = major + 1;
            }
            self.current.merge(&tally);
        }
        Ok(())
    }
}
