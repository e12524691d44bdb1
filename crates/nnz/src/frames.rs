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

use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Result};
use nnz_storage::{LocalStorage, Storage, local};

pub use convert::{FrameOptions, FrameSummary, convert};
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
    detect(location, dialect, &local())?.and_then(Dataset::into_table).ok_or_else(none)
}

/// Returns whether a place holds a frame of DAPHNE, and no matrix.
///
/// What cannot be read holds none: opening it as a matrix says why. With a dialect, a file is read as
/// one of DAPHNE in any case.
#[must_use]
pub fn holds(location: &Location, dialect: Option<Dialect>) -> bool {
    matches!(detect(location, dialect, &local()), Ok(Some(Dataset::Table(_))))
}

/// Returns whether a place is a file that is called `.csv`, and no matrix.
#[must_use]
pub fn is_text(location: &Location) -> bool {
    let Ok(location) = location.resolve(&LocalStorage) else { return false };
    let Location::Path { path, group: None } = &location else { return false };
    let unknown = |error: &Error| matches!(error.kind(), ErrorKind::Unrecognized(_));
    ends_in(path, &["csv"])
        && Registry::default()
            .detect(&location, &options(None, &local()))
            .is_err_and(|e| unknown(&e))
}

/// Opens what a place holds if it is of a format with tables.
fn detect(
    location: &Location,
    dialect: Option<Dialect>,
    storage: &Arc<dyn Storage>,
) -> Result<Option<Dataset>> {
    let options = options(dialect, storage);
    let found = Registry::default().detect(location, &options)?;
    found.reads(DatasetKind::Table).then(|| found.open(&options)).transpose()
}

fn options(dialect: Option<Dialect>, storage: &Arc<dyn Storage>) -> OpenOptions {
    // No table has to be read whole.
    OpenOptions::new().memory_limit(0).dialect(dialect).storage(Arc::clone(storage))
}
