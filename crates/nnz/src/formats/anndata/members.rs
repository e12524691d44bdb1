//! The matrices of a file, and the columns of its tables.

use nnz_core::{Axis, Result};
use nnz_singlecell::anndata::AnnData;

use crate::formats::Member;
use crate::formats::items::{column_members, matrix_member, unread_members};

/// Lists matrices and columns.
pub(super) fn members(file: &AnnData) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    for item in file.items()? {
        members.push(matrix_member(
            (&item, item.collection_axes()),
            file.matrix(&item),
            |matrix| matrix.encoding(),
        )?);
    }
    for (name, axis, frame) in [("obs", Axis::Rows, file.obs()?), ("var", Axis::Cols, file.var()?)]
    {
        members.extend(column_members(name, axis, &*frame));
        members.extend(unread_members(name, frame.unread_columns()));
    }
    Ok(members)
}
