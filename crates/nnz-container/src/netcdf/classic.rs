//! Classic NetCDF files: a header, followed by big-endian data.

mod extent;
mod header;
mod reader;
mod tree;

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::InputFile;

use header::{Header, Variable};

/// An open classic NetCDF file. Opening it reads only the header.
#[derive(Clone)]
pub(super) struct Classic {
    file: InputFile,
    header: Header,
}

impl Classic {
    /// Opens a file.
    pub(super) fn open(file: InputFile) -> Result<Self> {
        let header = Header::read(&file)?;
        Ok(Self { file, header })
    }

    fn place(&self, name: &str) -> Place {
        Place::array(self.file.path(), name)
    }

    fn variable(&self, name: &str) -> Result<&Variable> {
        let found = self.header.variables.iter().find(|variable| variable.name == name);
        found.ok_or_else(|| Error::new(ErrorKind::Missing, self.place(name)))
    }
}
