//! Locations of targets.

use std::path::Path;

use nnz_core::{Error, Header, Result};

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

/// Refuses pointers that no option asks for, and that take many times the bytes of the entries. The option `item` avoids
/// them.
///
/// # Errors
///
/// Fails if they are that many.
pub(super) fn check_pointers(header: &Header, item: &'static str, effect: &str) -> Result<()> {
    const MOST: u64 = 1 << 30;
    /// For each entry.
    const TIMES: u64 = 64;
    let pointers = header.shape.major(header.order);
    let Some(entries) = header.nnz.filter(|entries| entries.saturating_mul(TIMES) < pointers)
    else {
        return Ok(());
    };
    if pointers <= MOST {
        return Ok(());
    }
    let size = crate::text::format_size(pointers.saturating_mul(4));
    let axis = header.order.major();
    let entries = match entries {
        1 => "1 entry".to_owned(),
        _ => format!("{entries} entries"),
    };
    let what =
        format!("pointers for all {pointers} {axis} would take {size} or more for {entries}");
    Err(Error::argument(what).with_hint(item, effect))
}
