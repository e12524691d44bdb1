//! A batch in few bytes.

use nnz_bitpack::{CHUNK, Codec, Encoder, unpack_chunks};
use nnz_core::{Batch, Error, Minors, Place, Result, ValueType, Values};

use crate::sort::{Store, StoredWords};

/// A decoded batch whose indices, and values that are whole numbers, are bit-packed: a byte or two for each entry of
/// counts.
pub(super) struct PackedBatch {
    /// The batch, without the numbers in the store.
    rest: Batch,
    minors: Stored,
    values: Stored,
    /// The words of the minors, then those of the values.
    words: StoredWords,
}

/// How numbers are stored.
#[derive(Clone, Copy)]
enum Stored {
    /// In the batch.
    InBatch,
    /// As words of their bytes.
    Bytes { count: usize, words: usize },
    /// Bit-packed: positions and first values of chunks, then words.
    Packed { count: usize, words: usize },
}

/// Indices ascend, except from one row or column to the next.
const MINORS: Codec = Codec::DeltaZigzag;

/// Entries are rarely zero.
const VALUES: Codec = Codec::MinusOne;

impl PackedBatch {
    pub(super) fn new(batch: &Batch, store: &Store) -> Result<Self> {
        let mut all = Vec::new();
        let (minors, no_minors) = match &batch.minors {
            Minors::U32(minors) => (pack(MINORS, minors, &mut all), Minors::U32(Vec::new())),
            Minors::U64(minors) => {
                (copy(bytemuck::cast_slice(minors), 8, &mut all), Minors::U64(Vec::new()))
            }
            spans => (Stored::InBatch, spans.clone()),
        };
        let value_type = batch.values.value_type();
        let (values, no_values) = match (whole_numbers(&batch.values), &batch.values) {
            (Some(numbers), _) => (pack(VALUES, &numbers, &mut all), Values::new(value_type)),
            (None, shared @ Values::Iso(_)) => (Stored::InBatch, shared.clone()),
            (None, values) => {
                (copy(values.bytes(), value_type.size(), &mut all), Values::new(value_type))
            }
        };
        let rest = Batch {
            order: batch.order,
            majors: batch.majors.clone(),
            offsets: batch.offsets.clone(),
            minors: no_minors,
            values: no_values,
        };
        // An offset, and perhaps a number, for each run.
        store.count(rest.runs() * 16);
        Ok(Self { rest, minors, values, words: store.keep(all)? })
    }

    /// Decodes the batch into another one.
    pub(super) fn unpack(&self, batch: &mut Batch) -> Result<()> {
        let Self { rest, minors, values, words } = self;
        batch.order = rest.order;
        batch.majors.clone_from(&rest.majors);
        batch.offsets.clone_from(&rest.offsets);
        let mut buffer = Vec::new();
        let all = words.read(0, minors.words() + values.words(), &mut buffer)?;
        let (of_minors, of_values) = all.split_at(minors.words());
        match *minors {
            Stored::InBatch => batch.minors.clone_from(&rest.minors),
            Stored::Bytes { count, .. } => {
                let minors = batch.minors.u64_mut();
                minors.resize(count, 0);
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(minors);
                bytes.copy_from_slice(bytemuck::cast_slice(of_minors));
            }
            Stored::Packed { count, .. } => {
                unpack(MINORS, count, of_minors, batch.minors.u32_buffer())?;
            }
        }
        let value_type = rest.values.value_type();
        if matches!(batch.values, Values::Iso(_)) || batch.values.value_type() != value_type {
            batch.values = Values::new(value_type);
        }
        match *values {
            Stored::InBatch => batch.values.clone_from(&rest.values),
            Stored::Bytes { count, .. } => {
                let bytes = batch.values.resize_bytes(count);
                let stored: &[u8] = bytemuck::cast_slice(of_values);
                bytes.copy_from_slice(&stored[..bytes.len()]);
            }
            Stored::Packed { count, .. } => match &mut batch.values {
                Values::U32(numbers) => unpack(VALUES, count, of_values, numbers)?,
                _ => {
                    let mut numbers = Vec::new();
                    unpack(VALUES, count, of_values, &mut numbers)?;
                    batch.values = of_whole_numbers(numbers, value_type);
                }
            },
        }
        Ok(())
    }
}

impl Stored {
    fn words(self) -> usize {
        match self {
            Self::InBatch => 0,
            Self::Bytes { words, .. } | Self::Packed { words, .. } => words,
        }
    }
}

/// Appends the bytes of numbers.
fn copy(bytes: &[u8], size: usize, all: &mut Vec<u32>) -> Stored {
    let words = bytes.len().div_ceil(4);
    let start = all.len();
    all.resize(start + words, 0);
    let stored: &mut [u8] = bytemuck::cast_slice_mut(&mut all[start..]);
    stored[..bytes.len()].copy_from_slice(bytes);
    Stored::Bytes { count: bytes.len() / size.max(1), words }
}

