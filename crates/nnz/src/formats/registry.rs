//! The list of formats.

use std::path::Path;

use nnz_container::ContainerKind;
use nnz_container::kinds::KINDS;
use nnz_core::{Error, Result};
use nnz_storage::{EntryKind, InputDirectory, ListedEntry};

#[cfg(feature = "daphne")]
use super::daphne;
#[cfg(feature = "matlab")]
use super::matlab;
#[cfg(feature = "matrix-market")]
use super::matrix_market;
#[cfg(feature = "robjects")]
use super::robjects;
#[cfg(feature = "text")]
use super::table;
use super::{Confidence, DatasetKind, Format, FormatInfo, FormatOptions, Probe, binsparse};
#[cfg(feature = "singlecell")]
use super::{anndata, fragment_text, loom, mudata, tenx};
#[cfg(feature = "bpcells")]
use super::{bpcells, bpcells_fragments};
#[cfg(feature = "text")]
use super::{edges, metis, svmlight};
#[cfg(feature = "scientific")]
use super::{npy, scipy};

/// The formats of this crate. If several are certain, the first is used.
const FORMATS: &[&dyn Format] = &[
    #[cfg(feature = "matrix-market")]
    &matrix_market::MatrixMarket,
    #[cfg(feature = "daphne")]
    &daphne::Daphne,
    #[cfg(feature = "matlab")]
    &matlab::Matlab,
    #[cfg(feature = "robjects")]
    &robjects::matrix::RMatrix,
    #[cfg(feature = "robjects")]
    &robjects::SEURAT,
    #[cfg(feature = "robjects")]
    &robjects::EXPERIMENT,
    #[cfg(feature = "robjects")]
    &robjects::OTHER,
    #[cfg(feature = "singlecell")]
    &tenx::Tenx,
    #[cfg(feature = "bpcells")]
    &bpcells_fragments::BpCellsFragments,
    #[cfg(feature = "bpcells")]
    &bpcells::BpCells,
    &binsparse::Binsparse,
    #[cfg(feature = "singlecell")]
    &loom::LoomFile,
    #[cfg(feature = "singlecell")]
    &mudata::MuDataFile,
    #[cfg(feature = "singlecell")]
    &anndata::AnnDataFile,
    #[cfg(feature = "scientific")]
    &scipy::Scipy,
    #[cfg(feature = "scientific")]
    &npy::Npy,
    #[cfg(feature = "text")]
    &svmlight::Svmlight,
    #[cfg(feature = "text")]
    &edges::Edges,
    #[cfg(feature = "text")]
    &metis::Metis,
    #[cfg(feature = "text")]
    &table::CSV,
    #[cfg(feature = "text")]
    &table::TSV,
    #[cfg(feature = "text")]
    &table::GCT,
    // Skips lines that start with #, one of which is the first line of GCT.
    #[cfg(feature = "singlecell")]
    &fragment_text::FragmentText,
];

/// The format of standard output: Matrix Market.
pub(super) const TEXT: &str = "mtx";

fn writes_matrices(info: &FormatInfo) -> bool {
    info.writes.contains(&DatasetKind::Matrix)
}

/// Returns whether a format is a target of conversions: of matrices, or of whole files such as MuData.
fn is_target(format: &dyn Format) -> bool {
    writes_matrices(format.info()) || format.abilities().collections.is_some()
}

/// Refuses options that `format` does not have.
pub(crate) fn check_options<'a>(
    format: &str,
    known: &[&str],
    mut names: impl Iterator<Item = &'a str>,
) -> Result<()> {
    match names.find(|name| !known.contains(name)) {
        Some(name) => Err(Error::argument(format!("the option {name} does not apply to {format}"))),
        None => Ok(()),
    }
}

/// Returns the format of this crate for a matrix that is written to a path.
pub(crate) fn format_of_path(path: &Path) -> Option<&'static dyn Format> {
    by_extension(FORMATS, path)
}

pub(super) fn by_extension(
    formats: &[&'static dyn Format],
    path: &Path,
) -> Option<&'static dyn Format> {
    let written = formats.iter().copied().filter(|format| writes_matrices(format.info()));
    written.into_iter().find(|format| format.info().is_extension_of(path))
}

/// Describes every format of this crate.
///
/// ```
/// for format in nnz::formats::list() {
///     println!("{}: {}", format.name, format.summary);
/// }
/// ```
#[must_use]
pub fn list() -> Vec<&'static FormatInfo> {
    FORMATS.iter().map(|format| format.info()).collect()
}

