//! Filtering the matrix of a location.

use std::sync::Arc;

use nnz_core::{Error, MatrixSource, Result};
use nnz_engine::{Filter, FilterResult, Observed, filter as found_of};

use crate::collection::JoinedTables;
use crate::compute::Normalization;
use crate::slice::with_tables;
use crate::{Context, ConvertOptions, Dataset, Location, Selection, Summary, collection};

/// Writes the rows and columns of a matrix that meet conditions. From a file with several matrices and tables,
/// everything that belongs to them is written, if the target supports it; its main matrix is measured, or the layer
/// `by_layer`, such as `counts`, or `raw/X`, of which only cells are measured. Without a main matrix, such as in MuData, conditions are about names and annotations only.
/// Tables of the options are joined first, so that conditions know their columns.
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
/// let context = Context::default();
/// let (kept, _) = nnz::filter("pbmc.bpcells", "kept.bpcells", [&genes, &cells], None, &options, &context)?;
/// println!("{} of {} cells", kept.cols.count(), kept.cols.len);
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`engine::filter`](crate::engine::filter) and [`slice`](fn@crate::slice), if no row or no column meets the
/// conditions and they do not [allow it](Filter::allow_empty), if there is no such layer, and if the source is a stream.
pub fn filter(
    from: impl Into<Location>,
    to: impl Into<Location>,
    filters: [&Filter; 2],
    by_layer: Option<&str>,
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
    let source =
        measured(dataset, filters, by_layer).map_err(|error| error.with_context(&place))?;
    let (source, left) = with_tables(source, options, context)?;
    if !source.rereadable() || matches!(from, Location::Stream) {
        let what = "filtering reads the source twice, but a stream can be read only once; write it to a file first";
        return Err(Error::unsupported(place, what));
    }
    if !is_whole {
        // Before entries are read.
        context.target(to, options, &*source)?.check()?;
    }
    let mut note = None;
    if filters.iter().any(|filter| filter.sums()) {
        note = crate::compute::note_on_values(&*source, &Normalization::default())?;
    }
    let observed = Observed::new(&*source, "measuring", context.progress());
    let found = found_of(&observed, filters, context)?;
    for kept in [&found.rows, &found.cols] {
        kept.check().map_err(|error| error.with_context(&place))?;
    }
    // Of an axis without positions, everything is selected.
    let [rows, cols] = [&found.rows, &found.cols].map(|kept| match kept.len {
        0 => Selection::all(),
        _ if kept.conditions.is_empty() => Selection::all(),
        _ => kept.selection(),
    });
    let (dataset, options) = match collection {
        None => (Dataset::Matrix(source), left),
        Some(collection) if JoinedTables::any(options) => {
            let joined = JoinedTables::new(&*collection, options, context)?;
            let kept = [&found.rows, &found.cols].map(|kept| &*kept.ranges);
            let options = joined.options_of(kept)?;
            (Dataset::Collection(collection), options)
        }
        Some(collection) => (Dataset::Collection(collection), options.clone()),
    };
    let mut summary = dataset.slice([&rows, &cols])?.convert(to, &options, context)?;
    summary.notes.extend(note.map(|note| format!("{note}; sums are of these values")));
    // The size of the source is not the size of the selection.
    Ok((found, summary.bytes_before(None)))
}

/// Returns the rows and columns that [`filter`] would write.
///
/// # Errors
///
/// Fails as [`filter`]. It is no error if nothing meets the conditions.
pub fn filtered(
    from: impl Into<Location>,
    filters: [&Filter; 2],
    by_layer: Option<&str>,
    options: &ConvertOptions,
    context: &Context,
) -> Result<FilterResult> {
    let from = &from.into();
    let source = measured(options.open.open(from, context)?, filters, by_layer)
        .map_err(|error| error.with_context(&from.source_place()))?;
    let (source, _) = with_tables(source, options, context)?;
    found_of(&Observed::new(&*source, "measuring", context.progress()), filters, context)
}

/// Opens the matrix that is measured. Without measures, a file without a main matrix can be filtered, too.
fn measured(
    dataset: Dataset,
    filters: [&Filter; 2],
    by_layer: Option<&str>,
) -> Result<Box<dyn MatrixSource>> {
    let Some(layer) = by_layer else {
        return match filters.iter().any(|filter| filter.measures()) {
            true => dataset.into_matrix(),
            false => dataset.into_axes(),
        };
    };
    let Dataset::Collection(collection) = dataset else {
        return Err(Error::argument(
            "the option by_layer applies to files with layers, such as AnnData",
        ));
    };
    let path = match layer.contains('/') || layer == "X" {
        true => layer.to_owned(),
        false => format!("layers/{layer}"),
    };
    let members = collection.members()?;
    if members.iter().all(|member| member.path != path) {
        let layers = members.iter().filter(|member| member.path.starts_with("layers/"));
        let layers: Vec<&str> = layers.map(|member| &*member.path).collect();
        let there = match layers[..] {
            [] => "there are no layers".to_owned(),
            _ => format!("layers are {}", layers.join(", ")),
        };
        return Err(Error::argument(format!("there is no {path}; {there}")));
    }
    let source = collection.open(&path)?;
    let [found, expected] = [source.header().shape, collection.axes()?.header().shape];
    // `raw` has the same cells, and other features.
    if found.rows != expected.rows || (found.cols != expected.cols && !filters[1].is_all()) {
        let what = format!("{path} has the shape {found}, and the file {expected}");
        return Err(Error::argument(what));
    }
    Ok(source)
}
