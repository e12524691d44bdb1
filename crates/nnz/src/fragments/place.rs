//! Finding and opening a store of fragments.

use nnz_core::{Error, FragmentSource, Result, readable};
use nnz_storage::Opened;

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
        Err(error) if error.is_system() => return Err(error),
        Err(error) => return Err(error_of_text(location, &options)?.unwrap_or(error)),
    };
    match found.open(&options)?.into_fragments() {
        Some(fragments) => Ok(fragments),
        None => Err(error_of_text(location, &options)?.unwrap_or_else(|| {
            Error::unsupported(location.source_place(), "holds no genomic fragments")
        })),
    }
}

/// Returns whether a place holds a store of fragments, and no matrix.
///
/// Where there is nothing or what is broken, it holds none: opening it as a matrix says why. An R object
/// is read whole, within the memory that the options allow.
///
/// # Errors
///
/// Fails where the system cannot read it.
pub fn holds(location: &Location, options: &OpenOptions) -> Result<bool> {
    let found = readable(Registry::default().detect(location, options))?;
    Ok(found.is_some_and(|found| found.reads(DatasetKind::Fragments)))
}

fn is_text(location: &Location, options: &OpenOptions) -> Result<bool> {
    let location = location.resolve(&*options.storage)?;
    let Location::Path { path, group: None } = &location else { return Ok(false) };
    let opened = readable(Opened::new(&options.storage, path))?;
    let Some(file) = opened.as_ref().and_then(Opened::file) else { return Ok(false) };
    Ok(readable(nnz_singlecell::fragment_tsv::recognise(file))?.unwrap_or(false))
}

fn error_of_text(location: &Location, options: &OpenOptions) -> Result<Option<Error>> {
    Ok(is_text(location, options)?.then(|| {
        let error = Error::unsupported(location.source_place(), "fragments as text, not a store");
        error.with_hint("fragments::import", "makes a store of them")
    }))
}
