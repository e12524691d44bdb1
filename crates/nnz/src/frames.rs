//! Frames: columns of different types with labels, in files of DAPHNE and as comma-separated values.
//!
//! ```no_run
//! use nnz::Location;
//! use nnz::frames::{self, FrameOptions};
//!
//! let (from, to) = (Location::parse("people.csv"), Location::parse("people.dbdf"));
//! let summary = frames::convert(&from, &to, &FrameOptions::default())?;
//! println!("{} rows", summary.rows);
//! # Ok::<(), nnz::Error>(())
//! ```

mod convert;
mod print;
mod widen;

use nnz_core::{Error, ErrorKind, Result, readable};

pub use convert::{FrameOptions, FrameSummary, convert, write};
pub use nnz_daphne::{Column, FrameBatch, FrameReader, FrameSource};
pub use print::print;

use crate::container_target::ends_in;
use crate::daphne::Dialect;
use crate::formats::{DatasetKind, Registry};
use crate::{Dataset, Location, OpenOptions};

/// Opens the frame at a place, in the dialect that is detected unless one is given.
///
/// # Errors
///
/// Fails where there is none, or something that is broken.
pub fn open(location: &Location, dialect: Option<Dialect>) -> Result<FrameSource> {
    let none = || Error::unsupported(location.source_place(), "holds no frame");
    detect(location, &options(dialect))?.and_then(Dataset::into_table).ok_or_else(none)
}

/// Returns whether a place holds a frame of DAPHNE, and no matrix.
///
/// Where there is nothing or what is broken, it holds none: opening it as a matrix says why. With a
/// [dialect](OpenOptions::dialect), a file is read as one of DAPHNE in any case.
///
/// # Errors
///
/// Fails where the system cannot read it.
pub fn holds(location: &Location, options: &OpenOptions) -> Result<bool> {
    let found = readable(detect(location, options))?.flatten();
    Ok(matches!(found, Some(Dataset::Table(_))))
}

/// Returns whether a place is a file that is called `.csv`, and no matrix.
///
/// # Errors
///
/// Fails where the system cannot read it.
pub fn is_text(location: &Location, options: &OpenOptions) -> Result<bool> {
    let location = location.resolve(&*options.storage)?;
    let Location::Path { path, group: None } = &location else { return Ok(false) };
    if !ends_in(path, &["csv"]) {
        return Ok(false);
    }
    match Registry::default().detect(&location, options) {
        Err(error) if matches!(error.kind(), ErrorKind::Unrecognized(_)) => Ok(true),
        found => readable(found).map(|_| false),
    }
}

/// Opens what a place holds if it is of a format with tables.
fn detect(location: &Location, options: &OpenOptions) -> Result<Option<Dataset>> {
    let found = Registry::default().detect(location, options)?;
    found.reads(DatasetKind::Table).then(|| found.open(options)).transpose()
}

fn options(dialect: Option<Dialect>) -> OpenOptions {
    // No table has to be read whole.
    OpenOptions::new().memory_limit(0).dialect(dialect)
}
