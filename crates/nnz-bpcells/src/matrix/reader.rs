//! Reading a range of major vectors in pieces.

use std::cell::RefCell;
use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::{
    At, Batch, Element, EntryPiece, Error, Majors, Order, PointerCursor, Projection, Result, Unit,
    UnitReader, ValueType, Values,
};

use super::ahead::Ahead;
use super::source::{MatrixSource, ValueArray};
use crate::arrays::Scratch;

/// Entries in a piece: few enough that indices and values stay in the cache, and many enough that
/// the cost of each read does not matter.
pub(super) const PIECE: u64 = 512 * CHUNK as u64;

thread_local! {
    /// Buffers for packed data, reused by each thread.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Calls a function with the buffers of this thread.
pub(super) fn with_scratch(read: impl FnOnce(&mut Scratch) -> Result<()>) -> Result<()> {
    SCRATCH.with_borrow_mut(read)
}

/// Checks that the minor indices of ranges of entries are less than the length of their axis.
pub(super) fn check_minors(
    source: &MatrixSource,
    entries: impl Iterator<Item = Range<u64>>,
    minors: &[u32],
) -> Result<()> {
    let header = &source.header;
    let len = header.shape.minor(header.order);
    if nnz_bitpack::max(minors).is_none_or(|largest| u64::from(largest) < len) {
        return Ok(());
    }
    let too_large = |(_, minor): &(u64, &u32)| u64::from(**minor) >= len;
    let Some((entry, minor)) = entries.flatten().zip(minors).find(too_large) else { return Ok(()) };
    let place = source.index.place().at(At::Element(entry));
    let axis = match header.order {
        Order::Col => "rows",
        Order::Row => "columns",
    };
    let found = format!("the index {minor}");
    Err(Error::mismatch(place, found, format!("less than {len}, the number of {axis}")))
}

/// Returns the values, after replacing them by empty ones if they have another type.
pub(super) fn typed(values: &mut Values, value_type: ValueType) -> &mut Values {
    if values.value_type() != value_type || matches!(values, Values::Iso(_)) {
        *values = Values::new(value_type);
    }
    values
}

/// Splits a range of major vectors into pieces.
pub(super) struct Reader<'a> {
    source: &'a MatrixSource,
    fields: Projection,
    cursor: PointerCursor,
    ahead: Option<Ahead>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a MatrixSource, majors: Range<u64>, fields: Projection) -> Self {
        let ahead = Ahead::start(source, &majors, fields);
        Self { source, fields, cursor: PointerCursor::new(majors, PIECE), ahead }
    }
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let (source, fields) = (self.source, self.fields);
        let piece = self.cursor.next_piece(&source.pointers)?;
        if let (Some(ahead), Some(piece)) = (&mut self.ahead, &piece) {
            ahead.advance(source, piece.entries.start, fields);
        }
        Ok(piece.map(|piece| Box::new(Entries { source, fields, piece }) as Box<dyn Unit>))
    }
}

/// Consecutive entries. Pieces end at the ends of chunks, so that no chunk is decoded twice.
struct Entries<'a> {
    source: &'a MatrixSource,
    fields: Projection,
    piece: EntryPiece,
}

impl Unit for Entries<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        with_scratch(|scratch| {
            if self.fields.minors {
                self.read_minors(scratch, batch.minors.u32_buffer())?;
            }
            if self.fields.values {
                self.read_values(scratch, &mut batch.values)?;
            }
            Ok(())
        })?;
        batch.order = self.source.header.order;
        batch.majors = Majors::Consecutive(self.piece.first);
        batch.offsets = self.piece.offsets;
        Ok(())
    }
}

impl Entries<'_> {
    fn read_minors(&self, scratch: &mut Scratch, minors: &mut Vec<u32>) -> Result<()> {
        self.source.index.read(self.piece.entries.clone(), scratch, minors)?;
        check_minors(self.source, std::iter::once(self.piece.entries.clone()), minors)
    }

    fn read_values(&self, scratch: &mut Scratch, values: &mut Values) -> Result<()> {
        let entries = self.piece.entries.clone();
        match &self.source.values {
            ValueArray::Integers(integers) => integers.read(entries, scratch, u32::vec_mut(values)),
            ValueArray::Floats(array) => {
                let values = typed(values, array.value_type());
                array.read_bytes(entries.start, values.resize_bytes(self.piece.len()))
            }
        }
    }
}
