//! A numeric vector as an array.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result, ValueType};
use nnz_rds::{Integers, Object, Reals, Value};

use super::reader::element_of;
use crate::tree::{Attributes, ElementType, NdArray, one_range};

/// A vector of an object.
#[derive(Debug)]
pub(super) struct Numbers {
    object: Arc<Object>,
    member: Option<usize>,
    place: Place,
    element: ElementType,
    /// The size of an element in bytes.
    size: usize,
    shape: [u64; 1],
}

/// Number of elements that are computed or decoded at once.
const BLOCK: usize = 4096;

impl Numbers {
    /// Wraps a vector of integers, logicals or doubles; `None` if it is of another type.
    pub(super) fn new(object: Arc<Object>, member: Option<usize>, place: Place) -> Option<Self> {
        let (value_type, len) = match &element_of(&object, member).value {
            Value::Integer(numbers) => (ValueType::U32, numbers.len()),
            Value::Logical(numbers) => (ValueType::U32, numbers.len() as u64),
            Value::Real(numbers) => (ValueType::F64, numbers.len()),
            _ => return None,
        };
        let (element, size) = (ElementType::Number(value_type), value_type.size());
        Some(Self { object, member, place, element, size, shape: [len] })
    }

    fn io(&self, error: io::Error) -> Error {
        Error::new(ErrorKind::Io(error), self.place.clone())
    }
}

impl Attributes for Numbers {}

impl NdArray for Numbers {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(match &element_of(&self.object, self.member).value {
            // Three doubles.
            Value::Integer(Integers::Sequence { .. }) | Value::Real(Reals::Sequence { .. }) => 24,
            _ => self.shape[0] * self.size as u64,
        })
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let first = one_range(self, selection, out)?;
        let copy = |all: &[u8], out: &mut [u8]| {
            let start = usize::try_from(first).unwrap_or(usize::MAX) * self.size;
            out.copy_from_slice(&all[start..start + out.len()]);
        };
        match &element_of(&self.object, self.member).value {
            Value::Logical(all) | Value::Integer(Integers::Stored(all)) => {
                copy(bytemuck::cast_slice(all), out);
            }
            Value::Real(Reals::Stored(all)) => copy(bytemuck::cast_slice(all), out),
            Value::Integer(numbers) => {
                let read = |from, block: &mut [i32]| numbers.read(from, block);
                return in_blocks(first, out, [0; BLOCK], read).map_err(|error| self.io(error));
            }
            Value::Real(numbers) => {
                let read = |from, block: &mut [f64]| numbers.read(from, block);
                return in_blocks(first, out, [0.0; BLOCK], read).map_err(|error| self.io(error));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Reads elements from `first` on, in blocks.
fn in_blocks<T: bytemuck::Pod>(
    first: u64,
    out: &mut [u8],
    mut block: [T; BLOCK],
    read: impl Fn(u64, &mut [T]) -> io::Result<()>,
) -> io::Result<()> {
    let mut from = first;
    for part in out.chunks_mut(BLOCK * size_of::<T>()) {
        let elements = &mut block[..part.len() / size_of::<T>()];
        read(from, elements)?;
        part.copy_from_slice(bytemuck::cast_slice(elements));
        from += elements.len() as u64;
    }
    Ok(())
}
