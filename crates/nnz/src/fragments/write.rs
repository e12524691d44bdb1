//! A whole store, written as another or as text.

use std::time::Instant;

use nnz_core::{FragmentFields, Result, Written};

use super::run::{run, unchanged};
use super::target::{StoreOptions, Target};
use crate::{Location, Progress};

/// What writing fragments came to.
#[derive(Clone, Debug, Default)]
pub struct FragmentSummary {
    /// Fragments written.
    pub fragments: u64,
    /// Chromosomes that have a name there.
    pub chromosomes: u64,
    /// Cells that have a name there.
    pub cells: u64,
    /// Bytes read from, where that can be told.
    pub bytes_before: Option<u64>,
    /// Bytes written.
    pub bytes_after: u64,
    /// Bytes of temporary space on disk that sorting took.
    pub disk: u64,
    /// Seconds it took, the final sync included.
    pub seconds: f64,
    /// What was noticed on the way, and is allowed.
    pub notes: Vec<String>,
}

/// Writes the fragments at one place to another place: a store in another form, or text.
///
/// Names that end in `.tsv` or `.bed`, also with `.gz` or `.bgz`, become text; compressed text gets
/// an index for `tabix` beside it. `.h5` and groups are HDF5, `.rds` is an object of R, all else a
/// directory.
///
/// # Errors
///
/// Fails where the source cannot be read or is broken, and where the target exists and may not be
/// replaced or cannot be written. Nothing is left behind then.
pub fn convert(
    from: &Location,
    to: &Location,
    options: &StoreOptions,
    progress: &dyn Progress,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    let target = Target::new(to, options)?;
    let source = super::open_within(from, options.memory)?;
    let place = from.source_place();
    let about = source.about().map_err(|error| error.with_context(&place))?;
    let (chromosomes, cells) = (source.chromosome_names()?, source.cell_names()?);
    let mut output = target.create(&chromosomes, &cells)?;
    let count = source.header().count;
    progress.begin("writing", Some(count));
    let done = source
        .units(0..count, FragmentFields::ALL)
        .and_then(|units| run(units, &unchanged, &mut output, progress, options.threads));
    progress.end();
    let fragments = done.map_err(|error| error.with_context(&place))?;
    let Written { bytes } =
        output.finish(&chromosomes, &cells).map_err(|error| error.with_context(&target.place()))?;
    Ok(FragmentSummary {
        fragments,
        chromosomes: chromosomes.len(),
        cells: cells.len(),
        bytes_before: about.bytes,
        bytes_after: bytes,
        seconds: started.elapsed().as_secs_f64(),
        notes: target.lost.into_iter().collect(),
        ..FragmentSummary::default()
    })
}
