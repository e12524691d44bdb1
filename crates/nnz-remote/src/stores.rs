//! Names of files by which stores are recognized.

/// Names of files by which directories are recognized on web servers, which do not list them. The crate that
/// knows the formats provides them.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreFiles {
    /// Files of which a directory contains one. For a URL without an extension, the names of the first list are
    /// requested together with the URL itself. The others are requested after that.
    pub marks: [&'static [&'static str]; 2],
    /// Files of which a directory inside a directory contains one. If the outer one contains the first of them, the
    /// inner one most likely does, too.
    pub inside: &'static [&'static str],
    /// Other files that a directory may lack. A server may forbid a missing file instead of reporting it as
    /// missing.
    pub optional: &'static [&'static str],
    /// Suffixes of files beside other files, which may be missing too.
    pub sidecars: &'static [&'static str],
    /// Extensions of directories, and the files that such directories most likely contain, which are requested
    /// first. A URL with another extension is expected to be a file.
    pub extensions: &'static [(&'static str, &'static [&'static str])],
}

/// The kind of location that the extension of a URL suggests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LocationKind {
    /// It has the extension of a file.
    File,
    /// It has the extension of directories that most likely contain one of these files.
    Directory(&'static [&'static str]),
    /// It has no extension.
    Unknown,
}

impl StoreFiles {
    /// Returns what the extension of a name suggests.
    pub(crate) fn expected(&self, name: &str) -> LocationKind {
        let Some((_, extension)) = name.rsplit_once('.') else { return LocationKind::Unknown };
        let mut known = self.extensions.iter();
        match known.find(|(known, _)| extension.eq_ignore_ascii_case(known)) {
            Some((_, likely)) => LocationKind::Directory(likely),
            None => LocationKind::File,
        }
    }
}
