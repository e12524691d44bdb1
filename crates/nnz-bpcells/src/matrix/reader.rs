//! Reading a range of major vectors, piece by piece.

use std::cell::RefCell;
use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::{
    At, Batch, Element, Error, Majors, Order, Projection, Result, Unit, UnitReader, Values,
};

use super::source::{MatrixSource, ValueArray};
use crate::arrays::Scratch;

/// Entries in a piece: few enough that indices and values stay in the processor's cache, and many
/// enough that what each read costs does not matter.
const PIECE: u64 = 512 * CHUNK as u64;

/// Pointers that are read at a time.
const WINDOW: u64 = 8192;

thread_local! {
    /// Buffers for packed data, which each thread uses again from piece to piece.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Cuts a range of major vectors into pieces.
pub(super) struct Reader<'a> {
    source: &'a MatrixSource,
    fields: Projection,
    /// The next major to hand out, which may be begun already, and the end.
    majors: Range<u64>,
    /// The next entry to hand out.
    entry: Option<u64>,
    /// Pointers of the majors from `window_start` on, and the end of the last one.
    window: Vec<u64>,
    window_start: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a MatrixSource, majors: Range<u64>, fields: Projection) -> Self {
        Self { source, fields, majors, entry: None, window: Vec::new(), window_start: 0 }
    }

    /// Makes sure that the pointers of the next major are in the window.
    fn load_window(&mut self) -> Result<()> {
        let loaded = self.window.len().saturating_sub(1) as u64;
        if self.window_start <= self.majors.start && self.majors.start < self.window_start + loaded
        {
            return Ok(());
        }
        let end = self.majors.end.min(self.majors.start + WINDOW);
        let len = usize::try_from(end - self.majors.start).unwrap_or(0) + 1;
        self.window.resize(len, 0);
        self.source.pointers.read(self.majors.start, &mut self.window)?;
        self.window_start = self.majors.start;
        Ok(())
    }
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        if self.majors.is_empty() {
            return Ok(None);
        }
        self.load_window()?;
        let skip = usize::try_from(self.majors.start - self.window_start).unwrap_or(0);
        let window = &self.window[skip..];
        let start = *self.entry.get_or_insert(window[0]);
        // Pieces end where chunks end, so that no chunk is decoded twice.
        let limit = (start + PIECE) / CHUNK as u64 * CHUNK as u64;

        let first = self.majors.start;
        let mut offsets = Vec::with_capacity(window.len().min(256));
        offsets.push(0);
        let mut end = start;
        for &next in &window[1..] {
            end = next.min(limit);
            offsets.push(usize::try_from(end - start).unwrap_or(usize::MAX));
            if next > limit {
                // This major goes on in the next piece.
                break;
            }
            self.majors.start += 1;
        }
        self.entry = Some(end);
        let (source, fields) = (self.source, self.fields);
        Ok(Some(Box::new(Piece { source, fields, first, offsets, entries: start..end })))
    }
}

/// The entries of neighbouring major vectors, the first and last of which may be cut.
struct Piece<'a> {
    source: &'a MatrixSource,
    fields: Projection,
    first: u64,
    offsets: Vec<usize>,
    entries: Range<u64>,
}

impl Unit for Piece<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        SCRATCH.with_borrow_mut(|scratch| {
            if self.fields.minors {
                self.read_minors(scratch, batch.minors.u32_buffer())?;
            }
            if self.fields.values {
                self.read_values(scratch, &mut batch.values)?;
            }
            Ok::<(), Error>(())
        })?;
        batch.order = self.source.header.order;
        batch.majors = Majors::Consecutive(self.first);
        batch.offsets = self.offsets;
        Ok(())
    }
}

impl Piece<'_> {
    fn read_minors(&self, scratch: &mut Scratch, minors: &mut Vec<u32>) -> Result<()> {
        self.source.index.read(self.entries.clone(), scratch, minors)?;
        let header = &self.source.header;
        let len = header.shape.minor(header.order);
        if nnz_bitpack::max(minors).is_none_or(|largest| u64::from(largest) < len) {
            return Ok(());
        }
        let offender = minors.iter().position(|&minor| u64::from(minor) >= len).unwrap_or(0);
        let place = self.source.index.place().at(At::Element(self.entries.start + offender as u64));
        let axis = match header.order {
            Order::Col => "rows",
            Order::Row => "columns",
        };
        let found = format!("the index {}", minors[offender]);
        Err(Error::mismatch(place, found, format!("less than {len}, the number of {axis}")))
    }

    fn read_values(&self, scratch: &mut Scratch, values: &mut Values) -> Result<()> {
        let entries = self.entries.clone();
        match &self.source.values {
            ValueArray::Integers(integers) => integers.read(entries, scratch, u32::vec_mut(values)),
            ValueArray::Floats(array) => {
                if values.value_type() != array.value_type() || matches!(values, Values::Iso(_)) {
                    *values = Values::new(array.value_type());
                }
                let count = usize::try_from(entries.end - entries.start).unwrap_or(usize::MAX);
                array.read_bytes(entries.start, values.resize_bytes(count))
            }
        }
    }
}
