//! The matrices of a file, and the columns of its tables.

use nnz_core::Result;

use super::place;
use crate::formats::items::{column_members, matrix_member};
use crate::formats::{Member, Probe};

/// Lists matrices and columns; nothing if one matrix is selected.
pub(super) fn members(probe: &Probe) -> Result<Vec<Member>> {
    let (file, None) = place::open(probe)? else { return Ok(Vec::new()) };
    let mut members = Vec::new();
    for item in file.items()? {
        members.push(matrix_member(&item, file.matrix(&item), |matrix| matrix.encoding())?);
    }
    members.extend(column_members("obs", &*file.obs()?));
    members.extend(column_members("var", &*file.var()?));
    Ok(members)
}
