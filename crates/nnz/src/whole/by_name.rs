//! Comparing files whose rows and columns have another order.

use nnz_core::{Axis, MatrixSource, ORIGINAL_POSITION, Result};
use nnz_engine::{MatchedNames, match_names};
use nnz_storage::staging::{TemporaryDirectory, WriteOptions};

use super::ElementDifference;
use crate::formats::{Probe, WholeFormat};
use crate::{ConvertOptions, DiffOptions, Location, NoProgress, OpenOptions, Selection};

/// Compares two files after the rows and columns of the second are put into the order of the first, in a temporary
/// file. The columns of original positions are not compared.
pub(super) fn diff(
    format: &dyn WholeFormat,
    [first, second]: [&Probe; 2],
    locations: [&Location; 2],
    options: &DiffOptions,
    each: &mut dyn FnMut(ElementDifference),
) -> Result<()> {
    let each = &mut |found: ElementDifference| {
        let column = found.path.rsplit('/').next();
        if column != Some(ORIGINAL_POSITION) {
            each(found);
        }
    };
    let Some([rows, cols]) = order(locations, options)? else {
        return format.diff_files([first, second], options, each);
    };
    let directory = TemporaryDirectory::create()?;
    let extension = if second.directory().is_some() { "zarr" } else { "h5ad" };
    let path = directory.path().join(format!("reordered.{extension}"));
    let reordered = Location::Path { path, group: None };
    let how = ConvertOptions::default()
        .memory(options.memory)
        .threads(options.threads)
        .cancellation(options.cancellation.clone())
        .write(WriteOptions { overwrite: false, sync: false });
    format.slice_file(second, &reordered, [&rows, &cols], &how, &NoProgress)?;
    let open = OpenOptions::new().memory_limit(options.memory);
    let reordered = open.formats().detect(&reordered, &open)?.into_probe();
    format.diff_files([first, &reordered], options, each)
}

/// Returns the rows and columns of the second file in the order of the first; `None` if they are in this order, or if
/// names differ, which is a difference of the tables.
fn order(locations: [&Location; 2], options: &DiffOptions) -> Result<Option<[Selection; 2]>> {
    let open = OpenOptions::new().memory_limit(options.memory);
    let opened = |location: &Location| -> Result<Box<dyn MatrixSource>> {
        match super::tables(location, &open)? {
            Some(tables) => Ok(tables),
            None => open.open_matrix(location),
        }
    };
    let sources = [opened(locations[0])?, opened(locations[1])?];
    let sources = sources.each_ref().map(|source| &**source);
    let places = locations.map(Location::source_place);
    let mut orders = [Selection::all(), Selection::all()];
    let mut moved = false;
    for (axis, order) in [Axis::Rows, Axis::Cols].into_iter().zip(&mut orders) {
        match match_names(sources, axis, &places, options.memory)? {
            MatchedNames::InPlace => {}
            MatchedNames::Moved(selection) => (*order, moved) = (selection, true),
            MatchedNames::Different => return Ok(None),
        }
    }
    Ok(moved.then_some(orders))
}
