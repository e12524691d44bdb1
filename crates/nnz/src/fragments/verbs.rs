//! Writing and comparing fragments.

use crate::Context;
use std::time::Instant;

use nnz_core::{FragmentSource, Result};
use nnz_engine::fragments as engine;

use super::target::{FragmentOutput, StoreOptions};
use super::{DiffOptions, FragmentDifference, FragmentSummary, MergeOptions, SelectOptions, open};
use crate::Location;

/// Converts fragments to another fragment file or to text.
///
/// Targets with the extension `.tsv` or `.bed`, also with `.gz` or `.bgz`, are text; compressed
/// text gets an index for `tabix`. `.h5` and groups are HDF5, `.rds` is an R object, anything else
/// is a directory.
///
/// # Errors
///
/// Fails if the source cannot be read or is broken, and if the target exists and may not be
/// replaced or cannot be written. Nothing is written then.
pub fn convert(
    from: &Location,
    to: &Location,
    options: &StoreOptions,
    context: &Context,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    let target = FragmentOutput::new(to, options, context)?;
    let source = options.open(from, context)?;
    let written = engine::convert(&*source, &target, context)?;
    Ok(written.seconds(started.elapsed().as_secs_f64()))
}

/// Writes open fragments, as [`convert`](convert).
///
/// # Errors
///
/// Fails as [`convert`](convert).
pub fn write(
    source: &dyn FragmentSource,
    to: &Location,
    options: &StoreOptions,
    context: &Context,
) -> Result<FragmentSummary> {
    let target = FragmentOutput::new(to, options, context)?;
    engine::convert(source, &target, context)
}

/// Writes some of the fragments, in any form that [`convert`](convert) writes.
///
/// # Errors
///
/// Fails as [`convert`](convert), and if a cell or chromosome does not exist or is listed twice.
pub fn select(
    from: &Location,
    to: &Location,
    selected: &SelectOptions,
    options: &StoreOptions,
    context: &Context,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    selected.check()?;
    let target = FragmentOutput::new(to, options, context)?;
    let source = options.open(from, context)?;
    let written = engine::select(&*source, &target, selected, context)?;
    Ok(written.seconds(started.elapsed().as_secs_f64()))
}

/// Merges several fragment files, in any form that [`convert`](convert) writes.
///
/// The cells of each file follow the cells of the previous file. Chromosomes with the same name are
/// merged, in the order of occurrence. Fragments with the same start are in the order of the
/// files.
///
/// # Errors
///
/// Fails as [`convert`](convert), if two cells have the same name, and if a file has two
/// chromosomes of the same name.
pub fn merge(
    from: &[Location],
    to: &Location,
    merging: &MergeOptions,
    options: &StoreOptions,
    context: &Context,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    let target = FragmentOutput::new(to, options, context)?;
    merging.check(from.len())?;
    let mut sources = Vec::with_capacity(from.len());
    for location in from {
        sources.push(options.open(location, context)?);
    }
    let written = engine::merge(sources, &target, merging, context)?;
    Ok(written.seconds(started.elapsed().as_secs_f64()))
}

/// Compares two fragment files and passes the first differences to `each`.
///
/// Chromosomes and cells are compared by name. The fragments of a chromosome are compared in
/// storage order; the order of the chromosomes does not matter.
///
/// # Errors
///
/// Fails if one of them cannot be read or is broken.
pub fn diff(
    first: &Location,
    second: &Location,
    options: &DiffOptions,
    context: &Context,
    each: &mut dyn FnMut(FragmentDifference),
) -> Result<()> {
    let sources = [open(first, context)?, open(second, context)?];
    engine::diff([&*sources[0], &*sources[1]], options, context, each)
}
