//! Values of flags, from text.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use nnz::{
    Error, ErrorKind, Place, Selection,
    formats::{FormatOptions, Registry},
};

/// Rows or columns that are selected.
#[derive(Clone, Debug)]
pub(crate) enum Selected {
    /// They are listed in a text.
    Listed(String, Selection),
    /// They are in a file, one a line.
    File(PathBuf),
}

impl Selected {
    /// Returns what all of these select; `None` where there are none. A file without lines is refused unless it is
    /// allowed.
    pub(crate) fn all(selected: &[Self], empty: bool) -> Result<Option<Selection>, Error> {
        let mut all = None;
        for one in selected {
            let selection = match one {
                Self::Listed(_, selection) => selection.clone(),
                Self::File(path) => {
                    let selection = nnz::text::read_selection(path)?;
                    if selection.is_empty() && !empty {
                        return Err(empty_list(path));
                    }
                    selection
                }
            };
            all = Some(match all.take() {
                Some(before) => Selection::and(before, selection),
                None => selection,
            });
        }
        Ok(all)
    }

    /// Returns the text of a list that is no file.
    pub(crate) fn text(&self) -> Option<&OsStr> {
        match self {
            Self::Listed(text, _) => Some(OsStr::new(text)),
            Self::File(_) => None,
        }
    }
}

/// Says that a file lists nothing.
pub(crate) fn empty_list(path: &Path) -> Error {
    let what = "lists nothing; --allow-empty selects none".to_owned();
    Error::new(ErrorKind::Argument(what), Place::path(path))
}

/// Reads a list, or `@FILE`.
pub(super) fn selected(text: &OsStr) -> Result<Selected, String> {
    match text.as_encoded_bytes().strip_prefix(b"@") {
        Some([]) => Err("expected a file after @".to_owned()),
        Some(path) => Ok(Selected::File(PathBuf::from(&*nnz::storage::os_str_from_bytes(path)))),
        None => {
            let text = text.to_str().ok_or("names have to be UTF-8; @FILE reads others")?;
            text.parse().map(|listed| Selected::Listed(text.to_owned(), listed))
        }
    }
}

/// Reads a number of threads, one at the least. More than any machine has use for are as many.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    const MOST: u64 = 1024;
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // What does not fit is more than enough.
    let number = if digits { text.parse().unwrap_or(u64::MAX) } else { 0 };
    match usize::try_from(number.min(MOST)) {
        Ok(number @ 1..) => Ok(number),
        _ => Err("expected a number from 1 on".to_owned()),
    }
}

/// A format to write, and the options that its name implies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct To {
    pub(crate) format: &'static str,
    pub(crate) options: FormatOptions,
}

impl FromStr for To {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, options) =
            Registry::default().parse_target(text).map_err(|error| error.to_string())?;
        Ok(Self { format: format.info().name, options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
