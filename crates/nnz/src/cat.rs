//! Stored entries of a matrix as text.

use crate::Context;
use std::io::Write;

use nnz_core::Result;

use crate::{CatOptions, Dataset, Location, OpenOptions, engine::cat as cat_source};

/// Writes the stored entries of a matrix in storage order, one per line: row, column (both counted
/// from 0) and value, separated by tabs.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, and if writing fails. Entries before the error
/// are written.
pub fn cat(
    location: impl Into<Location>,
    options: &CatOptions,
    context: &Context,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let location = &location.into();
    let place = location.source_place();
    match OpenOptions::new().open(location, context)? {
        Dataset::Tensor(tensor) => {
            tensor.cat(options, context, out).map_err(|error| error.with_context(&place))
        }
        other => {
            let matrix = other.into_matrix()?;
            cat_source(&*matrix, options, context, out)
        }
    }
}
