//! Finding and opening a store of fragments.

use nnz_core::{Error, FragmentSource, Result};
use nnz_storage::{InputFile, LocalStorage};

use crate::formats::{DatasetKind, Registry};
use crate::{Location, OpenOptions};

/// Opens the fragments at a place: a directory, a group of an HDF5 file, or an object of R.
///
/// An object of R has to be read whole; it may take [`default_memory`](crate::engine::default_memory).
///
/// # Errors
///
/// Fails where there is nothing, something else, or something that is broken.
pub fn open(location: &Location) -> Result<Box<dyn FragmentSource>> {
    open_within(location, crate::engine::default_memory())
}

/// Opens the fragments at a place, as [`open`] does, where what has to be read whole may take so
/// many bytes, and names too.
///
/// # Errors
///
/// Fails as [`open`], and where an object of R takes more. Names that take more are refused as they
/// are read into memory, unless the store itself has as many bytes.
pub fn open_within(location: &Location, memory: u64) -> Result<Box<dyn FragmentSource>> {
    let options = OpenOptions::new().memory_limit(memory).prefer(DatasetKind::Fragments);
    let found = match Registry::default().detect(location, &options) {
        Ok(found) => found,
        Err(error) if is_text(location) => return Err(error_of_text(location).unwrap_or(error)),
        Err(error) => return Err(error),
    };
    found.open(&options)?.into_fragments().ok_or_else(|| none(location))
}

/// Returns whether a place holds a store of fragments, and no matrix.
///
/// What cannot be read holds none: opening it as a matrix says why. R objects are told apart by
/// reading them, which may take so many bytes.
#[must_use]
pub fn holds(location: &Location, memory: u64) -> bool {
    let options = OpenOptions::new().memory_limit(memory);
    let found = Registry::default().detect(location, &options);
    found.is_ok_and(|found| found.reads(DatasetKind::Fragments))
}

fn none(location: &Location) -> Error {
    error_of_text(location).unwrap_or_else(|| {
        Error::unsupported(location.source_place(), "holds no genomic fragments")
    })
}

fn is_text(location: &Location) -> bool {
    let location = location.resolve(&LocalStorage);
    let Ok(Location::Path { path, group: None }) = &location else { return false };
    let file = InputFile::open(path).ok();
    file.is_some_and(|file| nnz_singlecell::fragment_tsv::recognise(&file).unwrap_or(false))
}

fn error_of_text(location: &Location) -> Option<Error> {
    is_text(location).then(|| {
        let what = "fragments as text have to be made a store first, by nnz fragments import";
        Error::unsupported(location.source_place(), what)
    })
}
