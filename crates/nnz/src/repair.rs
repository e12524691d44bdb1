//! Writing a corrected copy of a broken file.

use crate::Context;
use std::sync::Arc;
use std::time::Instant;

use nnz_core::{Error, ErrorKind, Place, Repair, Repairs, Result};
use nnz_engine::flow::Workers;
use nnz_engine::unsorted;

#[cfg(feature = "fragments")]
use crate::formats::Format;
use crate::{ConvertOptions, Dataset, Location, Summary};

/// The result of a repair.
#[derive(Debug)]
#[non_exhaustive]
pub struct RepairSummary {
    /// The repairs; empty if there were no faults.
    pub repairs: Vec<Repair>,
    /// The summary of a matrix, or of a file with several.
    pub matrix: Option<Summary>,
    /// The summary of fragments.
    #[cfg(feature = "fragments")]
    pub fragments: Option<crate::fragments::FragmentSummary>,
}

/// Writes a corrected copy of a broken file. Faults with one certain correction are repaired:
///
/// - pointers of AnnData, 10x and SciPy that overflowed because their type is too narrow;
/// - a number of entries other than Matrix Market states in its size line, or Binsparse in its descriptor.
///   A Matrix Market file with fewer entries than it states, or with more but without a final line break, may be
///   truncated: the caller states that it is `complete`;
/// - unsorted entries of a row or column, in AnnData, 10x, SciPy and Binsparse;
/// - `end_max` of fragments.
///
/// Files with several matrices are written as wholes, as in [`convert`](fn@crate::convert); if a part cannot be read or
/// stored, that is an error. The format of the target is selected by its extension, otherwise it is the format of the
/// source, with the usual defaults: version 3 of 10x, csr or csc of SciPy.
///
/// ```no_run
/// use nnz::{Context, ConvertOptions};
///
/// let done = nnz::repair("broken.h5ad", "good.h5ad", false, &ConvertOptions::default(), &Context::default())?;
/// for repair in &done.repairs {
///     println!("{repair}");
/// }
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`convert`](fn@crate::convert), and if the source has another fault or its correction is not
/// certain. Nothing is written then.
pub fn repair(
    from: impl Into<Location>,
    to: impl Into<Location>,
    complete: bool,
    options: &ConvertOptions,
    context: &Context,
) -> Result<RepairSummary> {
    let (from, to) = (&from.into(), &to.into());
    let place = from.source_place();
    let repairs = Arc::new(Repairs::new().complete(complete));
    let mut options = options.clone();
    options.open = options.open.repairs(Some(Arc::clone(&repairs)));
    let done = run(from, to, &mut options, context);
    let mut done = done.map_err(|error| reason(error, &place))?;
    done.repairs.extend(repairs.list());
    Ok(done)
}

fn run(
    from: &Location,
    to: &Location,
    options: &mut ConvertOptions,
    context: &Context,
) -> Result<RepairSummary> {
    let started = Instant::now();
    let found = context.detect(from, &options.open)?;
    let to = &to.resolve_target()?;
    if options.format.is_none() && context.format_of_target(to, options).is_err() {
        // Groups have formats of their own.
        let known =
            |name: &crate::formats::FormatName| context.registry().find(name.as_str()).is_some();
        options.format = Some(found.format().info().name).filter(known);
    }
    let mut done = RepairSummary {
        repairs: Vec::new(),
        matrix: None,
        #[cfg(feature = "fragments")]
        fragments: None,
    };
    let place = from.source_place();
    #[cfg(feature = "fragments")]
    let format = found.format();
    let found = found.open(&options.open).map_err(|error| error.with_context(&place))?;
    let summary = match found {
        #[cfg(feature = "fragments")]
        Dataset::Fragments(_) => {
            done.repairs = rewritten_faults(format, from, context)?;
            done.fragments = Some(fragments(from, to, options, context)?);
            return Ok(done);
        }
        Dataset::Collection(collection)
            if crate::collection::target_of(&*collection, to, options, context)?.is_some() =>
        {
            // A collection is written as it is: dropping a part is not a repair.
            let whole = options.clone().strict(true);
            Dataset::Collection(collection).convert(to, &whole, context)?
        }
        Dataset::Matrix(_) | Dataset::Collection(_) => {
            let matrix = found.into_matrix()?;
            if matrix.rereadable() {
                let workers =
                    Workers { threads: context.threads(), cancellation: context.cancellation() };
                let found = unsorted(&*matrix, workers).map_err(|e| e.with_context(&place))?;
                let sorted = |found: nnz_engine::Unsorted| found.to_string();
                let repair = |what| Repair { place: place.clone(), what };
                done.repairs.extend(found.map(sorted).map(repair));
            }
            Dataset::Matrix(matrix).convert(to, options, context)?
        }
        other => other.convert(to, options, context)?,
    };
    done.matrix = Some(summary.seconds(started.elapsed().as_secs_f64()));
    Ok(done)
}

/// Adds to an error in the source that it cannot be repaired.
fn reason(error: Error, source: &Place) -> Error {
    let at_source = match (&error.place().path, &source.path) {
        // The path of a group follows the file.
        (Some(at), Some(source)) => {
            let [at, source] = [at, source].map(|path| path.as_os_str().as_encoded_bytes());
            at.starts_with(source) || source.starts_with(at)
        }
        _ => false,
    };
    let wrong = matches!(
        error.kind(),
        ErrorKind::Mismatch { .. } | ErrorKind::Missing | ErrorKind::Duplicate { .. }
    );
    if !at_source || !wrong {
        return error;
    }
    error.map_kind(|kind| {
        ErrorKind::Unsupported(match kind {
            ErrorKind::Missing => "missing, which cannot be repaired".to_owned(),
            other => format!("{other}; the correction is not certain, so nothing was written"),
        })
    })
}

/// Lists faults that are gone in the copy. Any other fault is an error.
#[cfg(feature = "fragments")]
fn rewritten_faults(
    format: &dyn Format,
    from: &Location,
    context: &Context,
) -> Result<Vec<Repair>> {
    use nnz_core::Severity;

    let mut repairs = Vec::new();
    let mut other = None;
    let check = crate::ValidateOptions::default();
    crate::validate(from, &check, context, &mut |finding| {
        if finding.severity == Severity::Note {
            return;
        }
        let array = finding.place.array.as_deref().unwrap_or_default();
        let name = array.rsplit('/').next().unwrap_or_default();
        if format.info().derived.contains(&name) {
            let what = format!("{}; recomputed", finding.message);
            repairs.push(Repair { place: finding.place, what });
        } else if other.is_none() {
            other = Some(finding);
        }
    })?;
    match other {
        None => Ok(repairs),
        Some(finding) => {
            let what =
                format!("{}; this cannot be repaired, so nothing was written", finding.message);
            Err(Error::unsupported(finding.place, what))
        }
    }
}

#[cfg(feature = "fragments")]
fn fragments(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<crate::fragments::FragmentSummary> {
    let store = crate::fragments::StoreOptions::default()
        .compress(options.compress)
        .overwrite(options.overwrite)
        .sync(options.sync);
    crate::fragments::convert(from, to, &store, context)
}
