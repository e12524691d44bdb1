//! Checking a whole file: attributes and all matrices.

use nnz_core::{Finding, Result};
use nnz_engine::{CheckOptions, check, report_error};
use nnz_singlecell::loom::{Item, Loom};

use super::place;
use crate::ValidateOptions;
use crate::formats::Probe;

/// Checks the selected matrix of a probe, or the attributes and all matrices.
pub(super) fn validate(
    probe: &Probe,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let place = probe.location().source_place();
    let opened = place::open(probe).and_then(|(file, item)| match item {
        Some(item) => Ok((file, vec![item])),
        None => {
            file.validate_attributes(options.memory, each)?;
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
            report_error(error.with_context(&place::of_item(probe, &item)), each)?;
        }
    }
    Ok(())
}

fn matrix(
    file: &Loom,
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
    check(&source, &place::of_item(probe, item), &options, each)
}
