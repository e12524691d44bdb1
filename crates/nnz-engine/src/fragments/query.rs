//! Fragments of a region.

use nnz_core::{FragmentBatch, FragmentFields, FragmentSource, Result, UnitReader as _};
use nnz_storage::TaskContext;

use super::ranges::{FragmentRange, RangeReader};
use super::region::Region;

/// Passes the fragments that overlap a region to `each`, in storage order. Only chunks that may
/// have some are read.
///
/// # Errors
///
/// Fails if they cannot be read, if `each` fails, and if cancelled.
pub fn query(
    source: &dyn FragmentSource,
    region: &Region,
    context: &TaskContext,
    each: &mut dyn FnMut(&FragmentBatch) -> Result<()>,
) -> Result<()> {
    let range = FragmentRange::of_region(source, region)?;
    let mut units = RangeReader::new(source, FragmentFields::ALL, [range]);
    let mut batch = FragmentBatch::default();
    while let Some(unit) = units.next_unit()? {
        context.check()?;
        unit.decode(&mut batch)?;
        if !batch.starts.is_empty() {
            each(&batch)?;
        }
    }
    Ok(())
}
