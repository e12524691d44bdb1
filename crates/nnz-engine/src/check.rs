//! Checking a whole matrix.

mod entries;
mod uniqueness;

use nnz_core::{Axis, Error, ErrorKind, Finding, MatrixSource, Place, Projection, Result};

use crate::flow::{Done, Workers, run};
use crate::repeated_names::repeated_names;
use crate::slice::one_of;
use crate::{Cancellation, default_memory};
use entries::Checking;
pub(crate) use uniqueness::{Ascent, Watch, refuse_repeated};

/// Options of [`check`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckOptions {
    /// Memory in bytes for finding duplicates.
    pub memory: u64,
    /// Number of threads.
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

/// Uses the [default memory](default_memory) and all cores.
impl Default for CheckOptions {
    fn default() -> Self {
        let threads = crate::default_threads();
        Self { memory: default_memory(), threads, cancellation: None }
    }
}

impl CheckOptions {
    fn workers(&self) -> Workers<'_> {
        Workers { threads: self.threads, cancellation: self.cancellation.as_ref() }
            .within(self.memory)
    }
}

/// Reads names and entries of a matrix, and passes notes to `each`. `place` is its name in them.
///
/// # Errors
///
/// Fails for the first broken entry, or for duplicate entries: [`report_error`] makes a finding of the
/// error. Fails if cancelled.
pub fn check(
    source: &dyn MatrixSource,
    place: &Place,
    options: &CheckOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    for axis in [Axis::Rows, Axis::Cols] {
        let read = source.read_names(axis).and_then(|names| match names {
            Some(mut names) => repeated_names(&mut *names, options.memory / 2),
            None => Ok(None),
        });
        match read {
            Ok(None) => {}
            Ok(Some(repeated)) => {
                let what = format!("duplicate name of a {}: {:?}", one_of(axis), repeated.first);
                each(Finding::note(place.clone(), what));
            }
            Err(error) => report_error(error, each)?,
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
    let watch = Watch::of(source, None);
    if watch == Watch::Sorting {
        return refuse_repeated(units, source, options.memory, workers);
    }
    let checking = Checking::new(header, watch == Watch::InStorageOrder);
    let mut ascent = Ascent::new(source);
    run(units, &checking, &mut ascent, &mut Done, workers)?;
    ascent.finish(source, options.memory, workers)
}

/// Passes an error to `each` as a finding, unless it is not a fault of the file: the operation was
/// cancelled, an I/O error occurred, the memory limit was exceeded, or the location is a directory of several matrices.
///
/// # Errors
///
/// Fails with the error if it is not a finding.
pub fn report_error(error: Error, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let other = matches!(error.kind(), ErrorKind::Memory { .. } | ErrorKind::Cancelled);
    if other || error.is_argument() || error.is_system() {
        return Err(error);
    }
    let (kind, place) = error.into_parts();
    each(Finding::fault(place, kind.to_string()));
    Ok(())
}
