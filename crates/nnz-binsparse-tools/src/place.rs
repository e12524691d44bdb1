//! Locations on the command line: a path, optionally with a group after `:` or `::`.

use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use nnz::Location;

/// Parses a location. File names need not be UTF-8.
pub fn place() -> impl TypedValueParser<Value = Location> {
    OsStringValueParser::new().try_map(|text| {
        let whole = Location::try_parse(&text)
            .and_then(|whole| whole.resolve(&*nnz::storage::local()))
            .map_err(|error| error.to_string())?;
        let path = match &whole {
            Location::Path { path, group: Some(_) } => {
                return if has_groups(path)? { Ok(whole) } else { Err(groupless(path)) };
            }
            Location::Path { path, group: None } if !path.exists() => path,
            _ => return Ok(whole),
        };
        let bytes = path.as_os_str().as_encoded_bytes();
        let Some(colon) = bytes.iter().rposition(|byte| *byte == b':') else {
            return Ok(whole);
        };
        let before = PathBuf::from(&*nnz_storage::os_str_from_bytes(&bytes[..colon]));
        let group = &bytes[colon + 1..];
        if has_groups(&before)? {
            let group = std::str::from_utf8(group)
                .map_err(|_| "the name of a group must be UTF-8".to_owned())?;
            let group = Some(group.trim_matches('/').to_owned());
            return Ok(Location::Path { path: before, group });
        }
        // File names may contain colons, but rarely after their extension.
        if before.extension().is_some() && !group.contains(&b'.') {
            return Err(groupless(&before));
        }
        Ok(whole)
    })
}

fn has_groups(path: &Path) -> Result<bool, String> {
    nnz::formats::has_groups(path).map_err(|error| error.to_string())
}

fn groupless(path: &Path) -> String {
    let what = "has no groups; only .h5, .hdf5, .nc, .nc4 and .zarr have groups";
    format!("{} {what}", nnz::Place::path(path))
}
