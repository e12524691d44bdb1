//! Checking a whole file: tables and all matrices.

use nnz_core::{Finding, Result};
use nnz_engine::{CheckOptions, check, report_error};
use nnz_singlecell::anndata::{AnnData, Item};

use super::{item_place, place};
use crate::ValidateOptions;
use crate::formats::Probe;

/// Checks the selected matrix of a probe, or the tables and all matrices.
pub(super) fn validate(
    probe: &Probe,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let place = probe.location().source_place();
    let opened = place::open(probe).and_then(|(file, item)| match item {
        Some(item) => Ok((file, vec![item])),
        None => {
            file.validate_tables(options.memory, each)?;
            let items = file.items()?;
            Ok((file, items))
        }
    });
    let (file, items) = match opened {
        Ok(opened) => opened,
        Err(error) => return report_error(error.with_context(&place), each),
    };
    for item in items {
        if let Err(error) = matrix(&file, &item, probe, options, each) {
            report_error(error.with_context(&item_place(probe, &item)), each)?;
        }
    }
    Ok(())
}

fn matrix(
    file: &AnnData,
    item: &Item,
    probe: &Probe,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let source = file.matrix(item)?;
    let options = CheckOptions::default()
        .memory(options.memory)
        .threads(options.threads)
        .cancellation(options.cancellation.clone());
    check(&source, &item_place(probe, item), &options, each)
}
