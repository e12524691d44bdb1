//! Comparing files whose rows and columns have another order.

use crate::Context;
use nnz_core::{Axis, MatrixSource, ORIGINAL_POSITION, Result};
use nnz_engine::{ElementChange, MatchedNames, match_names, missing_names};
use nnz_storage::staging::TemporaryDirectory;

use super::ElementDifference;
use crate::formats::{Probe, WholeFormat};
use crate::{ConvertOptions, DiffOptions, Location, OpenOptions, Selection};

/// Compares two files after the rows and columns of the second are put into the order of the first, in a temporary
/// file. The columns of original positions are not compared.
pub(super) fn diff(
    format: &dyn WholeFormat,
    [first, second]: [&Probe; 2],
    (locations, open): ([&Location; 2], &OpenOptions),
    options: &DiffOptions,
    context: &Context,
    each: &mut dyn FnMut(ElementDifference),
) -> Result<()> {
    let each = &mut |found: ElementDifference| {
        let column = found.path.rsplit('/').next();
        if column != Some(ORIGINAL_POSITION) {
            each(found);
        }
    };
    let [rows, cols] = match order(locations, open, options, each, context)? {
        Order::Moved(orders) => orders,
        Order::InPlace => return format.diff_files([first, second], options, context, each),
        Order::Different => return Ok(()),
    };
    let directory = TemporaryDirectory::create(context)?;
    let extension = if second.directory().is_some() { "zarr" } else { "h5ad" };
    let path = directory.path().join(format!("reordered.{extension}"));
    let reordered = Location::Path { path, group: None };
    let how = ConvertOptions::default().sync(false);
    format.slice_file(second, &reordered, [&rows, &cols], &how, context)?;
    let open = OpenOptions::new();
    let reordered = context.detect(&reordered, &open)?.into_probe();
    format.diff_files([first, &reordered], options, context, each)
}

/// The rows and columns of the second file in the order of the first.
enum Order {
    InPlace,
    Moved([Selection; 2]),
    /// Some names are missing in one of the files.
    Different,
}

/// Finds the rows and columns of the second file in the first. Missing names are passed to `each`; their path is the
/// axis.
fn order(
    locations: [&Location; 2],
    open: &OpenOptions,
    options: &DiffOptions,
    each: &mut dyn FnMut(ElementDifference),
    context: &Context,
) -> Result<Order> {
    let opened = |location: &Location| -> Result<Box<dyn MatrixSource>> {
        match super::tables(location, open, context)? {
            Some(tables) => Ok(tables),
            None => open.open_matrix(location, context),
        }
    };
    let sources = [opened(locations[0])?, opened(locations[1])?];
    let sources = sources.each_ref().map(|source| &**source);
    let mut orders = [Selection::all(), Selection::all()];
    let (mut moved, mut differ) = (false, false);
    for (axis, order) in [Axis::Rows, Axis::Cols].into_iter().zip(&mut orders) {
        match match_names(sources, axis, context.memory())? {
            MatchedNames::InPlace => {}
            MatchedNames::Moved(selection) => (*order, moved) = (selection, true),
            MatchedNames::Different { first_only, second_only } => {
                differ = true;
                let found = missing_names(axis, first_only, second_only, options.max_diffs);
                found.for_each(|name| {
                    let what = ElementChange::Matrix(name);
                    each(ElementDifference::new(axis.to_string(), what));
                });
            }
        }
    }
    Ok(match (differ, moved) {
        (true, _) => Order::Different,
        (false, true) => Order::Moved(orders),
        (false, false) => Order::InPlace,
    })
}
