//! Writing a source of fragments to a target.

use nnz_storage::TaskContext;
use std::time::Instant;

use crate::{Summary, SummaryContent};
use nnz_core::{FragmentFields, FragmentSource, Result, Written};

use super::run::{run, unchanged};
use super::target::FragmentTarget;

/// The result of writing fragments.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FragmentSummary {
    /// The number of fragments.
    pub fragments: u64,
    /// The number of names of chromosomes.
    pub chromosomes: u64,
    /// The number of names of cells.
    pub cells: u64,
    /// Bytes of the source, if known.
    pub bytes_before: Option<u64>,
    /// Bytes of the target.
    pub bytes_after: u64,
    /// Bytes of temporary disk space used for sorting.
    pub disk: u64,
    /// Seconds taken, including the final sync.
    pub seconds: f64,
    /// Data of the source that is not written.
    pub dropped: Vec<String>,
    /// Unusual but allowed properties of the source.
    pub notes: Vec<String>,
}

nnz_core::setters! {
    FragmentSummary {
        fragments: u64,
        chromosomes: u64,
        cells: u64,
        bytes_before: Option<u64>,
        bytes_after: u64,
        disk: u64,
        seconds: f64,
        dropped: Vec<String>,
        notes: Vec<String>,
    }
}

impl From<FragmentSummary> for Summary {
    fn from(of: FragmentSummary) -> Self {
        let (chromosomes, cells) = (of.chromosomes, of.cells);
        Self::default()
            .content(SummaryContent::Fragments { chromosomes, cells })
            .entries(of.fragments)
            .bytes_before(of.bytes_before)
            .bytes_after(of.bytes_after)
            .disk(of.disk)
            .seconds(of.seconds)
            .dropped(of.dropped)
            .notes(of.notes)
    }
}

/// Writes all fragments of a source to a target.
///
/// # Errors
///
/// Fails if the source cannot be read or is broken, if the target may not be replaced or cannot be
/// written, and if cancelled. Nothing is written then.
pub fn convert(
    source: &dyn FragmentSource,
    target: &dyn FragmentTarget,
    context: &TaskContext,
) -> Result<FragmentSummary> {
    let from = &source.place();
    let started = Instant::now();
    let about = source.about().map_err(|error| error.with_context(from))?;
    let (chromosomes, cells) = (source.chromosome_names()?, source.cell_names()?);
    let mut sink = target.create(&chromosomes, &cells)?;
    let count = source.header().count;
    context.progress().begin("writing", Some(count));
    let done = source
        .units(0..count, FragmentFields::ALL)
        .and_then(|units| run(units, &unchanged, &mut *sink, context));
    context.progress().end();
    let fragments = done.map_err(|error| error.with_context(from))?;
    let Written { bytes, .. } =
        sink.finish(&chromosomes, &cells).map_err(|error| error.with_context(&target.place()))?;
    Ok(FragmentSummary {
        fragments,
        chromosomes: chromosomes.len(),
        cells: cells.len(),
        bytes_before: about.bytes,
        bytes_after: bytes,
        seconds: started.elapsed().as_secs_f64(),
        notes: target.replaced().into_iter().collect(),
        ..FragmentSummary::default()
    })
}
