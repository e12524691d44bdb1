//! Writing a group to a new HDF5 file.

mod array;
mod scales;
mod strings;

use std::collections::BTreeSet;
use std::path::Path;

use nnz_core::{Place, Result, StringReader, ValueType};

use super::dimensions::SIGNATURE;
use super::{GroupWriter, Hdf5Options, Readers};
use crate::hdf5::file::{CharacterSet, FileOptions, FileWriter, ObjectId, StringPadding, Value};
use crate::netcdf::PROPERTIES;
use array::Array;
use nnz_storage::staging::{Expected, StagedFile, WriteOptions, appeared};

/// A writer of a group to a new file.
pub(super) struct NewFile {
    file: FileWriter<StagedFile>,
    group: ObjectId,
    arrays: Vec<Array>,
    /// The lists of strings and their lengths.
    lists: Vec<(ObjectId, u64)>,
    options: Hdf5Options,
    readers: Readers,
}

impl NewFile {
    /// Starts the file and creates the group.
    pub(super) fn create(
        path: &Path,
        names: &[String],
        write: WriteOptions,
        options: Hdf5Options,
        readers: Readers,
        place: Place,
    ) -> Result<Self> {
        let mut staged = match StagedFile::create(path, write) {
            Err(error) if !names.is_empty() => return Err(appeared(error)),
            staged => staged?,
        };
        if !names.is_empty() {
            // A file that appears in between has groups of other programs, and is not replaced.
            staged.expect(Expected::Nothing);
        }
        let track_order = readers == Readers::NetCdf;
        let file_options = FileOptions { threads: options.threads, track_order };
        let mut file = FileWriter::at(staged, file_options, place)?;
        if readers == Readers::NetCdf {
            let (padding, set) = (StringPadding::NullTerminated, CharacterSet::Ascii);
            let signature = Value::fixed_text(SIGNATURE, padding, set)?;
            file.set_attribute(ObjectId::ROOT, PROPERTIES, signature)?;
        }
        let group = file.group(&names.join("/"))?;
        Ok(Self { file, group, arrays: Vec::new(), lists: Vec::new(), options, readers })
    }
}

impl GroupWriter for NewFile {
    fn set_text(&mut self, name: &str, text: &str, place: &Place) -> Result<()> {
        let set = self.file.set_attribute(self.group, name, Value::text(text));
        set.map_err(|error| error.with_context(place))
    }

    fn create_array(&mut self, name: &str, value_type: ValueType, _: Place) -> usize {
        self.arrays.push(Array::new(name, value_type, self.options));
        self.arrays.len() - 1
    }

    fn append_bytes(&mut self, array: usize, bytes: &[u8]) -> Result<()> {
        self.arrays[array].append(&mut self.file, self.group, bytes)
    }

    fn copy_strings(
        &mut self,
        name: &str,
        strings: &mut dyn StringReader,
        place: &Place,
    ) -> Result<()> {
        self.lists.push(strings::write(&mut self.file, self.group, name, strings, place)?);
        Ok(())
    }

    fn finish(mut self: Box<Self>, names: BTreeSet<String>) -> Result<u64> {
        let mut datasets = Vec::with_capacity(self.arrays.len() + self.lists.len());
        for array in &mut self.arrays {
            datasets.push(array.finish(&mut self.file, self.group)?);
        }
        datasets.append(&mut self.lists);
        if self.readers == Readers::NetCdf {
            scales::attach(&mut self.file, self.group, &datasets, &names)?;
        }
        self.file.commit()
    }
}
