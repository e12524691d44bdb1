//! Annotations: tables of rows and columns, of combined matrices, and as text.

mod appended;
mod keyed;
mod labels;
mod name_list;
mod parse;
mod quotes;
mod selected_rows;
mod table;
mod text;
mod unique;

use nnz_core::{Axis, MatrixSource, ORIGINAL_POSITION, Result, readable};

pub use appended::{Appended, DroppedColumn, Join};
pub use keyed::Keyed;
pub use labels::{Labelled, Labels, OriginalPositions};
pub use name_list::NameList;
pub(crate) use selected_rows::SelectedRows;
pub use table::AnnotationTable;
pub(crate) use text::write_field;
pub use text::{AnnotationText, write_annotations, write_table};
pub use unique::make_unique;

/// Describes the annotations of a source, for the list of what a target does not support. With `positions`, it
/// supports the column [`ORIGINAL_POSITION`].
///
/// # Errors
///
/// Fails if the system cannot read them.
pub(crate) fn named(source: &dyn MatrixSource, positions: bool) -> Result<Vec<String>> {
    const MOST: usize = 8;
    let mut named = Vec::new();
    for axis in [Axis::Rows, Axis::Cols] {
        let Some(table) = readable(source.annotations(axis))? else {
            named.push(format!("{} annotations", axis.singular()));
            continue;
        };
        let Some(table) = table else { continue };
        let stored = |name: &str| positions && name == ORIGINAL_POSITION;
        let columns = table.columns().iter().map(|column| &*column.name);
        let columns: Vec<&str> = columns.filter(|name| !stored(name)).collect();
        if columns.is_empty() {
            continue;
        }
        let shown: Vec<&str> = columns.iter().take(MOST).copied().collect();
        let more = match columns.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        named.push(format!("{} annotations ({}{more})", axis.singular(), shown.join(", ")));
    }
    Ok(named)
}
