//! Writing a sparse matrix: a group of `data`, `ir` and `jc`.

use nnz_container::Compression;
use nnz_container::matrix::{CompressedArray, CompressedOutput, CompressedSink, IndexType};
use nnz_core::{Error, Header, MatrixSink, Place, Result, ValueType};
use nnz_hdf5::{DatasetSpec, ElementType, FileWriter, ObjectId, Value};
use nnz_storage::staging::StagedFile;

use super::{CHUNK, SinkOptions, append, describe, element};
use crate::matlab::v73::SPARSE;

/// Starts a matrix.
pub(super) fn create(
    mut file: FileWriter<StagedFile>,
    header: &Header,
    options: &SinkOptions,
    place: Place,
) -> Result<Box<dyn MatrixSink>> {
    let group = file.create_group(ObjectId::ROOT, &options.name)?;
    describe(&mut file, group, header.value_type)?;
    file.set_attribute(group, SPARSE, Value::number(header.shape.rows))?;
    let pointers = header.shape.cols.checked_add(1).ok_or_else(|| {
        let what = format!("{} columns are not supported", header.shape.cols);
        Error::unsupported(place.clone(), what)
    })?;
    let spec = DatasetSpec::contiguous(ElementType::Number(ValueType::U64), &[pointers]);
    let pointers = file.create_dataset(group, "jc", spec)?;
    let value_type = header.value_type;
    let compress = options.compress;
    let (indices, values) = (None, None);
    let output = Output {
        file,
        place: place.clone(),
        group,
        value_type,
        compress,
        pointers,
        indices,
        values,
    };
    Ok(Box::new(CompressedSink::new(Box::new(output), header, [IndexType::I64; 2], place)))
}

struct Output {
    file: FileWriter<StagedFile>,
    place: Place,
    group: ObjectId,
    value_type: ValueType,
    compress: Compression,
    pointers: ObjectId,
    /// As in MATLAB, a matrix without entries has neither indices nor values.
    indices: Option<ObjectId>,
    values: Option<ObjectId>,
}

impl Output {
    fn create(&mut self, name: &str, element: ElementType) -> Result<ObjectId> {
        let shuffle = self.compress != Compression::None;
        let spec = DatasetSpec::chunked(element, &[0], &[CHUNK]).growing().fitting();
        self.file.create_dataset(self.group, name, spec.compress(self.compress, shuffle))
    }
}

impl CompressedOutput for Output {
    fn append(&mut self, array: CompressedArray, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        // Indices and pointers are not negative, so they have the same bytes as unsigned numbers.
        match array {
            CompressedArray::Pointers => append(&mut self.file, self.pointers, bytes, 8),
            CompressedArray::Indices => {
                let indices = match self.indices {
                    Some(indices) => indices,
                    None => self.create("ir", ElementType::Number(ValueType::U64))?,
                };
                self.indices = Some(indices);
                append(&mut self.file, indices, bytes, 8)
            }
            CompressedArray::Values => {
                let (element, size) = element(self.value_type);
                let values = match self.values {
                    Some(values) => values,
                    None => self.create("data", element)?,
                };
                self.values = Some(values);
                append(&mut self.file, values, bytes, size)
            }
        }
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        let Self { file, place, .. } = *self;
        file.commit().map_err(|error| error.with_context(&place))
    }
}
