//! Reading a whole matrix to find what is wrong with it.

mod entries;
mod uniqueness;

use nnz_core::{Axis, Error, ErrorKind, Finding, MatrixSource, Place, Projection, Result};

use crate::flow::{Done, Workers, run};
use crate::stages::DuplicatePolicy;
use crate::{Cancellation, default_memory};
use entries::Checking;
pub(crate) use uniqueness::{Ascent, Watch, refuse_repeated};

/// Says what checking may take.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckOptions {
    /// Bytes of memory for looking for duplicates.
    pub memory: u64,
    /// Threads that decode entries at the same time.
    pub threads: usize,
    /// Cancels the check.
    pub cancellation: Option<Cancellation>,
}

nnz_core::setters! {
    CheckOptions {
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
    }
}

/// The [default memory](default_memory), and all cores.
impl Default for CheckOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { memory: default_memory(), threads, cancellation: None }
    }
}

impl CheckOptions {
    fn workers(&self) -> Workers<'_> {
        Workers { threads: self.threads, cancellation: self.cancellation.as_ref() }
    }
}

/// Reads names and entries of a matrix, and hands what is found to `each`. `place` is what notes call it.
///
/// # Errors
///
/// Fails as the first entry that is broken, or two that share a place: [`report_error`] makes a finding of
/// that. Fails where it is cancelled.
pub fn check(
    source: &dyn MatrixSource,
    place: &Place,
    options: &CheckOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    for axis in [Axis::Rows, Axis::Cols] {
        let read = source.read_names(axis).and_then(|names| match names {
            Some(mut names) => names.drain(),
            None => Ok(()),
        });
        if let Err(error) = read {
            report_error(error, each)?;
        }
    }
    read_all(source, options)?;
    for note in source.notes() {
        each(Finding::note(place.clone(), note));
    }
    Ok(())
}

fn read_all(source: &dyn MatrixSource, options: &CheckOptions) -> Result<()> {
    let (header, workers) = (source.header(), options.workers());
    let units = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let watch = Watch::of(source, DuplicatePolicy::Refuse);
    if watch == Watch::Sorting {
        return refuse_repeated(units, source, options.memory, workers);
    }
    let checking = Checking::new(header, watch == Watch::AsTheyCome);
    let mut ascent = Ascent::new(source);
    run(units, &checking, &mut ascent, &mut Done, workers)?;
    ascent.finish(source, options.memory, workers)
}

/// Hands an error to `each` as a finding, unless it is no fault of the file: the operation was cancelled,
/// the system failed, the memory allowed does not suffice, or the location names several matrices.
///
/// # Errors
///
/// Fails with the error, where it is no finding.
pub fn report_error(error: Error, each: &mut dyn FnMut(Finding)) -> Result<()> {
    if matches!(
        error.kind(),
        ErrorKind::Memory { .. } | ErrorKind::Argument(_) | ErrorKind::Cancelled
    ) || error.is_system()
    {
        return Err(error);
    }
    let (kind, place) = error.into_parts();
    each(Finding::fault(place, kind.to_string()));
    Ok(())
}
