//! Computing with matrices: functions of values, products, sums of groups, principal components and markers.
//!
//! Values are computed as they are decoded; a matrix may be larger than memory. [`normalize`], [`aggregate`], [`pca`] and
//! [`markers`] write results to a location; the functions of [`engine::compute`](crate::engine::compute) work on any
//! source.

pub(crate) mod aggregate;
mod covariates;
mod markers;
mod normalize;
mod pca;
mod qc;
mod stated;
mod table;
mod variable;

use std::cmp::Reverse;

use crate::Context;
use nnz_core::{Axis, AxisKind, ColumnInfo, Error, Grouping, MatrixSource, Place, Result};
use nnz_engine::compute::ValueKind;
use nnz_engine::{Labelled, Summed};

use crate::location::is_same;
use crate::output::{CellAxis, DuplicatePolicy};
use crate::{ConvertOptions, Location};
use stated::Stated;

pub use aggregate::{AggregateOptions, aggregate};
pub use markers::{MarkersSummary, markers};
pub use nnz_engine::compute::{
    Aggregation, Float, MarkerOptions, MarkerTest, Markers, Pca, PcaOptions, PearsonOptions,
    ValueStep,
};
pub use normalize::{Normalization, TargetSum, normalize};
#[cfg(feature = "singlecell")]
pub use pca::pca_into;
pub use pca::{PcaSummary, PcaWriter, pca};
pub use qc::{Qc, QcOptions, qc};
pub use variable::{VariableOptions, batches_by, highly_variable};

/// Refuses to replace the source by a result without its entries.
fn refuse_own_source(from: &Location, to: &Location) -> Result<()> {
    match (from, to) {
        (Location::Path { path: from, .. }, Location::Path { path: to, group: None })
            if from == to || is_same(from, to) =>
        {
            let what = "the target is the source; write the result to another file";
            Err(Error::argument(format!("{}: {what}", Place::path(to))))
        }
        _ => Ok(()),
    }
}

