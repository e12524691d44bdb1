//! Concatenating matrices at several locations.

use crate::Context;
use nnz_core::{Axis, Error, MatrixSource as _, Result};
use nnz_engine::RepeatedNames;

use crate::whole::ConcatFilesOptions;
use crate::{ConcatOptions, ConvertOptions, Location, Summary, engine::Concat};

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
    context: &Context,
) -> Result<Summary> {
    let from: &[Location] = &from.into_iter().map(Into::into).collect::<Vec<_>>();
    let to = &to.into();
    if axis == Axis::Rows && !how.ignore_names && how.value_type.is_none() {
        let files = ConcatFilesOptions::default();
        if let Some(summary) = crate::whole::concat(from, to, &files, options, context)? {
            return Ok(summary);
        }
    }
    let mut sources = Vec::with_capacity(from.len());
    for location in from {
        if *location == Location::Stream && from.iter().filter(|one| *one == location).count() > 1 {
            return Err(Error::argument("standard input can be read only once"));
        }
        sources.push(options.open.open_matrix(location, context)?);
    }
    let concat = Concat::new(sources, axis, how)?;
    let mut summary = crate::convert_source(&concat, to, options, context)?;
    summary.notes.extend(repeated(&concat, axis, context.memory())?);
    Ok(summary)
}

/// Notes names along the axis that occur more than once.
fn repeated(concat: &Concat, axis: Axis, memory: u64) -> Result<Option<String>> {
    let Some(mut names) = concat.read_names(axis)? else { return Ok(None) };
    let repeated = nnz_engine::repeated_names(&mut *names, memory)?;
    Ok(repeated.map(|RepeatedNames { count, first }| {
        let (one, several) = match axis {
            Axis::Rows => ("row", "rows"),
            Axis::Cols => ("column", "columns"),
        };
        let have =
            if count == 1 { format!("1 {one} has") } else { format!("{count} {several} have") };
        format!("{have} the name of an earlier {one}, such as {first:?}")
    }))
}
