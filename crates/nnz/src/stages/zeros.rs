//! Dropping the cells of a dense source that are no entries of a sparse target.

use nnz_core::{Batch, Error, Header, Result, Values};

use super::{Builder, Step, emptied};

/// Drops entries that are zero. A negative zero and NaN stay: they are not nothing.
pub(crate) struct DropZeros(pub(crate) Builder);

impl Step for DropZeros {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        // All bytes are zero just for the zero of each type, and for no negative one.
        drop_cells(&self.0, batch, spare, |cell| cell.iter().all(|&byte| byte == 0))
    }
}

/// Drops entries that are what cells are that are not stored, to the bit.
struct DropFill {
    builder: Builder,
    fill: Values,
}

impl Step for DropFill {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        drop_cells(&self.builder, batch, spare, |cell| cell == self.fill.bytes())
    }
}

/// Makes the step that drops what goes without saying in a sparse matrix of a header: the fill, and
/// zeros where there is none.
pub(crate) fn drop_unstored(header: &Header) -> Box<dyn Step> {
    let builder = Builder::new(header.order, header.shape);
    match header.fill {
        Some(fill) => Box::new(DropFill { builder, fill: fill.repeat(1) }),
        None => Box::new(DropZeros(builder)),
    }
}

fn drop_cells(
    builder: &Builder,
    batch: &mut Batch,
    spare: &mut Batch,
    dropped: impl Fn(&[u8]) -> bool,
) -> Result<()> {
    if let Values::Iso(scalar) = batch.values {
        batch.values = scalar.repeat(batch.entries());
    }
    builder.start(batch.order, spare);
    spare.values = emptied(&batch.values);
    let size = batch.values.value_type().size();
    let cells = batch.values.bytes();
    batch.try_for_each(|entry, major, minor| {
        if !dropped(&cells[entry * size..][..size]) {
            builder.push(spare, major, minor);
            spare.values.extend_from(&batch.values, entry..entry + 1);
        }
        Ok::<(), Error>(())
    })?;
    std::mem::swap(batch, spare);
    Ok(())
}
