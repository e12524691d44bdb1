//! Parsers of values.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use nnz::{
    Error, ErrorKind, Place, Selection,
    formats::{DatasetKind, FormatOptions, Registry},
};

/// A selection of rows or columns.
#[derive(Clone, Debug)]
pub(crate) enum SelectionArg {
    /// A list in the argument.
    List(Selection),
    /// A file with one row or column per line.
    File(PathBuf),
}

impl SelectionArg {
    /// Combines selections; `None` if there are none. An empty file is an error unless `empty` is set.
    pub(crate) fn all(selected: &[Self], empty: bool) -> Result<Option<Selection>, Error> {
        let mut all = None;
        for one in selected {
            let selection = match one {
                Self::List(selection) => selection.clone(),
                Self::File(path) => read_list(path, empty)?,
            };
            all = Some(match all.take() {
                Some(before) => Selection::and(before, selection),
                None => selection,
            });
        }
        Ok(all)
    }
}

/// Reads a list of rows or columns. An empty file is an error unless `empty` is set.
pub(crate) fn read_list(path: &Path, empty: bool) -> Result<Selection, Error> {
    let selection = nnz::text::read_selection(path)?;
    if selection.is_empty() && !empty {
        return Err(empty_list(path));
    }
    Ok(selection)
}

/// The error for an empty file.
pub(crate) fn empty_list(path: &Path) -> Error {
    let what = "the list is empty; --allow-empty accepts it".to_owned();
    Error::new(ErrorKind::Argument(what), Place::path(path))
}

/// Parses a list, or `@FILE`.
pub(crate) fn selected(text: &OsStr) -> Result<SelectionArg, String> {
    match listed(text)? {
        TextOrFile::File(path) => Ok(SelectionArg::File(path)),
        TextOrFile::Text(text) => text.parse().map(SelectionArg::List),
    }
}

/// A text, or a file.
pub(crate) enum TextOrFile<'a> {
    Text(&'a str),
    File(PathBuf),
}

/// Distinguishes a text from `@FILE`.
pub(crate) fn listed(text: &OsStr) -> Result<TextOrFile<'_>, String> {
    match text.as_encoded_bytes().strip_prefix(b"@") {
        Some([]) => Err("expected a file after @".to_owned()),
        Some(path) => Ok(TextOrFile::File(PathBuf::from(&*nnz_storage::os_str_from_bytes(path)))),
        None => {
            let expected = "names in an argument must be UTF-8; use @FILE for others";
            text.to_str().map(TextOrFile::Text).ok_or_else(|| expected.to_owned())
        }
    }
}

/// Parses a number.
pub(crate) fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number".to_owned())
}

/// Parses a number of threads, which is at least 1. Large numbers are capped.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    const MOST: u64 = 1024;
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Numbers that overflow are capped, too.
    let number = if digits { text.parse().unwrap_or(u64::MAX) } else { 0 };
    match usize::try_from(number.min(MOST)) {
        Ok(number @ 1..) => Ok(number),
        _ => Err("expected a number of at least 1".to_owned()),
    }
}

/// Parses a memory limit. Small numbers without a unit are refused, because they are not meant as bytes.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 1000;
    let bytes = nnz::text::parse_size(text)?;
    let has_unit = text.ends_with(|sign: char| !sign.is_ascii_digit());
    match has_unit || bytes >= 1_000_000 {
        true if bytes >= LEAST => Ok(bytes),
        true => Err("expected at least 1K, such as 500M or 4G".to_owned()),
        false => Err("expected a size with a unit, such as 500M or 4G".to_owned()),
    }
}

/// Parses a number of at least `least` of a 32-bit integer.
fn number_from(least: u32, text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| format!("expected a number from {least} to {}", u32::MAX))
}

/// Parses a number.
pub(crate) fn natural(text: &str) -> Result<u32, String> {
    number_from(0, text)
}

/// Parses a maximum number of lines.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    natural(text).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// Parses a number that is at least 1.
pub(crate) fn positive(text: &str) -> Result<u32, String> {
    number_from(1, text)
}

/// A target format, and the options that its name implies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct To {
    pub(crate) format: nnz::formats::FormatName,
    pub(crate) options: FormatOptions,
}

impl FromStr for To {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let registry = Registry::default();
        let (format, options) = registry.parse_target(text).map_err(|_| {
            let infos = registry.formats().iter().map(|format| format.info());
            let written = infos.filter(|info| info.writes.contains(&DatasetKind::Matrix));
            let names: Vec<&str> = written.map(|info| info.name.as_str()).collect();
            format!("expected {}, or a Binsparse format such as CSR", names.join(", "))
        })?;
        Ok(Self { format: format.info().name, options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_limit_has_a_unit_or_is_large() {
        assert_eq!(memory("1K"), Ok(1000));
        assert_eq!(memory("4G"), Ok(4_000_000_000));
        assert_eq!(memory("5000000000"), Ok(5_000_000_000));
        for text in ["0", "1", "5", "5000", "999999", "0K", "0G", "999B", "5X", ""] {
            assert!(memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_in_a_range_that_the_message_states() {
        assert_eq!(natural("0"), Ok(0));
        assert_eq!(positive("4294967295"), Ok(u32::MAX));
        for text in ["0", "-1", "x", "4294967296"] {
            assert_eq!(positive(text).unwrap_err(), "expected a number from 1 to 4294967295");
        }
    }

    #[test]
    fn threads_are_one_or_more_but_not_without_end() {
        assert_eq!(threads("1"), Ok(1));
        assert_eq!(threads("64"), Ok(64));
        assert_eq!(threads("65536"), Ok(1024));
        assert_eq!(threads("99999999999999999999999"), Ok(1024));
        for text in ["0", "", "-1", "+1", "two", "1.5"] {
            assert!(threads(text).is_err(), "{text}");
        }
    }
}
