//! The part of writing that any thread can do.

use nnz_bitpack::Codec;
use nnz_core::{
    At, Batch, BatchEncoder, Element, Encoded, Error, Majors, Minors, Place, Result, ValueType,
    Values,
};

use crate::arrays::{EncodedIntegers, SpareChunks};
use crate::version::Version;

/// Encodes batches of a matrix.
pub(super) struct MatrixEncoder {
    pub(super) version: Version,
    /// The length of the minor axis.
    pub(super) minors: u64,
    pub(super) spare: SpareChunks,
}

/// An encoded batch.
pub(super) struct EncodedBatch {
    /// The position of its first entry.
    pub(super) first: u64,
    pub(super) majors: Majors,
    pub(super) offsets: Vec<usize>,
    pub(super) index: EncodedIntegers,
    pub(super) values: EncodedValues,
}

pub(super) enum EncodedValues {
    Integers(EncodedIntegers),
    Bytes(Vec<u8>),
}

impl BatchEncoder for MatrixEncoder {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        let packing = self.version.packing;
        let narrowed;
        let minors = match &batch.minors {
            Minors::U32(minors) => &minors[..],
            _ => {
                narrowed = self.narrowed(batch)?;
                &narrowed[..]
            }
        };
        self.check(batch, minors)?;
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(batch.entries());
                &repeated
            }
            values => values,
        };
        let value_type = self.version.value_type;
        if values.value_type() != value_type {
            let found = format!("values of type {}", values.value_type());
            return Err(Error::mismatch(Place::default(), found, value_type));
        }
        Ok(Box::new(EncodedBatch {
            first,
            majors: batch.majors.clone(),
            offsets: batch.offsets.clone(),
            index: EncodedIntegers::encode(Codec::DeltaZigzag, packing, minors, first, &self.spare),
            values: match value_type {
                ValueType::U32 => {
                    let values = u32::slice(values).unwrap_or_default();
                    let codec = Codec::MinusOne;
                    let encoded =
                        EncodedIntegers::encode(codec, packing, values, first, &self.spare);
                    EncodedValues::Integers(encoded)
                }
                _ => EncodedValues::Bytes(values.bytes().to_vec()),
            },
        }))
    }
}

impl MatrixEncoder {
    /// Returns the minor indices of a batch as 32-bit integers.
    fn narrowed(&self, batch: &Batch) -> Result<Vec<u32>> {
        let mut narrowed = Vec::with_capacity(batch.entries());
        batch.try_for_each(|entry, _, minor| match u32::try_from(minor) {
            Ok(minor) => {
                narrowed.push(minor);
                Ok(())
            }
            Err(_) => Err(self.out_of_range(batch, entry)),
        })?;
        Ok(narrowed)
    }

    fn check(&self, batch: &Batch, minors: &[u32]) -> Result<()> {
        let entries = batch.entries();
        if minors.len() != entries || batch.values.len().is_some_and(|len| len != entries) {
            let found = format!("{} indices for {entries} entries", minors.len());
            return Err(Error::mismatch(Place::default(), found, "one index for each entry"));
        }
        if nnz_bitpack::max(minors).is_none_or(|largest| u64::from(largest) < self.minors) {
            return Ok(());
        }
        let entry = minors.iter().position(|&minor| u64::from(minor) >= self.minors);
        Err(self.out_of_range(batch, entry.unwrap_or(0)))
    }

    fn out_of_range(&self, batch: &Batch, entry: usize) -> Error {
        let (row, col) = batch.row_col(entry);
        let place = Place::default().at(At::Entry { row, col });
        Error::mismatch(place, "an index past the end", format!("less than {}", self.minors))
    }
}
