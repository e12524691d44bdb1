//! Classic NetCDF files: a header, followed by big-endian data.

mod chars;
mod extent;
mod header;
mod numbers;
mod reader;
mod tree;

use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Names, Place, Result};
use nnz_storage::InputFile;

use super::CAPABILITIES;
use crate::{Capabilities, Container, NumberArray};
use chars::Chars;
use header::{Header, Variable};
use numbers::Numbers;

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

    fn chars(&self, name: &str) -> Result<Chars> {
        let variable = self.variable(name)?;
        let extent = self.header.extent(variable, &self.file, self.place(name))?;
        Chars::of(variable, extent, self.header.records)
    }
}

impl Container for Classic {
    fn path(&self) -> &Path {
        self.file.path()
    }

    fn kind(&self) -> &'static str {
        "NetCDF"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn members(&self) -> Result<Vec<String>> {
        let variables = self.header.variables.iter().map(|variable| variable.name.clone());
        let attributes = self.header.attributes.iter().map(|attribute| attribute.name.clone());
        let mut names: Vec<String> = variables.chain(attributes).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn attribute(&self, name: &str) -> Result<String> {
        let place = || self.place(name);
        let found = self.header.attributes.iter().find(|attribute| attribute.name == name);
        let attribute = found.ok_or_else(|| Error::new(ErrorKind::Missing, place()))?;
        let length = attribute.text().ok_or_else(|| {
            Error::mismatch(place(), "an attribute of another type", "one string")
        })?;
        // The header was checked to be inside the file.
        let mut bytes = extent::room_for(length, place)?;
        self.file.read_metadata_at(&mut bytes, attribute.at).map_err(|error| {
            Error::new(ErrorKind::Io(error), place().at(At::Byte(attribute.at)))
        })?;
        // C programs count the terminating zero of a string.
        let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        bytes.truncate(end);
        String::from_utf8(bytes)
            .map_err(|_| Error::mismatch(place(), "text that is not UTF-8", "UTF-8"))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        let variable = self.variable(name)?;
        let extent = self.header.extent(variable, &self.file, self.place(name))?;
        Ok(Box::new(Numbers::of(variable, extent)?))
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        self.chars(name).map(|chars| chars.stored_bytes())
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        Ok(Box::new(self.chars(name)?))
    }
}
