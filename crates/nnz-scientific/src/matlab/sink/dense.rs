//! Writing a dense array: a dataset whose rows are the columns of the matrix.

use nnz_container::Compression;
use nnz_core::{Header, MatrixSink, Place, Result, ValueType};
use nnz_hdf5::{DatasetSpec, ElementType, FileWriter, ObjectId, Value};
use nnz_storage::staging::StagedFile;

use super::{CHUNK, SinkOptions, append, describe, element};
use crate::dense_sink::{DenseOutput, DenseSink, fill_block};
use crate::matlab::v73::EMPTY;

/// Starts an array.
pub(super) fn create(
    mut file: FileWriter<StagedFile>,
    header: &Header,
    options: &SinkOptions,
    place: Place,
) -> Result<Box<dyn MatrixSink>> {
    let block = fill_block(header)?;
    let (rows, cols) = (header.shape.rows, header.shape.cols);
    let (stored, size) = element(header.value_type);
    let dataset = if header.shape.is_empty() {
        // An array without elements stores its dimensions.
        let spec = DatasetSpec::contiguous(ElementType::Number(ValueType::U64), &[2]);
        let dataset = file.create_dataset(ObjectId::ROOT, &options.name, spec)?;
        append(&mut file, dataset, native_bytes(&[rows, cols]).as_slice(), 8)?;
        file.set_attribute(dataset, EMPTY, Value::number(1_u8))?;
        dataset
    } else {
        let shape = [cols, rows];
        let spec = match options.compress {
            Compression::None => DatasetSpec::contiguous(stored, &shape),
            compress => {
                // Complete columns, or parts of one.
                let height = u32::try_from(rows).unwrap_or(CHUNK).min(CHUNK);
                let width = (u64::from(CHUNK) / rows).clamp(1, cols);
                let width = u32::try_from(width).unwrap_or(1);
                DatasetSpec::chunked(stored, &shape, &[width, height]).compress(compress, true)
            }
        };
        file.create_dataset(ObjectId::ROOT, &options.name, spec)?
    };
    describe(&mut file, dataset, header.value_type)?;
    let output = Output { file, place: place.clone(), dataset, size };
    Ok(Box::new(DenseSink::new(Box::new(output), header, block, place)))
}

/// Returns numbers in native byte order.
fn native_bytes(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

struct Output {
    file: FileWriter<StagedFile>,
    place: Place,
    dataset: ObjectId,
    /// The size of an element, or of a part of a complex number.
    size: usize,
}

impl DenseOutput for Output {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        append(&mut self.file, self.dataset, bytes, self.size)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        let Self { file, place, .. } = *self;
        file.commit().map_err(|error| error.with_context(&place))
    }
}
