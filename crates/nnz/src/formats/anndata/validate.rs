//! Checking a whole file: tables and all matrices.

use nnz_core::{Finding, Result};
use nnz_singlecell::anndata::ElementChecks;

use super::{item_place, place};
use crate::formats::Probe;
use crate::formats::items::check_items;
use crate::{Progress, ValidateOptions};

/// Checks the selected matrix of a probe, or the tables and all matrices.
pub(super) fn validate(
    probe: &Probe,
    options: &ValidateOptions,
    progress: &dyn Progress,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let opened = place::open(probe).and_then(|(file, item)| match item {
        Some(item) => Ok((file, vec![item])),
        None => {
            file.validate_tables(options.memory, each)?;
            let checks = ElementChecks {
                memory: options.memory,
                threads: options.threads,
                cancellation: options.cancellation.as_ref(),
            };
            file.validate_elements(&checks, each)?;
            let items = file.items()?;
            Ok((file, items))
        }
    });
    let place = probe.location().source_place();
    let of_item = |item: &_| item_place(probe, item);
    check_items(opened, &place, of_item, |file, item| file.matrix(item), options, progress, each)
}
