//! Places as the tools take them: a path, and a group behind `:` or `::`.

use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use nnz::Location;

/// Reads a place; names of files need not be UTF-8.
pub(crate) fn place() -> impl TypedValueParser<Value = Location> {
    OsStringValueParser::new().try_map(|text| {
        let whole = Location::parse(&text);
        let path = match &whole {
            Location::Path { path, group: Some(_) } if !nnz::has_groups(path) => {
                return Err(groupless(path));
            }
            Location::Path { path, group: None } if !path.exists() => path,
            _ => return Ok(whole),
        };
        let Some((before, group)) = path.to_str().and_then(|text| text.rsplit_once(':')) else {
            return Ok(whole);
        };
        let before = PathBuf::from(before);
        if nnz::has_groups(&before) {
            let group = Some(group.trim_matches('/').to_owned());
            return Ok(Location::Path { path: before, group });
        }
        // Names of files may have colons, but hardly behind their ending.
        if before.extension().is_some() && !group.contains('.') {
            return Err(groupless(&before));
        }
        Ok(whole)
    })
}

fn groupless(path: &Path) -> String {
    let what = "has no groups; names that end in .h5, .hdf5, .nc, .nc4 or .zarr have";
    format!("{} {what}", path.display())
}
