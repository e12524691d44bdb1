//! One bit-packed array: `NAME_data`, `NAME_idx`, `NAME_idx_offsets` and `NAME_starts`.

use std::ops::Range;

use nnz_bitpack::{CHUNK, ChunkError, Codec, EPOCH_WORDS, EpochTable, unpack_chunks};
use nnz_container::{Container, NumberArray};
use nnz_core::{At, Error, Result, ValueType};

use super::chunks;
use crate::Generation;

/// A bit-packed array, decoded chunk by chunk.
pub(crate) struct PackedArray {
    pub(crate) data: Box<dyn NumberArray>,
    pub(crate) idx: Box<dyn NumberArray>,
    pub(crate) starts: Option<Box<dyn NumberArray>>,
    pub(crate) idx_offsets: Option<Box<dyn NumberArray>>,
    epochs: EpochTable,
    codec: Codec,
}

/// Buffers that are used again from read to read.
#[derive(Default)]
pub(crate) struct Scratch {
    idx: Vec<u32>,
    starts: Vec<u32>,
    data: Vec<u32>,
}

impl PackedArray {
    /// Opens the arrays that hold `count` values under `name`.
    pub(crate) fn open(
        container: &dyn Container,
        name: &str,
        codec: Codec,
        generation: Generation,
        count: u64,
    ) -> Result<Self> {
        let open = |suffix: &str| container.array(&format!("{name}_{suffix}"));
        let data = open("data")?;
        let idx = open("idx")?;
        at_least(&*idx, chunks(count) + 1)?;
        let starts = if codec.has_starts() { Some(open("starts")?) } else { None };
        if let Some(starts) = &starts {
            at_least(&**starts, chunks(count))?;
        }
        let idx_offsets = match generation {
            Generation::V1 => None,
            Generation::V2 => Some(open("idx_offsets")?),
        };
        let epochs = match &idx_offsets {
            None => EpochTable::single(),
            Some(offsets) => epochs(&**offsets, chunks(count), data.len())?,
        };
        Ok(Self { data, idx, starts, idx_offsets, epochs, codec })
    }

    /// Decodes a range of chunks, 128 values each; the last one of the array ends in padding.
    pub(crate) fn read_chunks(
        &self,
        range: Range<u64>,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let len = in_memory(range.end - range.start);
        out.resize(len * CHUNK, 0);
        if len == 0 {
            return Ok(());
        }
        scratch.idx.resize(len + 1, 0);
        self.idx.read(range.start, &mut scratch.idx)?;
        let first = self.epochs.absolute(range.start, scratch.idx[0]);
        // How far the packed words reach. Steps are checked one by one as chunks are decoded; here
        // it is enough that no more is read than the chunks may take.
        let words = scratch.idx.windows(2).try_fold(0_u64, |sum, pair| {
            match pair[1].wrapping_sub(pair[0]) {
                step @ 0..=128 => Some(sum + u64::from(step)),
                _ => None,
            }
        });
        let Some(words) = words.filter(|words| first.saturating_add(*words) <= self.data.len())
        else {
            return Err(self.bad_idx(range.start, &scratch.idx, first));
        };
        scratch.data.resize(in_memory(words), 0);
        self.data.read(first, &mut scratch.data)?;
        if let Some(starts) = &self.starts {
            scratch.starts.resize(len, 0);
            starts.read(range.start, &mut scratch.starts)?;
        }
        let Scratch { idx, starts, data } = &*scratch;
        unpack_chunks(self.codec, idx, first, first, data, starts, out).map_err(|error| match error
        {
            ChunkError::Step { .. } => self.bad_idx(range.start, idx, first),
            other => Error::mismatch(self.idx.place(), other, "chunks inside the data"),
        })
    }

    /// Finds what is wrong with a piece of `idx` that starts at entry `start`.
    fn bad_idx(&self, start: u64, idx: &[u32], first: u64) -> Error {
        let mut position = first;
        for (pair, entry) in idx.windows(2).zip(start + 1..) {
            let place = self.idx.place().at(At::Element(entry));
            let step = pair[1].wrapping_sub(pair[0]);
            if step > 128 || !step.is_multiple_of(4) {
                let expected = format!("{} plus 0, 4, 8, ... or 128", pair[0]);
                return Error::mismatch(place, pair[1], expected);
            }
            position = position.saturating_add(u64::from(step));
            if position > self.data.len() {
                let expected =
                    format!("at most {}, the words of {}", self.data.len(), self.data_name());
                return Error::mismatch(place, position, expected);
            }
        }
        let expected = format!("at most {}, the words of {}", self.data.len(), self.data_name());
        Error::mismatch(self.idx.place().at(At::Element(start)), first, expected)
    }

    fn data_name(&self) -> String {
        self.data.place().array.unwrap_or_default()
    }

    /// Lists the arrays it is made of.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = &dyn NumberArray> {
        [Some(&self.data), Some(&self.idx), self.starts.as_ref(), self.idx_offsets.as_ref()]
            .into_iter()
            .flatten()
            .map(|array| &**array)
    }
}

/// Reads `idx_offsets`, of which there is one entry for each 2^32 words, and two more.
fn epochs(offsets: &dyn NumberArray, chunks: u64, words: u64) -> Result<EpochTable> {
    let expected = words / EPOCH_WORDS + 2;
    if offsets.len() != expected {
        let expected = format!("{expected} elements for {words} words");
        return Err(Error::mismatch(
            offsets.place(),
            format!("{} elements", offsets.len()),
            expected,
        ));
    }
    let mut entries = vec![0; in_memory(expected)];
    offsets.read(0, &mut entries)?;
    EpochTable::new(&entries, chunks, EPOCH_WORDS)
        .map_err(|error| Error::mismatch(offsets.place(), error, "boundaries of 2^32 words"))
}

/// Checks that an array of 32-bit integers is long enough.
pub(super) fn at_least(array: &dyn NumberArray, needed: u64) -> Result<()> {
    if array.value_type() != ValueType::U32 {
        let found = format!("elements of type {}", array.value_type());
        return Err(Error::mismatch(array.place(), found, "elements of type uint32"));
    }
    if array.len() < needed {
        let place = array.place().at(At::Element(array.len()));
        let found = format!("the end of the array after {} elements", array.len());
        return Err(Error::mismatch(place, found, format!("{needed} elements")));
    }
    Ok(())
}

/// A length that was checked against what is there, and so fits memory sizes.
fn in_memory(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}