/// Appends packed numbers.
fn pack(codec: Codec, numbers: &[u32], all: &mut Vec<u32>) -> Stored {
    let mut encoder = Encoder::new(codec);
    encoder.push(numbers);
    let packed = encoder.finish();
    let start = all.len();
    all.reserve_exact(packed.idx.len() + packed.starts.len() + packed.data.len());
    all.extend(packed.idx);
    all.extend(packed.starts);
    all.extend(packed.data);
    Stored::Packed { count: numbers.len(), words: all.len() - start }
}

fn unpack(codec: Codec, count: usize, words: &[u32], into: &mut Vec<u32>) -> Result<()> {
    let damaged = || Error::mismatch(Place::default(), "damaged packed entries", "what was kept");
    let chunks = count.div_ceil(CHUNK);
    let starts = if codec.has_starts() { chunks } else { 0 };
    let (idx, rest) = words.split_at_checked(chunks + 1).ok_or_else(damaged)?;
    let (starts, data) = rest.split_at_checked(starts).ok_or_else(damaged)?;
    into.resize(chunks * CHUNK, 0);
    unpack_chunks(codec, idx, 0, 0, data, starts, into)
        .map_err(|error| Error::mismatch(Place::default(), error.to_string(), "packed entries"))?;
    into.truncate(count);
    Ok(())
}

/// Returns values that are all whole numbers of 32 bits.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "what becomes of it is compared"
)]
fn whole_numbers(values: &Values) -> Option<Vec<u32>> {
    match values {
        Values::U32(all) => Some(all.clone()),
        Values::I32(all) => all.iter().map(|value| u32::try_from(*value).ok()).collect(),
        Values::F32(all) => {
            let whole = |value: &f32| {
                let number = *value as u32;
                // The bits, as zero has two.
                ((number as f32).to_bits() == value.to_bits()).then_some(number)
            };
            all.iter().map(whole).collect()
        }
        _ => None,
    }
}

#[allow(clippy::cast_possible_wrap, clippy::cast_precision_loss, reason = "it was compared")]
fn of_whole_numbers(numbers: Vec<u32>, value_type: ValueType) -> Values {
    match value_type {
        ValueType::I32 => Values::I32(numbers.into_iter().map(|number| number as i32).collect()),
        ValueType::F32 => Values::F32(numbers.into_iter().map(|number| number as f32).collect()),
        _ => Values::U32(numbers),
    }
}

#[cfg(test)]
mod tests {
    use nnz_core::{Majors, Order};

    use super::*;

    #[test]
    fn batches_are_the_same_after_unpacking() {
        let lists = [
            Values::from(vec![1_u32, 0, u32::MAX, 7]),
            Values::from(vec![1_i32, 0, i32::MAX, 7]),
            Values::from(vec![-1_i32, 0, 5, 7]),
            Values::from(vec![1.0_f32, 0.0, 16_777_216.0, 4_294_967_040.0]),
            Values::from(vec![1.0_f32, -0.0, 0.5, f32::NAN]),
            Values::from(vec![4_294_967_296.0_f32, f32::INFINITY, -1.0, 2.0]),
            Values::from(vec![1.0_f64, 2.0, 3.0, 4.0]),
            Values::from(vec![1_u8, 2, 3, 4]),
            Values::Iso(nnz_core::Scalar::F32(2.0)),
        ];
        // In memory, and in a file.
        let stores = [u64::MAX, 0].map(|memory| Store::new(&std::env::temp_dir(), memory));
        for values in lists {
            for minors in
                [Minors::U32(vec![3, 1, 2, u32::MAX]), Minors::U64(vec![0, 1, 2, 1 << 40])]
            {
                let batch = Batch {
                    order: Order::Col,
                    majors: Majors::Listed(vec![4, 9]),
                    offsets: vec![0, 1, 4],
                    minors,
                    values: values.clone(),
                };
                for store in &stores {
                    let packed = PackedBatch::new(&batch, store).unwrap();
                    let mut unpacked = Batch::new(Order::Col, Values::new(ValueType::U8));
                    packed.unpack(&mut unpacked).unwrap();
                    // NaN is not equal to itself.
                    assert_eq!(format!("{unpacked:?}"), format!("{batch:?}"));
                }
            }
        }
        let empty = Batch::new(Order::Row, Values::new(ValueType::U32));
        let mut unpacked = empty.clone();
        PackedBatch::new(&empty, &stores[0]).unwrap().unpack(&mut unpacked).unwrap();
        assert_eq!(unpacked, empty);
    }
}
