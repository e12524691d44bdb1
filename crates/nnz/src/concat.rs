//! Concatenating the data of several locations.

pub(crate) mod by_name;

use std::sync::Arc;

use nnz_core::{Axis, AxisKind, Error, MatrixSource, Result};

use crate::collection::{self, Collection, CollectionConcatOptions};
use crate::engine::compute::{ValueKind, value_kind};
use crate::engine::{self, Concat, Transposed};
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
    how.collections.check_keys(from.len())?;
    let mut datasets = Vec::with_capacity(from.len());
    for location in from {
        if *location == Location::Stream && from.iter().filter(|one| *one == location).count() > 1 {
            return Err(Error::argument("standard input can be read only once"));
        }
        let opened = options.open.open(location, context);
        datasets.push(opened.map_err(|error| error.with_context(&location.source_place()))?);
    }
    let mixed = counts_and_others(&datasets)?;
    let collections = datasets.iter().map(|dataset| match dataset {
        Dataset::Collection(collection) => Some(Arc::clone(collection)),
        _ => None,
    });
    let collections = collections.collect::<Option<Vec<Arc<dyn Collection>>>>();
    if let Some(collections) = collections.filter(|_| !how.ignore_names) {
        let how = (axis, &how.collections);
        if let Some(mut summary) = collection::concat(&collections, to, how, options, context)? {
            summary.notes.extend(mixed);
            return Ok(summary);
        }
    }
    let files = &how.collections;
    files.check_of_matrices()?;
    if let (Some(_), true) = (files.join, how.ignore_names) {
        return Err(Error::argument("ignore_names does not match names, as a join does"));
    }
    let keys = files.keys_of(from.iter().cloned())?.unwrap_or_default();
    let mut beside = None;
    let mut sources: Vec<Box<dyn MatrixSource>> = Vec::with_capacity(from.len());
    for (number, (dataset, location)) in datasets.into_iter().zip(from).enumerate() {
        let kinds = sources.first().map(|first| first.header().axis_kinds);
        let source = dataset.into_matrix().map(|source| along_axes(source, kinds));
        let source = source.and_then(|source| match keys.get(number) {
            Some(key) => files.keyed(source, axis, key),
            None => Ok(source),
        });
        if let Ok(source) = &source
            && source.read_names(axis)?.is_none()
        {
            if files.index_unique.is_some() {
                let note = format!("the {axis} have no names; index_unique changes nothing");
                beside.get_or_insert(note);
            }
            beside = crate::convert::names_beside(&source.place()).or(beside);
        }
        sources.push(source.map_err(|error| error.with_context(&location.source_place()))?);
    }
    let (sources, note) = match how.ignore_names {
        true => (sources, None),
        false => by_name::matched_by_name(sources, axis.other(), files.join, context.memory())?,
    };
    let how = engine::ConcatOptions::default()
        .value_type(options.value_type)
        .rounding(options.rounding)
        .ignore_names(how.ignore_names);
    let concat = Concat::new(sources, axis, &how)?;
    let mut summary = crate::convert_source(&concat, to, options, context)?;
    summary.notes.extend(beside.into_iter().chain(mixed).chain(note));
    let repeated = crate::convert::repeated_names(&concat, axis, context.memory())?;
    // The target may have noted them.
    let is_new = |note: &String| !summary.notes.iter().any(|known| known.starts_with(&**note));
    summary.notes.extend(repeated.filter(is_new));
    Ok(summary)
}

/// Notes that some matrices have counts and others do not, such as logarithms.
fn counts_and_others(datasets: &[Dataset]) -> Result<Option<String>> {
    let (mut counts, mut others) = (None, None);
    for dataset in datasets {
        let main;
        let source: &dyn MatrixSource = match dataset {
            Dataset::Matrix(source) => &**source,
            Dataset::Collection(file) if file.has_main()? => {
                main = file.main()?;
                &*main
            }
            _ => continue,
        };
        if source.header().nnz == Some(0) || !source.rereadable() {
            continue;
        }
        let of_kind = match value_kind(source)? {
            ValueKind::Counts => &mut counts,
            _ => &mut others,
        };
        of_kind.get_or_insert_with(|| source.place());
    }
    let (Some(counts), Some(others)) = (counts, others) else { return Ok(None) };
    Ok(Some(format!("values of {counts} look like counts, and those of {others} do not")))
}

/// Transposes a matrix that has cells where the first one has features.
fn along_axes(
    source: Box<dyn MatrixSource>,
    first: Option<[AxisKind; 2]>,
) -> Box<dyn MatrixSource> {
    let [rows, cols] = source.header().axis_kinds;
    match rows != cols && first == Some([cols, rows]) {
        true => Box::new(Transposed::new(source)),
        false => source,
    }
}

/// Returns the given keys, or the names of the sources.
pub(crate) fn keys_of(
    from: impl IntoIterator<Item = Location>,
    given: &[String],
) -> Result<Vec<String>> {
    let keys: Vec<String> = match given {
        [] => from.into_iter().map(|location| key_of(&location)).collect(),
        given => given.to_vec(),
    };
    match collection::repeated(&keys) {
        Some(key) => Err(Error::argument(format!("two sources are named {key:?}"))
            .with_hint("keys", "sets their names")),
        None => Ok(keys),
    }
}

/// Returns the name of a source, without extensions. Names that Cell Ranger gives to all samples are not names: the sample is
/// that of a directory around them.
fn key_of(location: &Location) -> String {
    const OF_ALL: [&str; 8] = [
        "filtered_feature_bc_matrix",
        "raw_feature_bc_matrix",
        "sample_filtered_feature_bc_matrix",
        "filtered_gene_bc_matrices",
        "raw_gene_bc_matrices",
        "matrix",
        "count",
        "outs",
    ];
    let Location::Path { path, group } = location else { return "-".to_owned() };
    let stem = |name: &str| {
        let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
        if OF_ALL.contains(&stem) {
            return stem.to_owned();
        }
        // GSM1_A_matrix.mtx.gz
        let sample =
            OF_ALL.iter().filter_map(|of_all| stem.strip_suffix(of_all)?.strip_suffix(['_', '-']));
        let sample = sample.min_by_key(|sample| sample.len()).filter(|sample| !sample.is_empty());
        sample.unwrap_or(stem).to_owned()
    };
    if let Some(group) = group.as_deref().filter(|group| group.ends_with("_matrix.mtx")) {
        return stem(group.rsplit('/').next().unwrap_or(group));
    }
    let stem = |name: &std::ffi::OsStr| stem(&name.to_string_lossy());
    let mut names = path.ancestors().filter_map(std::path::Path::file_name).map(stem);
    let name = names.find(|name| !OF_ALL.contains(&&**name));
    let name = name.unwrap_or_else(|| path.display().to_string());
    match group.as_deref().map(|group| group.trim_matches('/')).filter(|group| !group.is_empty()) {
        Some(group) => format!("{name}/{group}"),
        None => name,
    }
}
