//! Checking a whole file: tables and all matrices.

use crate::Context;
use nnz_core::{Finding, Result};

use super::place;
use crate::formats::Probe;
use crate::formats::items::{check_items, place_of_item};

/// Checks the selected matrix of a probe, or the tables and all matrices.
pub(super) fn validate(
    probe: &Probe,
    context: &Context,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let opened = place::open(probe).and_then(|(file, item)| match item {
        Some(item) => Ok((file, vec![item])),
        None => {
            file.validate_tables(context.memory(), each)?;
            file.validate_elements(context, each)?;
            let items = file.items()?;
            Ok((file, items))
        }
    });
    let place = probe.location().source_place();
    let of_item = |item: &_| place_of_item((probe.location(), probe.group_name()), item);
    check_items(opened, &place, of_item, |file, item| file.matrix(item), context, each)
}
