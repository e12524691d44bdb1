//! The matrices of a file, the columns of its tables, and the members of `uns`.

use nnz_core::{Axis, Result};
use nnz_singlecell::anndata::AnnData;

use crate::formats::Member;
use crate::formats::items::{column_members, matrix_member, unread_members};

/// Lists matrices, columns and the members of `uns`.
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
    for (name, kind, value_type) in file.unstructured()? {
        let path = format!("uns/{name}");
        // A matrix is listed already.
        if members.iter().all(|member: &Member| member.path != path) {
            members.push(Member { path, shape: Vec::new(), axes: Vec::new(), kind, value_type });
        }
    }
    Ok(members)
}
