//! Dropping what cells hold anyway: the zeros of a dense source, which are no entries of a sparse
//! target, and entries that hold what cells hold that are not stored.

use nnz_core::{Batch, Error, Header, Result, Rounding, Scalar, ValueType, Values};

use super::{Builder, Step, emptied};

/// Drops entries that are zero. A negative zero and NaN stay: they are not nothing.
pub(crate) struct DropZeros(pub(crate) Builder);

impl Step for DropZeros {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        // All bytes are zero just for the zero of each type, and for no negative one.
        drop_cells(self.0, batch, spare, |cell| cell.iter().all(|&byte| byte == 0))
    }
}

/// Makes the step that drops what goes without saying in a sparse matrix of a header: the fill, and
/// zeros where there is none. There is none for a fill that the values cannot be.
pub(crate) fn drop_unstored(header: &Header) -> Option<Box<dyn Step>> {
    let builder = Builder::new(header.order, header.shape);
    match header.fill {
        Some(fill) => Some(Box::new(DropAlike::of_type(builder, header.value_type, fill)?)),
        None => Some(Box::new(DropZeros(builder))),
    }
}

/// Drops entries that are one certain value, to the bit.
pub(crate) struct DropAlike {
    builder: Builder,
    bytes: Vec<u8>,
}

impl DropAlike {
    /// Drops `value` from what is of a type; `None` where that type does not have it.
    pub(crate) fn of_type(builder: Builder, value_type: ValueType, value: Scalar) -> Option<Self> {
        let value = value.cast(value_type, Rounding::Refused).ok()?;
        Some(Self { builder, bytes: value.repeat(1).bytes().to_vec() })
    }
}

impl Step for DropAlike {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        drop_cells(self.builder, batch, spare, |cell| cell == self.bytes)
    }
}

/// Drops entries whose bytes are so.
fn drop_cells(
    builder: Builder,
    batch: &mut Batch,
    spare: &mut Batch,
    are_so: impl Fn(&[u8]) -> bool,
) -> Result<()> {
    if let Values::Iso(scalar) = batch.values {
        batch.values = scalar.repeat(batch.entries());
    }
    builder.start(batch.order, spare);
    spare.values = emptied(&batch.values);
    let size = batch.values.value_type().size();
    let cells = batch.values.bytes();
    batch.try_for_each(|entry, major, minor| {
        if !are_so(&cells[entry * size..][..size]) {
            builder.push(spare, major, minor);
            spare.values.extend_from(&batch.values, entry..entry + 1);
        }
        Ok::<(), Error>(())
    })?;
    std::mem::swap(batch, spare);
    Ok(())
}
