//! Frames: labelled columns of different types, in DAPHNE files and as comma-separated values.
//!
//! ```no_run
//! use nnz::{Context, Location};
//! use nnz::frames::{self, FrameOptions};
//!
//! let (from, to) = (Location::parse("people.csv"), Location::parse("people.dbdf"));
//! let summary = frames::convert(&from, &to, &FrameOptions::default(), &Context::default())?;
//! println!("{} rows", summary.rows);
//! # Ok::<(), nnz::Error>(())
//! ```

mod convert;
mod print;
mod widen;

use crate::Context;
use nnz_core::{Error, ErrorKind, Result, readable};

pub(crate) use convert::stores;
pub use convert::{FrameOptions, FrameSummary, convert, write, write_source};
pub use nnz_daphne::{Column, FrameBatch, FrameReader, FrameSource};
pub use print::print;

use crate::container_target::ends_in;
use crate::formats::{DAPHNE, DatasetKind, FormatName, format_of_path};
use crate::{Dataset, Location, OpenOptions};

/// The format of matrices as comma-separated values.
const CSV: FormatName = FormatName::new("csv");

/// Opens a frame.
///
/// # Errors
///
/// Fails if there is none, or if it is broken.
pub fn open(location: &Location, options: &OpenOptions, context: &Context) -> Result<FrameSource> {
    let none = || Error::unsupported(location.source_place(), "contains no data frame");
    detect(location, options, context)?.and_then(Dataset::into_table).ok_or_else(none)
}

/// Returns whether a location has a DAPHNE frame and no matrix.
///
/// Returns `false` if the location is missing or broken: opening it as a matrix gives the error. If
/// a [dialect](OpenOptions::dialect) is given, the file is read as DAPHNE in any case.
///
/// # Errors
///
/// Fails on I/O errors.
pub fn is_frame(location: &Location, options: &OpenOptions, context: &Context) -> Result<bool> {
    let found = readable(detect(location, options, context))?.flatten();
    Ok(matches!(found, Some(Dataset::Table(_))))
}

/// Returns whether a location is a file with the extension `.csv` whose content is not detected as
/// another format.
///
/// # Errors
///
/// Fails on I/O errors.
pub fn is_text(location: &Location, options: &OpenOptions, context: &Context) -> Result<bool> {
    let context = &context.operation();
    let location = location.resolve(&**context.storage())?;
    let Location::Path { path, group: None } = &location else { return Ok(false) };
    if !ends_in(path, &["csv"]) {
        return Ok(false);
    }
    match context.detect(&location, options) {
        Err(error) if matches!(error.kind(), ErrorKind::Unrecognized(_)) => Ok(true),
        found => Ok(readable(found)?.is_some_and(|found| found.format().info().name == CSV)),
    }
}

/// Returns whether frames are written to a location: as DAPHNE, by the name of the format if one is given, or by
/// the extension.
#[must_use]
pub fn is_target(location: &Location, format: Option<FormatName>) -> bool {
    let by_name = || match location {
        Location::Path { path, .. } => format_of_path(path).map(|format| format.info().name),
        Location::Stream => None,
    };
    format.or_else(by_name) == Some(DAPHNE)
}

/// Opens the data of a location if its format has tables.
fn detect(
    location: &Location,
    options: &OpenOptions,
    context: &Context,
) -> Result<Option<Dataset>> {
    let found = context.detect(location, options)?;
    found.reads(DatasetKind::Table).then(|| found.open(options)).transpose()
}
