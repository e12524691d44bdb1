//! All fragments of a source, written to a target.

use std::time::Instant;

use nnz_core::{FragmentFields, FragmentSource, Place, Result, Written};

use super::run::{run, unchanged};
use super::target::FragmentTarget;
use crate::flow::Workers;
use crate::{Cancellation, Progress};

/// Says with what fragments are written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Threads that work at the same time.
    pub threads: usize,
    /// Cancels it.
    pub cancellation: Option<Cancellation>,
}

nnz_core::setters! {
    WriteOptions {
        threads: usize,
        cancellation: Option<Cancellation>,
    }
}

impl Default for WriteOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, Into::into);
        Self { threads, cancellation: None }
    }
}

impl WriteOptions {
    pub(super) fn workers(&self) -> Workers<'_> {
        Workers { threads: self.threads, cancellation: self.cancellation.as_ref() }
    }
}

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

/// Writes all fragments of a source to a target. `from` is what messages call the source.
///
/// # Errors
///
/// Fails where the source cannot be read or is broken, where the target may not be replaced or cannot be
/// written, and where it is cancelled. Nothing is left behind then.
pub fn convert(
    source: &dyn FragmentSource,
    from: &Place,
    target: &dyn FragmentTarget,
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    let about = source.about().map_err(|error| error.with_context(from))?;
    let (chromosomes, cells) = (source.chromosome_names()?, source.cell_names()?);
    let mut sink = target.create(&chromosomes, &cells)?;
    let count = source.header().count;
    progress.begin("writing", Some(count));
    let done = source
        .units(0..count, FragmentFields::ALL)
        .and_then(|units| run(units, &unchanged, &mut *sink, progress, options.workers()));
    progress.end();
    let fragments = done.map_err(|error| error.with_context(from))?;
    let Written { bytes } =
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
