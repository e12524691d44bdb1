//! The files that say what a directory of a store is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};
use serde_json::value::RawValue;

use super::metadata::{v2, v3};

/// The longest file of JSON that is read.
const LONGEST: u64 = 64 << 20;

/// The files of which one makes a directory a group or an array.
pub(super) const FILES: [&str; 3] = ["zarr.json", ".zarray", ".zgroup"];

/// The members of an object in JSON, each as it stands.
pub(super) type Fields = BTreeMap<String, Box<RawValue>>;

/// What a directory is.
pub(super) enum Node {
    Group(Group),
    /// What it says of itself, and in which version.
    Array(Fields, u32),
}

/// A group.
pub(super) struct Group {
    pub(super) attributes: Fields,
    pub(super) version: u32,
}

/// Reads what a directory is; `None` where it is nothing of Zarr.
pub(super) fn read(directory: &Path, place: &Place) -> Result<Option<Node>> {
    from_files(&|name| json(&directory.join(name), place), place)
}

/// Reads what a directory is from its files of JSON.
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

/// Returns whether a directory is a group or an array, going by its files' names.
pub(super) fn is_node(directory: &Path) -> bool {
    FILES.iter().any(|name| directory.join(name).is_file())
}

/// Reads a file that holds an object; `None` where there is no file.
pub(super) fn json(path: &Path, place: &Place) -> Result<Option<Fields>> {
    let io = |error| Error::new(ErrorKind::Io(error), place.clone());
    let found = match path.metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(io(error)),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    check_length(&name, if found.is_file() { found.len() } else { u64::MAX }, place)?;
    let mut text = Vec::new();
    File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut text)).map_err(io)?;
    parse(&name, &text, place).map(Some)
}

/// Refuses a file of JSON that is too long; of what is no file no length is known.
pub(super) fn check_length(name: &str, bytes: u64, place: &Place) -> Result<()> {
    if bytes <= LONGEST {
        return Ok(());
    }
    let found = match bytes {
        u64::MAX => format!("{name}, which is no regular file"),
        _ => format!("{name} of {bytes} bytes"),
    };
    Err(Error::mismatch(place.clone(), found, "a file of at most 64 MiB"))
}

/// Reads the text of a file that holds an object.
pub(super) fn parse(name: &str, text: &[u8], place: &Place) -> Result<Fields> {
    serde_json::from_slice(text).map_err(|error| {
        Error::mismatch(place.clone(), format!("{name} that cannot be read: {error}"), "an object")
    })
}
