//! Matrices of R in memory as sources.

use std::sync::Arc;

use nnz::matrix::{AxisKind, Placed};
use nnz::{Axis, CsMatrix, Error, Order, Place, Shape};

use crate::args::Args;
use crate::error::Failure;
use crate::sources;
use crate::task::{self, Limits};
use crate::value::Value;

/// The name of the source in messages.
const IN_MEMORY: &str = "the matrix in memory";

/// Copies the slots of a dgCMatrix: numbers of rows and columns, `p`, `i`, `x`, and the names of both axes or `NULL`. Rows are
/// features.
pub(crate) fn from_slots(args: &Args<'_>) -> Result<Value, Failure> {
    let shape = Shape { rows: args.whole(0)?, cols: args.whole(1)? };
    let (pointers, rows) = (args.integers(2)?, args.integers(3)?);
    let values = args.numbers(4)?;
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let names = [(Axis::Rows, 5), (Axis::Cols, 6)]
        .map(|(axis, at)| args.optional_texts(at).map(|names| (axis, names.map(owned))));
    let [rows_named, cols_named] = names;
    let names = [rows_named?, cols_named?];
    let source = task::run(Limits::default(), move |_| {
        let rows = rows.into_iter().map(u32::try_from).collect::<Result<Vec<u32>, _>>();
        let rows = rows.map_err(|_| Error::argument("a row is negative"))?;
        let mut matrix = CsMatrix::from_parts(shape, Order::Col, pointers, rows, values)?
            .with_axis_kinds([AxisKind::Features, AxisKind::Cells]);
        for (axis, names) in names {
            if let Some(names) = names {
                matrix = matrix.with_names(axis, names)?;
            }
        }
        Ok(Placed::new(matrix.into_source()?, Place::path(IN_MEMORY)))
    })?;
    Ok(sources::insert(Arc::new(source)))
}
