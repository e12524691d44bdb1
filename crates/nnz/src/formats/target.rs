//! Locations of targets.

use std::path::Path;

use nnz_core::{Error, Result};

use crate::Location;

/// Returns path and group of a target; fails for standard output.
pub(super) fn named<'a>(to: &'a Location, name: &str) -> Result<(&'a Path, Option<&'a str>)> {
    match to {
        Location::Path { path, group } => Ok((path, group.as_deref())),
        Location::Stream => {
            Err(Error::argument(format!("{name} cannot be written to standard output")))
        }
    }
}

/// Returns the path of a target without a group.
pub(super) fn without_group<'a>(to: &'a Location, name: &str) -> Result<&'a Path> {
    match named(to, name)? {
        (path, None) => Ok(path),
        (_, Some(_)) => {
            Err(Error::argument(format!("{to}: files of the format {name} have no groups")))
        }
    }
}

/// Refuses compression if the format has none.
pub(super) fn uncompressed(compress: Option<nnz_container::Compression>, name: &str) -> Result<()> {
    match compress {
        None | Some(nnz_container::Compression::None) => Ok(()),
        Some(_) => Err(Error::argument(format!("the option compress does not apply to {name}"))),
    }
}
