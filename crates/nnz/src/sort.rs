//! Sorting any number of entries in bounded memory.
//!
//! Entries are collected until the memory is used, sorted and written to a file without a name;
//! in the end all such runs are merged. Where everything fits, nothing is written. A place is one
//! integer, major bits above minor bits, so that comparing places is comparing integers.

mod merge;
mod record;
mod runs;

use std::path::Path;

use nnz_core::{Batch, Header, Order, Result, Shape, ValueType, Values};

use crate::stages::{Batches, empty_batch};
use record::Key;
use runs::Runs;

/// Collects entries in any order, and hands them out in one.
pub(crate) trait Sorter<'a> {
    /// Takes the entries of a batch, of either order.
    fn push(&mut self, batch: &Batch) -> Result<()>;

    /// Starts handing out. Entries at one place come in the order they were pushed.
    fn finish(self: Box<Self>) -> Result<Batches<'a>>;
}

/// Says what is to be sorted, and with what.
#[derive(Clone, Copy)]
pub(crate) struct SortPlan<'a> {
    pub(crate) order: Order,
    pub(crate) shape: Shape,
    pub(crate) value_type: ValueType,
    /// Whether values are not carried along: all share one, or none is wanted.
    pub(crate) without_values: bool,
    /// Bytes of memory that may be used.
    pub(crate) memory: u64,
    /// Where files may be written.
    pub(crate) directory: &'a Path,
}

/// Reads all entries of a matrix with this header and returns them sorted, with their number.
///
/// `read` hears of every batch.
pub(crate) fn sorted<'a>(
    mut reader: Batches<'a>,
    header: &Header,
    order: Order,
    memory: u64,
    directory: &Path,
    mut read: impl FnMut(u64),
) -> Result<(Batches<'a>, u64)> {
    let mut batch = empty_batch(header.order, header.value_type);
    let mut count = 0;
    let mut sorting = None;
    while reader.next_batch(&mut batch)? {
        let sorting = sorting.get_or_insert_with(|| {
            // Whether there is one shared value is known once there is a batch.
            let iso = matches!(batch.values, Values::Iso(_)).then(|| batch.values.clone());
            let plan = SortPlan {
                order,
                shape: header.shape,
                value_type: header.value_type,
                without_values: iso.is_some(),
                memory,
                directory,
            };
            sorter(plan, iso)
        });
        sorting.push(&batch)?;
        count += batch.entries() as u64;
        read(batch.entries() as u64);
    }
    match sorting {
        Some(sorting) => Ok((sorting.finish()?, count)),
        // No entries: what has been read to its end hands out nothing more.
        None => Ok((reader, 0)),
    }
}

/// Makes a sorter for entries of a shape and type.
pub(crate) fn sorter<'a>(plan: SortPlan<'_>, iso: Option<Values>) -> Box<dyn Sorter<'a> + 'a> {
    let size = if plan.without_values { 0 } else { plan.value_type.size() };
    let bits = |len: u64| u64::BITS - len.saturating_sub(1).leading_zeros();
    let narrow = bits(plan.shape.rows) + bits(plan.shape.cols) <= u64::BITS;
    match (narrow, size) {
        (true, 0) => boxed::<u64, 0>(plan, iso),
        (true, 1) => boxed::<u64, 1>(plan, iso),
        (true, 2) => boxed::<u64, 2>(plan, iso),
        (true, 4) => boxed::<u64, 4>(plan, iso),
        (true, 8) => boxed::<u64, 8>(plan, iso),
        (true, _) => boxed::<u64, 16>(plan, iso),
        (false, 0) => boxed::<u128, 0>(plan, iso),
        (false, 1) => boxed::<u128, 1>(plan, iso),
        (false, 2) => boxed::<u128, 2>(plan, iso),
        (false, 4) => boxed::<u128, 4>(plan, iso),
        (false, 8) => boxed::<u128, 8>(plan, iso),
        (false, _) => boxed::<u128, 16>(plan, iso),
    }
}

fn boxed<'a, K: Key + 'a, const SIZE: usize>(
    plan: SortPlan<'_>,
    iso: Option<Values>,
) -> Box<dyn Sorter<'a> + 'a> {
    Box::new(Runs::<K, SIZE>::new(plan, iso))
}
