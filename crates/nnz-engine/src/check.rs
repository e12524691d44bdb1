//! Checking a whole matrix.

mod entries;
mod uniqueness;

use nnz_core::{Axis, Error, ErrorKind, Finding, MatrixSource, Projection, Result};
use nnz_storage::TaskContext;

use crate::flow::{Done, Workers, run};
use crate::repeated_names::repeated_names;
use entries::CheckWork;
pub(crate) use uniqueness::{Ascent, DuplicateSearch, refuse_repeated};

/// Reads names and entries of a matrix, and passes notes to `each`.
///
/// # Errors
///
/// Fails for the first broken entry, or for duplicate entries: [`report_error`] makes a finding of the
/// error. Fails if cancelled.
pub fn check(
    source: &dyn MatrixSource,
    context: &TaskContext,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let place = &source.place();
    for axis in [Axis::Rows, Axis::Cols] {
        let read = source.read_names(axis).and_then(|names| match names {
            Some(mut names) => repeated_names(&mut *names, context.memory() / 2),
            None => Ok(None),
        });
        match read {
            Ok(None) => {}
            Ok(Some(repeated)) => {
                let what = format!("duplicate name of a {}: {:?}", axis.singular(), repeated.first);
                each(Finding::note(place.clone(), what));
            }
            Err(error) => report_error(error, each)?,
        }
    }
    read_all(source, context)?;
    for note in source.notes() {
        each(Finding::note(place.clone(), note));
    }
    Ok(())
}

fn read_all(source: &dyn MatrixSource, context: &TaskContext) -> Result<()> {
    let (header, workers) = (source.header(), Workers::of(context));
    let units = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let search = DuplicateSearch::of(source, None);
    if search == DuplicateSearch::Sorting {
        return refuse_repeated(units, source, context);
    }
    let checking = CheckWork::new(header, search == DuplicateSearch::InStorageOrder);
    let mut ascent = Ascent::new(source);
    run(units, &checking, &mut ascent, &mut Done, workers)?;
    ascent.finish(source, context)
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
