//! Converting data that is not a matrix: tables and fragments.

use nnz_core::{Error, Place, Result};
#[cfg(feature = "fragments")]
use nnz_core::{FragmentSource, Rounding};

#[cfg(feature = "fragments")]
use crate::formats::values::Packing;
#[cfg(feature = "fragments")]
use crate::fragments::{self, StoreOptions};
#[cfg(feature = "daphne")]
use crate::frames::{self, FrameOptions, FrameSource};
use crate::output::{CellAxis, StructurePolicy};
use crate::{Context, ConvertOptions, Location, Summary};
#[cfg(feature = "daphne")]
use crate::{ErrorKind, OpenOptions};

/// Returns whether a text is converted as a table: if the types of its columns are given, or to DAPHNE. Otherwise it is a
/// matrix.
///
/// # Errors
///
/// Fails on I/O errors, and if types are given for something else.
#[cfg(feature = "daphne")]
pub(super) fn is_table(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<bool> {
    let is_text = || frames::is_text(from, &OpenOptions::new(), context);
    if options.types.is_some() {
        // Standard input can be a matrix as well; with types of columns it is a table.
        return match *from == Location::Stream || is_text()? {
            true => Ok(true),
            false => Err(Error::argument("the option types applies to .csv sources only")),
        };
    }
    Ok(is_detected(&options.open) && frames::is_target(to, options.format) && is_text()?)
}

/// Returns whether a text that is no matrix is a table, and the target can store one.
///
/// # Errors
///
/// Fails on I/O errors.
#[cfg(feature = "daphne")]
pub(super) fn is_table_after(
    error: &Error,
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<bool> {
    let is_text = || frames::is_text(from, &OpenOptions::new(), context);
    let can_be = matches!(error.kind(), ErrorKind::Unrecognized(_))
        && is_detected(&options.open)
        && frames::stores(to, &of_table(options));
    Ok(can_be && is_text()?)
}

/// Returns whether nothing is given about how a source is read.
#[cfg(feature = "daphne")]
fn is_detected(open: &OpenOptions) -> bool {
    open.format.is_none() && !open.has_dialect() && open.format_options.is_empty()
}

#[cfg(feature = "daphne")]
fn of_table(options: &ConvertOptions) -> FrameOptions {
    let mut frame = FrameOptions::default()
        .types(options.types.clone())
        .open(options.open.clone())
        .format_options(options.format_options.clone())
        .rounding(options.rounding)
        .overwrite(options.overwrite)
        .sync(options.sync);
    frame.format = options.format;
    frame
}

/// Converts a text as a table.
#[cfg(feature = "daphne")]
pub(super) fn text(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    check_table(&from.source_place(), options)?;
    frames::convert(from, to, &of_table(options), context).map(Into::into)
}

/// Writes a table as a DAPHNE frame or as text.
#[cfg(feature = "daphne")]
pub(super) fn table(
    frame: &FrameSource,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    check_table(&frame.place(), options)?;
    frames::write_source(frame, to, &of_table(options), context).map(Into::into)
}

#[cfg(feature = "daphne")]
fn check_table(place: &Place, options: &ConvertOptions) -> Result<()> {
    if options.transpose {
        let what =
            "contains a data frame, not a matrix; it is only converted between .csv and .dbdf";
        return Err(Error::argument(format!("{place}: {what}")));
    }
    let compress = ("compress", options.compress.is_some());
    refuse(place, "data frames", of_matrices(options).into_iter().chain([compress]))
}

/// Writes fragments as another fragment file, or as text.
#[cfg(feature = "fragments")]
pub(super) fn fragments(
    source: &dyn FragmentSource,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let place = &source.place();
    let given = &options.format_options;
    let lossy = ("lossy", options.rounding != Rounding::Refused);
    refuse(place, "fragments", of_matrices(options).into_iter().chain([lossy]))?;
    let named = |name| options.format.is_none_or(|format| format == name);
    let formats = context.registry().formats().iter().map(|format| format.info());
    let stores = formats.filter(|info| named(info.name)).filter_map(|info| info.fragment_options);
    let known: Vec<&str> = stores.flatten().map(|option| option.name).collect();
    if let Some(format) = options.format.filter(|_| known.is_empty()) {
        let what = format!("contains fragments, which are not written as {format}");
        return Err(Error::argument(format!("{place}: {what}")));
    }
    refuse(place, "fragments", given.names().map(|name| (name, !known.contains(&name))))?;
    let store = StoreOptions::default()
        .packing(given.flag("unpacked")?.then_some(Packing::Unpacked))
        .format_version(given.parse("format-version")?)
        .compress(options.compress)
        .overwrite(options.overwrite)
        .sync(options.sync);
    fragments::write(source, to, &store, context).map(Into::into)
}

/// Lists options that apply to matrices only, and whether they are set.
fn of_matrices(options: &ConvertOptions) -> [(&'static str, bool); 12] {
    let [rows, cols] = [&options.row_labels, &options.col_labels];
    [
        ("order", options.order.is_some()),
        ("type", options.value_type.is_some()),
        ("duplicates", options.duplicates.is_some()),
        ("structure", options.structure != StructurePolicy::Keep),
        ("cell-axis", options.cell_axis != CellAxis::Format),
        ("profile", options.profile.is_some()),
        ("reorder", options.reorders()),
        ("row-names", rows.names_from.is_some()),
        ("col-names", cols.names_from.is_some()),
        ("make-unique", rows.make_unique || cols.make_unique),
        ("row-annotations", rows.table.is_some()),
        ("col-annotations", cols.table.is_some()),
    ]
}

/// Refuses an option that is set; `kind` is the data to which it does not apply.
fn refuse<'a>(
    place: &Place,
    kind: &str,
    mut options: impl Iterator<Item = (&'a str, bool)>,
) -> Result<()> {
    match options.find(|(_, is_set)| *is_set) {
        None => Ok(()),
        Some((name, _)) => {
            let what = format!("{place}: the option {name} does not apply to {kind}");
            Err(Error::argument(what))
        }
    }
}
