//! Writing an array of numbers.

use std::borrow::Cow;

use nnz_core::{Result, ValueType};

use super::super::Hdf5Options;
use crate::byte_order;
use crate::compress::Compression;
use crate::hdf5::file::{DatasetSpec, ElementType, FileWriter, ObjectId};
use nnz_storage::staging::StagedFile;

/// A writer of an array of numbers: a chunked dataset with an unlimited dimension.
///
/// The dataset is created when the first chunk is full, or at the end, so that the chunk of a short
/// array is not much longer than the array.
pub(super) struct Array {
    name: String,
    value_type: ValueType,
    options: Hdf5Options,
    /// Data that was appended before the dataset exists.
    begun: Vec<u8>,
    dataset: Option<ObjectId>,
    elements: u64,
}

impl Array {
    pub(super) fn new(name: &str, value_type: ValueType, options: Hdf5Options) -> Self {
        let (begun, dataset) = (Vec::new(), None);
        Self { name: name.to_owned(), value_type, options, begun, dataset, elements: 0 }
    }

    /// Appends complete elements in native byte order.
    pub(super) fn append(
        &mut self,
        file: &mut FileWriter<StagedFile>,
        group: ObjectId,
        bytes: &[u8],
    ) -> Result<()> {
        let mut bytes = Cow::Borrowed(bytes);
        if cfg!(target_endian = "big") {
            // The conversion to native byte order is its own inverse.
            byte_order::to_native(bytes.to_mut(), self.value_type, false);
        }
        self.elements += (bytes.len() / self.value_type.size()) as u64;
        if self.dataset.is_none() && self.elements >= self.options.chunk_elements(None).into() {
            self.create(file, group, None)?;
        }
        match self.dataset {
            Some(dataset) => file.append(dataset, &bytes),
            None => {
                self.begun.extend_from_slice(&bytes);
                Ok(())
            }
        }
    }

    /// Writes the rest, and returns the dataset and its length.
    pub(super) fn finish(
        &mut self,
        file: &mut FileWriter<StagedFile>,
        group: ObjectId,
    ) -> Result<(ObjectId, u64)> {
        let dataset = match self.dataset {
            Some(dataset) => dataset,
            None => self.create(file, group, Some(self.elements))?,
        };
        file.finish_dataset(dataset)?;
        Ok((dataset, self.elements))
    }

    /// Creates the dataset. `short` is the length of the array, if it is known to be short.
    fn create(
        &mut self,
        file: &mut FileWriter<StagedFile>,
        group: ObjectId,
        short: Option<u64>,
    ) -> Result<ObjectId> {
        let element = ElementType::Number(self.value_type);
        let chunk = self.options.chunk_elements(short);
        let compress = self.options.compress;
        let spec = DatasetSpec::chunked(element, &[0], &[chunk]).growing();
        let spec = spec.compress(compress, compress != Compression::None);
        let dataset = file.create_dataset(group, &self.name, spec)?;
        file.append(dataset, &std::mem::take(&mut self.begun))?;
        self.dataset = Some(dataset);
        Ok(dataset)
    }
}
