//! Checking all of a file.

mod entries;
mod notes;
mod values;

use std::path::Path;

use nnz_core::{Error, ErrorKind, Finding, Place, Result};

use crate::object::Object;
use crate::{ReadOptions, SegmentsSource, segments};

/// Checks every byte of a file, or of a directory of segments, that says something, and hands what is
/// found to `each`.
///
/// Of what is wrong with a block, the first of each kind is a finding.
///
/// ```no_run
/// use nnz_daphne::{ReadOptions, validate};
///
/// validate("x.dbdf".as_ref(), &ReadOptions::default(), &mut |finding| println!("{finding}"))?;
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails only where the file cannot be read; whatever else is wrong is a finding.
pub fn validate(path: &Path, options: &ReadOptions, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let mut check = Check { each };
    if !path.is_dir() {
        return check.file(path, options);
    }
    let opened = SegmentsSource::open(path, options);
    check.take(opened)?;
    for segment in segments::list(path).unwrap_or_default() {
        check.file(&segment, options)?;
    }
    Ok(())
}

impl Check<'_> {
    fn file(&mut self, path: &Path, options: &ReadOptions) -> Result<()> {
        let Some(mut object) = self.take(Object::read(path, options))? else { return Ok(()) };
        let compared = object.compare_meta();
        self.take(compared)?;
        for note in &object.notes {
            self.note(Place::path(path), note.clone());
        }
        let noted = self.notes(&object);
        self.take(noted)?;
        for block in &object.blocks {
            let checked = self.block(&object, block);
            self.take(checked)?;
        }
        Ok(())
    }
}

/// Where findings go.
struct Check<'a> {
    each: &'a mut dyn FnMut(Finding),
}

impl Check<'_> {
    fn fault(&mut self, place: Place, message: impl Into<String>) {
        (self.each)(Finding::fault(place, message));
    }

    fn note(&mut self, place: Place, message: impl Into<String>) {
        (self.each)(Finding::note(place, message));
    }

    /// Makes an error a finding, unless the file could not be read.
    fn take<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) => match error.into_parts() {
                (kind @ (ErrorKind::Io(_) | ErrorKind::Memory { .. }), place) => {
                    Err(Error::new(kind, place))
                }
                (kind, place) => {
                    self.fault(place, kind.to_string());
                    Ok(None)
                }
            },
        }
    }
}
