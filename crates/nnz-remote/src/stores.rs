//! Names of files by which stores are recognized.

/// Names of files by which directories are recognized on web servers, which do not list them. The crate that
/// knows the formats provides them.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreFiles {
    /// Files of which a directory contains one. The names of the first list are requested together with the
    /// URL itself, those of the second list after that.
    pub marks: [&'static [&'static str]; 2],
    /// Files of which a directory inside a directory contains one.
    pub inside: &'static [&'static str],
    /// Other files that a directory may lack. A server may forbid a missing file instead of reporting it as
    /// missing.
    pub optional: &'static [&'static str],
    /// Suffixes of files beside other files, which may be missing too.
    pub sidecars: &'static [&'static str],
    /// Extensions of directories. A URL with another extension is expected to be a file.
    pub extensions: &'static [&'static str],
}
