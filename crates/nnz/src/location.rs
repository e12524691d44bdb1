//! Locations of data: a path, a group in a file, or a standard stream.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use memchr::memmem;
use nnz_core::{Error, Place, Result, UrlParts, is_url, without_secrets};
use nnz_storage::{LocalStorage, Storage, os_str_from_bytes};

/// The separator of a path and a group.
const SEPARATOR: &[u8] = b"::";

/// A location to read from or write to. `Display` and `Debug` leave out the secrets of a URL: user, password
/// and query.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// Standard input or output.
    Stream,
    /// A file or directory, or a group in it.
    Path {
        /// The file or directory, or its URL.
        path: PathBuf,
        /// The group, if any. A leading slash is ignored.
        group: Option<String>,
    },
}

impl Location {
    /// Parses `-`, `PATH` or `PATH::GROUP` without accessing files: the last `::` is the separator.
    /// Functions that open or create a location [resolve](Self::resolve) it first.
    ///
    /// Paths need not be UTF-8, but groups must be: if the text after `::` is not, the whole text is
    /// a path, and [`try_parse`](Self::try_parse) fails.
    ///
    /// ```
    /// use nnz::Location;
    ///
    /// let layer = Location::parse("cells.h5ad::layers/counts");
    /// let group = Some("layers/counts".to_owned());
    /// assert_eq!(layer, Location::Path { path: "cells.h5ad".into(), group });
    /// ```
    #[must_use]
    pub fn parse(text: impl AsRef<OsStr>) -> Self {
        let text = text.as_ref();
        Self::try_parse(text)
            .unwrap_or_else(|_| Self::Path { path: PathBuf::from(text), group: None })
    }

    /// Parses a location as [`parse`](Self::parse).
    ///
    /// # Errors
    ///
    /// Fails if the group is not UTF-8.
    pub fn try_parse(text: impl AsRef<OsStr>) -> Result<Self> {
        let text = text.as_ref();
        if text == "-" {
            return Ok(Self::Stream);
        }
        let bytes = text.as_encoded_bytes();
        // Neither the host of a URL nor its query has a group.
        let parts = UrlParts::of(text);
        let end = bytes.len() - parts.map_or(0, |parts| parts.query.len());
        let start = parts.map_or(0, |parts| end - parts.path.len());
        let Some(at) = memmem::rfind(&bytes[start..end], SEPARATOR).map(|at| start + at) else {
            return Ok(Self::Path { path: PathBuf::from(text), group: None });
        };
        let group = &bytes[at + SEPARATOR.len()..end];
        let group = std::str::from_utf8(group).map_err(|error| {
            let shown = os_str_from_bytes(group);
            let what = format!("the name of a group must be UTF-8: {shown:?}");
            Error::argument(what).with_source(error)
        })?;
        let path = [&bytes[..at], &bytes[end..]].concat();
        let path = PathBuf::from(&*os_str_from_bytes(&path));
        Ok(Self::Path { path, group: Some(group.to_owned()) })
    }

    /// Finds the end of the path in a storage, and removes the leading slash of the group.
    ///
    /// The names of files and groups can contain `::`. If the whole text is the name of a file or
    /// directory, that is used, otherwise the first existing one before a `::`. If there is none, the
    /// last `::` is the separator.
    ///
    /// # Errors
    ///
    /// Fails on I/O errors.
    pub fn resolve(&self, storage: &dyn Storage) -> Result<Self> {
        let Self::Path { path, group: Some(group) } = self else { return Ok(self.clone()) };
        if is_url(path) {
            // Looking would take a round trip for each `::`.
            let group = Some(group.trim_start_matches('/').to_owned());
            return Ok(Self::Path { path: path.clone(), group });
        }
        let text = self.text();
        let bytes = text.as_encoded_bytes();
        if exists(storage, bytes)? {
            return Ok(Self::Path { path: PathBuf::from(text), group: None });
        }
        let mut split = (path.clone(), group.as_str());
        let last = path.as_os_str().len();
        for at in memmem::find_iter(&bytes[..last], SEPARATOR) {
            if let Ok(group) = std::str::from_utf8(&bytes[at + SEPARATOR.len()..])
                && exists(storage, &bytes[..at])?
            {
                split = (PathBuf::from(&*os_str_from_bytes(&bytes[..at])), group);
                break;
            }
        }
        let (path, group) = split;
        let group = Some(group.trim_start_matches('/').to_owned());
        Ok(Self::Path { path, group })
    }

    /// Finds the end of the path of a target, as [`resolve`](Self::resolve) for a source.
    pub(crate) fn resolve_target(&self) -> Result<Self> {
        self.resolve(&LocalStorage)
    }

    /// Returns the location as text.
    fn text(&self) -> OsString {
        match self {
            Self::Stream => "-".into(),
            Self::Path { path, group } => {
                let mut text = without_secrets(path).into_owned().into_os_string();
                if let Some(group) = group {
                    text.push("::");
                    text.push(group);
                }
                text
            }
        }
    }
}

