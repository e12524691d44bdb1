//! The list of formats, and detecting the format of a location.

use std::io;
use std::path::Path;

use nnz_container::ContainerInfo;
use nnz_container::ContainerKind;
use nnz_container::kinds;
use nnz_container::kinds::KINDS;
use nnz_core::{Error, ErrorKind, Finding, MatrixSource, Place, Result, readable};
use nnz_storage::{EntryKind, InputDirectory, ListedEntry};

#[cfg(feature = "daphne")]
use super::daphne;
#[cfg(feature = "matlab")]
use super::matlab;
#[cfg(feature = "matrix-market")]
use super::matrix_market;
#[cfg(feature = "text")]
use super::table;
use super::{
    Confidence, DatasetKind, Format, FormatInfo, FormatOptions, MatrixTarget, Member, Probe,
    binsparse, groups,
};
#[cfg(feature = "singlecell")]
use super::{anndata, fragment_text, loom, tenx};
#[cfg(feature = "bpcells")]
use super::{bpcells, bpcells_fragments};
#[cfg(feature = "text")]
use super::{edges, metis, svmlight};
#[cfg(feature = "scientific")]
use super::{npy, r_matrix, scipy};
use crate::compute::PcaWriter;
use crate::{ConvertOptions, Dataset, Location, OpenOptions, Progress, ValidateOptions};

