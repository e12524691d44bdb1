//! Writing a group of a NetCDF-4 file.

use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};

use crate::hdf5::{Hdf5Options, Hdf5Writer};
use crate::kinds::NETCDF;
use crate::{ArrayId, ContainerWriter};
use nnz_storage::staging::WriteOptions;

/// Maximum length of a name: one less than `NC_MAX_NAME`, because the NetCDF library does not open
/// files with names of that length.
const MAX_NAME_LEN: usize = 255;

/// A writer of a group of a NetCDF-4 file, which appears when it is finished.
///
/// It writes the group like [`Hdf5Writer`] and adds a dimension to every array. Arrays of the same
/// length share a dimension. Dropped unfinished, it leaves no output.
#[derive(Debug)]
pub struct NetCdfWriter(Box<Hdf5Writer>);

impl NetCdfWriter {
    /// Starts writing a group, with or without a leading slash; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails as [`Hdf5Writer::create`]; classic NetCDF files cannot be added to.
    pub fn create(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: Hdf5Options,
    ) -> Result<Self> {
        if let Some(name) = group.split('/').find(|name| name.len() > MAX_NAME_LEN) {
            // NetCDF programs cannot open a file with such a name.
            let what =
                format!("a name of {} bytes: NetCDF allows at most {MAX_NAME_LEN}", name.len());
            return Err(Error::new(ErrorKind::Argument(what), Place::path(path)));
        }
        let writer = Hdf5Writer::create_netcdf(path, group, write, options)?;
        Ok(Self(Box::new(writer)))
    }
}

impl ContainerWriter for NetCdfWriter {
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()> {
        self.0.set_attribute(name, text)
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        if !NETCDF.capabilities.value_types.contains(&value_type) {
            let what = format!("a NetCDF variable cannot hold {value_type}");
            return Err(Error::unsupported(Place::array(self.0.path(), name), what));
        }
        self.0.create_array(name, value_type)
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        self.0.append_bytes(array, bytes)
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        self.0.copy_strings(name, strings)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        self.0.finish()
    }
}
