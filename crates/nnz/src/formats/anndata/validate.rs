//! Checking a whole file: tables and all matrices.

use crate::Context;
use nnz_core::{Finding, Result};

use super::place;
use crate::formats::items::check_items;
use crate::formats::{Probe, drop};

/// Checks the selected matrix of a probe, or the tables and all matrices.
pub(super) fn validate(
    probe: &Probe,
    context: &Context,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let opened = place::open(probe).and_then(|(file, item, missing)| match item {
        _ if !missing.is_empty() => Err(drop::unknown(&missing[0])),
        Some(item) => Ok((file, vec![item])),
        None => {
            file.validate_tables(context.memory(), each)?;
            file.validate_elements(context, each)?;
            let items = file.items()?;
            Ok((file, items))
        }
    });
    let place = probe.location().source_place();
    let of_item = |item: &_| place::of_item((probe.location(), probe.group_name()), item);
    check_items(opened, &place, of_item, |file, item| file.matrix(item), context, each)
}
