//! An opened NetCDF file of any format.

use std::sync::Arc;

#[cfg(not(feature = "hdf5"))]
use nnz_core::Error;
use nnz_core::Result;
use nnz_storage::InputFile;

use super::classic::Classic;
#[cfg(feature = "hdf5")]
use crate::hdf5::Hdf5File;

/// An opened NetCDF file, whose groups can be opened.
#[derive(Clone)]
pub struct NetCdfFile(pub(super) OpenForm);

#[derive(Clone)]
pub(super) enum OpenForm {
    Classic(Arc<Classic>),
    #[cfg(feature = "hdf5")]
    Hdf5(Hdf5File),
}

impl NetCdfFile {
    /// Reads the header of a classic file, or the superblock of an HDF5 file.
    ///
    /// # Errors
    ///
    /// Fails if it is not a NetCDF file.
    pub fn open(file: InputFile) -> Result<Self> {
        if super::is_netcdf(&file.start(4)?) {
            return Ok(Self(OpenForm::Classic(Arc::new(Classic::open(file)?))));
        }
        Self::open_hdf5(file)
    }

    #[cfg(feature = "hdf5")]
    fn open_hdf5(file: InputFile) -> Result<Self> {
        Ok(Self(OpenForm::Hdf5(Hdf5File::open(file)?)))
    }

    #[cfg(not(feature = "hdf5"))]
    fn open_hdf5(file: InputFile) -> Result<Self> {
        Err(Error::mismatch(file.place(), "no NetCDF signature", "a classic NetCDF file"))
    }

    /// Wraps a NetCDF-4 file.
    #[cfg(feature = "hdf5")]
    pub(crate) fn of_hdf5(file: Hdf5File) -> Self {
        Self(OpenForm::Hdf5(file))
    }
}

impl std::fmt::Debug for NetCdfFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetCdfFile").finish_non_exhaustive()
    }
}
