//! Where data lies: a path, a group inside a file, or a standard stream.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use memchr::memmem;
use nnz_core::{Error, ErrorKind, Place, Result};

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
    ///
    /// Paths need not be UTF-8. Groups have to be: a text with another one is a path as a whole, and
    /// [`try_parse`](Self::try_parse) refuses it.
    #[must_use]
    pub fn parse(text: impl AsRef<OsStr>) -> Self {
        let text = text.as_ref();
        Self::try_parse(text)
            .unwrap_or_else(|_| Self::Path { path: PathBuf::from(text), group: None })
    }

    /// Reads a place as [`parse`](Self::parse) does.
    ///
    /// # Errors
    ///
    /// Fails where the name of a group is not UTF-8.
    pub fn try_parse(text: impl AsRef<OsStr>) -> Result<Self> {
        let text = text.as_ref();
        if text == "-" {
            return Ok(Self::Stream);
        }
        if Path::new(text).exists() {
            return Ok(Self::Path { path: PathBuf::from(text), group: None });
        }
        // A group may be called so, too: what is there tells where it begins.
        let bytes = text.as_bytes();
        let splits = memmem::find_iter(bytes, b"::")
            .map(|at| (Path::new(OsStr::from_bytes(&bytes[..at])), &bytes[at + 2..]));
        let there = splits.clone().find(|(path, _)| path.exists());
        let Some((path, group)) = there.or_else(|| splits.last()) else {
            return Ok(Self::Path { path: PathBuf::from(text), group: None });
        };
        let group = std::str::from_utf8(group).map_err(|_| {
            let shown = OsStr::from_bytes(group);
            let what = format!("the name of a group has to be UTF-8, {shown:?} is not");
            Error::new(ErrorKind::Argument(what), Place::default())
        })?;
        let group = Some(group.trim_start_matches('/').to_owned());
        Ok(Self::Path { path: path.to_path_buf(), group })
    }
}

/// What messages call the place when it is read.
impl From<Location> for Place {
    fn from(location: Location) -> Self {
        location.source_place()
    }
}

impl Location {
    /// Returns what messages call the place when it is read.
    #[must_use]
    pub fn source_place(&self) -> Place {
        match self {
            Self::Stream => Place::path("standard input"),
            Self::Path { .. } => self.place(),
        }
    }

    /// Returns what messages call the place.
    #[must_use]
    pub fn place(&self) -> Place {
        match self {
            Self::Stream => Place::path("-"),
            Self::Path { path, group: None } => Place::path(path),
            Self::Path { path, group: Some(group) } => {
                let mut path = path.as_os_str().to_owned();
                path.push("::");
                path.push(group);
                Place::path(path)
            }
        }
    }
}

impl From<&Location> for Location {
    fn from(location: &Location) -> Self {
        location.clone()
    }
}

/// Converts text and paths as [`Location::parse`] does.
macro_rules! parsed {
    ($($text:ty),*) => {$(
        impl From<$text> for Location {
            fn from(text: $text) -> Self {
                Self::parse(text)
            }
        }
    )*};
}
parsed!(&str, String, &String, &OsStr, &Path, PathBuf, &PathBuf);

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

    #[test]
    fn a_group_is_found_behind_a_path_that_is_not_utf8() {
        let located = |path: &[u8], group: Option<&str>| Location::Path {
            path: PathBuf::from(OsStr::from_bytes(path)),
            group: group.map(str::to_owned),
        };
        let text = OsStr::from_bytes;
        assert_eq!(Location::parse(text(b"q\xff.h5")), located(b"q\xff.h5", None));
        let place = Location::parse(text(b"q\xff.h5::/g"));
        assert_eq!(place, located(b"q\xff.h5", Some("g")));
        assert_eq!(place.source_place().to_string(), r#""q\xFF.h5::g""#);
        // The name of a group is text.
        let group = text(b"q.h5::g\xff");
        let error = Location::try_parse(group).unwrap_err();
        assert!(error.to_string().contains(r#"has to be UTF-8, "g\xFF" is not"#), "{error}");
        assert_eq!(Location::parse(group), located(b"q.h5::g\xff", None));
    }
}
