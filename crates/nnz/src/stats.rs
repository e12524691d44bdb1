//! Statistics of the matrix of a location.

use nnz_core::{Cancellation, Result};

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
pub fn stats(location: impl Into<Location>, options: &StatsOptions) -> Result<Stats> {
    let _entered = options.cancellation.as_ref().map(Cancellation::enter);
    let location = &location.into();
    stats_of(&*open_matrix(location, options.memory)?, &location.source_place(), options)
}
