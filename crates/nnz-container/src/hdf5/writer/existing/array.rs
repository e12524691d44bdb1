//! Writing an array of numbers.

use nnz_core::{Place, Result, ValueType};
use rust_hdf5::format::messages::datatype::DatatypeMessage;
use rust_hdf5::format::messages::filter::{FLAG_OPTIONAL, Filter, FilterPipeline};
use rust_hdf5::types::{Complex32, Complex64, HBool};
use rust_hdf5::{H5Dataset, H5Group, H5Type};

use super::super::Hdf5Options;
use super::{call_library, pack};
use crate::compress::Compression;
use crate::hdf5::file::Form;

/// A writer of an array of numbers: a chunked dataset with an unlimited dimension.
///
/// The dataset is created when the first chunk is full, or at the end, so that the chunk of a short
/// array is not much longer than the array.
pub(super) struct Array {
    name: String,
    value_type: ValueType,
    place: Place,
    options: Hdf5Options,
    buffer: Vec<u8>,
    /// Number of bytes that are buffered.
    batch: usize,
    dataset: Option<H5Dataset>,
    /// Number of elements of a chunk, after the dataset was created.
    chunk: usize,
    chunks: usize,
    elements: u64,
}

impl Array {
    pub(super) fn new(
        name: &str,
        value_type: ValueType,
        place: Place,
        options: Hdf5Options,
    ) -> Self {
        Self {
            name: name.to_owned(),
            value_type,
            place,
            options,
            buffer: Vec::new(),
            batch: options.batch_bytes(value_type),
            dataset: None,
            chunk: 0,
            chunks: 0,
            elements: 0,
        }
    }

    /// Appends complete elements.
    pub(super) fn append(&mut self, group: &H5Group, mut bytes: &[u8]) -> Result<()> {
        self.elements += (bytes.len() / self.value_type.size()) as u64;
        while self.buffer.len() + bytes.len() >= self.batch {
            // The buffer is empty: a batch can be written without copying it.
            let room = self.batch - self.buffer.len();
            let (head, tail) = bytes.split_at(room);
            if self.buffer.is_empty() {
                self.write(group, head, None)?;
            } else {
                let mut buffer = std::mem::take(&mut self.buffer);
                buffer.extend_from_slice(head);
                self.write(group, &buffer, None)?;
                buffer.clear();
                self.buffer = buffer;
            }
            bytes = tail;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes the rest and sets the length.
    pub(super) fn finish(&mut self, group: &H5Group) -> Result<()> {
        let mut rest = std::mem::take(&mut self.buffer);
        let short = self.dataset.is_none().then_some(self.elements);
        let chunk = match self.dataset {
            Some(_) => self.chunk,
            None => chunk_elements(self.options, short),
        };
        // Chunks are always stored completely.
        rest.resize(rest.len().next_multiple_of(chunk * self.value_type.size()), 0);
        self.write(group, &rest, short)?;
        let len = usize::try_from(self.elements).unwrap_or(usize::MAX);
        match &self.dataset {
            Some(dataset) => call_library(&self.place, || dataset.set_extent(&[len])),
            None => Ok(()),
        }
    }

    /// Returns the dataset, if it exists, and its length.
    pub(super) fn written(&self) -> Option<(&H5Dataset, u64)> {
        self.dataset.as_ref().map(|dataset| (dataset, self.elements))
    }

    /// Returns the form of chunks.
    fn form(&self) -> Form {
        let (width, compression) = (self.value_type.size(), self.options.compress);
        let shuffle = u32::try_from(width).ok().filter(|_| compression != Compression::None);
        Form { chunk: self.chunk * width, shuffle, compression }
    }

    /// Writes complete chunks.
    fn write(&mut self, group: &H5Group, bytes: &[u8], short: Option<u64>) -> Result<()> {
        let width = self.value_type.size();
        if self.dataset.is_none() {
            self.chunk = chunk_elements(self.options, short);
            let pipeline = pipeline(&self.form());
            let (name, chunk) = (&self.name, self.chunk);
            let made =
                call_library(&self.place, || create(self.value_type, group, name, chunk, pipeline));
            self.dataset = Some(made?);
        }
        let Some(dataset) = &self.dataset else { return Ok(()) };
        let bytes_of_chunk = self.chunk * width;
        match self.options.compress {
            Compression::None => {
                for chunk in bytes.chunks_exact(bytes_of_chunk) {
                    call_library(&self.place, || dataset.write_chunk_at(&[self.chunks], chunk))?;
                    self.chunks += 1;
                }
            }
            _ => {
                let threads = self.options.threads;
                let packed = pack::chunks(bytes, self.form(), threads, &self.place)?;
                for chunk in packed {
                    call_library(&self.place, || {
                        dataset.write_chunk_raw_at(&[self.chunks], &chunk, 0)
                    })?;
                    self.chunks += 1;
                }
            }
        }
        Ok(())
    }
}

fn create(
    value_type: ValueType,
    group: &H5Group,
    name: &str,
    chunk: usize,
    pipeline: Option<FilterPipeline>,
) -> rust_hdf5::Result<H5Dataset> {
    // The type is a value, not a parameter: the builder is generic, large, and compiled once this way.
    let builder = group.new_dataset::<u8>().datatype(datatype(value_type));
    let builder = builder.shape([0_usize]).chunk(&[chunk]).max_shape(&[None]);
    let builder = match pipeline {
        None => builder,
        Some(pipeline) => builder.filter_pipeline(pipeline),
    };
    builder.create(name)
}

fn datatype(value_type: ValueType) -> DatatypeMessage {
    match value_type {
        ValueType::U8 => u8::hdf5_type(),
        ValueType::U16 => u16::hdf5_type(),
        ValueType::U32 => u32::hdf5_type(),
        ValueType::U64 => u64::hdf5_type(),
        ValueType::I8 => i8::hdf5_type(),
        ValueType::I16 => i16::hdf5_type(),
        ValueType::I32 => i32::hdf5_type(),
        ValueType::I64 => i64::hdf5_type(),
        ValueType::F32 => f32::hdf5_type(),
        ValueType::F64 => f64::hdf5_type(),
        ValueType::Bint8 => HBool::hdf5_type(),
        ValueType::ComplexF32 => Complex32::hdf5_type(),
        ValueType::ComplexF64 => Complex64::hdf5_type(),
    }
}

/// Returns the filters of a form, if any.
fn pipeline(form: &Form) -> Option<FilterPipeline> {
    let filters = form.filters().into_iter();
    let filters: Vec<Filter> =
        filters.map(|(id, _, cd_values)| Filter { id, flags: FLAG_OPTIONAL, cd_values }).collect();
    (!filters.is_empty()).then_some(FilterPipeline { filters })
}

fn chunk_elements(options: Hdf5Options, short: Option<u64>) -> usize {
    usize::try_from(options.chunk_elements(short)).unwrap_or(usize::MAX)
}
