//! Where named arrays are written, whatever they mean.

use std::path::{Path, PathBuf};

use nnz_bpcells::{FormatVersion, RObjectOptions, RObjectWriter};
use nnz_container::directory::DirectoryWriter;
use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_container::netcdf::NetCdfWriter;
use nnz_container::npy::NpyDirectoryWriter;
use nnz_container::npz::{NpzOptions, NpzWriter};
use nnz_container::rds::RdsOptions;
use nnz_container::zarr::{ZarrOptions, ZarrWriter};
use nnz_container::{Compression, ContainerWriter};
use nnz_core::{Error, Place, Result};
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::{ConvertOptions, formats};

/// A place for named arrays, and the container they have there.
pub(crate) struct ContainerTarget {
    path: PathBuf,
    kind: Kind,
    write: WriteOptions,
}

enum Kind {
    Directory,
    Npy,
    Npz(NpzOptions),
    Hdf5(String, Hdf5Options),
    NetCdf(String, Hdf5Options),
    Zarr(String, ZarrOptions),
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
        Self::of(path, group, directory, compress, threads, write)
    }

    /// Decides as [`new`](Self::new).
    pub(crate) fn of(
        path: &Path,
        group: Option<&str>,
        directory: DirectoryKind,
        compress: Option<Compression>,
        threads: usize,
        write: WriteOptions,
    ) -> Result<Self> {
        let other = ["npz", "rds", "bpcells", "bsp", "dbdf", "mtx"];
        if group.is_some() && ends_in(path, &other) {
            let what = "has no groups; those of .h5, .nc and .zarr have";
            let place = Place::path(path);
            return Err(Error::argument(format!("{place}: a place of that name {what}")));
        }
        let format = formats::format_of_path(path);
        // An npz file is one of SciPy unless another format is named.
        let npz = ends_in(path, &["npz"]);
        if format.is_some_and(|format| !format.info().containers) && !npz {
            let what = "named arrays are not written under the name of another format";
            return Err(Error::argument(format!("{}: {what}", Place::path(path))));
        }
        let inside = group.unwrap_or_default().to_owned();
        let kind = if ends_in(path, &["zarr"]) {
            let compress = compress.unwrap_or(Compression::None);
            Kind::Zarr(inside, ZarrOptions { compress, threads, ..ZarrOptions::default() })
        } else if group.is_some() || goes_to_hdf5(path) {
            let compress = compress.unwrap_or(Compression::None);
            let options = Hdf5Options { compress, threads, ..Hdf5Options::default() };
            let netcdf = ends_in(path, &["nc", "nc4"]);
            if netcdf { Kind::NetCdf(inside, options) } else { Kind::Hdf5(inside, options) }
        } else if npz {
            Kind::Npz(NpzOptions { compress: compress.unwrap_or(Compression::None) })
        } else if ends_in_rds(path) && directory == DirectoryKind::Npy {
            return Err(Error::argument("an object of R holds arrays of BPCells only"));
        } else if ends_in_rds(path) {
            Kind::RObject(RObjectOptions { list: false, rds: rds_options(compress)? })
        } else if compress.is_some_and(|compress| compress != Compression::None) {
            return Err(uncompressed());
        } else if directory == DirectoryKind::Npy {
            Kind::Npy
        } else {
            Kind::Directory
        };
        Ok(Self { path: path.to_path_buf(), kind, write })
    }

    /// Makes it fit for a revision of BPCells: of the first, R has no class but only lists.
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
        let Self { path, write, .. } = self;
        match &self.kind {
            Kind::Directory => DirectoryWriter::create(path, *write, members).map(drop),
            Kind::Npy => NpyDirectoryWriter::create(path, *write).map(drop),
            // Starting to write a group copies the file it goes into: that is done once.
            Kind::Hdf5(..) | Kind::NetCdf(..) => Ok(()),
            Kind::Zarr(group, options) => {
                ZarrWriter::create(path, group, *write, *options).map(drop)
            }
            Kind::RObject(_) | Kind::Npz(_) => StagedFile::create(path, *write).map(drop),
        }
    }

    /// Says which other groups are lost when what is there is replaced.
    pub(crate) fn groups_lost(&self) -> Option<String> {
        if !self.write.overwrite {
            return None;
        }
        let (Kind::Hdf5(group, _) | Kind::NetCdf(group, _) | Kind::Zarr(group, _)) = &self.kind
        else {
            return None;
        };
        // What cannot be searched is not known to hold any.
        let lost =
            formats::groups_inside(&self.path, group).ok().filter(|lost| !lost.is_empty())?;
        Some(format!("groups inside were replaced, too: {}", formats::list_groups(&lost)))
    }

    /// Starts writing arrays of these names.
    pub(crate) fn writer(
        &self,
        members: &'static [&'static str],
    ) -> Result<Box<dyn ContainerWriter>> {
        let Self { path, write, .. } = self;
        Ok(match &self.kind {
            Kind::Directory => Box::new(DirectoryWriter::create(path, *write, members)?),
            Kind::Npy => Box::new(NpyDirectoryWriter::create(path, *write)?),
            Kind::Npz(options) => Box::new(NpzWriter::create(path, *write, *options)?),
            Kind::Hdf5(group, options) => {
                Box::new(Hdf5Writer::create(path, group, *write, *options)?)
            }
            Kind::NetCdf(group, options) => {
                Box::new(NetCdfWriter::create(path, group, *write, *options)?)
            }
            Kind::Zarr(group, options) => {
                Box::new(ZarrWriter::create(path, group, *write, *options)?)
            }
            Kind::RObject(options) => Box::new(RObjectWriter::create(path, *write, *options)?),
        })
    }
}

/// Refuses to compress what goes where nothing is compressed.
pub(crate) fn uncompressed() -> Error {
    Error::argument("neither text nor a plain directory is compressed so")
}

/// Returns how an object of R is written; compressed, as R does, unless told otherwise.
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

/// Whether a path's ending, or the file that is there, says that Binsparse may be written to it.
#[must_use]
pub fn may_hold_binsparse(path: &Path) -> bool {
    formats::format_of_path(path).is_some_and(|format| format.info().name == "binsparse")
        || ends_in(path, &["npz"])
        || goes_to_hdf5(path)
}

/// Whether a path's ending, or what is there, says that it has groups inside.
#[must_use]
pub fn has_groups(path: &Path) -> bool {
    let there = || match formats::Grouped::at(path) {
        Ok(Some(kind)) => kind != formats::Grouped::ZippedZarr,
        _ => false,
    };
    ends_in(path, &["zarr"]) || goes_to_hdf5(path) || there()
}

/// Whether a path is that of an HDF5 file, as those of NetCDF-4 are, by its ending or by what is
/// there.
pub(crate) fn goes_to_hdf5(path: &Path) -> bool {
    ends_in(path, &["h5", "hdf5", "h5ad", "nc", "nc4"])
        || (path.is_file() && nnz_container::hdf5::is_hdf5(path).unwrap_or(false))
}
