//! Dropping entries that equal unstored elements: the zeros of a dense source, which a sparse target
//! does not store, and entries with the fill value.

use nnz_core::{Batch, Error, Header, Result, Rounding, Scalar, ValueType, Values};

use super::{Builder, Step, emptied};

/// Bytes of the largest value.
const LARGEST: usize = 16;

/// Elements that are compared at once.
const BLOCK: usize = 256;

/// Drops entries that are zero. Negative zeros and NaN are kept.
pub(crate) struct DropZeros(pub(crate) Builder);

impl Step for DropZeros {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        // Only the zero of each type has all bytes zero, and not a negative one.
        let zero = [0; LARGEST];
        drop_elements(self.0, batch, spare, &zero[..batch.values.value_type().size()])
    }
}

/// Replaces negative zeros by positive ones.
pub(crate) struct PositiveZeros;

impl Step for PositiveZeros {
    fn apply(&self, batch: &mut Batch, _: &mut Batch) -> Result<()> {
        if let Values::Iso(scalar) = batch.values {
            batch.values = scalar.repeat(batch.entries());
        }
        // -0.0 + 0.0 is 0.0, and no other number changes.
        match &mut batch.values {
            Values::F32(all) => all.iter_mut().for_each(|value| *value += 0.0),
            Values::F64(all) => all.iter_mut().for_each(|value| *value += 0.0),
            Values::ComplexF32(all) => {
                all.as_flattened_mut().iter_mut().for_each(|part| *part += 0.0)
            }
            Values::ComplexF64(all) => {
                all.as_flattened_mut().iter_mut().for_each(|part| *part += 0.0)
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns the step that drops entries that equal unstored elements of a sparse matrix: the fill
/// value, or zero. Returns `None` for a fill value that the type does not have.
pub(crate) fn drop_unstored(header: &Header) -> Option<Box<dyn Step>> {
    let builder = Builder::new(header.order, header.shape);
    match header.fill {
        Some(fill) => Some(Box::new(DropValue::of_type(builder, header.value_type, fill)?)),
        None => Some(Box::new(DropZeros(builder))),
    }
}

/// Drops entries with a certain value, compared bit by bit.
pub(crate) struct DropValue {
    builder: Builder,
    bytes: Vec<u8>,
}

impl DropValue {
    /// Drops `value` from values of a type; `None` if the type does not have it.
    pub(crate) fn of_type(builder: Builder, value_type: ValueType, value: Scalar) -> Option<Self> {
        let value = value.cast(value_type, Rounding::Refused).ok()?;
        Some(Self { builder, bytes: value.repeat(1).bytes().to_vec() })
    }
}

impl Step for DropValue {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        drop_elements(self.builder, batch, spare, &self.bytes)
    }
}

/// Drops entries with the bytes of a value.
fn drop_elements(
    builder: Builder,
    batch: &mut Batch,
    spare: &mut Batch,
    value: &[u8],
) -> Result<()> {
    if let Values::Iso(scalar) = batch.values {
        batch.values = scalar.repeat(batch.entries());
    }
    let size = batch.values.value_type().size();
    let elements = batch.values.bytes();
    // Values of another type have other bytes.
    if value.len() != size || !holds(elements, value) {
        return Ok(());
    }
    builder.start(batch.order, spare);
    spare.values = emptied(&batch.values);
    batch.try_for_each(|entry, major, minor| {
        if &elements[entry * size..][..size] != value {
            builder.push(spare, major, minor);
            spare.values.extend_from(&batch.values, entry..entry + 1);
        }
        Ok::<(), Error>(())
    })?;
    std::mem::swap(batch, spare);
    Ok(())
}

/// Returns whether any element has the bytes of a value. Usually none has.
fn holds(elements: &[u8], value: &[u8]) -> bool {
    match value.len() {
        1 => holds_of::<1>(elements, value),
        2 => holds_of::<2>(elements, value),
        4 => holds_of::<4>(elements, value),
        8 => holds_of::<8>(elements, value),
        _ => elements.chunks_exact(value.len()).any(|element| element == value),
    }
}

fn holds_of<const SIZE: usize>(elements: &[u8], value: &[u8]) -> bool {
    // Without an early exit, the comparison is vectorized.
    let mut blocks = elements.as_chunks::<SIZE>().0.chunks(BLOCK);
    blocks.any(|block| block.iter().fold(false, |any, element| any | (element[..] == *value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_at_any_position() {
        for size in [1, 2, 4, 8, 16] {
            let value: Vec<u8> = (1..).take(size).collect();
            assert!(!holds(&[], &value));
            for elements in [1, BLOCK - 1, BLOCK, 2 * BLOCK + 5] {
                // The bytes are present, but across two elements.
                let mut bytes = value.repeat(elements);
                bytes.rotate_left(size / 2);
                bytes.iter_mut().step_by(size).for_each(|byte| *byte = 99);
                assert!(!holds(&bytes, &value), "{elements} elements of {size}");
                for at in [0, elements / 2, elements.saturating_sub(1)]
                    .into_iter()
                    .filter(|at| *at < elements)
                {
                    let mut bytes = bytes.clone();
                    bytes[at * size..][..size].copy_from_slice(&value);
                    assert!(holds(&bytes, &value), "{at} of {elements} elements of {size}");
                }
            }
        }
    }
}