/// A list of formats and of kinds of containers; by default all of this crate.
#[derive(Clone)]
pub struct Registry {
    formats: Vec<&'static dyn Format>,
    containers: Vec<&'static dyn ContainerKind>,
}

impl Default for Registry {
    fn default() -> Self {
        Self { formats: FORMATS.to_vec(), containers: KINDS.to_vec() }
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.formats.iter().map(|format| format.info().name)).finish()
    }
}

impl Registry {
    /// Adds a format. If several formats match with certainty, the first one is used: a built-in format, then the
    /// one that was added first.
    #[must_use]
    pub fn with(mut self, format: &'static dyn Format) -> Self {
        self.formats.push(format);
        self
    }

    /// Adds a kind of container, for all formats of named arrays. If another kind also matches, that
    /// is used.
    #[must_use]
    pub fn with_container(mut self, kind: &'static dyn ContainerKind) -> Self {
        self.containers.push(kind);
        self
    }

    /// Returns the kinds of container.
    #[must_use]
    pub fn containers(&self) -> &[&'static dyn ContainerKind] {
        &self.containers
    }

    /// Returns the formats.
    #[must_use]
    pub fn formats(&self) -> &[&'static dyn Format] {
        &self.formats
    }

    /// Returns the format with a name or alias, in any letter case.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static dyn Format> {
        let named = |known: &str| known.eq_ignore_ascii_case(name);
        self.formats.iter().copied().find(|format| {
            let info = format.info();
            named(info.name.as_str()) || info.aliases.iter().any(|alias| named(alias))
        })
    }

    /// Parses a value of `--to`: the name of a format that is written, or a value that one of them
    /// accepts, such as `CSR`. Returns the format and the options that follow from the value.
    ///
    /// # Errors
    ///
    /// Fails if no format has the name.
    pub fn parse_target(&self, text: &str) -> Result<(&'static dyn Format, FormatOptions)> {
        let found = self.find(text).filter(|format| is_target(*format));
        let claimed = || {
            let claim =
                |format: &&'static dyn Format| Some((*format, (format.info().claims)(text)?));
            self.formats.iter().find_map(claim)
        };
        let found = found.map(|format| (format, FormatOptions::new())).or_else(claimed);
        found.ok_or_else(|| {
            let (text, names) = (text.escape_debug(), self.written());
            Error::argument(format!(
                "unknown format \"{text}\": expected {names}, or a Binsparse format such as CSR"
            ))
        })
    }

    /// Lists the formats in which matrices or whole files are written.
    pub(super) fn written(&self) -> String {
        self.written_if(|_| true)
    }

    pub(super) fn written_if(&self, filter: impl Fn(&FormatInfo) -> bool) -> String {
        let targets = self.formats.iter().filter(|format| is_target(**format));
        let written = targets.map(|format| format.info()).filter(|info| filter(info));
        written.map(|info| info.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the format that matches best; the first if several are equal.
    pub(super) fn best(&self, probe: &Probe) -> Result<Option<(&'static dyn Format, Confidence)>> {
        // By name before content, so that the error of a broken file gives the location of the
        // fault.
        if let Some((file, _)) = probe.file() {
            for &format in &self.formats {
                if format.is_entry(file.path(), None)? {
                    return Ok(Some((format, Confidence::Certain)));
                }
            }
        }
        // If several formats are possible, the one with the extension of the file is used.
        let (mut fallback, mut named) = (None, None);
        for &format in &self.formats {
            match format.probe(probe)? {
                Some(Confidence::Certain) => return Ok(Some((format, Confidence::Certain))),
                Some(confidence) => {
                    let found = Some((format, confidence));
                    fallback = fallback.or(found);
                    let path = probe.path();
                    if path.is_some_and(|path| format.info().is_extension_of(path)) {
                        named = named.or(found);
                    }
                }
                None => {}
            }
        }
        Ok(named.or(fallback))
    }

    /// Returns whether an entry of a directory looks like a format.
    pub(super) fn is_entry(&self, directory: &InputDirectory, entry: &ListedEntry) -> Result<bool> {
        let is_directory = match entry.kind {
            EntryKind::Directory => true,
            EntryKind::Link => directory.is_directory(&entry.name)?,
            _ => false,
        };
        let path = directory.path().join(&entry.name);
        let child = is_directory.then(|| directory.inside(&entry.name));
        for format in &self.formats {
            if format.is_entry(&path, child.as_ref())? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
