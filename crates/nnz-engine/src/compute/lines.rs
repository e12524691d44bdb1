//! Rows or columns of a matrix that are processed as a whole, by all threads.

mod line;
mod pass;
mod ranked;
mod resorted;

use std::time::Instant;

use nnz_core::{Axis, Error, MatrixSource, Order, Place, Result, Structure, ValueType};
use nnz_storage::TaskContext;

use crate::{Selection, Slice};
pub(super) use line::{Layout, Line};
pub(super) use ranked::Ranked;
pub(super) use resorted::resort;
use resorted::resorted;

/// Takes the position of a row or column, and the numbers that were found.
pub(super) type Add<'a> = dyn FnMut(u64, &[f64]) + Send + 'a;

/// Work on the rows or columns of a matrix.
pub(super) trait LineWork: Sync {
    /// The buffers of a thread.
    type Scratch<T: Ranked>: Default + Send;

    /// Processes a row or column, whose entries are in order, and appends numbers: for each the same number of them.
    fn process<T: Ranked>(
        &self,
        layout: &Layout,
        scratch: &mut Self::Scratch<T>,
        line: &Line<T>,
        found: &mut Vec<f64>,
    ) -> Result<()>;
}

/// Processes each row, or each column, that has entries. `add` is called with the position of each and the numbers that were found.
///
/// A matrix that is stored by another axis is sorted first, in memory or in a temporary file. Returns the seconds that this took.
pub(super) fn process_lines<W: LineWork>(
    source: &dyn MatrixSource,
    axis: Axis,
    work: &W,
    (what, add): (&str, &mut Add<'_>),
    context: &TaskContext,
) -> Result<Option<f64>> {
    let header = source.header();
    if header.structure != Structure::General {
        let all = Selection::all();
        let expanded = Slice::new(Box::new(source), &all, &all)?;
        return process_lines(&expanded, axis, work, (what, add), context);
    }
    let mut in_order = |source: &dyn MatrixSource| match source.header().value_type {
        ValueType::F32 => pass::process::<f32, W>(source, work, (what, add), context),
        _ => pass::process::<f64, W>(source, work, (what, add), context),
    };
    let out_of_order = || {
        let (found, one) = ("an entry after those of a later one", axis.singular());
        Error::mismatch(Place::default(), format!("{found} by {one}"), "ascending order")
    };
    if header.order.major() == axis && header.sorted_majors {
        if in_order(source)? {
            return Ok(None);
        }
        if !source.rereadable() {
            return Err(out_of_order());
        }
    }
    let started = Instant::now();
    let order = if axis == Axis::Rows { Order::Row } else { Order::Col };
    let sorted = resorted(source, order, context)?;
    let seconds = started.elapsed().as_secs_f64();
    match in_order(&*sorted)? {
        true => Ok(Some(seconds)),
        false => Err(out_of_order()),
    }
}
