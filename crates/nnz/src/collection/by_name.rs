//! Comparing files whose rows and columns have another order.

use std::sync::Arc;

use nnz_core::{Axis, ORIGINAL_POSITION, Result};
use nnz_engine::{ElementChange, MatchedNames, match_names, missing_names};
use nnz_storage::staging::TemporaryDirectory;

use super::{Collection, CollectionSlice, ElementDifference};
use crate::{Context, ConvertOptions, Dataset, DiffOptions, Location, OpenOptions, Selection};

/// Compares two collections after the rows and columns of the second are put into the order of the first, in a
/// temporary file. The columns of original positions are not compared.
pub(super) fn diff(
    [first, second]: [&Arc<dyn Collection>; 2],
    options: &DiffOptions,
    context: &Context,
    each: &mut dyn FnMut(ElementDifference),
) -> Result<bool> {
    let each = &mut |found: ElementDifference| {
        let column = found.path.rsplit('/').next();
        if column != Some(ORIGINAL_POSITION) {
            each(found);
        }
    };
    let [rows, cols] = match order([&**first, &**second], options, each, context)? {
        Order::Moved(orders) => orders,
        Order::InPlace => return first.diff(&**second, options, context, each),
        Order::Different => return Ok(true),
    };
    let directory = TemporaryDirectory::create(context)?;
    let extension = second.info().extensions.first().copied().unwrap_or_default();
    let path = directory.path().join(format!("reordered.{extension}"));
    let target = Location::Path { path, group: None };
    let reordered: Arc<dyn Collection> =
        Arc::new(CollectionSlice::new(Arc::clone(second), [&rows, &cols]));
    let how = ConvertOptions::default().sync(false);
    super::convert(&reordered, &target, &how, context)?;
    match OpenOptions::new().open(target, context)? {
        Dataset::Collection(reordered) => first.diff(&*reordered, options, context, each),
        _ => Ok(false),
    }
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
    collections: [&dyn Collection; 2],
    options: &DiffOptions,
    each: &mut dyn FnMut(ElementDifference),
    context: &Context,
) -> Result<Order> {
    let [first, second] = collections;
    let sources = [first.axes()?, second.axes()?];
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
