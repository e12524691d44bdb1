//! Concatenating the data of several locations.

use std::sync::Arc;

use nnz_core::{Axis, Error, MatrixSource as _, Result};
use nnz_engine::RepeatedNames;

use crate::collection::{self, Collection, CollectionConcatOptions};
use crate::engine::{self, Concat};
use crate::{Context, ConvertOptions, Dataset, Location, Summary};

/// How matrices and collections are concatenated. The value type and rounding are options of the conversion; by default,
/// the type is the smallest that holds the values of all matrices exactly.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConcatOptions {
    /// Whether the names of the shared axis may differ; the names of the first matrix are used. Only the main matrices
    /// of collections are concatenated then.
    pub ignore_names: bool,
    /// How collections are concatenated.
    pub collections: CollectionConcatOptions,
}

nnz_core::setters! {
    ConcatOptions {
        ignore_names: bool,
        collections: CollectionConcatOptions,
    }
}

/// Concatenates matrices along an axis. Collections are concatenated along cells with everything in them, if the target
/// supports it.
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
    let to = &to.into().resolve_target()?;
    let mut datasets = Vec::with_capacity(from.len());
    for location in from {
        if *location == Location::Stream && from.iter().filter(|one| *one == location).count() > 1 {
            return Err(Error::argument("standard input can be read only once"));
        }
        let opened = options.open.open(location, context);
        datasets.push(opened.map_err(|error| error.with_context(&location.source_place()))?);
    }
    let collections = datasets.iter().map(|dataset| match dataset {
        Dataset::Collection(collection) => Some(Arc::clone(collection)),
        _ => None,
    });
    let collections = collections.collect::<Option<Vec<Arc<dyn Collection>>>>();
    if let Some(collections) = collections.filter(|_| !how.ignore_names) {
        let how = (axis, &how.collections);
        if let Some(summary) = collection::concat(&collections, to, how, options, context)? {
            return Ok(summary);
        }
    }
    how.collections.check_default()?;
    let mut sources = Vec::with_capacity(from.len());
    for (dataset, location) in datasets.into_iter().zip(from) {
        let source = dataset.into_matrix();
        sources.push(source.map_err(|error| error.with_context(&location.source_place()))?);
    }
    let how = engine::ConcatOptions::default()
        .value_type(options.value_type)
        .rounding(options.rounding)
        .ignore_names(how.ignore_names);
    let concat = Concat::new(sources, axis, &how)?;
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
