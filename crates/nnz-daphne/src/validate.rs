//! Validating a file.

mod entries;
mod notes;
mod quick;
mod values;

use std::path::Path;

use nnz_core::{Cancellation, Error, ErrorKind, Finding, Place, Result, readable};
use nnz_storage::Opened;

use crate::file::DataFile;
use crate::object::Object;
use crate::{MatrixSource, ReadOptions, SegmentsSource, segments};

/// Checks all data of a file, or of a directory of segments, and passes findings to `each`.
///
/// For each block, only the first fault of each kind is reported.
///
/// ```no_run
/// use nnz_daphne::{ReadOptions, validate};
///
/// validate("x.dbdf".as_ref(), &ReadOptions::default(), None, &mut |finding| println!("{finding}"))?;
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails only if the file cannot be read, or if validation is cancelled. Everything else is a
/// finding.
pub fn validate(
    path: &Path,
    options: &ReadOptions,
    cancellation: Option<&Cancellation>,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    validate_opened(&Opened::local(path)?, options, cancellation, each)
}

/// Checks an open file or directory, like [`validate`].
///
/// # Errors
///
/// Fails like [`validate`].
pub fn validate_opened(
    opened: &Opened,
    options: &ReadOptions,
    cancellation: Option<&Cancellation>,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    check(opened, options, Check { thorough: false, cancellation, each })
}

fn check(opened: &Opened, options: &ReadOptions, mut check: Check<'_>) -> Result<()> {
    let Some(directory) = opened.directory() else {
        return check.file(DataFile::from_opened(opened), options);
    };
    let opened = SegmentsSource::from_directory(directory, options);
    check.take(opened)?;
    // An error in listing them has been reported already.
    for segment in readable(segments::files(directory))?.unwrap_or_default() {
        check.file(Ok(DataFile::new(segment)), options)?;
    }
    Ok(())
}

impl Check<'_> {
    fn file(&mut self, file: Result<DataFile>, options: &ReadOptions) -> Result<()> {
        let read = file.and_then(|file| Object::read(file, options));
        let Some(mut object) = self.take(read)? else { return Ok(()) };
        let compared = object.compare_meta();
        self.take(compared)?;
        for note in &object.notes {
            self.note(Place::path(object.file.path()), note.clone());
        }
        let noted = self.notes(&object);
        self.take(noted)?;
        let source = MatrixSource::new(object, false);
        for block in &source.object.blocks {
            self.cancellation.map_or(Ok(()), Cancellation::check)?;
            if !self.thorough && quick::is_valid(&source, block)? {
                continue;
            }
            let checked = self.block(&source.object, block);
            self.take(checked)?;
        }
        Ok(())
    }
}

/// Reports findings.
struct Check<'a> {
    /// Whether to check each entry even if all entries can be checked at once.
    thorough: bool,
    cancellation: Option<&'a Cancellation>,
    each: &'a mut dyn FnMut(Finding),
}

impl Check<'_> {
    fn fault(&mut self, place: Place, message: impl Into<String>) {
        (self.each)(Finding::fault(place, message));
    }

    fn note(&mut self, place: Place, message: impl Into<String>) {
        (self.each)(Finding::note(place, message));
    }

    /// Reports an error as a finding, unless the file could not be read.
    fn take<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) => match error.into_parts() {
                (
                    kind @ (ErrorKind::Io(_) | ErrorKind::Memory { .. } | ErrorKind::Cancelled),
                    place,
                ) => Err(Error::new(kind, place)),
                (kind, place) => {
                    self.fault(place, kind.to_string());
                    Ok(None)
                }
            },
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    fn findings(path: &Path, thorough: bool) -> Vec<String> {
        let mut findings = Vec::new();
        let options = ReadOptions::default();
        let opened = Opened::local(path).unwrap();
        let each = &mut |finding: Finding| findings.push(finding.to_string());
        check(&opened, &options, Check { thorough, cancellation: None, each }).unwrap();
        findings
    }

    #[test]
    fn quick_and_thorough_validation_agree() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/daphne");
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("x.dbdf");
        let mut random = Random::new(1);
        let (mut files, mut faulty) = (0, 0);
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let file = entry.unwrap().path();
                if file.is_dir() {
                    folders.push(file);
                    continue;
                }
                let whole = std::fs::read(&file).unwrap();
                if file.extension().is_none_or(|ending| ending != "dbdf") || whole.len() < 25 {
                    continue;
                }
                for damage in 0..40 {
                    let mut bytes = whole.clone();
                    if damage > 0 {
                        // Most of the header has no effect on entries.
                        let at = 18 + random.below(bytes.len().min(4096) - 18);
                        bytes[at] = *random.pick(&[0, 1, 2, 3, 7, 255]);
                    }
                    std::fs::write(&path, &bytes).unwrap();
                    let found = findings(&path, false);
                    assert_eq!(found, findings(&path, true), "{} {damage}", file.display());
                    files += 1;
                    faulty += usize::from(!found.is_empty());
                }
            }
        }
        assert!(faulty > 1000 && files - faulty > 1000, "{faulty} of {files}");
    }
}
