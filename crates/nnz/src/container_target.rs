//! Targets of named arrays, for any format.

use crate::Context;
use std::path::{Path, PathBuf};

#[cfg(feature = "bpcells")]
use nnz_bpcells::{FormatVersion, RObjectOptions, RObjectWriter};
use nnz_container::kinds::{self, KINDS, NpyKind};
use nnz_container::rds::RdsOptions;
use nnz_container::{Compression, ContainerKind, CreateOptions, NamedArraysWriter};
use nnz_core::{Error, Place, Result, readable};
use nnz_storage::Opened;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::formats::Format;
use crate::{ConvertOptions, formats};

/// A target of named arrays, and its container.
pub(crate) struct ContainerTarget {
    path: PathBuf,
    kind: TargetKind,
    write: WriteOptions,
    context: Context,
}

enum TargetKind {
    /// A group in a container.
    Container(&'static dyn ContainerKind, String, CreateOptions),
    /// An R object, as read by BPCells.
    #[cfg(feature = "bpcells")]
    RObject(RObjectOptions),
}

/// The kind of a directory of arrays, if the name does not determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectoryKind {
    /// A directory of BPCells.
    BpCells,
    /// A directory of `.npy` files.
    Npy,
}

impl ContainerTarget {
    /// Selects the container by the name of the location, or by an existing file.
    pub(crate) fn new(
        path: &Path,
        group: Option<&str>,
        directory: DirectoryKind,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Self> {
        let (compress, write) = (options.compress, options.output(context));
        let create = CreateOptions::new(compress, write);
        Self::of(path, group, directory, create, context)
    }

    /// Selects the container as [`new`](Self::new).
    pub(crate) fn of(
        path: &Path,
        group: Option<&str>,
        directory: DirectoryKind,
        options: CreateOptions,
        context: &Context,
    ) -> Result<Self> {
        let named =
            context.registry().containers().iter().find(|kind| kind.info().is_extension_of(path));
        let flat = named.is_some_and(|kind| !kind.info().groups);
        if group.is_some() && (flat || ends_in(path, &["rds", "bpcells", "bsp", "dbdf", "mtx"])) {
            let what = "only .h5, .nc and .zarr have groups";
            let place = Place::path(path);
            return Err(Error::argument(format!("{place}: {what}")));
        }
        let format = formats::format_of_path(path);
        // An npz file is SciPy unless another format is given.
        if let Some(other) = format.map(Format::info).filter(|info| !info.containers && !flat) {
            let own = match directory {
                DirectoryKind::BpCells => "bpcells",
                DirectoryKind::Npy => "binsparse",
            };
            let what = format!("the extension belongs to {}, not to {own}", other.name);
            return Err(Error::argument(format!("{}: {what}", Place::path(path))));
        }
        if flat {
            check_npz(options.compress)?;
        }
        let compress = options.compress;
        let container = |kind| {
            let inside = group.unwrap_or_default().to_owned();
            TargetKind::Container(kind, inside, options.clone())
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
            return Err(Error::argument("R objects support arrays of BPCells only"));
        } else if ends_in_rds(path) {
            #[cfg(feature = "bpcells")]
            {
                TargetKind::RObject(RObjectOptions { list: false, rds: rds_options(compress)? })
            }
            #[cfg(not(feature = "bpcells"))]
            {
                return Err(Error::argument("this build cannot write R objects with arrays"));
            }
        } else if compress.is_some_and(|compress| compress != Compression::None) {
            return Err(uncompressed(match directory {
                DirectoryKind::Npy => "directories of .npy files",
                DirectoryKind::BpCells => "BPCells directories",
            }));
        } else {
            container(match directory {
                DirectoryKind::Npy => &NpyKind,
                DirectoryKind::BpCells => &kinds::DirectoryKind,
            })
        };
        Ok(Self {
            path: path.to_path_buf(),
            kind,
            write: options.write.clone(),
            context: context.clone(),
        })
    }

    /// Adapts the target to a version of BPCells: R objects of version 1 have no class, only lists.
    #[cfg(feature = "bpcells")]
    pub(crate) fn with_format_version(mut self, version: FormatVersion) -> Self {
        if let TargetKind::RObject(options) = &mut self.kind {
            options.list = version == FormatVersion::V1;
        }
        self
    }

    /// Returns the path of the file, store or directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether it is an R object.
    #[cfg(feature = "bpcells")]
    pub(crate) fn is_r_object(&self) -> bool {
        matches!(self.kind, TargetKind::RObject(_))
    }

    /// Checks that the target can be written, before any work starts.
    pub(crate) fn check(&self, members: &'static [&'static str]) -> Result<()> {
        let path = &self.path;
        match &self.kind {
            TargetKind::Container(kind, group, options) => {
                kind.check(path, group, &options.clone().members(members))
            }
            #[cfg(feature = "bpcells")]
            TargetKind::RObject(_) => StagedFile::create(path, &self.write).map(drop),
        }
    }

