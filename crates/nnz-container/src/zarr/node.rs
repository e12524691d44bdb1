//! The metadata files of a directory of a store.

use std::collections::BTreeMap;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, readable};
use nnz_storage::InputDirectory;
use serde_json::value::RawValue;

use super::metadata::{v2, v3};

/// Maximum size of a JSON file.
pub(super) const MAX_LEN: u64 = 64 << 20;

/// The files that mark a directory as a group or an array.
pub(super) const FILES: [&str; 3] = ["zarr.json", ".zarray", ".zgroup"];

/// The members of a JSON object, unparsed.
pub(super) type Fields = BTreeMap<String, Box<RawValue>>;

/// A group or an array.
pub(super) enum Node {
    Group(Group),
    /// Its metadata and version.
    Array(Fields, u32),
}

/// A group.
pub(super) struct Group {
    pub(super) attributes: Fields,
    pub(super) version: u32,
}

/// Reads the metadata of a directory of the file system; `None` if it has none.
pub(super) fn read(directory: &Path, place: &Place) -> Result<Option<Node>> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match InputDirectory::open(directory).map_err(Error::into_parts) {
        Ok(directory) => from_files(&|name| json(&directory, name, place), place),
        Err((ErrorKind::Io(error), _)) if matches!(error.kind(), NotFound | NotADirectory) => {
            Ok(None)
        }
        Err((kind, _)) => Err(Error::new(kind, place.clone())),
    }
}

/// Reads a JSON object from a file of the file system; `None` if the file does not exist.
pub(super) fn local_json(directory: &Path, name: &str, place: &Place) -> Result<Option<Fields>> {
    json(&InputDirectory::open(directory)?, name, place)
}

/// Reads the metadata of a directory from its files.
pub(super) fn from_files(
    json: &dyn Fn(&str) -> Result<Option<Fields>>,
    place: &Place,
) -> Result<Option<Node>> {
    if let Some(fields) = json("zarr.json")? {
        return v3::node(fields, place).map(Some);
    }
    if let Some(fields) = json(".zarray")? {
        return Ok(Some(Node::Array(fields, 2)));
    }
    if let Some(fields) = json(".zgroup")? {
        v2::check_version(&fields, place)?;
        let attributes = json(".zattrs")?.unwrap_or_default();
        return Ok(Some(Node::Group(Group { attributes, version: 2 })));
    }
    Ok(None)
}

/// Returns whether a directory is a group or an array, from the names of its files.
pub(super) fn is_node(directory: &InputDirectory) -> Result<bool> {
    for name in FILES {
        let there = match readable(directory.read_metadata(name, MAX_LEN))? {
            Some(text) => text.is_some(),
            // The file is read again when it is needed, with an error.
            None => directory.is_file(name)?,
        };
        if there {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads a JSON object from a file; `None` if the file does not exist.
pub(super) fn json(
    directory: &InputDirectory,
    name: &str,
    place: &Place,
) -> Result<Option<Fields>> {
    let text = match directory.read_metadata(name, MAX_LEN) {
        Ok(text) => text,
        Err(error) => {
            return match error.into_parts().0 {
                ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                    Ok(None)
                }
                ErrorKind::Mismatch { found, .. } => {
                    let found = match found.ends_with(" bytes") {
                        true => format!("{name} of {found}"),
                        false => format!("{name}, which is {found}"),
                    };
                    Err(Error::mismatch(place.clone(), found, "a file of at most 64 MiB"))
                }
                kind => Err(Error::new(kind, place.clone())),
            };
        }
    };
    text.map(|text| parse(name, &text, place)).transpose()
}

/// Checks the length of a JSON file; it is not known for other kinds of files.
pub(super) fn check_length(name: &str, bytes: u64, place: &Place) -> Result<()> {
    if bytes <= MAX_LEN {
        return Ok(());
    }
    let found = match bytes {
        u64::MAX => format!("{name}, which is not a regular file"),
        _ => format!("{name} of {bytes} bytes"),
    };
    Err(Error::mismatch(place.clone(), found, "a file of at most 64 MiB"))
}

/// Parses a file with a JSON object.
pub(super) fn parse(name: &str, text: &[u8], place: &Place) -> Result<Fields> {
    serde_json::from_slice(text).map_err(|error| {
        let at = format!("line {}, column {}", error.line(), error.column());
        let found = format!("invalid JSON in {name} ({at})");
        Error::mismatch(place.clone(), found, "a JSON object").with_source(error)
    })
}
