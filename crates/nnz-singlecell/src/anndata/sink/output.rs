//! Groups and arrays of a new file, with the attributes that anndata puts on each.

use std::path::Path;

use nnz_container::Compression;
use nnz_container::hdf5::file::{
    DatasetSpec, ElementType, FileOptions, FileWriter, ObjectId, Value,
};
use nnz_core::{Element, Error, Place, Result, StringReader, ValueType, Values};
use nnz_storage::staging::{StagedFile, WriteOptions};

/// Elements of a chunk.
const CHUNK: u64 = 1 << 15;

/// A group.
#[derive(Clone, Copy)]
pub(super) struct Group(ObjectId);

impl Group {
    pub(super) const ROOT: Self = Self(ObjectId::ROOT);
}

/// An array that is appended to.
#[derive(Clone, Copy)]
pub(super) struct Array(ObjectId);

/// A file being written.
pub(super) struct Output {
    file: FileWriter<StagedFile>,
    place: Place,
    compression: Compression,
}

impl Output {
    pub(super) fn create(
        path: &Path,
        write: WriteOptions,
        compression: Compression,
    ) -> Result<Self> {
        let file = FileWriter::create(path, write, FileOptions::default())?;
        Ok(Self { file, place: Place::path(path), compression })
    }

    pub(super) fn group(&mut self, parent: Group, name: &str) -> Result<Group> {
        self.file.create_group(parent.0, name).map(Group)
    }

    /// Says what a group is.
    pub(super) fn encode(&mut self, group: Group, kind: &str, version: &str) -> Result<()> {
        self.encode_object(group.0, kind, version)
    }

    fn encode_object(&mut self, object: ObjectId, kind: &str, version: &str) -> Result<()> {
        self.file.set_attribute(object, "encoding-type", Value::text(kind))?;
        self.file.set_attribute(object, "encoding-version", Value::text(version))
    }

    pub(super) fn set_text(&mut self, group: Group, name: &str, text: &str) -> Result<()> {
        self.file.set_attribute(group.0, name, Value::text(text))
    }

    /// Sets a list of strings. An empty one is of floats, as anndata has it.
    pub(super) fn set_texts(&mut self, group: Group, name: &str, texts: &[String]) -> Result<()> {
        let value = match texts {
            [] => Value::numbers::<f64>(&[]),
            texts => Value::texts(texts.iter().map(String::as_str)),
        };
        self.file.set_attribute(group.0, name, value)
    }

    pub(super) fn set_numbers<T: Element>(
        &mut self,
        group: Group,
        name: &str,
        numbers: &[T],
    ) -> Result<()> {
        self.file.set_attribute(group.0, name, Value::numbers(numbers))
    }

    pub(super) fn set_boolean(&mut self, group: Group, name: &str, value: bool) -> Result<()> {
        self.file.set_attribute(group.0, name, Value::boolean(value))
    }

    /// Starts an array of a sparse matrix. Its length is what is appended; `len` if that is known.
    pub(super) fn growing(
        &mut self,
        group: Group,
        name: &str,
        value_type: ValueType,
        len: Option<u64>,
    ) -> Result<Array> {
        let spec = DatasetSpec::chunked(ElementType::Number(value_type), &[0], &[chunk(len)]);
        // Values are not shuffled: bytes of indices are alike in neighbours where they are sorted.
        let spec = spec.growing().compress(self.compression, false);
        self.file.create_dataset(group.0, name, spec).map(Array)
    }

    /// Appends elements, little-endian.
    pub(super) fn append(&mut self, array: Array, bytes: &[u8]) -> Result<()> {
        self.file.append(array.0, bytes)
    }

    /// Writes an array of numbers.
    pub(super) fn numbers(&mut self, group: Group, name: &str, values: &Values) -> Result<()> {
        let len = values.len().unwrap_or(0) as u64;
        let spec = self.spec(ElementType::Number(values.value_type()), len);
        let array = self.file.create_dataset(group.0, name, spec)?;
        self.file.append(array, &little_endian(values))?;
        self.file.finish_dataset(array)?;
        self.encode_object(array, "array", "0.2.0")
    }

    /// Writes an array of `len` strings as they are read.
    pub(super) fn strings(
        &mut self,
        group: Group,
        name: &str,
        len: u64,
        strings: &mut dyn StringReader,
    ) -> Result<()> {
        let spec = self.spec(ElementType::TEXT, len);
        let array = self.file.create_dataset(group.0, name, spec)?;
        let mut number = 0_u64;
        while let Some(string) = strings.next_string()? {
            if std::str::from_utf8(string).is_err() {
                let shown = String::from_utf8_lossy(string);
                let place = Place { array: Some(name.to_owned()), ..self.place.clone() };
                let what = format!("the string {shown:?}");
                return Err(Error::mismatch(place, what, "UTF-8, as all strings of AnnData are"));
            }
            self.file.append_strings(array, [string])?;
            number += 1;
        }
        if number != len {
            let place = Place { array: Some(name.to_owned()), ..self.place.clone() };
            return Err(Error::mismatch(place, format!("{number} strings"), len));
        }
        self.file.finish_dataset(array)?;
        self.encode_object(array, "string-array", "0.2.0")
    }

    fn spec(&self, element: ElementType, len: u64) -> DatasetSpec {
        if self.compression == Compression::None || len == 0 {
            return DatasetSpec::contiguous(element, &[len]);
        }
        DatasetSpec::chunked(element, &[len], &[chunk(Some(len))]).compress(self.compression, false)
    }

    pub(super) fn commit(self) -> Result<u64> {
        self.file.commit()
    }
}

/// Returns the length of chunks.
fn chunk(len: Option<u64>) -> u32 {
    let len = len.unwrap_or(CHUNK).clamp(1, CHUNK);
    u32::try_from(len).unwrap_or(1)
}

/// Returns numbers as they are stored.
pub(super) fn little_endian(values: &Values) -> Vec<u8> {
    let mut bytes = values.bytes().to_vec();
    if cfg!(target_endian = "big") {
        let value_type = values.value_type();
        let parts = if value_type.is_complex() { 2 } else { 1 };
        bytes.chunks_exact_mut(value_type.size() / parts).for_each(<[u8]>::reverse);
    }
    bytes
}
