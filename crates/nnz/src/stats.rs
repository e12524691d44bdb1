//! Statistics of the matrix of a location.

use crate::Context;
use nnz_core::Result;

use crate::open::open_matrix;
use crate::{Location, Stats, StatsOptions, engine::stats as stats_of};

/// Computes the requested statistics in one pass over the entries, decoding only what they need:
/// for the sums of columns of a matrix in column order, row indices are not read.
///
/// The result is the same for any number of threads.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if its values are complex, and if there are duplicate
/// entries in a format that does not define their meaning.
pub fn stats(
    location: impl Into<Location>,
    options: &StatsOptions,
    context: &Context,
) -> Result<Stats> {
    let location = &location.into();
    stats_of(&*open_matrix(location, context)?, options, context)
}
