//! Encoding entries, on any thread.

mod encoded;
mod rows;

use std::sync::Mutex;

use nnz_core::{
    Batch, BatchEncoder, Duplicates, Element, Encoded, Header, Majors, Minors, Order, Place,
    Result, Shape, ValueType, Values,
};

use super::place;
use crate::block::with_type;
use crate::file::swap_on_big_endian;
use crate::lock::lock;

pub(super) use encoded::EncodedBatch;

/// The encoding of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// Counts of rows, and pairs of column and value. Counts have this many bytes.
    Rows(usize),
    /// 64-bit columns, and values.
    Arrays,
    /// Row, column and value; no column if there is only one.
    Places {
        /// Whether there is a column.
        columns: bool,
    },
}

/// Encodes batches.
pub(super) struct Encoder {
    coding: Coding,
    shape: Shape,
    value_type: ValueType,
    /// Whether to skip elements whose bits are all zero.
    drop_zeros: bool,
    /// The file, for messages.
    place: Place,
    /// Batches that were written, for reuse.
    #[expect(clippy::vec_box, reason = "encoded batches are boxed anyway")]
    spare: Mutex<Vec<Box<EncodedBatch>>>,
}

impl BatchEncoder for Encoder {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        if let Values::Iso(scalar) = batch.values {
            let values = scalar.repeat(batch.entries());
            return self.encode(&Batch { values, ..batch.clone() }, first);
        }
        let ends = place::check(batch, &self.header());
        let ends = ends.map_err(|error| error.with_context(&self.place))?;
        let entries = batch.entries() as u64;
        let held = if self.drop_zeros { Some(without_zeros(batch)) } else { None };
        let batch = held.as_ref().unwrap_or(batch);
        let kept = batch.entries() as u64;
        let mut encoded = lock(&self.spare).pop().unwrap_or_default();
        encoded.begin(first, entries, kept, ends);
        with_type!(self.value_type, T => {
            match self.coding {
                Coding::Rows(4) => encoded.put_rows::<T, 4>(batch),
                Coding::Rows(_) => encoded.put_rows::<T, 8>(batch),
                _ => {
                    encoded.bytes.clear();
                    self.put::<T>(batch, &mut encoded);
                }
            }
            Ok(())
        })?;
        Ok(encoded)
    }
}

impl Encoder {
    pub(super) fn new(coding: Coding, header: &Header, drop_zeros: bool, place: Place) -> Self {
        let Header { shape, value_type, .. } = *header;
        Self { coding, shape, value_type, drop_zeros, place, spare: Mutex::default() }
    }

    /// Returns a written batch for reuse.
    pub(super) fn reuse(&self, batch: Box<EncodedBatch>) {
        lock(&self.spare).push(batch);
    }

    /// Returns the header that batches are checked against.
    fn header(&self) -> Header {
        Header::new(self.shape, Order::Row, self.value_type)
            .sorted_indices(true)
            .duplicates(Duplicates::Refused)
    }

    fn put<T: Element>(&self, batch: &Batch, encoded: &mut EncodedBatch) {
        let values = T::slice(&batch.values).unwrap_or_default();
        for run in 0..batch.runs() {
            let range = batch.run(run);
            if range.is_empty() {
                continue;
            }
            let row = batch.majors.get(run);
            let count = range.len() as u64;
            if self.coding == Coding::Arrays {
                match encoded.counts.last_mut() {
                    Some(last) if last.0 == row => last.1 += count,
                    _ => encoded.counts.push((row, count)),
                }
            }
            let values = &values[range.clone()];
            match &batch.minors {
                Minors::U32(list) => {
                    let columns = list[range].iter().map(|&column| column.into());
                    self.put_run(row, columns, values, encoded);
                }
                Minors::U64(list) => {
                    self.put_run(row, list[range].iter().copied(), values, encoded)
                }
                Minors::Spans(starts) => self.put_run(row, starts[run].., values, encoded),
            }
        }
    }

    fn put_run<T: Element>(
        &self,
        row: u64,
        columns: impl Iterator<Item = u64>,
        values: &[T],
        encoded: &mut EncodedBatch,
    ) {
        let size = size_of::<T>();
        let row = row.to_le_bytes();
        let out = &mut encoded.bytes;
        let start = out.len();
        let lead = match self.coding {
            Coding::Rows(_) | Coding::Arrays => 8,
            Coding::Places { columns: true } => 8,
            Coding::Places { columns: false } => 4,
        };
        let stride = if self.coding == Coding::Arrays { 8 } else { lead + size };
        out.resize(start + values.len() * stride, 0);
        let entries = out[start..].chunks_exact_mut(stride).zip(columns).zip(values);
        // In little-endian order, the bytes that are not written are the upper ones, which are
        // zero.
        match self.coding {
            // Rows are encoded separately.
            Coding::Rows(_) => {}
            Coding::Arrays => {
                for ((entry, column), _) in entries {
                    entry.copy_from_slice(&column.to_le_bytes());
                }
                let start = encoded.values.len();
                encoded.values.extend_from_slice(bytemuck::cast_slice(values));
                swap_on_big_endian(&mut encoded.values[start..], size);
            }
            Coding::Places { columns } => {
                for ((entry, column), value) in entries {
                    entry[..4].copy_from_slice(&row[..4]);
                    if columns {
                        entry[4..8].copy_from_slice(&column.to_le_bytes()[..4]);
                    }
                    put_value(value, &mut entry[lead..]);
                }
            }
        }
    }
}

/// Removes elements whose bits are all zero.
fn without_zeros(batch: &Batch) -> Batch {
    let size = batch.values.value_type().size();
    let bytes = batch.values.bytes();
    let mut kept = Batch::new(batch.order, Values::new(batch.values.value_type()));
    let mut majors = Vec::new();
    let mut minors = Vec::new();
    for run in 0..batch.runs() {
        for entry in batch.run(run) {
            if bytes[entry * size..(entry + 1) * size].iter().any(|&byte| byte != 0) {
                minors.push(batch.minor(run, entry));
                kept.values.extend_from(&batch.values, entry..entry + 1);
            }
        }
        majors.push(batch.majors.get(run));
        kept.offsets.push(minors.len());
    }
    kept.majors = Majors::Listed(majors);
    kept.minors = Minors::U64(minors);
    kept
}

#[inline]
fn put_value<T: Element>(value: &T, out: &mut [u8]) {
    out.copy_from_slice(bytemuck::bytes_of(value));
    swap_on_big_endian(out, size_of::<T>());
}
