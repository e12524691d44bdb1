//! The matrices of a file, and its attributes.

use nnz_core::{Annotations as _, Axis, MatrixSource as _, Result};

use super::place;
use crate::formats::{Member, Probe};

/// Lists matrices and attributes; nothing if one matrix is selected.
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
                    kind: matrix.kind().to_owned(),
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
    for (axis, group) in [(Axis::Rows, "row_attrs"), (Axis::Cols, "col_attrs")] {
        let table = file.attributes(axis)?;
        members.extend(table.columns().iter().map(|column| Member {
            path: format!("{group}/{}", column.name),
            shape: vec![table.len()],
            kind: "column".to_owned(),
            value_type: column.column_type.to_string(),
        }));
    }
    Ok(members)
}
