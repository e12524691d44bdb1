//! The matrices of a file, and the columns of its tables.

use nnz_core::Result;

use super::place;
use crate::formats::items::{column_members, matrix_member, unread_members};
use crate::formats::{Member, Probe};

/// Lists matrices and columns; nothing if one matrix is selected.
pub(super) fn members(probe: &Probe) -> Result<Vec<Member>> {
    let (file, None) = place::open(probe)? else { return Ok(Vec::new()) };
    let mut members = Vec::new();
    for item in file.items()? {
        members.push(matrix_member(&item, file.matrix(&item), |matrix| matrix.encoding())?);
    }
    for (name, frame) in [("obs", file.obs()?), ("var", file.var()?)] {
        members.extend(column_members(name, &*frame));
        members.extend(unread_members(name, frame.unread_columns()));
    }
    Ok(members)
}