/// The formats of this crate. If several are certain, the first is used.
const FORMATS: &[&dyn Format] = &[
    #[cfg(feature = "matrix-market")]
    &matrix_market::MatrixMarket,
    #[cfg(feature = "daphne")]
    &daphne::Daphne,
    #[cfg(feature = "matlab")]
    &matlab::Matlab,
    #[cfg(feature = "scientific")]
    &r_matrix::RMatrix,
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
const TEXT: &str = "mtx";

fn writes_matrices(info: &FormatInfo) -> bool {
    info.writes.contains(&DatasetKind::Matrix)
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

fn by_extension(formats: &[&'static dyn Format], path: &Path) -> Option<&'static dyn Format> {
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
    /// Adds a format. If another one is also certain, that is used.
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

    /// Opens a location as a probe.
    pub(crate) fn probe(&self, location: &Location, options: &OpenOptions) -> Result<Probe> {
        let attributes = self.formats.iter().flat_map(|format| format.group_attributes());
        let attributes: Vec<&str> = attributes.copied().collect();
        Probe::new(&location.resolve(&*options.storage)?, &self.containers, &attributes, options)
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
            named(info.name) || info.aliases.iter().any(|alias| named(alias))
        })
    }

    /// Parses a value of `--to`: the name of a format that is written, or a value that one of them
    /// accepts, such as `CSR`. Returns the format and the options that follow from the value.
    ///
    /// # Errors
    ///
    /// Fails if no format has the name.
    pub fn parse_target(&self, text: &str) -> Result<(&'static dyn Format, FormatOptions)> {
        let found = self.find(text).filter(|format| writes_matrices(format.info()));
        let claimed = || {
            let claim = |format: &&'static dyn Format| Some((*format, format.claims(text)?));
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

    /// Lists the formats in which matrices are written.
    fn written(&self) -> String {
        self.written_if(|_| true)
    }

    fn written_if(&self, filter: impl Fn(&FormatInfo) -> bool) -> String {
        let infos = self.formats.iter().map(|format| format.info());
        let written = infos.filter(|info| writes_matrices(info) && filter(info));
        written.map(|info| info.name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the format of a target: the one that is given, or that of the extension; Matrix
    /// Market for standard output.
    ///
    /// # Errors
    ///
    /// Fails if there is none, and if an option is set that it does not have.
    pub(crate) fn format_of_target(
        &self,
        to: &Location,
        options: &ConvertOptions,
    ) -> Result<&'static dyn Format> {
        if let Location::Path { path, group: None } = to {
            self.check_kind(path)?;
        }
        let format = match (options.format, to) {
            (Some(name), _) => self
                .find(name)
                .ok_or_else(|| Error::argument(format!("unknown format {name:?}")))?,
            (None, Location::Stream) => self.find(TEXT).ok_or_else(|| {
                Error::argument("no format of this build can be written to standard output")
            })?,
            (None, Location::Path { path, .. }) => {
                by_extension(&self.formats, path).ok_or_else(|| {
                    let (what, names) =
                        match crate::container_target::ends_in(path, &["h5", "hdf5"]) {
                            true => (
                                "several formats use this extension",
                                self.written_if(|info| info.hdf5),
                            ),
                            false if path.extension().is_none() => {
                                ("no file extension", self.written())
                            }
                            false => ("unknown file extension", self.written()),
                        };
                    Error::argument(format!("{to}: {what}"))
                        .with_hint("format", format!("selects the format: {names}"))
                })?
            }
        };
        let info = format.info();
        let known: Vec<_> = info.options.iter().map(|option| option.name).collect();
        check_options(info.name, &known, options.format_options.names())?;
        Ok(format)
    }

    /// Refuses a path whose extension is that of data of another kind than matrices.
    fn check_kind(&self, path: &Path) -> Result<()> {
        if by_extension(&self.formats, path).is_some() {
            return Ok(());
        }
        let place = Place::path(path);
        let refused = |extension: &str, kind: &str| {
            let what = format!("{place}: .{extension} is an extension of {kind}, not of matrices");
            Err(Error::argument(what))
        };
        let fragments = self.formats.iter().map(|format| format.info()).filter(|info| {
            let kinds = [info.reads, info.writes].concat();
            kinds.contains(&DatasetKind::Fragments) && !kinds.contains(&DatasetKind::Matrix)
        });
        match fragments.into_iter().find_map(|info| info.extension_of(path)) {
            Some(extension) => refused(extension, "fragments"),
            None => Ok(()),
        }
    }

    /// Refuses a path whose extension is that of another format, or of a container that the format is
    /// not written to.
    pub(crate) fn check_name(
        &self,
        path: &Path,
        own: &FormatInfo,
        own_kinds: &[ContainerInfo],
    ) -> Result<()> {
        let kind = self.containers.iter().map(|kind| kind.info());
        let kind = kind.into_iter().find(|kind| kind.is_extension_of(path));
        let other = by_extension(&self.formats, path).map(|format| format.info().name);
        // Any text may be named .txt.
        let other = other.filter(|_| !crate::container_target::ends_in(path, &["txt"]));
        let other = match (kind, other.filter(|other| *other != own.name)) {
            (Some(kind), Some(other)) if *kind == kinds::HDF5 => other,
            (Some(kind), _) if !own_kinds.contains(kind) => kind.name,
            // Several formats use the extension of stores.
            (Some(kind), _) if *kind == kinds::ZARR => return Ok(()),
            (_, None) => return Ok(()),
            (_, Some(other)) => other,
        };
        let place = Place::path(path);
        Err(Error::argument(format!(
            "{place}: the extension is that of {other}, not of {}",
            own.name
        )))
    }

    /// Starts writing principal components.
    ///
    /// # Errors
    ///
    /// Fails if no format stores them at this location, and as [`Format::pca_writer`].
    pub(crate) fn pca_writer<'a>(
        &self,
        to: &'a Location,
        options: &'a ConvertOptions,
    ) -> Result<PcaWriter<'a>> {
        if let Location::Path { path, group: None } = to {
            let is = |extension: &&str| crate::container_target::ends_in(path, &[extension]);
            let all = self.formats.iter();
            if let Some(format) = all.copied().find(|one| one.pca_extensions().iter().any(is)) {
                return format.pca_writer(to, options);
            }
        }
        let extensions = self.formats.iter().flat_map(|format| format.pca_extensions());
        let extensions: Vec<String> = extensions.map(|one| format!(".{one}")).collect();
        let what = format!("{to}: principal components are written to {}", extensions.join(", "));
        Err(Error::argument(what))
    }

    /// Decides where and how a matrix is written.
    ///
    /// # Errors
    ///
    /// Fails if the format is unknown, as [`Format::target`], and if an option is set that the
    /// format does not have.
    pub fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
    ) -> Result<Box<dyn MatrixTarget>> {
        let to = &to.resolve_target()?;
        let mut keeping = None;
        if let (Location::Path { path, .. }, None) = (to, options.format) {
            for format in &self.formats {
                if format.keeps(path, source)? {
                    keeping = Some(format);
                    break;
                }
            }
        }
        let named = keeping.map(|format| options.clone().format(Some(format.info().name)));
        let options = named.as_ref().unwrap_or(options);
        self.format_of_target(to, options)?.target(to, options, source)
    }

    /// Opens the data of a location.
    ///
    /// # Errors
    ///
    /// Fails if the location does not exist, has no known format or another one than the given, or is
    /// broken.
    pub fn open(&self, location: &Location, options: &OpenOptions) -> Result<Dataset> {
        match self.detect(location, options).and_then(|found| found.open(options)) {
            Err(error) if !error.is_system() => {
                Err(self.other_format(location, options).unwrap_or(error))
            }
            done => done,
        }
    }

    /// Returns the error of opening a location in the given format, if its content has another one.
    pub(crate) fn refused_format(
        &self,
        location: &Location,
        options: &OpenOptions,
    ) -> Option<Error> {
        options.format?;
        let found = self.detect(location, options);
        // It could not be read again.
        if found.as_ref().is_ok_and(|found| found.probe.is_stream()) {
            return None;
        }
        match found.and_then(|found| found.open(options)) {
            Err(error) if !error.is_system() => self.other_format(location, options),
            _ => None,
        }
    }

    /// Returns the error for a location that cannot be opened in the given format, if its content has another
    /// one.
    fn other_format(&self, location: &Location, options: &OpenOptions) -> Option<Error> {
        let given = options.format?;
        let found = self.detect(location, &options.clone().detected()).ok()?;
        let name = found.format.info().name;
        if name == given || found.probe.is_stream() {
            return None;
        }
        let confidence = found.format.probe(&found.probe).ok()??;
        let kind = match confidence {
            Confidence::Certain if options.has_dialect() => {
                ErrorKind::Argument(format!("the option from_dialect does not apply to {name}"))
            }
            Confidence::Certain => ErrorKind::Unrecognized(format!("is {name}, not {given}")),
            Confidence::Fallback => return None,
        };
        Some(Error::new(kind, location.source_place()))
    }

    /// Returns whether all options are those of sources with several matrices and tables.
    #[must_use]
    pub fn only_of_whole_files(&self, options: &FormatOptions) -> bool {
        let whole: Vec<_> = self.formats.iter().filter(|format| format.whole().is_some()).collect();
        options.names().all(|name| {
            let has = |format: &&&dyn Format| {
                format.info().read_options.iter().any(|option| option.name == name)
            };
            whole.iter().any(has)
        })
    }

    /// Detects the format of a location.
    ///
    /// The root of a file is tried first. Its groups are searched only if the root has no known
    /// format, or another kind of data is preferred.
    ///
    /// # Errors
    ///
    /// Fails if the location does not exist or has no known format, and if an option is set that the
    /// format does not have.
    pub fn detect(&self, location: &Location, options: &OpenOptions) -> Result<Detected> {
        let found = self.detect_format(location, options)?;
        let info = found.format.info();
        let known: Vec<_> = info.read_options.iter().map(|option| option.name).collect();
        check_options(info.name, &known, options.format_options.names())?;
        Ok(found)
    }

    fn detect_format(&self, location: &Location, options: &OpenOptions) -> Result<Detected> {
        let location = &location.resolve(&*options.storage)?;
        if let Some(name) = options.format {
            let format = self.formats.iter().find(|format| format.info().name == name);
            let Some(&format) = format else {
                return Err(Error::argument(format!("unknown format {name:?}")));
            };
            #[cfg(feature = "daphne")]
            if name == super::DAPHNE {
                let probe = Probe::unknown(location, &self.containers, options)?;
                return Ok(Detected { format, probe });
            }
            let probe = self.probe(location, options)?;
            // The result is not used: the format is given, but what it reads here is needed to open
            // it.
            let _ = format.probe(&probe)?;
            if probe.is_stream() && !format.reads_streams() {
                let what =
                    format!("{name} is read from files only; write the stream to a file first");
                let place = location.source_place();
                return Err(Error::new(ErrorKind::Unrecognized(what), place));
            }
            return Detected { format, probe }.checked();
        }
        let probe = self.probe(location, options)?;
        let found = self.best(&probe)?;
        let probe = match (&found, location, probe.group_name()) {
            (_, Location::Path { path, group: None }, Some(_)) => {
                let root = found.filter(|(_, confidence)| *confidence == Confidence::Certain);
                let preferred = options.preferred;
                let reads = |reads: &[DatasetKind]| reads.contains(&preferred);
                if let Some((format, _)) = root
                    && (preferred == DatasetKind::Matrix || reads(format.info().reads))
                {
                    return Ok(Detected { format, probe });
                }
                let (kind, marked) = self.marked(&probe)?;
                let mut groups = self.holding(&marked, reads);
                if let (true, Some((format, _))) = (groups.is_empty(), root) {
                    return Ok(Detected { format, probe });
                }
                if groups.is_empty() {
                    groups = self.holding(&marked, |_| true);
                }
                #[cfg(feature = "matlab")]
                if groups.is_empty() && matlab::is_octave(&probe)? {
                    let what = nnz_scientific::matlab::OCTAVE;
                    return Err(Error::unsupported(Place::path(path), what));
                }
                let group = groups::only(&groups, kind, path, preferred);
                let group = match (group, groups::zarr_location(path)) {
                    (Err(error), Some(location)) if groups.is_empty() && probe.is_zarr() => {
                        let what = format!("{}; it is a group: use {location}", error.kind());
                        return Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)));
                    }
                    (group, _) => group?.to_owned(),
                };
                probe.into_group(&group)
            }
            (
                Some((_, Confidence::Fallback)),
                Location::Path { path, group: Some(group) },
                Some(_),
            ) if probe.lacks_group()? => {
                return Err(self.no_matrix(path, group, &probe, options)?);
            }
            (Some((format, _)), ..) => return Detected { format: *format, probe }.checked(),
            (None, Location::Path { path, group: Some(group) }, Some(_)) => {
                return Err(self.no_matrix(path, group, &probe, options)?);
            }
            (None, ..) => {
                return Err(match probe.refused_member() {
                    Some(error) => error,
                    None => self.unrecognized(&probe)?,
                });
            }
        };
        match self.best(&probe)? {
            Some((format, _)) => Ok(Detected { format, probe }),
            None => Err(self.unrecognized(&probe)?),
        }
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

    /// Makes the error for a location of no known format.
    fn unrecognized(&self, probe: &Probe) -> Result<Error> {
        let what = match (probe.directory(), probe.file()) {
            (Some(directory), _) => {
                let what = match &self.entries(directory)?[..] {
                    [] => None,
                    [only] => Some(format!("a directory; did you mean {only}?")),
                    several => {
                        let what = match is_zarr_without_metadata(directory)? {
                            true => {
                                "several Zarr arrays or groups, but no metadata of its own (zarr.json or .zgroup)"
                            }
                            false => "several matrices",
                        };
                        let list = several.join("\n  ");
                        Some(format!("contains {what}; select one:\n  {list}"))
                    }
                };
                if let Some(what) = what {
                    return Ok(Error::new(ErrorKind::Argument(what), directory.place()));
                }
                "not recognized: no AnnData or Zarr (zarr.json, .zgroup), BPCells (version), 10x (matrix.mtx), \
                 Binsparse (binsparse.json) or DAPHNE (NAME_segment_1) data in this directory"
            }
            (None, Some((_, []))) => "the file is empty",
            (None, Some((file, _))) if probe.has_kind() => {
                let what = match probe.container()? {
                    Some(zip) if !crate::container_target::ends_in(file.path(), &["npz"]) => {
                        self.about_zip(&zip.members()?)
                    }
                    _ => "not recognized: no supported matrix in this npz file".to_owned(),
                };
                return Ok(Error::new(ErrorKind::Unrecognized(what), file.place()));
            }
            _ => "unknown file format",
        };
        let compressed =
            probe.file().and_then(|(file, start)| nnz_lines::refuse_compressed(start, file.path()));
        if let Some(what) = compressed {
            return Ok(Error::unsupported(probe.location().source_place(), what));
        }
        let kind = ErrorKind::Unrecognized(what.to_owned());
        Ok(Error::new(kind, probe.location().source_place()))
    }

    /// Makes the error for a group of a file or store that is missing, or is no matrix.
    fn no_matrix(
        &self,
        path: &Path,
        group: &str,
        probe: &Probe,
        options: &OpenOptions,
    ) -> Result<Error> {
        let root = Location::Path { path: path.to_path_buf(), group: None };
        let found = readable(self.detect(&root, options).and_then(|root| root.members()))?;
        let members = found.unwrap_or_default();
        let mut names: Vec<String> = members
            .iter()
            .filter(|member| member.shape.len() > 1)
            .map(|member| member.path.clone())
            .collect();
        if members.is_empty() {
            let root = self.probe(&root, options)?;
            names = readable(self.all_groups(&root))?.unwrap_or_default();
            names.retain(|name| !name.is_empty());
        }
        let inside = format!("{}/", group.trim_matches('/'));
        let what = if probe.lacks_group()? {
            "no such group"
        } else if members.iter().any(|one| one.shape.len() == 1 && one.path.starts_with(&inside)) {
            "a table, not a matrix"
        } else {
            "no supported matrix in this group"
        };
        Ok(no_group(what, names, probe.location()))
    }

    /// Lists entries of a directory that look like a format, then those that cannot be read.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be listed or an entry cannot be read, unless others look like a
    /// format.
    fn entries(&self, directory: &InputDirectory) -> Result<Vec<String>> {
        const MOST: usize = 50;
        let (mut inside, mut denied) = (Vec::new(), Vec::new());
        directory.for_each(&mut |entry| {
            if is_hidden(entry) {
                return Ok(true);
            }
            let place = Place::path(directory.path().join(&entry.name));
            match self.is_entry(directory, entry) {
                Ok(false) => {}
                Ok(true) => inside.push(place.to_string()),
                Err(error) if is_denied(&error) => {
                    denied.push(error.with_place(place));
                }
                Err(error) => return Err(error),
            }
            Ok(inside.len() <= MOST)
        })?;
        inside.sort();
        if inside.is_empty() {
            return denied.into_iter().next().map_or(Ok(inside), Err);
        }
        if inside.len() > MOST {
            inside.truncate(MOST);
            inside.push("...".to_owned());
        }
        inside.extend(denied.iter().take(MOST).map(ToString::to_string));
        Ok(inside)
    }

    /// Returns whether an entry of a directory looks like a format.
    fn is_entry(&self, directory: &InputDirectory, entry: &ListedEntry) -> Result<bool> {
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

/// Makes the error for a group without a matrix; `names` are the matrices of the file.
pub(super) fn no_group(what: &str, mut names: Vec<String>, location: &Location) -> Error {
    const MOST: usize = 10;
    let more = if names.len() > MOST { ", ..." } else { "" };
    names.truncate(MOST);
    let what = match &*names.join(", ") {
        "" => what.to_owned(),
        names => format!("{what}; the file has {}{more}", names.escape_debug()),
    };
    Error::new(ErrorKind::Unrecognized(what), location.source_place())
}

/// Returns whether a directory contains nothing but nodes of Zarr, as a store whose root has lost its metadata.
/// Directories with an extension, such as `.zarr`, are stores of their own.
fn is_zarr_without_metadata(directory: &InputDirectory) -> Result<bool> {
    const METADATA: [&str; 3] = ["zarr.json", ".zarray", ".zgroup"];
    let mut nodes = true;
    directory.for_each(&mut |entry| {
        // What is left of the metadata, and other hidden files.
        if is_hidden(entry) && !METADATA.iter().any(|name| entry.name == *name) {
            return Ok(true);
        }
        nodes = entry.kind == EntryKind::Directory && Path::new(&entry.name).extension().is_none();
        if nodes {
            let names = directory.inside(&entry.name).names()?.unwrap_or_default();
            nodes = METADATA.iter().any(|name| names.contains_key(std::ffi::OsStr::new(name)));
        }
        Ok(nodes)
    })?;
    Ok(nodes)
}

/// Returns whether an entry of a directory is hidden, so that it is not shown as one that could be read.
fn is_hidden(entry: &ListedEntry) -> bool {
    entry.name.as_encoded_bytes().starts_with(b".")
}

fn is_denied(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(error) if error.kind() == io::ErrorKind::PermissionDenied)
}

/// A location and its format.
pub struct Detected {
    format: &'static dyn Format,
    probe: Probe,
}

impl std::fmt::Debug for Detected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.format.info().name;
        f.debug_struct("Detected").field("format", &name).field("probe", &self.probe).finish()
    }
}