    /// Returns a note on the other groups that are lost if the target is replaced.
    pub(crate) fn groups_lost(&self) -> Option<String> {
        let (kind, group) = match &self.kind {
            TargetKind::Container(kind, group, _) => (kind, group),
            #[cfg(feature = "bpcells")]
            TargetKind::RObject(_) => return None,
        };
        if !self.write.overwrite || !kind.info().groups {
            return None;
        }
        match readable(formats::groups_inside(&self.path, group, &self.context)) {
            Ok(lost) => {
                // A broken container is not known to have any.
                let lost = lost.filter(|lost| !lost.is_empty())?;
                Some(format!("groups inside were replaced, too: {}", formats::list_groups(&lost)))
            }
            Err(error) => {
                Some(format!("cannot list the groups inside that were replaced: {error}"))
            }
        }
    }

    /// Creates a writer of arrays with these names.
    pub(crate) fn writer(&self, members: &'static [&'static str]) -> Result<NamedArraysWriter> {
        let path = &self.path;
        match &self.kind {
            TargetKind::Container(kind, group, options) => {
                let tree = kind.create(path, group, &options.clone().members(members))?;
                let compression = options.compress.unwrap_or(Compression::None);
                Ok(NamedArraysWriter::from(tree).compress(compression))
            }
            #[cfg(feature = "bpcells")]
            TargetKind::RObject(options) => {
                RObjectWriter::create(path, self.write.clone(), *options)
                    .map(NamedArraysWriter::new)
            }
        }
    }
}

/// The error for compression of a target that has none.
pub(crate) fn uncompressed(target: &str) -> Error {
    Error::argument(format!("the option compress does not apply to {target}"))
}

/// Refuses a compression that npz files do not have.
pub(crate) fn check_npz(compress: Option<Compression>) -> Result<()> {
    compress.map_or(Ok(None), |compress| compress.gzip_level("npz")).map(drop)
}

/// Returns the options of an R object; compressed by default, as in R.
///
/// # Errors
///
/// Fails if R could not read it.
pub(crate) fn rds_options(compress: Option<Compression>) -> Result<RdsOptions> {
    let default = RdsOptions::default();
    let gzip = match compress {
        None => default.gzip,
        Some(compress) => compress.gzip_level(".rds")?,
    };
    Ok(RdsOptions { gzip, ..default })
}

/// Returns whether a path has the extension of R objects.
pub(crate) fn ends_in_rds(path: &Path) -> bool {
    ends_in(path, &["rds"])
}

/// Returns whether a path has one of these extensions.
pub(crate) fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let found = path.extension();
    found.is_some_and(|found| endings.iter().any(|ending| found.eq_ignore_ascii_case(ending)))
}

/// Returns whether a target has groups, by its extension or by an existing file.
///
/// # Errors
///
/// Fails if an existing file cannot be read.
pub fn has_groups(path: &Path) -> Result<bool> {
    let groups = |kind: &&dyn ContainerKind| kind.info().groups;
    let kinds = KINDS.iter().copied().filter(groups);
    if kinds.clone().any(|kind| kind.info().is_extension_of(path)) {
        return Ok(true);
    }
    let Some(opened) = readable(Opened::local(path))? else { return Ok(false) };
    // A Zarr store in a zip file is read only.
    let is_read_only =
        |kind: &dyn ContainerKind| opened.file().is_some() && *kind.info() == kinds::ZARR;
    for kind in kinds {
        if !is_read_only(kind) && readable(kind.matches(&opened))? == Some(true) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether a target is an HDF5 file (NetCDF-4 files are), by its extension or by an
/// existing file.
pub(crate) fn goes_to_hdf5(path: &Path) -> Result<bool> {
    let mut kinds = KINDS.iter().filter(|kind| [kinds::HDF5, kinds::NETCDF].contains(kind.info()));
    Ok(kinds.any(|kind| kind.info().is_extension_of(path)) || is_hdf5(path)?)
}

/// Returns whether an existing file is HDF5.
fn is_hdf5(path: &Path) -> Result<bool> {
    let Some(kind) = hdf5() else { return Ok(false) };
    let matches = readable(Opened::local(path).and_then(|opened| kind.matches(&opened)))?;
    Ok(matches == Some(true))
}

/// Returns HDF5 as a kind of container, if this build has it.
fn hdf5() -> Option<&'static dyn ContainerKind> {
    KINDS.iter().copied().find(|kind| *kind.info() == kinds::HDF5)
}
