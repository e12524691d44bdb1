//! A group of a NetCDF file as a container, whatever form the file has.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use nnz_core::{Error, Names, Place, Result};

use super::CAPABILITIES;
use super::classic::Classic;
use crate::{Capabilities, Container, NumberArray};
#[cfg(feature = "hdf5")]
use crate::{hdf5::Hdf5, netcdf::dimensions};

/// A group of a NetCDF file, open for reading. Opening one reads no data.
pub struct NetCdf(Form);

enum Form {
    Classic(Box<Classic>),
    #[cfg(feature = "hdf5")]
    Hdf5(Hdf5),
}

impl NetCdf {
    /// Opens a group, named with or without a slash before it; the root group has no name.
    ///
    /// # Errors
    ///
    /// Fails where `path` is no NetCDF file, or has no such group. A classic one has no groups.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        if !super::is_netcdf(&start(path)?) {
            return Self::open_hdf5(path, group);
        }
        let group = group.trim_matches('/');
        if !group.is_empty() {
            let found = format!("the group {group} in a classic file");
            return Err(Error::mismatch(Place::path(path), found, "no group"));
        }
        Ok(Self(Form::Classic(Box::new(Classic::open(path)?))))
    }

    #[cfg(feature = "hdf5")]
    fn open_hdf5(path: &Path, group: &str) -> Result<Self> {
        Hdf5::open(path, group).map(|group| Self(Form::Hdf5(group)))
    }

    #[cfg(not(feature = "hdf5"))]
    fn open_hdf5(path: &Path, _: &str) -> Result<Self> {
        Err(Error::mismatch(Place::path(path), "no NetCDF signature", "a classic NetCDF file"))
    }

    /// Takes a group of a file that has been opened.
    #[cfg(feature = "hdf5")]
    pub(super) fn of_hdf5(group: Hdf5) -> Self {
        Self(Form::Hdf5(group))
    }

    /// Takes a file that has been opened.
    pub(super) fn of_classic(classic: Classic) -> Self {
        Self(Form::Classic(Box::new(classic)))
    }

    /// Sets how many threads decode the chunks of one large read; all cores unless set.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        match self.0 {
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => Self(Form::Hdf5(group.with_threads(threads))),
            form @ Form::Classic(_) => {
                let _ = threads;
                Self(form)
            }
        }
    }

    fn inner(&self) -> &dyn Container {
        match &self.0 {
            Form::Classic(classic) => &**classic,
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => group,
        }
    }

    /// Returns the name under which a variable lies.
    fn stored(&self, name: &str) -> Result<String> {
        match &self.0 {
            Form::Classic(_) => Ok(name.to_owned()),
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => dimensions::stored_name(group, name),
        }
    }
}

/// Returns the first bytes of a file.
pub(crate) fn start(path: &Path) -> Result<Vec<u8>> {
    let io = |error| Error::io(path, error);
    // Opening a pipe would wait for ever.
    if !path.metadata().map_err(io)?.is_file() {
        return Err(Error::mismatch(Place::path(path), "no regular file", "a NetCDF file"));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(io)?.take(8).read_to_end(&mut bytes).map_err(io)?;
    Ok(bytes)
}

impl Container for NetCdf {
    fn path(&self) -> &Path {
        self.inner().path()
    }

    fn kind(&self) -> &'static str {
        "NetCDF"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn members(&self) -> Result<Vec<String>> {
        match &self.0 {
            Form::Classic(classic) => classic.members(),
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => dimensions::members(group),
        }
    }

    fn tag(&self, name: &str) -> Result<String> {
        self.inner().tag(name)
    }

    fn text(&self, name: &str) -> Result<String> {
        self.inner().text(name)
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        self.inner().array(&self.stored(name)?)
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        self.inner().strings_size(&self.stored(name)?)
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        self.inner().read_strings(&self.stored(name)?)
    }
}

impl std::fmt::Debug for NetCdf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetCdf").field("path", &self.path()).finish_non_exhaustive()
    }
}
