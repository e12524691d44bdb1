//! The matrices of a file, and the columns of its tables.

use nnz_core::{Annotations as _, MatrixSource as _, Result};
use nnz_singlecell::anndata::DataFrame;

use super::place;
use crate::formats::{Member, Probe};

/// Lists matrices and columns; nothing if one matrix is selected.
pub(super) fn members(probe: &Probe) -> Result<Vec<Member>> {
    let (file, None) = place::open(probe)? else { return Ok(Vec::new()) };
    let mut members = Vec::new();
    for item in file.items()? {
        let path = item.to_string();
        members.push(match file.matrix(&item) {
            Ok(matrix) => {
                let header = matrix.header();
                Member {
                    path,
                    shape: vec![header.shape.rows, header.shape.cols],
                    kind: matrix.encoding().to_owned(),
                    value_type: header.value_type.to_string(),
                }
            }
            Err(error) if error.is_system() => return Err(error),
            // `validate` reports the fault.
            Err(_) => {
                let (kind, value_type) = ("invalid".to_owned(), String::new());
                Member { path, shape: Vec::new(), kind, value_type }
            }
        });
    }
    columns("obs", &*file.obs()?, &mut members);
    columns("var", &*file.var()?, &mut members);
    Ok(members)
}

fn columns(name: &str, frame: &DataFrame, members: &mut Vec<Member>) {
    members.extend(frame.columns().iter().map(|column| Member {
        path: format!("{name}/{}", column.name),
        shape: vec![frame.len()],
        kind: "column".to_owned(),
        value_type: column.column_type.to_string(),
    }));
}