/// Returns whether a storage has an entry of this name. A name that no file can have is a
/// group.
fn exists(storage: &dyn Storage, name: &[u8]) -> Result<bool> {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound, PermissionDenied};
    let name = os_str_from_bytes(name);
    let path = Path::new(&name);
    match storage.metadata(path) {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            NotFound | NotADirectory | InvalidInput | InvalidFilename | PermissionDenied => {
                Ok(false)
            }
            _ => Err(Error::io(path, error)),
        },
    }
}

/// The place of the source in messages.
impl From<Location> for Place {
    fn from(location: Location) -> Self {
        location.source_place()
    }
}

impl Location {
    /// Returns the place of a source in messages.
    #[must_use]
    pub fn source_place(&self) -> Place {
        match self {
            Self::Stream => Place::path("standard input"),
            Self::Path { .. } => self.place(),
        }
    }

    /// Returns the location of a part of this one, by its path in it.
    pub(crate) fn inside(&self, name: &str) -> Self {
        let Self::Path { path, group } = self else { return self.clone() };
        let group =
            group.as_deref().map(|group| group.trim_matches('/')).filter(|group| !group.is_empty());
        let group = group.map_or_else(|| name.to_owned(), |group| format!("{group}/{name}"));
        Self::Path { path: path.clone(), group: Some(group) }
    }

    /// Returns the place in messages.
    #[must_use]
    pub fn place(&self) -> Place {
        Place::path(PathBuf::from(self.text()))
    }
}

impl From<&Location> for Location {
    fn from(location: &Location) -> Self {
        location.clone()
    }
}

/// Converts text and paths as [`Location::parse`].
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
            Self::Path { .. } => write!(f, "{}", Path::new(&self.text()).display()),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream => f.write_str("Stream"),
            Self::Path { path, group } => {
                let path = without_secrets(path);
                f.debug_struct("Path").field("path", &path).field("group", group).finish()
            }
        }
    }
}

/// Returns whether two paths lead to the same existing file or directory.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &[u8], group: Option<&str>) -> Location {
        let path = PathBuf::from(&*os_str_from_bytes(path));
        Location::Path { path, group: group.map(str::to_owned) }
    }

    #[test]
    fn the_last_double_colon_is_the_separator() {
        assert_eq!(Location::parse("-"), Location::Stream);
        assert_eq!(Location::parse("a.h5"), place(b"a.h5", None));
        assert_eq!(Location::parse("a.h5::/m/x"), place(b"a.h5", Some("/m/x")));
        assert_eq!(Location::parse("src::a::b"), place(b"src::a", Some("b")));
        assert_eq!(Location::parse("a.h5::/m/x").to_string(), "a.h5::/m/x");
    }

    #[test]
    fn a_group_of_a_url_is_between_host_and_query() {
        let parse = |text: &str| Location::parse(text);
        assert_eq!(parse("http://[::1]:9000/x.zarr"), place(b"http://[::1]:9000/x.zarr", None));
        let signed = parse("https://u:p@h/x.h5::m/y?sig=a::b");
        assert_eq!(signed, place(b"https://u:p@h/x.h5?sig=a::b", Some("m/y")));
        assert_eq!(signed.resolve(&LocalStorage).unwrap(), signed);
        assert_eq!(signed.to_string(), "https://h/x.h5::m/y");
        assert_eq!(signed.place().to_string(), "https://h/x.h5::m/y");
        assert!(!format!("{signed:?}").contains("sig"));
        assert_eq!(parse("s3://b/k::g"), place(b"s3://b/k", Some("g")));
    }

    #[test]
    fn existing_files_determine_the_end_of_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        std::fs::write(at("odd::name.mtx"), "").unwrap();
        std::fs::create_dir(at("dir::")).unwrap();
        std::fs::write(at("dir::/inner"), "").unwrap();
        let resolved = |name: &str, path: &str, group: Option<&str>| {
            let found = Location::parse(at(name)).resolve(&LocalStorage).unwrap();
            assert_eq!(found, place(at(path).as_os_str().as_encoded_bytes(), group), "{name}");
            // A resolved location stays resolved.
            assert_eq!(found.resolve(&LocalStorage).unwrap(), found);
        };
        resolved("file::a::b", "file", Some("a::b"));
        resolved("none::a::b", "none::a", Some("b"));
        resolved("file::/m/x", "file", Some("m/x"));
        resolved("odd::name.mtx", "odd::name.mtx", None);
        resolved("odd::name.mtx::g", "odd::name.mtx", Some("g"));
        resolved("dir::/inner", "dir::/inner", None);
        resolved("dir::/other", "dir", Some("other"));
    }

    #[test]
    #[cfg(unix)]
    fn a_group_is_found_behind_a_path_that_is_not_utf8() {
        let text = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes;
        assert_eq!(Location::parse(text(b"q\xff.h5")), place(b"q\xff.h5", None));
        let group = Location::parse(text(b"q\xff.h5::g"));
        assert_eq!(group, place(b"q\xff.h5", Some("g")));
        assert_eq!(group.source_place().to_string(), r#""q\xFF.h5::g""#);
        // The name of a group is text.
        let group = text(b"q.h5::g\xff");
        let error = Location::try_parse(group).unwrap_err();
        assert!(error.to_string().contains(r#"must be UTF-8: "g\xFF""#), "{error}");
        assert_eq!(Location::parse(group), place(b"q.h5::g\xff", None));
    }
}
