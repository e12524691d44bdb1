//! Reading a range of major vectors, batch by batch.

use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::{At, Batch, BatchReader, Element, Error, Fields, Majors, Order, Result, Values};

use super::source::{MatrixSource, ValueArray};
use crate::arrays::Scratch;

/// Entries in a batch: few enough that indices and values stay in the processor's cache, and many
/// enough that what each read costs does not matter.
const BATCH: u64 = 256 * CHUNK as u64;

/// Pointers that are read at a time.
const WINDOW: u64 = 8192;

/// Hands out the entries of a range of major vectors.
pub(super) struct Reader<'a> {
    source: &'a MatrixSource,
    fields: Fields,
    /// The next major to hand out, which may be begun already, and the end.
    majors: Range<u64>,
    /// The next entry to hand out.
    entry: Option<u64>,
    /// Pointers of the majors from `window_start` on, and the end of the last one.
    window: Vec<u64>,
    window_start: u64,
    scratch: Scratch,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a MatrixSource, majors: Range<u64>, fields: Fields) -> Self {
        Self {
            source,
            fields,
            majors,
            entry: None,
            window: Vec::new(),
            window_start: 0,
            scratch: Scratch::default(),
        }
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

    /// Chooses the next entries, describes their runs in `batch` and moves on behind them.
    fn choose(&mut self, batch: &mut Batch) -> Range<u64> {
        let skip = usize::try_from(self.majors.start - self.window_start).unwrap_or(0);
        let window = &self.window[skip..];
        let start = *self.entry.get_or_insert(window[0]);
        // Batches end where chunks end, so that no chunk is decoded twice.
        let limit = (start + BATCH) / CHUNK as u64 * CHUNK as u64;

        batch.majors = Majors::Consecutive(self.majors.start);
        batch.offsets.clear();
        batch.offsets.push(0);
        let mut end = start;
        for &next in &window[1..] {
            end = next.min(limit);
            batch.offsets.push(usize::try_from(end - start).unwrap_or(usize::MAX));
            if next > limit {
                // This major goes on in the next batch.
                break;
            }
            self.majors.start += 1;
        }
        self.entry = Some(end);
        start..end
    }

    fn read_minors(&mut self, entries: Range<u64>, batch: &mut Batch) -> Result<()> {
        let minors = batch.minors.u32_mut();
        self.source.index.read(entries.clone(), &mut self.scratch, minors)?;
        let header = &self.source.header;
        let len = header.shape.minor(header.order);
        let largest = minors.iter().copied().max();
        if largest.is_none_or(|largest| u64::from(largest) < len) {
            return Ok(());
        }
        let offender = minors.iter().position(|&minor| u64::from(minor) >= len).unwrap_or(0);
        let place = self.source.index.place().at(At::Element(entries.start + offender as u64));
        let axis = match header.order {
            Order::Col => "rows",
            Order::Row => "columns",
        };
        let found = format!("the index {}", minors[offender]);
        Err(Error::mismatch(place, found, format!("less than {len}, the number of {axis}")))
    }

    fn read_values(&mut self, entries: Range<u64>, values: &mut Values) -> Result<()> {
        match &self.source.values {
            ValueArray::Integers(integers) => {
                integers.read(entries, &mut self.scratch, u32::vec_mut(values))
            }
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

impl BatchReader for Reader<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        if self.majors.is_empty() {
            return Ok(false);
        }
        batch.order = self.source.header.order;
        self.load_window()?;
        let entries = self.choose(batch);
        if self.fields.minors {
            self.read_minors(entries.clone(), batch)?;
        }
        if self.fields.values {
            self.read_values(entries, &mut batch.values)?;
        }
        Ok(true)
    }
}
