//! Stored entries of what a place holds, as text.

use std::io::Write;

use nnz_core::Result;

use crate::{CatOptions, Dataset, Location, OpenOptions, engine::cat as cat_source};

/// Writes the stored entries of a matrix in storage order, one a line: row and column counted from
/// 0, and the value, with tabs between.
///
/// # Errors
///
/// Fails where the matrix cannot be read or is broken, and where writing fails. What was read up to
/// there is written.
pub fn cat(
    location: impl Into<Location>,
    options: &CatOptions,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let location = &location.into();
    let place = location.source_place();
    match OpenOptions::new().memory_limit(options.memory).open(location)? {
        Dataset::Tensor(tensor) => {
            tensor.cat(options, out).map_err(|error| error.with_context(&place))
        }
        other => {
            let matrix = other.into_matrix().map_err(|error| error.with_context(&place))?;
            cat_source(&*matrix, &place, options, out)
        }
    }
}
