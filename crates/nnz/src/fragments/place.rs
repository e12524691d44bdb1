//! Opening a fragment file.

use crate::Context;
use nnz_core::{Error, FragmentSource, Result, readable};
use nnz_storage::Opened;

use crate::formats::DatasetKind;
use crate::{Location, OpenOptions};

/// Opens a fragment file: a directory of BPCells, an HDF5 group, or an R object.
///
/// An R object is read as a whole and may take [`default_memory`](crate::engine::default_memory).
///
/// # Errors
///
/// Fails if the location does not exist, has other data, or is broken.
pub fn open(location: &Location, context: &Context) -> Result<Box<dyn FragmentSource>> {
    open_with(location, &OpenOptions::new(), context)
}

/// Opens a fragment file as [`open`], with options.
///
/// # Errors
///
/// Fails as [`open`], and if an R object takes more memory. Names that take more are refused when
/// they are read into memory, unless the file is as large.
pub fn open_with(
    location: &Location,
    options: &OpenOptions,
    context: &Context,
) -> Result<Box<dyn FragmentSource>> {
    let options = &options.clone().prefer(DatasetKind::Fragments);
    let found = match context.detect(location, options) {
        Ok(found) => found,
        Err(error) if error.is_system() => return Err(error),
        Err(error) => return Err(error_of_text(location, context)?.unwrap_or(error)),
    };
    match found.open(options)?.into_fragments() {
        Some(fragments) => Ok(fragments),
        None => Err(error_of_text(location, context)?.unwrap_or_else(|| {
            Error::unsupported(location.source_place(), "contains no genomic fragments")
        })),
    }
}

/// Returns whether a location is a fragment file and has no matrix.
///
/// Returns `false` if the location is missing or broken: opening it as a matrix gives the error. An R
/// object is read as a whole, within the memory limit of the context.
///
/// # Errors
///
/// Fails on I/O errors.
pub fn is_fragments(location: &Location, options: &OpenOptions, context: &Context) -> Result<bool> {
    let found = readable(context.detect(location, options))?;
    Ok(found.is_some_and(|found| found.reads(DatasetKind::Fragments)))
}

fn is_text(location: &Location, context: &Context) -> Result<bool> {
    let context = &context.operation();
    let location = location.resolve(&**context.storage())?;
    let Location::Path { path, group: None } = &location else { return Ok(false) };
    let opened = readable(Opened::new(context, path))?;
    let Some(file) = opened.as_ref().and_then(Opened::file) else { return Ok(false) };
    Ok(readable(nnz_singlecell::fragment_tsv::recognise(file))?.unwrap_or(false))
}

fn error_of_text(location: &Location, context: &Context) -> Result<Option<Error>> {
    Ok(is_text(location, context)?.then(|| {
        let error = Error::unsupported(location.source_place(), "is text, not a fragment file");
        error.with_hint("fragments::import", "converts it to a fragment file")
    }))
}
