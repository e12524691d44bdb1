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

use nnz_core::{Error, ErrorKind, Result};

pub use convert::{FrameOptions, FrameSummary, convert};
pub use nnz_daphne::{Column, FrameBatch, FrameReader, FrameSource};
pub use print::print;

use crate::Location;
use crate::daphne::{Dialect, Found};
use crate::home::ends_in;
use crate::open::{Recognised, Sought, recognise};

/// Opens the frame at a place, in the dialect that is recognised unless one is given.
///
/// # Errors
///
/// Fails where there is none, or something that is broken.
pub fn open(location: &Location, dialect: Option<Dialect>) -> Result<FrameSource> {
    match find(location, dialect)? {
        Some(found) => found.open_frame(dialect),
        None => Err(Error::unsupported(location.source_place(), "holds no frame")),
    }
}

/// Returns whether a place holds a frame of DAPHNE, and no matrix.
///
/// What cannot be read holds none: whoever opens it as a matrix hears why. With a dialect, a file
/// is taken for one of DAPHNE whatever it looks like.
#[must_use]
pub fn holds(location: &Location, dialect: Option<Dialect>) -> bool {
    find(location, dialect).is_ok_and(|found| found.is_some_and(|found| found.holds_frame()))
}

/// Returns whether a place is a file that is called `.csv`, and no matrix.
#[must_use]
pub fn is_text(location: &Location) -> bool {
    let Location::Path { path, group: None } = location else { return false };
    let unknown = |error: &Error| matches!(error.kind(), ErrorKind::Unrecognized(_));
    ends_in(path, &["csv"]) && recognise(location, 0, Sought::Matrix).is_err_and(|e| unknown(&e))
}

fn find(location: &Location, dialect: Option<Dialect>) -> Result<Option<Found>> {
    if dialect.is_some() {
        return Found::told(location).map(Some);
    }
    // Nothing that has to be read whole is a frame.
    match recognise(location, 0, Sought::Matrix)? {
        Recognised::Daphne(found) => Ok(Some(found)),
        _ => Ok(None),
    }
}
