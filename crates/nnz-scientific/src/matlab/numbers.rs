//! Numbers of a class that are stored as another type.

use std::ops::Range;

use nnz_container::Vector;
use nnz_container::tree::{Attributes, ElementType, NdArray, one_range};
use nnz_core::{Error, Place, Result, Rounding, ValueType, Values};

/// Numbers in the type of their class. MATLAB stores doubles as integers if they fit, booleans as
/// bytes, and the parts of complex numbers separately.
#[derive(Debug)]
pub(super) struct Numbers {
    real: Vector,
    imaginary: Option<Vector>,
    value_type: ValueType,
    element: ElementType,
    shape: [u64; 1],
}

impl Numbers {
    /// Returns stored numbers as values of a type.
    pub(super) fn cast(
        real: Vector,
        imaginary: Option<Vector>,
        value_type: ValueType,
    ) -> Result<Vector> {
        if let Some(imaginary) = &imaginary
            && imaginary.len() != real.len()
        {
            let found = format!("{} imaginary parts", imaginary.len());
            let expected = format!("{}, as many as real parts", real.len());
            return Err(Error::mismatch(imaginary.place(), found, expected));
        }
        if imaginary.is_none() && real.value_type() == value_type {
            return Ok(real);
        }
        let (element, shape) = (ElementType::Number(value_type), [real.len()]);
        Vector::new(Box::new(Self { real, imaginary, value_type, element, shape }))
    }

    /// Reads numbers of a part as a type.
    fn read_part(
        part: &Vector,
        value_type: ValueType,
        (first, count): (u64, usize),
    ) -> Result<Values> {
        let mut stored = Values::new(part.value_type());
        part.read_bytes(first, stored.resize_bytes(count))?;
        if stored.value_type() == value_type {
            return Ok(stored);
        }
        let mut values = Values::new(value_type);
        stored.cast_into(value_type, Rounding::Refused, &mut values).map_err(|error| {
            let place = part.place_of(first.saturating_add(error.index as u64));
            let expected = match value_type {
                ValueType::Bint8 => "0 or 1, as the class is logical".to_owned(),
                _ => format!("a value of type {value_type}"),
            };
            Error::mismatch(place, error.found, expected)
        })?;
        Ok(values)
    }
}

impl Attributes for Numbers {}

impl NdArray for Numbers {
    fn place(&self) -> Place {
        self.real.place()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        let real = self.real.stored_bytes()?;
        let imaginary = self.imaginary.as_ref().map_or(Ok(0), Vector::stored_bytes)?;
        Ok(real.saturating_add(imaginary))
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let first = one_range(self, selection, out)?;
        let count = out.len() / self.value_type.size();
        let Some(imaginary) = &self.imaginary else {
            let values = Self::read_part(&self.real, self.value_type, (first, count))?;
            return fill(out, values.bytes());
        };
        let part = match self.value_type {
            ValueType::ComplexF32 => ValueType::F32,
            _ => ValueType::F64,
        };
        let real = Self::read_part(&self.real, part, (first, count))?;
        let imaginary = Self::read_part(imaginary, part, (first, count))?;
        let size = part.size();
        let parts = real.bytes().chunks_exact(size).zip(imaginary.bytes().chunks_exact(size));
        let mut bytes = Vec::with_capacity(out.len());
        for (real, imaginary) in parts {
            bytes.extend_from_slice(real);
            bytes.extend_from_slice(imaginary);
        }
        fill(out, &bytes)
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        self.real.will_read(ranges);
        if let Some(imaginary) = &self.imaginary {
            imaginary.will_read(ranges);
        }
    }

    fn has_latency(&self) -> bool {
        self.real.has_latency()
    }
}

fn fill(out: &mut [u8], bytes: &[u8]) -> Result<()> {
    if out.len() != bytes.len() {
        return Err(Error::argument("the buffer is not a multiple of the element size"));
    }
    out.copy_from_slice(bytes);
    Ok(())
}
