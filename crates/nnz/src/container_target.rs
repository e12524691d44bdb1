//! Where named arrays are written, whatever they mean.

use std::path::{Path, PathBuf};

#[cfg(feature = "bpcells")]
use nnz_bpcells::{FormatVersion, RObjectOptions, RObjectWriter};
use nnz_container::kinds::{self, KINDS, NpyKind};
use nnz_container::rds::RdsOptions;
use nnz_container::{Compression, ContainerKind, ContainerWriter, CreateOptions};
use nnz_core::{Error, Place, Result, readable};
use nnz_storage::Opened;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::formats::Registry;
use crate::{ConvertOptions, formats};

/// A place for named arrays, and the container they have there.
pub(crate) struct ContainerTarget {
    path: PathBuf,
    kind: Kind,
    write: WriteOptions,
}

enum Kind {
    /// A group of a container.
    Container(&'static dyn ContainerKind, String, CreateOptions),
    /// An object of R, which BPCells reads.
    #[cfg(feature = "bpcells")]
    RObject(RObjectOptions),
}

/// What directories of arrays are like, where a name says no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectoryKind {
    /// As BPCells has them.
    BpCells,
    /// Of NumPy's files.
    Npy,
}

impl ContainerTarget {
    /// Decides by its name, or by what is there, which container a place gets.
    pub(crate) fn new(
        path: &Path,
        group: Option<&str>,
        directory: DirectoryKind,
        options: &ConvertOptions,
    ) -> Result<Self> {
        let &ConvertOptions { compress, threads, write, .. } = options;
        let create = CreateOptions { compress, threads, write, members: &[] };
        Self::of(path, group, directory, create, &options.registry)
    }

    /// Decides as [`new`](Self::new).
    pub(crate) fn of(
        path: &Path,
        group: Option<&str>,
        directory: DirectoryKind,
        options: CreateOptions,
        registry: &Registry,
    ) -> Result<Self> {
        let named = registry.containers().iter().find(|kind| kind.info().is_extension_of(path));
        let flat = named.is_some_and(|kind| !kind.info().groups);
        if group.is_some() && (flat || ends_in(path, &["rds", "bpcells", "bsp", "dbdf", "mtx"])) {
            let what = "has no groups; those of .h5, .nc and .zarr have";
            let place = Place::path(path);
            return Err(Error::argument(format!("{place}: a place of that name {what}")));
        }
        let format = formats::format_of_path(path);
        // An npz file is one of SciPy unless another format is named.
        if format.is_some_and(|format| !format.info().containers) && !flat {
            let what = "named arrays are not written under the name of another format";
            return Err(Error::argument(format!("{}: {what}", Place::path(path))));
        }
        let compress = options.compress;
        let container = |kind| {
            let inside = group.unwrap_or_default().to_owned();
            Kind::Container(kind, inside, options)
        };
        if let Some(name) = kinds::missing_feature(path).filter(|_| named.is_none()) {
            return Err(Error::argument(format!(
                "{}: this build has no {name}",
                Place::path(path)
            )));
        }
        let kind = if let Some(kind) = named.filter(|kind| kind.info().groups) {
            container(*kind)
        } else if group.is_some() || is_hdf5(path)? {
            container(hdf5().ok_or_else(|| Error::argument("this build has no HDF5"))?)
        } else if let Some(kind) = named {
            container(*kind)
        } else if ends_in_rds(path) && directory == DirectoryKind::Npy {
            return Err(Error::argument("an object of R holds arrays of BPCells only"));
        } else if ends_in_rds(path) {
            #[cfg(feature = "bpcells")]
            {
                Kind::RObject(RObjectOptions { list: false, rds: rds_options(compress)? })
            }
            #[cfg(not(feature = "bpcells"))]
            {
                return Err(Error::argument("this build writes no objects of R with arrays"));
            }
        } else if compress.is_some_and(|compress| compress != Compression::None) {
            return Err(uncompressed());
        } else {
            container(match directory {
                DirectoryKind::Npy => &NpyKind,
                DirectoryKind::BpCells => &kinds::DirectoryKind,
            })
        };
        Ok(Self { path: path.to_path_buf(), kind, write: options.write })
    }

    /// Makes it fit for a revision of BPCells: of the first, R has no class but only lists.
    #[cfg(feature = "bpcells")]
    pub(crate) fn with_format_version(mut self, version: FormatVersion) -> Self {
        if let Kind::RObject(options) = &mut self.kind {
            options.list = version == FormatVersion::V1;
        }
        self
    }

