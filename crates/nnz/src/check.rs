//! Checking a whole file.

use crate::Context;
use std::collections::HashSet;

use nnz_container::tree::{ChildKind, walk};
use nnz_core::{ErrorKind, Finding, Place, Placed, Result, readable};
use nnz_engine::{Observed, report_error};

use crate::{Dataset, Location, OpenOptions};

/// Options of [`validate`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ValidateOptions {
    /// How the location is opened. A file of a given format or dialect is checked as such in any case.
    pub open: OpenOptions,
}

nnz_core::setters! { ValidateOptions { open: OpenOptions } }

/// Checks everything about a matrix or fragments, and passes findings to `each`.
///
/// If the location has no group, all groups of the file with data are checked. An empty group is only the root.
///
/// ```no_run
/// use nnz::{Location, Context, ValidateOptions};
///
/// let location = Location::parse("pbmc.mtx.gz");
/// let options = ValidateOptions::default();
/// nnz::validate(&location, &options, &Context::default(), &mut |finding| println!("{finding}"))?;
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the format is not recognized or is not the given one, if a directory contains several matrices, on
/// I/O errors, and if cancelled. Any other fault is a finding.
pub fn validate(
    location: impl Into<Location>,
    options: &ValidateOptions,
    context: &Context,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let context = &context.operation();
    // Repaired faults would not be found.
    let options = &ValidateOptions { open: options.open.clone().repairs(None) };
    let location = &location.into().resolve(&**context.storage())?;
    // Arrays that several parts of a file share are checked for each part.
    let mut reported = HashSet::new();
    let each = &mut |finding: Finding| {
        if reported.len() >= MAX_REPORTED || reported.insert(finding.to_string()) {
            each(finding);
        }
    };
    let open_options = &options.open;
    check_one(location, options, context, each)?;
    missing_chunks(location, open_options, each, context)?;
    let Location::Path { path, group: None } = location else { return Ok(()) };
    if open_options.format.is_some() {
        return Ok(());
    }
    let in_group = |group| Location::Path { path: path.clone(), group: Some(group) };
    let others = match crate::formats::other_groups(location, open_options, context) {
        Ok(others) => others,
        // The file cannot be opened, which has been reported.
        Err(error) => return report_error(error.with_context(&location.source_place()), each),
    };
    for group in others {
        check_one(&in_group(group), options, context, each)?;
    }
    Ok(())
}

/// Maximum number of findings that are compared with new ones.
const MAX_REPORTED: usize = 10_000;

/// Notes chunks of a Zarr store or HDF5 file that do not exist. Both allow it, but it can be an incomplete copy or a
/// program that was interrupted.
fn missing_chunks(
    location: &Location,
    options: &OpenOptions,
    each: &mut dyn FnMut(Finding),
    context: &Context,
) -> Result<()> {
    let Some(probe) = readable(context.probe(location, options))? else { return Ok(()) };
    // Errors of the store have been reported.
    let Some(tree) = readable(probe.tree())?.flatten() else { return Ok(()) };
    let walked = walk(tree, &mut |group, _, children| {
        for child in children.iter().filter(|child| child.kind == ChildKind::Array) {
            let Some(array) = readable(group.array(&child.name))? else { continue };
            // A null of AnnData has no value, so that zarr-python writes no chunk.
            let encoding = readable(array.attribute("encoding-type"))?.flatten();
            if encoding.is_some_and(|encoding| encoding.text() == Some("null")) {
                continue;
            }
            let sharded = array.storage().shard_shape.is_some();
            let file = if sharded { "shard" } else { "chunk" };
            // An invalid index has been reported.
            let missing = readable(array.missing_chunks())?.unwrap_or(0);
            let inside = readable(array.missing_in_shards())?.unwrap_or(0);
            for (missing, what, place) in [(missing, file, ""), (inside, "chunk", " in a shard")] {
                let what = match missing {
                    0 => continue,
                    1 => format!("1 {what}{place} is missing and reads as the fill value"),
                    _ => {
                        let place = if place.is_empty() { "" } else { " in shards" };
                        format!("{missing} {what}s{place} are missing and read as the fill value")
                    }
                };
                each(Finding::note(array.place(), what));
            }
        }
        Ok(())
    });
    readable(walked).map(drop)
}

/// Checks one location.
pub(crate) fn check_one(
    location: &Location,
    options: &ValidateOptions,
    context: &Context,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let open_options = &options.open;
    if let Some(error) = context.refused_format(location, open_options) {
        return Err(error);
    }
    match context.detect(location, open_options) {
        Ok(found) => found.validate(options, context, each),
        Err(error) if matches!(error.kind(), ErrorKind::Unrecognized(_)) => Err(error),
        Err(error) => report_error(error.with_context(&location.source_place()), each),
    }
}

/// Reads a matrix from start to end, up to the first error.
pub(crate) fn read_whole(
    dataset: Dataset,
    place: &Place,
    context: &Context,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let matrix = Placed::new(dataset.into_matrix()?, place.clone());
    nnz_engine::check(&Observed::new(&matrix, "checking", context.progress()), context, each)
}
