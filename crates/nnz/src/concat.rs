//! Concatenating matrices at several locations.

use nnz_core::{Axis, Cancellation, Error, Place, Result};

use crate::whole::ConcatFilesOptions;
use crate::{ConcatOptions, ConvertOptions, Location, Progress, Summary, engine::Concat};

/// Concatenates matrices along an axis. Files with several matrices and tables are concatenated as wholes along
/// rows, if the target supports it.
///
/// # Errors
///
/// Fails as [`Concat::new`] and [`convert`](crate::convert).
pub fn concat(
    from: impl IntoIterator<Item = impl Into<Location>>,
    to: impl Into<Location>,
    axis: Axis,
    how: &ConcatOptions,
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Summary> {
    let _entered = options.cancellation.as_ref().map(Cancellation::enter);
    let from: &[Location] = &from.into_iter().map(Into::into).collect::<Vec<_>>();
    let to = &to.into();
    if axis == Axis::Rows && !how.ignore_names && how.value_type.is_none() {
        let files = ConcatFilesOptions::default();
        if let Some(summary) = crate::whole::concat(from, to, &files, options, progress)? {
            return Ok(summary);
        }
    }
    let mut sources = Vec::with_capacity(from.len());
    for location in from {
        if *location == Location::Stream && from.iter().filter(|one| *one == location).count() > 1 {
            return Err(Error::argument("standard input can be read only once"));
        }
        sources.push((options.open_options().open_matrix(location)?, location.clone()));
    }
    let concat = Concat::new(sources, axis, how)?;
    crate::convert_source(&concat, &Place::path("the concatenation"), to, options, progress)
}
