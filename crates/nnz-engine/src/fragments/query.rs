//! The fragments of a region.

use nnz_core::{
    Cancellation, FragmentBatch, FragmentFields, FragmentSource, Result, UnitReader as _,
};

use super::part::{Part, Parts};
use super::region::Region;

/// Hands the fragments that overlap a region to `each`, in storage order, and reads only the
/// chunks that may hold some.
///
/// # Errors
///
/// Fails where they cannot be read, `each` does, or it is cancelled.
pub fn query(
    source: &dyn FragmentSource,
    region: &Region,
    cancellation: Option<&Cancellation>,
    each: &mut dyn FnMut(&FragmentBatch) -> Result<()>,
) -> Result<()> {
    let part = Part::of_region(source, region)?;
    let mut units = Parts::new(source, FragmentFields::ALL, [part]);
    let mut batch = FragmentBatch::default();
    while let Some(unit) = units.next_unit()? {
        cancellation.map_or(Ok(()), Cancellation::check)?;
        unit.decode(&mut batch)?;
        if !batch.starts.is_empty() {
            each(&batch)?;
        }
    }
    Ok(())
}
