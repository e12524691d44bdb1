//! Places as the tools take them: a path, and a group behind `:` or `::`.

use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use nnz::Location;

/// The endings of what has groups inside.
const WITH_GROUPS: [&str; 6] = ["h5", "hdf5", "h5ad", "nc", "nc4", "zarr"];

/// Reads a place; names of files need not be UTF-8.
pub(crate) fn place() -> impl TypedValueParser<Value = Location> {
    OsStringValueParser::new().map(|text| {
        let whole = Location::parse(&text);
        let Location::Path { path, group: None } = &whole else {
            return whole;
        };
        let split = text.to_str().filter(|_| !path.exists()).and_then(|text| text.rsplit_once(':'));
        match split {
            Some((path, group)) if has_groups(Path::new(path)) => Location::Path {
                path: PathBuf::from(path),
                group: Some(group.trim_matches('/').to_owned()),
            },
            _ => whole,
        }
    })
}

fn has_groups(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    path.exists() || WITH_GROUPS.iter().any(|known| ending == *known)
}
