//! A batch in few bytes.

use nnz_bitpack::{CHUNK, Codec, Encoder, Finished, unpack_chunks};
use nnz_core::{Batch, Error, Minors, Place, Result, ValueType, Values};

/// A decoded batch whose indices, and values that are whole numbers, are bit-packed: a byte or two for each entry of
/// counts.
pub(super) struct PackedBatch {
    /// The batch, without what is packed.
    rest: Batch,
    minors: Option<Finished>,
    /// The values, and their type.
    values: Option<(Finished, ValueType)>,
}

/// Indices ascend, except from one row or column to the next.
const MINORS: Codec = Codec::DeltaZigzag;

/// Entries are rarely zero.
const VALUES: Codec = Codec::MinusOne;

impl PackedBatch {
    pub(super) fn new(batch: &Batch) -> Self {
        let minors = match &batch.minors {
            Minors::U32(minors) => Some(packed(MINORS, minors)),
            _ => None,
        };
        let values = whole_numbers(&batch.values)
            .map(|numbers| (packed(VALUES, &numbers), batch.values.value_type()));
        let rest = Batch {
            order: batch.order,
            majors: batch.majors.clone(),
            offsets: batch.offsets.clone(),
            minors: if minors.is_some() { Minors::U32(Vec::new()) } else { batch.minors.clone() },
            values: match values {
                Some((_, value_type)) => Values::new(value_type),
                None => batch.values.clone(),
            },
        };
        Self { rest, minors, values }
    }

    /// Returns the bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        let entries = self.rest.entries() as u64;
        let of_packed = |packed: &Finished| {
            4 * (packed.data.len() + packed.idx.len() + packed.starts.len()) as u64
        };
        let minors = match (&self.minors, &self.rest.minors) {
            (Some(packed), _) => of_packed(packed),
            (None, Minors::U32(_)) => 4 * entries,
            (None, Minors::U64(_)) => 8 * entries,
            (None, Minors::Spans(_)) => 0,
        };
        let values = match (&self.values, &self.rest.values) {
            (Some((packed, _)), _) => of_packed(packed),
            (None, Values::Iso(_)) => 0,
            (None, values) => values.value_type().size() as u64 * entries,
        };
        // An offset, and perhaps a number, for each run.
        minors + values + self.rest.runs() as u64 * 24
    }

    /// Decodes the batch into another one.
    pub(super) fn unpack(&self, batch: &mut Batch) -> Result<()> {
        let Self { rest, minors, values } = self;
        batch.order = rest.order;
        batch.majors.clone_from(&rest.majors);
        batch.offsets.clone_from(&rest.offsets);
        match minors {
            Some(packed) => unpack(MINORS, packed, batch.minors.u32_buffer())?,
            None => batch.minors.clone_from(&rest.minors),
        }
        match values {
            None => batch.values.clone_from(&rest.values),
            Some((packed, ValueType::U32)) => {
                if !matches!(batch.values, Values::U32(_)) {
                    batch.values = Values::new(ValueType::U32);
                }
                if let Values::U32(numbers) = &mut batch.values {
                    unpack(VALUES, packed, numbers)?;
                }
            }
            Some((packed, value_type)) => {
                let mut numbers = Vec::new();
                unpack(VALUES, packed, &mut numbers)?;
                batch.values = of_whole_numbers(numbers, *value_type);
            }
        }
        Ok(())
    }
}

fn packed(codec: Codec, numbers: &[u32]) -> Finished {
    let mut encoder = Encoder::new(codec);
    encoder.push(numbers);
    let mut packed = encoder.finish();
    packed.data.shrink_to_fit();
    packed.idx.shrink_to_fit();
    packed.starts.shrink_to_fit();
    packed
}

fn unpack(codec: Codec, packed: &Finished, into: &mut Vec<u32>) -> Result<()> {
    into.resize(packed.idx.len().saturating_sub(1) * CHUNK, 0);
    let Finished { data, idx, starts, count, .. } = packed;
    unpack_chunks(codec, idx, 0, 0, data, starts, into)
        .map_err(|error| Error::mismatch(Place::default(), error.to_string(), "packed entries"))?;
    into.truncate(usize::try_from(*count).unwrap_or(usize::MAX));
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
        ];
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
                let packed = PackedBatch::new(&batch);
                let mut unpacked = Batch::new(Order::Col, Values::new(ValueType::U8));
                packed.unpack(&mut unpacked).unwrap();
                // NaN is not equal to itself.
                assert_eq!(format!("{unpacked:?}"), format!("{batch:?}"));
                assert!(packed.bytes() > 0);
            }
        }
        let empty = Batch::new(Order::Row, Values::new(ValueType::U32));
        let mut unpacked = empty.clone();
        PackedBatch::new(&empty).unpack(&mut unpacked).unwrap();
        assert_eq!(unpacked, empty);
    }
}
