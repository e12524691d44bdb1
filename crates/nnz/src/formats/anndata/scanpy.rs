//! Features with ids and symbols, as in 10x matrices, as scanpy has them: symbols are the names, made unique, and counts are
//! float32.

use nnz_core::{Axis, AxisKind, MatrixSource, Order, Result, ValueType};

use crate::ConvertOptions;
use crate::output::CellAxis;

/// The column of symbols, which become the names of features unless an option selects others.
const SYMBOLS: &str = "name";

/// The column of the ids, if these are not the names.
const IDS: &str = "gene_ids";

/// Columns of sources, and their names in scanpy.
const RENAMED: [[&str; 2]; 3] =
    [["id", IDS], [SYMBOLS, "gene_symbols"], ["feature_type", "feature_types"]];

/// Returns the options to write a source as scanpy has it, if its features are named by their ids. What is given is kept.
pub(in crate::formats) fn options_for(
    source: &dyn MatrixSource,
    options: &ConvertOptions,
) -> Result<Option<ConvertOptions>> {
    let header = source.header();
    let Some(axis) = AxisKind::cell_axis(header.axis_kinds).map(Axis::other) else {
        return Ok(None);
    };
    if source.names_column(axis).as_deref() != Some("id") {
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
