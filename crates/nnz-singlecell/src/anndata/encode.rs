//! The part of writing that any thread can do: encoding entries.

use nnz_core::{Batch, BatchEncoder, Encoded, Error, Header, Minors, Result, ValueType, Values};

/// Encodes batches.
pub(super) struct MatrixEncoder {
    pub(super) index_type: ValueType,
    /// Of the matrix.
    pub(super) header: Header,
}

/// Entries in native byte order.
pub(super) struct EncodedBatch {
    /// Each major, and its number of entries.
    pub(super) runs: Vec<(u64, u64)>,
    pub(super) indices: Vec<u8>,
    pub(super) values: Vec<u8>,
}

impl MatrixEncoder {
    /// Encodes the same pointer `count` times.
    pub(super) fn pointers(&self, pointer: u64, count: u64) -> Result<Vec<u8>> {
        let count = usize::try_from(count).unwrap_or(0);
        Ok(match self.index_type {
            ValueType::I32 => narrow(pointer)?.to_ne_bytes().repeat(count),
            _ => wide(pointer)?.to_ne_bytes().repeat(count),
        })
    }

    pub(super) fn encode_batch(&self, batch: &Batch) -> Result<EncodedBatch> {
        batch.check(&self.header)?;
        let runs =
            (0..batch.runs()).map(|run| (batch.majors.get(run), batch.run(run).len() as u64));
        let values = match &batch.values {
            Values::Iso(value) => value.repeat(batch.entries()).bytes().to_vec(),
            values => values.bytes().to_vec(),
        };
        Ok(EncodedBatch { runs: runs.collect(), indices: self.indices(batch)?, values })
    }

    fn indices(&self, batch: &Batch) -> Result<Vec<u8>> {
        let entries = batch.entries();
        if self.index_type == ValueType::I32 {
            let mut bytes = Vec::with_capacity(entries.saturating_mul(4));
            if let Minors::U32(minors) = &batch.minors {
                // All fit: they are less than the length of the axis.
                minors.iter().for_each(|minor| bytes.extend(minor.to_ne_bytes()));
                return Ok(bytes);
            }
            batch.try_for_each(|_, _, minor| {
                bytes.extend(narrow(minor)?.to_ne_bytes());
                Ok::<_, Error>(())
            })?;
            return Ok(bytes);
        }
        let mut bytes = Vec::with_capacity(entries.saturating_mul(8));
        batch.try_for_each(|_, _, minor| {
            bytes.extend(wide(minor)?.to_ne_bytes());
            Ok::<_, Error>(())
        })?;
        Ok(bytes)
    }
}

impl BatchEncoder for MatrixEncoder {
    fn encode(&self, batch: &Batch, _: u64) -> Result<Encoded> {
        Ok(Box::new(self.encode_batch(batch)?))
    }
}

fn narrow(number: u64) -> Result<i32> {
    i32::try_from(number).map_err(|_| too_large())
}

fn wide(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|_| too_large())
}

fn too_large() -> Error {
    Error::argument("an index or a number of entries that does not fit into the type of indices")
}
