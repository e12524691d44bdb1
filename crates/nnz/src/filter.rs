//! Filtering the matrix of a location.

use std::sync::Arc;

use nnz_core::{Error, Result};
use nnz_engine::{Filter, FilterResult, Observed, filter as found_of};

use crate::{Context, ConvertOptions, Dataset, Location, Selection, Summary, collection};

/// Writes the rows and columns of a matrix that meet conditions. From a file with several matrices and tables,
/// everything that belongs to them is written, if the target supports it; its main matrix is measured. Without one, such as
/// in MuData, conditions are about names and annotations only.
///
/// The entries are read twice, or three times for some conditions; see [`engine::filter`](crate::engine::filter).
///
/// ```no_run
/// use nnz::{ConvertOptions, Context, engine::Filter};
///
/// let parsed = |text: &str| text.parse::<Filter>().map_err(nnz::Error::argument);
/// let cells = parsed("nnz>=200")?.and(parsed("sum(rows=^MT-)/sum<0.2")?);
/// let genes = parsed("nnz>=3")?;
/// let options = ConvertOptions::default();
/// let (kept, _) = nnz::filter("pbmc.bpcells", "kept.bpcells", [&genes, &cells], &options, &Context::default())?;
/// println!("{} of {} cells", kept.cols.count(), kept.cols.len);
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`engine::filter`](crate::engine::filter) and [`slice`](fn@crate::slice), if no row or no column meets the
/// conditions and they do not [allow it](Filter::allow_empty), and if the source is a stream.
pub fn filter(
    from: impl Into<Location>,
    to: impl Into<Location>,
    filters: [&Filter; 2],
    options: &ConvertOptions,
    context: &Context,
) -> Result<(FilterResult, Summary)> {
    let (from, to) = (&from.into(), &to.into().resolve_target()?);
    let place = from.source_place();
    let dataset = options.open.open(from, context)?;
    let collection = match &dataset {
        Dataset::Collection(collection) => Some(Arc::clone(collection)),
        _ => None,
    };
    let is_whole = match &collection {
        Some(source) => collection::target_of(&**source, to, options, context)?.is_some(),
        None => false,
    };
    // Without measures, a file without a main matrix can be filtered, too.
    let source = match filters.iter().any(|filter| filter.measures()) {
        true => dataset.into_matrix(),
        false => dataset.into_axes(),
    };
    let source = source.map_err(|error| error.with_context(&place))?;
    if !source.rereadable() || matches!(from, Location::Stream) {
        let what = "filtering reads the source twice, but a stream can be read only once; write it to a file first";
        return Err(Error::unsupported(place, what));
    }
    if !is_whole {
        // Before entries are read.
        context.target(to, options, &*source)?.check()?;
    }
    let observed = Observed::new(&*source, "measuring", context.progress());
    let found = found_of(&observed, filters, context)?;
    for kept in [&found.rows, &found.cols] {
        kept.check().map_err(|error| error.with_context(&place))?;
    }
    // Of an axis without positions, everything is selected.
    let [rows, cols] = [&found.rows, &found.cols].map(|kept| match kept.len {
        0 => Selection::all(),
        _ => kept.selection(),
    });
    let dataset = collection.map_or(Dataset::Matrix(source), Dataset::Collection);
    let summary = dataset.slice([&rows, &cols])?.convert(to, options, context)?;
    // The size of the source is not the size of the selection.
    Ok((found, summary.bytes_before(None)))
}
