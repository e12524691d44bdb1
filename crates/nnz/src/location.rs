//! Where data lies: a path, a group inside a file, or a standard stream.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use nnz_core::Place;

/// Names a place data is read from or written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Standard input or output.
    Stream,
    /// A file or directory, or a group inside.
    Path {
        /// The file or directory.
        path: PathBuf,
        /// The group, without a leading slash; `None` where none is named.
        group: Option<String>,
    },
}

impl Location {
    /// Reads `-`, `PATH` or `PATH::GROUP`. A path that exists as it stands is taken so.
    #[must_use]
    pub fn parse(text: impl AsRef<OsStr>) -> Self {
        let text = text.as_ref();
        if text == "-" {
            return Self::Stream;
        }
        let whole = Self::Path { path: PathBuf::from(text), group: None };
        if Path::new(text).exists() {
            return whole;
        }
        let Some(text) = text.to_str() else { return whole };
        // A group may be called so, too: what is there tells where it begins.
        let splits = text.match_indices("::").map(|(at, colons)| {
            let (path, rest) = text.split_at(at);
            (path, &rest[colons.len()..])
        });
        let there = splits.clone().find(|(path, _)| Path::new(path).exists());
        let Some((path, group)) = there.or_else(|| splits.last()) else { return whole };
        Self::Path {
            path: PathBuf::from(path),
            group: Some(group.trim_start_matches('/').to_owned()),
        }
    }
}

impl Location {
    /// Returns what messages call the place when it is read.
    #[must_use]
    pub fn source_place(&self) -> Place {
        match self {
            Self::Stream => Place::path("standard input"),
            other => Place::path(other.to_string()),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream => f.write_str("-"),
            Self::Path { path, group: None } => write!(f, "{}", path.display()),
            Self::Path { path, group: Some(group) } => write!(f, "{}::{group}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_follows_two_colons_with_or_without_a_slash() {
        let group = |text: &str| match Location::parse(text) {
            Location::Path { path, group } => (path.display().to_string(), group),
            Location::Stream => panic!("a stream"),
        };
        assert_eq!(group("a.h5"), ("a.h5".to_owned(), None));
        assert_eq!(group("a.h5::/m/x"), ("a.h5".to_owned(), Some("m/x".to_owned())));
        assert_eq!(group("a.h5::m"), ("a.h5".to_owned(), Some("m".to_owned())));
        assert_eq!(Location::parse("-"), Location::Stream);
        // The folder is there, and the file is not.
        assert_eq!(group("src::a::b"), ("src".to_owned(), Some("a::b".to_owned())));
        assert_eq!(group("none::a::b"), ("none::a".to_owned(), Some("b".to_owned())));
    }
}