impl Detected {
    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> &'static dyn Format {
        self.format
    }

    /// Returns whether the format can contain a kind of data.
    #[must_use]
    pub fn reads(&self, kind: DatasetKind) -> bool {
        self.format.info().reads.contains(&kind)
    }

    /// Returns the selected group, if the file has groups.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        self.probe.group_name()
    }

    /// Lists the parts of the location, for formats with several matrices or tables in one.
    ///
    /// # Errors
    ///
    /// Fails as [`Format::list`].
    pub fn members(&self) -> Result<Vec<Member>> {
        match self.group().is_some() || self.format.selects(&self.probe)? {
            true => self.format.list(&self.probe),
            false => Ok(Vec::new()),
        }
    }

    /// Checks that a selected part is one of a format with parts.
    fn checked(self) -> Result<Self> {
        match self.probe.refused_member() {
            Some(error) if !self.format.selects(&self.probe)? => Err(error),
            _ => Ok(self),
        }
    }

    pub(super) fn probe(&self) -> &Probe {
        &self.probe
    }

    pub(crate) fn into_probe(self) -> Probe {
        self.probe
    }

    /// Opens the data.
    ///
    /// # Errors
    ///
    /// Fails as [`Format::open`].
    pub fn open(self, options: &OpenOptions) -> Result<Dataset> {
        self.format.open(self.probe, options)
    }

    /// Checks the data.
    ///
    /// # Errors
    ///
    /// Fails as [`Format::validate`].
    pub fn validate(
        self,
        options: &ValidateOptions,
        progress: &dyn Progress,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        self.format.validate(self.probe, options, progress, each)
    }
}