    /// Returns the path of the file, store or directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the place may be written, before any work is done.
    pub(crate) fn check(&self, members: &'static [&'static str]) -> Result<()> {
        let path = &self.path;
        match &self.kind {
            Kind::Container(kind, group, options) => {
                kind.check(path, group, &CreateOptions { members, ..*options })
            }
            #[cfg(feature = "bpcells")]
            Kind::RObject(_) => StagedFile::create(path, self.write).map(drop),
        }
    }

    /// Says which other groups are lost when what is there is replaced.
    pub(crate) fn groups_lost(&self) -> Option<String> {
        let (kind, group) = match &self.kind {
            Kind::Container(kind, group, _) => (kind, group),
            #[cfg(feature = "bpcells")]
            Kind::RObject(_) => return None,
        };
        if !self.write.overwrite || !kind.info().groups {
            return None;
        }
        match readable(formats::groups_inside(&self.path, group)) {
            Ok(lost) => {
                // What is broken is not known to hold any.
                let lost = lost.filter(|lost| !lost.is_empty())?;
                Some(format!("groups inside were replaced, too: {}", formats::list_groups(&lost)))
            }
            Err(error) => Some(format!("groups inside that were replaced are not known: {error}")),
        }
    }

    /// Starts writing arrays of these names.
    pub(crate) fn writer(
        &self,
        members: &'static [&'static str],
    ) -> Result<Box<dyn ContainerWriter>> {
        let path = &self.path;
        match &self.kind {
            Kind::Container(kind, group, options) => {
                kind.create(path, group, &CreateOptions { members, ..*options })
            }
            #[cfg(feature = "bpcells")]
            Kind::RObject(options) => {
                Ok(Box::new(RObjectWriter::create(path, self.write, *options)?))
            }
        }
    }
}

/// Refuses to compress what goes where nothing is compressed.
pub(crate) fn uncompressed() -> Error {
    Error::argument("neither text nor a plain directory is compressed so")
}

/// Returns how an object of R is written; compressed by default, as R does.
///
/// # Errors
///
/// Fails where R would not read it.
pub(crate) fn rds_options(compress: Option<Compression>) -> Result<RdsOptions> {
    let default = RdsOptions::default();
    let gzip = match compress {
        None => default.gzip,
        Some(Compression::None) => None,
        Some(Compression::Gzip(level)) => Some(level),
        Some(Compression::Zstd(_)) => {
            return Err(Error::argument("an object of R is compressed by gzip or not at all"));
        }
    };
    Ok(RdsOptions { gzip, ..default })
}

/// Whether a path's ending is that of an object of R.
pub(crate) fn ends_in_rds(path: &Path) -> bool {
    ends_in(path, &["rds"])
}

/// Whether a path's ending is one of these.
pub(crate) fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let found = path.extension();
    found.is_some_and(|found| endings.iter().any(|ending| found.eq_ignore_ascii_case(ending)))
}

/// Returns whether a path's ending, or what is there, says that it has groups inside.
///
/// # Errors
///
/// Fails where the system cannot say what is there.
pub fn has_groups(path: &Path) -> Result<bool> {
    let groups = |kind: &&dyn ContainerKind| kind.info().groups;
    let kinds = KINDS.iter().copied().filter(groups);
    if kinds.clone().any(|kind| kind.info().is_extension_of(path)) {
        return Ok(true);
    }
    let Some(opened) = readable(Opened::local(path))? else { return Ok(false) };
    // A Zarr store in a zip file is read only.
    let is_read_only =
        |kind: &dyn ContainerKind| opened.file().is_some() && kind.info().name == "Zarr";
    for kind in kinds {
        if !is_read_only(kind) && readable(kind.matches(&opened))? == Some(true) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a path is that of an HDF5 file, as those of NetCDF-4 are, by its ending or by what is
/// there.
pub(crate) fn goes_to_hdf5(path: &Path) -> Result<bool> {
    let mut kinds = KINDS.iter().filter(|kind| ["HDF5", "NetCDF"].contains(&kind.info().name));
    Ok(kinds.any(|kind| kind.info().is_extension_of(path)) || is_hdf5(path)?)
}

/// Whether the file that is there is HDF5.
fn is_hdf5(path: &Path) -> Result<bool> {
    let Some(kind) = hdf5() else { return Ok(false) };
    let matches = readable(Opened::local(path).and_then(|opened| kind.matches(&opened)))?;
    Ok(matches == Some(true))
}

/// Returns HDF5 as a kind of container, where this build has it.
fn hdf5() -> Option<&'static dyn ContainerKind> {
    KINDS.iter().copied().find(|kind| kind.info().name == "HDF5")
}
