//! 10x matrices as AnnData, as scanpy presents them: features have their symbols as names, made unique, and counts are
//! float32.

use nnz_core::{Axis, AxisKind, Error, ErrorKind, MatrixSource, Order, Result, ValueType};

use super::{Format, INFO};
use crate::output::CellAxis;
use crate::{Context, ConvertOptions, Location};

/// The column of symbols, which become the names of features unless an option selects others.
const SYMBOLS: &str = "name";

/// The column of the ids, if these are not the names.
const IDS: &str = "gene_ids";

/// Columns of 10x, and their names in scanpy.
const RENAMED: [[&str; 2]; 3] =
    [["id", IDS], [SYMBOLS, "gene_symbols"], ["feature_type", "feature_types"]];

/// Returns the options to write a source as scanpy has it, if it is a 10x matrix and the target an AnnData file. What is
/// given is kept.
pub(crate) fn options_for(
    source: &dyn MatrixSource,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Option<ConvertOptions>> {
    let header = source.header();
    let Some(axis) = AxisKind::cell_axis(header.axis_kinds).map(Axis::other) else {
        return Ok(None);
    };
    // An unknown format of the target is an error later.
    let is_anndata = |format: &dyn Format| format.info().name == "anndata";
    let is_target = context.format_of_target(to, options).is_ok_and(is_anndata);
    let is_tenx = || source.about().map(|about| about.format.starts_with(INFO.name.as_str()));
    if !is_target || !is_tenx()? {
        return Ok(None);
    }
    let mut changed = options.clone();
    let labels = match axis {
        Axis::Rows => &mut changed.row_labels,
        Axis::Cols => &mut changed.col_labels,
    };
    let table = source.annotations(axis)?;
    let has_symbols =
        table.is_some_and(|table| table.columns().iter().any(|column| column.name == SYMBOLS));
    if labels.names_from.is_none() && has_symbols {
        labels.names_from = Some(SYMBOLS.to_owned());
        labels.make_unique = true;
    }
    labels.previous_names.get_or_insert_with(|| IDS.to_owned());
    labels.renamed.extend(RENAMED.map(|names| names.map(str::to_owned)));
    // A text has no order of its own. Its entries are mostly in that of cells, which scanpy needs.
    let by_cell = options.cell_axis == CellAxis::Format && !options.transpose;
    if header.own_order().is_none() && by_cell {
        changed.order.get_or_insert(Order::Row);
    }
    if header.value_type.is_integer() {
        changed.value_type.get_or_insert(ValueType::F32);
    }
    Ok(Some(changed))
}

/// Adds how integers are kept to an error about one that float32 does not hold.
pub(crate) fn explain(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Inexact { .. } => error.with_hint(
            "value_type",
            "uint32 or int64 keeps integers; counts of 10x become float32 in AnnData, as in scanpy",
        ),
        _ => error,
    }
}