/// Changes names and annotations as the options say.
pub(crate) fn labelled(
    source: Box<dyn MatrixSource>,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Box<dyn MatrixSource>> {
    let place = source.place();
    let labels = [&options.row_labels, &options.col_labels];
    if labels.iter().all(|labels| labels.is_default()) {
        return Ok(source);
    }
    let labelled = Labelled::new(source, labels, context.memory());
    Ok(Box::new(labelled.map_err(|error| error.with_context(&place))?))
}

/// Returns a matrix that states which of its axes has the cells, options for writing what is computed from it, and a note if nothing
/// states that axis. A matrix that states it is returned unchanged. Of another one, the axis is the one that is given, that of
/// [`CellAxis::Axis`] in the options, or the usual one of its format; otherwise rows are taken for cells.
pub fn stating_cells(
    source: Box<dyn MatrixSource>,
    given: Option<Axis>,
    options: &ConvertOptions,
) -> (Box<dyn MatrixSource>, ConvertOptions, Option<String>) {
    let kinds = source.header().axis_kinds;
    let mut options = options.clone();
    if kinds != [AxisKind::Unknown; 2] {
        let own = nnz_engine::compute::cell_axis(source.header());
        let note = given.filter(|given| *given != own).map(|given| {
            format!("the source states that {own} are cells; {given} are taken for cells here")
        });
        return (source, options, note);
    }
    // Once the matrix states its axes, this would be an axis of the target.
    let by_options = match options.cell_axis {
        CellAxis::Axis(axis) if given.is_none_or(|given| given == axis) => {
            options.cell_axis = CellAxis::Format;
            Some(axis)
        }
        _ => None,
    };
    let (axis, note) = match given.or(by_options) {
        Some(axis) => (axis, None),
        None => {
            let axis = AxisKind::cell_axis(source.usual_axis_kinds()).unwrap_or(Axis::Rows);
            let other = axis.other();
            let note = format!(
                "the source does not state which axis has cells: {axis} are taken for cells, {other} for features; axis {} states that \
                 {other} are cells",
                axis_option(other)
            );
            (axis, Some(note))
        }
    };
    (Box::new(Stated::new(source, axis)), options, note)
}

/// Notes that values are not what they are usually computed from.
///
/// # Errors
///
/// Fails if logarithms are requested of values of which some have none.
pub(crate) fn note_on_values(
    source: &dyn MatrixSource,
    how: &Normalization,
) -> Result<Option<String>> {
    let kind = nnz_engine::compute::value_kind(source)?;
    match kind {
        ValueKind::Counts => return Ok(None),
        ValueKind::Negative(least) if how.log1p && least < -1.0 => {
            let what = format!(
                "a value of {least}: log1p is not defined below -1; the values are not counts"
            );
            return Err(Error::unsupported(source.place(), what));
        }
        _ => {}
    }
    let why = match kind {
        ValueKind::Negative(_) => "some are negative",
        _ if has_log1p(source)? => STATED,
        _ => "some are not whole numbers",
    };
    Ok(Some(format!("values are not counts: {why}")))
}

/// The reason why values are not counts.
const STATED: &str = "uns/log1p states that they are logarithms";

/// Returns whether a file states that its values are logarithms.
fn has_log1p(source: &dyn MatrixSource) -> Result<bool> {
    let beside = nnz_core::readable(source.extras())?.unwrap_or_default();
    Ok(beside.iter().any(|member| member == "uns/log1p"))
}

/// Notes values that are logarithms already, before logarithms of them are taken.
///
/// # Errors
///
/// Fails if the matrix cannot be read.
pub fn note_on_log1p(source: &dyn MatrixSource) -> Result<Option<String>> {
    let is_log1p = source.is_log1p()
        || (nnz_engine::compute::value_kind(source)? != ValueKind::Counts && has_log1p(source)?);
    Ok(is_log1p.then(|| format!("values are not counts: {STATED}")))
}

/// What is expected of values.
const NOT_LOGARITHMS: &str = "not like logarithms of normalized counts";

/// Notes that values are not what components, markers or variable features are usually computed from: logarithms of normalized
/// counts of features of one type.
///
/// # Errors
///
/// Fails if logarithms are requested of values of which some have none, and if annotations of features cannot be read.
pub fn notes_on_logarithms(
    source: &dyn MatrixSource,
    how: &Normalization,
    context: &Context,
) -> Result<Vec<String>> {
    let mut of_values = None;
    if how.target_sum.is_some() || how.log1p {
        of_values = note_on_values(source, how)?;
    }
    if !how.log1p && source.rereadable() && source.header().nnz != Some(0) {
        let is_scaled = how.target_sum.is_some();
        of_values = match nnz_engine::compute::value_kind(source)? {
            ValueKind::Counts | ValueKind::Large(_) if is_scaled => {
                Some("values are scaled, but are not logarithms, which log1p takes".to_owned())
            }
            ValueKind::Counts => Some(format!("values look like counts, {NOT_LOGARITHMS}")),
            ValueKind::Large(greatest) => {
                Some(format!("values of up to {greatest:.1} are too large, {NOT_LOGARITHMS}"))
            }
            _ => of_values,
        };
    }
    let of_types = match how.features.is_none() || how.target_sum.is_some() {
        true => note_on_types(source, how.axis, context)?,
        false => None,
    };
    Ok(of_values.into_iter().chain(of_types).collect())
}

/// Types of features that a note counts.
const TYPES: usize = 3;

/// The type of features that is wanted of several.
const GENES: &str = "Gene Expression";

/// Notes that features of several types, such as genes and antibodies, are computed with together.
///
/// # Errors
///
/// Fails if annotations of features cannot be read.
pub fn note_on_types(
    source: &dyn MatrixSource,
    cells: Option<Axis>,
    context: &Context,
) -> Result<Option<String>> {
    // Of 10x, and of scanpy.
    const COLUMNS: [&str; 2] = ["feature_type", "feature_types"];
    let cells = cells.unwrap_or_else(|| nnz_engine::compute::cell_axis(source.header()));
    let Some(table) = source.annotations(cells.other())? else { return Ok(None) };
    let found = |info: &ColumnInfo| COLUMNS.contains(&&*info.name);
    let Some(at) = table.columns().iter().position(found) else { return Ok(None) };
    let name = table.columns().get(at).map_or("", |info| &*info.name);
    let column = table.read_column(at, context.memory() / 4)?;
    let Grouping { labels, codes } = column.grouped()?;
    if labels.len() < 2 {
        return Ok(None);
    }
    let mut counts = vec![0_u64; labels.iter().count()];
    for code in codes.iter().flatten() {
        counts.get_mut(*code as usize).into_iter().for_each(|count| *count += 1);
    }
    let mut types: Vec<_> = labels.iter().map(String::from_utf8_lossy).zip(counts).collect();
    types.sort_by_key(|(label, count)| (label != GENES, Reverse(*count)));
    let wanted = types.first().map(|(label, _)| format!("{name}={label}")).unwrap_or_default();
    let more = if types.len() > TYPES { ", ..." } else { "" };
    let counted = types.iter().take(TYPES).map(|(label, count)| format!("{count} {label:?}"));
    let counted = counted.collect::<Vec<_>>().join(", ");
    Ok(Some(format!(
        "features of several types are taken together ({counted}{more}); a slice with the features {wanted:?} has only those"
    )))
}

/// Notes variable features that are known, if all are used.
///
/// # Errors
///
/// Fails if annotations of features cannot be read.
pub fn note_on_variable(
    source: &dyn MatrixSource,
    cells: Option<Axis>,
    context: &Context,
) -> Result<Option<String>> {
    const COLUMN: &str = "highly_variable";
    let cells = cells.unwrap_or_else(|| nnz_engine::compute::cell_axis(source.header()));
    let Some(table) = source.annotations(cells.other())? else { return Ok(None) };
    let Some(at) = table.columns().iter().position(|info| info.name == COLUMN) else {
        return Ok(None);
    };
    let column = table.read_column(at, context.memory() / 4)?;
    let Grouping { labels, codes } = column.grouped()?;
    let Some(chosen) = labels.iter().position(|label| label.eq_ignore_ascii_case(b"true")) else {
        return Ok(None);
    };
    let count =
        codes.iter().filter(|code| code.is_some_and(|code| code as usize == chosen)).count();
    Ok((count < codes.len()).then(|| {
        format!(
            "all features are used; features {COLUMN}=True uses the {count} highly variable ones"
        )
    }))
}

/// Returns an axis as it is given as an option.
pub(crate) fn axis_option(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "rows",
        Axis::Cols => "cols",
    }
}

/// Sums duplicate entries if the options say so, or if the format does and they may be anywhere.
fn summed(
    source: Box<dyn MatrixSource>,
    options: &ConvertOptions,
    context: &Context,
) -> Box<dyn MatrixSource> {
    match options.duplicates {
        Some(DuplicatePolicy::Sum) => Box::new(Summed::new(source, context)),
        None => Summed::of_unordered(source, context),
        _ => source,
    }
}
