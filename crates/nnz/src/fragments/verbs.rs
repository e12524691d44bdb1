//! Writing and comparing the fragments at places.

use std::time::Instant;

use nnz_core::Result;
use nnz_engine::fragments as engine;

use super::target::{StoreOptions, Target};
use super::{
    DiffOptions, FragmentDifference, FragmentSummary, MergeOptions, SelectOptions, open,
    open_within,
};
use crate::{Location, Progress};

/// Writes the fragments at one place to another place: a store in another form, or text.
///
/// Names that end in `.tsv` or `.bed`, also with `.gz` or `.bgz`, become text; compressed text gets
/// an index for `tabix` beside it. `.h5` and groups are HDF5, `.rds` is an object of R, all else a
/// directory.
///
/// # Errors
///
/// Fails where the source cannot be read or is broken, and where the target exists and may not be
/// replaced or cannot be written. Nothing is left behind then.
pub fn convert(
    from: &Location,
    to: &Location,
    options: &StoreOptions,
    progress: &dyn Progress,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    let target = Target::new(to, options)?;
    let source = open_within(from, options.memory)?;
    let place = from.source_place();
    let written = engine::convert(&*source, &place, &target, &options.engine(), progress)?;
    Ok(FragmentSummary { seconds: started.elapsed().as_secs_f64(), ..written })
}

/// Writes some of the fragments at one place to another place, in any form
/// [`convert`](convert) writes.
///
/// # Errors
///
/// Fails as [`convert`](convert), and where a cell or chromosome is not there or listed
/// twice.
pub fn select(
    from: &Location,
    to: &Location,
    selected: &SelectOptions,
    options: &StoreOptions,
    progress: &dyn Progress,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    selected.check()?;
    let target = Target::new(to, options)?;
    let source = open_within(from, options.memory)?;
    let (place, writing) = (from.source_place(), options.engine());
    let written = engine::select(&*source, &place, &target, selected, &writing, progress)?;
    Ok(FragmentSummary { seconds: started.elapsed().as_secs_f64(), ..written })
}

/// Writes the fragments of several stores as one, in any form [`convert`](convert) writes.
///
/// Cells follow each other store by store. Chromosomes of one name are one, in the order they first
/// come. Fragments with one start stay in the order of the stores.
///
/// # Errors
///
/// Fails as [`convert`](convert), and where two cells would have the same name, or a
/// store has two chromosomes of one name.
pub fn merge(
    from: &[Location],
    to: &Location,
    merging: &MergeOptions,
    options: &StoreOptions,
    progress: &dyn Progress,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    let target = Target::new(to, options)?;
    merging.check(from.len())?;
    let mut sources = Vec::with_capacity(from.len());
    for location in from {
        sources.push((open_within(location, options.memory)?, location.source_place()));
    }
    let written = engine::merge(sources, &target, merging, &options.engine(), progress)?;
    Ok(FragmentSummary { seconds: started.elapsed().as_secs_f64(), ..written })
}

/// Compares two stores of fragments and hands the first differences to `each`.
///
/// Chromosomes and cells are known by their names. The fragments of a chromosome are compared in
/// the order they are stored in; the order chromosomes are stored in does not count.
///
/// # Errors
///
/// Fails where one of them cannot be read or is broken.
pub fn diff(
    first: &Location,
    second: &Location,
    options: &DiffOptions,
    each: &mut dyn FnMut(FragmentDifference),
) -> Result<()> {
    let sources = [open(first)?, open(second)?];
    let places = [first.source_place(), second.source_place()];
    engine::diff([&*sources[0], &*sources[1]], &places, options, each)
}
