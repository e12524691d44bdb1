//! Writing a matrix, or an array of any number of dimensions, as `coo`.

use std::path::Path;

use nnz_container::matrix::IndexType;
use nnz_container::npz::{NpzOptions, NpzWriter};
use nnz_container::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use nnz_core::{At, Batch, Error, Header, MatrixSink, Place, Result, ValueType, Values, Written};
use nnz_storage::staging::WriteOptions;

use super::SparseFormat;

/// An `.npz` file of a `coo` array.
struct Coo {
    npz: NpzWriter,
    place: Place,
}

impl Coo {
    fn create(path: &Path, write: WriteOptions, options: NpzOptions) -> Result<Self> {
        Ok(Self { npz: NpzWriter::create(path, write, options)?, place: Place::path(path) })
    }

    fn growing(&mut self, name: &str, value_type: ValueType) -> Result<NodeId> {
        let spec = ArraySpec::growing(ElementType::Number(value_type), &[]);
        self.npz.create_array(NodeId::ROOT, name, &spec)
    }

    fn array(&mut self, name: &str, element: ElementType, shape: &[u64]) -> Result<NodeId> {
        let spec = ArraySpec::new(element, shape);
        self.npz.create_array(NodeId::ROOT, name, &spec)
    }

    fn append(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        self.npz.append_bytes(array, bytes)
    }

    /// Writes `format` and `shape`.
    fn describe(&mut self, shape: &[u64]) -> Result<()> {
        // As UTF-32: SciPy 0.19.0 does not accept bytes, which later versions write.
        self.npz.set_text(NodeId::ROOT, "format", SparseFormat::Coo.name())?;
        let element = ElementType::Number(ValueType::I64);
        let array = self.array("shape", element, &[shape.len() as u64])?;
        for &len in shape {
            let Ok(len) = i64::try_from(len) else {
                return Err(Error::mismatch(
                    self.place.clone(),
                    len,
                    "an axis that fits into int64",
                ));
            };
            self.append(array, &len.to_ne_bytes())?;
        }
        Ok(())
    }

    fn finish(self) -> Result<u64> {
        Box::new(self.npz).finish()
    }
}

/// A sink that writes a matrix as `coo`.
pub struct CooSink {
    file: Coo,
    index_type: IndexType,
    rows: NodeId,
    cols: NodeId,
    values: NodeId,
    value_type: ValueType,
}

impl std::fmt::Debug for CooSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CooSink").field("place", &self.file.place).finish_non_exhaustive()
    }
}

/// Creates a matrix with the shape and value type of `header`: row, column and value of each entry.
/// Every version of SciPy since 0.19 can load it.
///
/// # Errors
///
/// Fails if the target must not be replaced or cannot be written, if options contradict each other,
/// or if an axis is longer than an `int64` can represent.
pub fn create_coo(
    path: &Path,
    header: &Header,
    write: WriteOptions,
    options: NpzOptions,
) -> Result<CooSink> {
    let shape = [header.shape.rows, header.shape.cols];
    let index_type = IndexType::holding(shape[0].max(shape[1]));
    let value_type = header.value_type;
    let mut file = Coo::create(path, write, options)?;
    // In the same order as SciPy.
    let rows = file.growing("row", index_type.value_type())?;
    let cols = file.growing("col", index_type.value_type())?;
    file.describe(&shape)?;
    let values = file.growing("data", value_type)?;
    Ok(CooSink { file, index_type, rows, cols, values, value_type })
}

impl MatrixSink for CooSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let entries = batch.entries();
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(entries);
                &repeated
            }
            values => values,
        };
        if values.value_type() != self.value_type || values.len() != Some(entries) {
            let found = format!("{:?} values of type {}", values.len(), values.value_type());
            let expected = format!("{entries} of type {}", self.value_type);
            return Err(Error::mismatch(self.file.place.clone(), found, expected));
        }
        let size = self.index_type.value_type().size();
        let [mut rows, mut cols] = [(); 2].map(|()| Vec::with_capacity(entries * size));
        batch.try_for_each(|_, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            let pushed = self.index_type.push(row, &mut rows);
            pushed.and_then(|()| self.index_type.push(col, &mut cols)).ok_or_else(|| {
                let place = self.file.place.clone().at(At::Entry { row, col });
                Error::mismatch(place, "an index past the end", "an index inside the shape")
            })
        })?;
        self.file.append(self.rows, &rows)?;
        self.file.append(self.cols, &cols)?;
        self.file.append(self.values, values.bytes())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        self.file.finish().map(Written::new)
    }
}

/// Writes an array of any number of dimensions, given the coordinates of its entries. SciPy 1.17 or
/// later can load it.
///
/// # Errors
///
/// Fails like [`create_coo`], and if there are no dimensions.
pub fn write_coo(
    path: &Path,
    (shape, coordinates): (&[u64], &[Vec<u64>]),
    values: &Values,
    write: WriteOptions,
    options: NpzOptions,
) -> Result<u64> {
    let mut file = Coo::create(path, write, options)?;
    let place = file.place.clone();
    let count = coordinates.first().map(Vec::len);
    let Some(count) = count.filter(|_| coordinates.len() == shape.len()) else {
        let what = "a SciPy array without dimensions cannot have entries";
        return Err(Error::unsupported(place, what));
    };
    let index_type = IndexType::holding(shape.iter().copied().max().unwrap_or(0));
    let element = ElementType::Number(index_type.value_type());
    let coords = file.array("coords", element, &[shape.len() as u64, count as u64])?;
    for along in coordinates {
        let mut bytes = Vec::with_capacity(count * index_type.value_type().size());
        for &index in along {
            let pushed = index_type.push(index, &mut bytes);
            pushed.ok_or_else(|| Error::mismatch(place.clone(), index, "an int64 index"))?;
        }
        file.append(coords, &bytes)?;
    }
    file.describe(shape)?;
    let is_array = file.array("_is_array", ElementType::Number(ValueType::Bint8), &[])?;
    file.append(is_array, &[1])?;
    let repeated;
    let values = match values {
        Values::Iso(scalar) => {
            repeated = scalar.repeat(count);
            &repeated
        }
        values => values,
    };
    let data = file.array("data", ElementType::Number(values.value_type()), &[count as u64])?;
    file.append(data, values.bytes())?;
    file.finish()
}
