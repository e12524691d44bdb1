//! Writing a group of a store.

mod array;
mod metadata;
mod options;
mod strings;
mod target;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};
use serde_json::value::RawValue;

pub use options::ZarrOptions;

use crate::container::{full_path, one_line};
use crate::json;
use crate::{ArrayId, ContainerWriter};
use array::Array;
use nnz_storage::staging::WriteOptions;
use target::Target;

/// A group of a Zarr store being written, invisible until it is finished.
///
/// A store that is there already keeps all else. Dropped unfinished, nothing is left behind.
#[derive(Debug)]
pub struct ZarrWriter {
    target: Target,
    path: PathBuf,
    names: BTreeSet<String>,
    attributes: BTreeMap<String, Box<RawValue>>,
    arrays: Vec<Array>,
    options: ZarrOptions,
}

impl ZarrWriter {
    /// Starts writing a group, named with or without a slash before it; the root group has no
    /// name.
    ///
    /// Groups above it are made where they are missing. A group that is there is replaced only
    /// with leave to overwrite, and only if all in it is of Zarr.
    ///
    /// # Errors
    ///
    /// Fails where options make no sense, the group may not be replaced, or what is there is no
    /// Zarr of version 3 or cannot be written.
    pub fn create(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: ZarrOptions,
    ) -> Result<Self> {
        options.check()?;
        Ok(Self {
            target: Target::create(path, group, write)?,
            path: full_path(path, group),
            names: BTreeSet::new(),
            attributes: BTreeMap::new(),
            arrays: Vec::new(),
            options,
        })
    }

    /// Takes a name for a member.
    fn take(&mut self, name: &str) -> Result<Place> {
        let place = Place::array(&*self.path, name);
        if !target::is_name(name) {
            let what = format!("{name:?} cannot be a name in a Zarr store");
            return Err(Error::new(ErrorKind::Argument(what), place));
        }
        if !self.names.insert(name.to_owned()) {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        Ok(place)
    }
}

impl ContainerWriter for ZarrWriter {
    fn set_tag(&mut self, name: &str, text: &str) -> Result<()> {
        let place = self.take(name)?;
        one_line(text, || place)?;
        self.attributes.insert(name.to_owned(), metadata::string(text));
        Ok(())
    }

    fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        self.take(name)?;
        let value = json::object(text).unwrap_or_else(|| metadata::string(text));
        self.attributes.insert(name.to_owned(), value);
        Ok(())
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        let place = self.take(name)?;
        self.arrays.push(Array::new(name, value_type, place, self.options));
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        self.arrays[array.0].append(&self.target, bytes)
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        let place = self.take(name)?;
        strings::write(&self.target, name, strings, self.options, &place)
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        for array in &mut self.arrays {
            array.finish(&self.target)?;
        }
        self.target.finish(&metadata::group(&self.attributes))
    }
}
