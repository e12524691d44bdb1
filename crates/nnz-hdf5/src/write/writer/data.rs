//! Data of a file that is being written.

use std::io::{Seek, Write};

use nnz_core::{At, Error, Result};

use super::super::object::{Object, ObjectId, ObjectKind};
use super::FileWriter;
use crate::element::{ElementType, StringPadding};

impl<W: Write + Seek> FileWriter<W> {
    /// Appends complete elements to a dataset in stored form: little-endian, in row-major order.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written, or if there are more than the dataset has.
    pub fn append(&mut self, dataset: ObjectId, bytes: &[u8]) -> Result<()> {
        let Some(Object { kind: ObjectKind::Dataset(open), .. }) = self.objects.get_mut(dataset.0)
        else {
            return Err(Error::mismatch(self.place_of(dataset), "a group", "a dataset"));
        };
        let appended = open.append(bytes, &mut self.output, &mut self.chunks);
        self.failed |= appended.is_err();
        appended.map_err(|error| error.with_context(&self.place_of(dataset)))
    }

    /// Appends strings to a dataset of strings of fixed or variable length.
    ///
    /// # Errors
    ///
    /// Fails as [`append`](Self::append), or if a string is longer than the elements or has a zero
    /// byte, unless it is padded with zeros and does not end with one.
    pub fn append_strings<T: AsRef<[u8]>>(
        &mut self,
        dataset: ObjectId,
        strings: impl IntoIterator<Item = T>,
    ) -> Result<()> {
        let element = match self.objects.get(dataset.0).map(|object| &object.kind) {
            Some(ObjectKind::Dataset(open)) => open.element().clone(),
            _ => return Err(Error::mismatch(self.place_of(dataset), "a group", "a dataset")),
        };
        for (at, string) in (0..).zip(strings) {
            let stored = match &element {
                ElementType::VariableString(_) => self.store_string(string.as_ref()),
                element => {
                    let padded = pad(string.as_ref(), element);
                    padded.and_then(|padded| self.append(dataset, &padded))?;
                    continue;
                }
            };
            let stored = stored
                .map_err(|error| error.with_context(&self.place_of(dataset).at(At::Element(at))))?;
            self.append(dataset, &stored)?;
        }
        Ok(())
    }

    /// Stores a string and returns its ID, the form of a string in a field of a compound.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written, or has a zero byte.
    pub fn store_string(&mut self, string: &[u8]) -> Result<[u8; 16]> {
        if memchr::memchr(0, string).is_some() {
            // It would be read only up to the zero byte.
            let found = format!("the string \"{}\"", string.escape_ascii());
            return Err(Error::mismatch(self.place.clone(), found, "strings without zero bytes"));
        }
        let stored = self.heap.insert(&mut self.output, string);
        self.failed |= stored.is_err();
        stored
    }

    /// Writes the rest of a complete dataset, and frees its memory.
    ///
    /// # Errors
    ///
    /// Fails if elements are missing, or if it cannot be written.
    pub fn finish_dataset(&mut self, dataset: ObjectId) -> Result<()> {
        let Some(Object { kind: ObjectKind::Dataset(open), .. }) = self.objects.get_mut(dataset.0)
        else {
            return Err(Error::mismatch(self.place_of(dataset), "a group", "a dataset"));
        };
        let finished = open.finish(&mut self.output, &mut self.chunks);
        self.failed |= finished.is_err();
        finished.map_err(|error| error.with_context(&self.place_of(dataset)))
    }
}

/// Pads a string to the length of an element.
fn pad(string: &[u8], element: &ElementType) -> Result<Vec<u8>> {
    let ElementType::FixedString { bytes, padding, .. } = element else {
        return Err(Error::argument("strings for a dataset of another type"));
    };
    let bytes = usize::try_from(*bytes).unwrap_or(usize::MAX);
    let room = bytes - usize::from(*padding == StringPadding::NullTerminated);
    // It would be read as padding, or as the end.
    let ends = match padding {
        StringPadding::NullTerminated => memchr::memchr(0, string).is_some(),
        StringPadding::NullPadded => string.last() == Some(&0),
    };
    if string.len() > room || ends {
        let what = format!("\"{}\" for a string of {room} bytes", string.escape_ascii());
        return Err(Error::argument(what));
    }
    let mut out = string.to_vec();
    out.resize(bytes, 0);
    Ok(out)
}
