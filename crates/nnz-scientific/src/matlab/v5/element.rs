//! The elements of a file, one for each variable.

use nnz_core::{At, Error, Result};
use nnz_storage::InputFile;

use super::header;
use super::tag::{COMPRESSED, MATRIX, Tag};

/// An element of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// The offset of its data.
    pub(super) at: u64,
    /// The size of its data.
    pub(super) bytes: u64,
    /// Whether it is compressed.
    pub(super) compressed: bool,
}

/// Reads the tags of all elements.
pub(super) fn elements(
    file: &InputFile,
    big: bool,
) -> impl Iterator<Item = Result<Element>> + use<'_> {
    let mut at = header::LEN;
    std::iter::from_fn(move || {
        if at >= file.len() {
            return None;
        }
        let element = read(file, at, big);
        // The next one follows without padding: compressed data is not padded, and the size of a
        // variable is a multiple of 8.
        at = element.as_ref().map_or(u64::MAX, |element| element.at + element.bytes);
        Some(element)
    })
}

fn read(file: &InputFile, at: u64, big: bool) -> Result<Element> {
    let place = || file.place().at(At::Byte(at));
    let left = file.len() - at;
    let mut bytes = [0; 8];
    if left < bytes.len() as u64 {
        let found = format!("the end of the file after {left} bytes");
        return Err(Error::mismatch(place(), found, "the tag of an element"));
    }
    file.read_metadata_at(&mut bytes, at).map_err(|error| file.error(error))?;
    let tag = Tag::parse(bytes, at, big).filter(|tag| matches!(tag.kind, MATRIX | COMPRESSED));
    let Some(tag) = tag else {
        let found = format!("the bytes {}", bytes.escape_ascii());
        return Err(Error::mismatch(place(), found, "the tag of a variable"));
    };
    let there = file.len().saturating_sub(tag.data);
    if tag.bytes > there {
        let found = format!("the end of the file after {there} bytes");
        return Err(Error::mismatch(place(), found, format!("{} bytes of a variable", tag.bytes)));
    }
    Ok(Element { at: tag.data, bytes: tag.bytes, compressed: tag.kind == COMPRESSED })
}
