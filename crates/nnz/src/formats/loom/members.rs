//! The matrices of a file, and its attributes.

use nnz_core::{Axis, Result};

use super::place;
use crate::formats::items::{column_members, matrix_member, unread_members};
use crate::formats::{Member, Probe};

/// Lists matrices and attributes; nothing if one matrix is selected.
pub(super) fn members(probe: &Probe) -> Result<Vec<Member>> {
    let (file, None) = place::open(probe)? else { return Ok(Vec::new()) };
    let mut members = Vec::new();
    for item in file.items()? {
        members.push(matrix_member(&item, file.matrix(&item), |matrix| matrix.kind())?);
    }
    for (axis, group) in [(Axis::Rows, "row_attrs"), (Axis::Cols, "col_attrs")] {
        let table = file.attributes(axis)?;
        members.extend(column_members(group, &*table));
        members.extend(unread_members(group, table.unread_columns()));
    }
    Ok(members)
}
