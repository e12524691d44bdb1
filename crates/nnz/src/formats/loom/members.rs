//! The matrices of a file, and its attributes.

use nnz_core::{Axis, Result};
use nnz_singlecell::loom::Loom;

use crate::formats::Member;
use crate::formats::items::{column_members, matrix_member, unread_members};

/// Lists matrices and attributes.
pub(super) fn members(file: &Loom) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    for item in file.items()? {
        members
            .push(matrix_member((&item, item.axes()), file.matrix(&item), |matrix| matrix.kind())?);
    }
    for (axis, group) in [(Axis::Rows, "row_attrs"), (Axis::Cols, "col_attrs")] {
        let table = file.attributes(axis)?;
        members.extend(column_members(group, axis, &*table));
        members.extend(unread_members(group, table.unread_columns()));
    }
    Ok(members)
}
