//! Statistics of the matrix at a place.

use nnz_core::Result;

use crate::open::open_matrix;
use crate::{Location, Stats, StatsOptions, engine::stats as stats_of};

/// Computes what is asked for in one pass over the entries, and decodes no more than it takes: to
/// add up the columns of a matrix in column order its row indices are not looked at.
///
/// The result is the same for any number of threads.
///
/// # Errors
///
/// Fails where the matrix cannot be read or is broken, where its values are complex, and where two
/// entries share a place in a format that leaves open what that means.
pub fn stats(location: impl Into<Location>, options: &StatsOptions) -> Result<Stats> {
    let location = &location.into();
    stats_of(&*open_matrix(location, options.memory)?, &location.source_place(), options)
}
