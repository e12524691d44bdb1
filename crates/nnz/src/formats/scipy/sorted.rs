//! The entries of n-dimensional arrays, sorted by their coordinates.
//!
//! SciPy keeps the entries of a `coo` array in any order; a tensor is read in the order of its
//! coordinates. Sorted files are read in place. The entries of other files are sorted in memory when
//! they are first read.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use nnz_binsparse::Tensor;
use nnz_container::Vector;
use nnz_container::matrix::Indices;
use nnz_container::tree::{Attributes, ElementType, NdArray, one_range};
use nnz_core::{Error, ErrorKind, Place, Result, Structure, ValueType, Values};
use nnz_scientific::scipy::CooTensor;

/// Entries that are checked at a time.
const BLOCK: usize = 16 * 1024;

/// The arrays of a `coo` array, in order.
#[derive(Debug)]
struct Sorted {
    stored: CooTensor,
    /// The indices of each dimension and the values, sorted; `None` if the stored ones are sorted.
    arrays: OnceLock<Option<Vec<Values>>>,
    /// Memory in bytes for sorting.
    memory: u64,
}

/// Returns the indices of each dimension and the values, sorted as they are read.
pub(super) fn sorted(stored: CooTensor, memory: u64) -> Result<(Vec<Vector>, Vector)> {
    let dimensions = stored.coordinates.len();
    let sorted = Arc::new(Sorted { stored, arrays: OnceLock::new(), memory });
    let part = |part| Vector::new(Box::new(SortedArray::new(&sorted, part)));
    let indices = (0..dimensions).map(|dimension| part(Some(dimension)));
    Ok((indices.collect::<Result<_>>()?, part(None)?))
}

impl Sorted {
    fn arrays(&self) -> Result<Option<&[Values]>> {
        if self.arrays.get().is_none() {
            let arrays = if self.is_sorted()? { None } else { Some(self.sort()?) };
            self.arrays.get_or_init(|| arrays);
        }
        Ok(self.arrays.get().and_then(Option::as_deref))
    }

    /// Checks whether the entries are sorted.
    fn is_sorted(&self) -> Result<bool> {
        let CooTensor { shape, coordinates, values, .. } = &self.stored;
        let mut block = vec![vec![0_u64; BLOCK]; shape.len()];
        let mut last: Option<Vec<u64>> = None;
        let mut first = 0;
        while first < values.len() {
            let left = usize::try_from(values.len() - first).unwrap_or(usize::MAX);
            let count = left.min(BLOCK);
            for ((list, indices), &extent) in block.iter_mut().zip(coordinates).zip(shape) {
                indices.read(first, extent, &mut list[..count])?;
            }
            let at = |entry: usize| block.iter().map(move |list| list[entry]);
            let follows = last.as_ref().is_none_or(|last| at(0).ge(last.iter().copied()));
            if !follows || !(1..count).all(|entry| at(entry).ge(at(entry - 1))) {
                return Ok(false);
            }
            last = Some(at(count - 1).collect());
            first += count as u64;
        }
        Ok(true)
    }

    /// Reads all entries and sorts them.
    fn sort(&self) -> Result<Vec<Values>> {
        let CooTensor { shape, coordinates, values, .. } = &self.stored;
        let place = values.place();
        // Coordinates, values and permutation, and the sorted copies.
        let each = 16 * shape.len() + 2 * values.value_type().size() + 8;
        let needed = values.len().saturating_mul(each as u64);
        let allowed = self.memory;
        if needed > allowed {
            return Err(Error::new(ErrorKind::Memory { needed, allowed }, place));
        }
        let read = |(indices, &extent): (&Indices, &u64)| {
            let len = usize::try_from(values.len()).unwrap_or(usize::MAX);
            let Some(Values::U64(mut list)) = Values::try_zeroed(ValueType::U64, len) else {
                return Err(Error::new(ErrorKind::Memory { needed, allowed }, place.clone()));
            };
            indices.read(0, extent, &mut list)?;
            Ok(list)
        };
        let lists = coordinates.iter().zip(shape).map(read).collect::<Result<Vec<Vec<u64>>>>()?;
        let mut own = Values::new(values.value_type());
        values.read(0..values.len(), &mut own)?;
        let mut tensor = Tensor {
            shape: shape.clone(),
            coordinates: lists,
            values: own,
            structure: Structure::General,
            fill: None,
        };
        tensor.sort().map_err(|error| error.with_context(&place.with_array(None)))?;
        Ok(tensor.coordinates.into_iter().map(Values::U64).chain([tensor.values]).collect())
    }
}

/// The indices of one dimension, or the values.
#[derive(Debug)]
struct SortedArray {
    sorted: Arc<Sorted>,
    part: Option<usize>,
    element: ElementType,
    /// The size of an element in bytes.
    size: usize,
    shape: [u64; 1],
}

impl SortedArray {
    fn new(sorted: &Arc<Sorted>, part: Option<usize>) -> Self {
        let values = &sorted.stored.values;
        // Indices of any type are read as this type.
        let value_type = if part.is_some() { ValueType::U64 } else { values.value_type() };
        let (element, size) = (ElementType::Number(value_type), value_type.size());
        Self { sorted: Arc::clone(sorted), part, element, size, shape: [values.len()] }
    }

    fn vector(&self) -> &Vector {
        let CooTensor { coordinates, values, .. } = &self.sorted.stored;
        self.part.and_then(|part| coordinates.get(part)).map_or(values, Indices::vector)
    }
}

impl Attributes for SortedArray {}

impl NdArray for SortedArray {
    fn place(&self) -> Place {
        self.vector().place()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.vector().stored_bytes()
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let first = one_range(self, selection, out)?;
        let stored = &self.sorted.stored;
        if let Some(arrays) = self.sorted.arrays()? {
            let all = self.part.map_or(arrays.last(), |part| arrays.get(part));
            return copy(all.map_or(&[], Values::bytes), self.size, first, out);
        }
        let Some(part) = self.part else { return stored.values.read_bytes(first, out) };
        let mut indices = vec![0; out.len() / size_of::<u64>()];
        stored.coordinates[part].read(first, stored.shape[part], &mut indices)?;
        out.copy_from_slice(Values::U64(indices).bytes());
        Ok(())
    }
}

/// Copies elements of `size` bytes, starting at `first`.
fn copy(all: &[u8], size: usize, first: u64, out: &mut [u8]) -> Result<()> {
    let start = usize::try_from(first).unwrap_or(usize::MAX).saturating_mul(size);
    let Some(part) = all.get(start..start.saturating_add(out.len())) else {
        return Err(Error::argument("elements past the end"));
    };
    out.copy_from_slice(part);
    Ok(())
}
