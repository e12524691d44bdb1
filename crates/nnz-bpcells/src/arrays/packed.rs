//! One bit-packed array: `NAME_data`, `NAME_idx`, `NAME_idx_offsets` and `NAME_starts`.

use std::ops::Range;

use nnz_bitpack::{
    CHUNK, ChunkError, Codec, EPOCH_WORDS, EpochError, EpochTable, unpack_chunks,
    unpack_chunks_onto, value_at,
};
use nnz_container::{NamedArrays, Vector};
use nnz_core::{At, Error, Result, ValueType};

use super::chunks;
use super::words::{By, Words};
use crate::FormatVersion;

/// A bit-packed array, decoded chunk by chunk.
pub(crate) struct PackedArray {
    pub(crate) data: Vector,
    pub(crate) idx: Vector,
    pub(crate) starts: Option<Vector>,
    pub(crate) idx_offsets: Option<Vector>,
    epochs: EpochTable,
    codec: Codec,
}

/// Buffers that are reused by each read.
#[derive(Default)]
pub(crate) struct Scratch {
    idx: Vec<u32>,
    starts: Vec<u32>,
    data: Vec<u32>,
}

impl PackedArray {
    /// Opens the arrays that hold `count` values under `name`.
    pub(crate) fn open(
        container: &NamedArrays,
        name: &str,
        codec: Codec,
        format_version: FormatVersion,
        count: u64,
    ) -> Result<Self> {
        let open = |suffix: &str| container.array(&format!("{name}_{suffix}"));
        let data = open("data")?;
        let idx = open("idx")?;
        at_least(&idx, chunks(count) + 1)?;
        let starts = if codec.has_starts() { Some(open("starts")?) } else { None };
        if let Some(starts) = &starts {
            at_least(starts, chunks(count))?;
        }
        let idx_offsets = match format_version {
            FormatVersion::V1 => None,
            FormatVersion::V2 => Some(open("idx_offsets")?),
        };
        let epochs = match &idx_offsets {
            None => EpochTable::single(),
            Some(offsets) => epochs(offsets, chunks(count), data.len())?,
        };
        Ok(Self { data, idx, starts, idx_offsets, epochs, codec })
    }

    /// Decodes a range of chunks of 128 values each; the last chunk of the array ends in padding.
    pub(crate) fn read_chunks(
        &self,
        range: Range<u64>,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let len = in_memory(range.end - range.start);
        out.resize(len * CHUNK, 0);
        self.load(range, By::Reading, scratch)?.decode(0..len, out)
    }

    /// Loads the data of a range of chunks, without decoding it.
    pub(crate) fn load<'s>(
        &'s self,
        range: Range<u64>,
        by: By,
        scratch: &'s mut Scratch,
    ) -> Result<LoadedChunks<'s>> {
        let len = in_memory(range.end - range.start);
        let Scratch { idx, starts, data } = scratch;
        if len == 0 {
            return Ok(LoadedChunks {
                array: self,
                range,
                idx: &[],
                first: 0,
                data: Words::Read(&[]),
                starts: &[],
            });
        }
        let idx = front(idx, len + 1);
        self.idx.read_into(range.start, idx)?;
        let first = self.epochs.absolute(range.start, idx[0]);
        // How many packed words to read. Each step is checked when its chunk is decoded; here it is
        // enough not to read more than the chunks can take.
        let words =
            idx.windows(2).try_fold(0_u64, |sum, pair| match pair[1].wrapping_sub(pair[0]) {
                step @ 0..=128 => Some(sum + u64::from(step)),
                _ => None,
            });
        let Some(words) = words.filter(|words| first.saturating_add(*words) <= self.data.len())
        else {
            return Err(self.bad_idx(range.start, idx, first));
        };
        let data = Words::load(&self.data, first, in_memory(words), by, data)?;
        let starts = match &self.starts {
            None => &mut [],
            Some(array) => {
                let starts = front(starts, len);
                array.read_into(range.start, starts)?;
                starts
            }
        };
        Ok(LoadedChunks { array: self, range, idx, first, data, starts })
    }

    /// Announces reads of `idx` and `starts` of ranges of chunks, which locate their words.
    pub(crate) fn will_read_positions(&self, chunks: &[Range<u64>]) {
        let with_end: Vec<_> = chunks.iter().map(|range| range.start..range.end + 1).collect();
        self.idx.will_read(&with_end);
        if let Some(starts) = &self.starts {
            starts.will_read(chunks);
        }
    }

    /// Announces reads of the words of ranges of chunks, after reading their `idx`.
    pub(crate) fn will_read_words(&self, chunks: &[Range<u64>]) -> Result<()> {
        let mut words = Vec::new();
        for range in chunks {
            let mut ends = [0_u32; 2];
            let [first, last] = &mut ends;
            self.idx.read_into(range.start, std::slice::from_mut(first))?;
            self.idx.read_into(range.end, std::slice::from_mut(last))?;
            let first = self.epochs.absolute(range.start, ends[0]);
            let last = self.epochs.absolute(range.end, ends[1]).min(self.data.len());
            // Invalid positions are an error when the words are read.
            if first < last {
                words.push(first..last);
            }
        }
        self.data.will_read(&words);
        Ok(())
    }

    /// Announces reads of about the first words: those of `count` of `total` values of the same width.
    pub(crate) fn will_read_first_words(&self, count: u64, total: u64) {
        let words = u128::from(self.data.len()) * u128::from(count) / u128::from(total.max(1));
        let words = u64::try_from(words).unwrap_or(u64::MAX).min(self.data.len());
        self.data.will_read(std::slice::from_ref(&(0..words)));
    }

    /// Returns the first value of a chunk, from which differences start.
    pub(super) fn first_of(&self, chunk: u64) -> Result<u32> {
        let mut first = [0];
        if let Some(starts) = &self.starts {
            let mut idx = [0_u32; 2];
            self.idx.read_into(chunk, &mut idx)?;
            if idx[1].wrapping_sub(idx[0]) < 128 {
                starts.read_into(chunk, &mut first)?;
            } else {
                // Values that need all 32 bits are stored unchanged.
                self.data.read_into(self.epochs.absolute(chunk, idx[0]), &mut first)?;
            }
            return Ok(first[0]);
        }
        let mut values = Vec::new();
        self.read_chunks(chunk..chunk + 1, &mut Scratch::default(), &mut values)?;
        Ok(values.first().copied().unwrap_or(0))
    }

    /// Finds the error in a piece of `idx` that starts at entry `start`.
    pub(super) fn bad_idx(&self, start: u64, idx: &[u32], first: u64) -> Error {
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
                    format!("at most {}, the length of {}", self.data.len(), self.data_name());
                return Error::mismatch(place, position, expected);
            }
        }
        let expected = format!("at most {}, the length of {}", self.data.len(), self.data_name());
        Error::mismatch(self.idx.place().at(At::Element(start)), first, expected)
    }

    fn data_name(&self) -> String {
        self.data.place().array.unwrap_or_default()
    }

    /// Lists the underlying arrays.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = &Vector> {
        [Some(&self.data), Some(&self.idx), self.starts.as_ref(), self.idx_offsets.as_ref()]
            .into_iter()
            .flatten()
    }
}

/// Packed chunks in memory.
pub(crate) struct LoadedChunks<'s> {
    array: &'s PackedArray,
    range: Range<u64>,
    idx: &'s [u32],
    /// The position of the first word.
    first: u64,
    data: Words<'s>,
    starts: &'s [u32],
}

impl LoadedChunks<'_> {
    /// Decodes some of the chunks, counted from the first one loaded. `out` has 128 elements for
    /// each.
    pub(crate) fn decode(&self, chunks: Range<usize>, out: &mut [u32]) -> Result<()> {
        if chunks.is_empty() {
            return Ok(());
        }
        let (array, data) = (self.array, self.data.as_slice());
        let (idx, position) = self.run(&chunks);
        let starts = self.starts.get(chunks).unwrap_or_default();
        unpack_chunks(array.codec, idx, position, self.first, data, starts, out)
            .map_err(|error| self.wrong(error))
    }

    /// Fills `out` with the values at positions, counted from the first chunk loaded. The codec is one without starts.
    pub(crate) fn pick(&self, positions: &[u32], out: &mut Vec<u32>) -> Result<()> {
        let (idx, data) = (self.idx, self.data.as_slice());
        if idx.windows(2).any(|pair| !pair[1].wrapping_sub(pair[0]).is_multiple_of(4)) {
            return Err(self.array.bad_idx(self.range.start, idx, self.first));
        }
        out.clear();
        out.extend(positions.iter().map(|position| {
            let (chunk, index) = (*position as usize / CHUNK, *position as usize % CHUNK);
            // All words between the first and the last position were loaded.
            let [from, to] =
                [idx[chunk], idx[chunk + 1]].map(|at| at.wrapping_sub(idx[0]) as usize);
            value_at(self.array.codec, &data[from..to], index)
        }));
        Ok(())
    }

    /// Decodes some of the chunks, of the plain codec, and adds the value at the same position of
    /// `others` to each value, wrapping around.
    pub(crate) fn decode_onto(
        &self,
        chunks: Range<usize>,
        others: &[u32],
        out: &mut [u32],
    ) -> Result<()> {
        if chunks.is_empty() {
            return Ok(());
        }
        let (idx, position) = self.run(&chunks);
        unpack_chunks_onto(idx, position, self.first, self.data.as_slice(), others, out)
            .map_err(|error| self.wrong(error))
    }

    /// Returns the largest bit width of some chunks.
    pub(crate) fn width(&self, chunks: &Range<usize>) -> u32 {
        let (idx, _) = self.run(chunks);
        let steps = idx.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
        steps.max().map_or(0, |step| step.div_ceil(4))
    }

    /// Returns the steps of some chunks, and the position of their first word.
    fn run(&self, chunks: &Range<usize>) -> (&[u32], u64) {
        let idx = &self.idx[chunks.start..=chunks.end];
        // Less than 2^32 words were loaded, so differences do not wrap around.
        (idx, self.first + u64::from(idx[0].wrapping_sub(self.idx[0])))
    }

    fn wrong(&self, error: ChunkError) -> Error {
        match error {
            ChunkError::Step { .. } => self.array.bad_idx(self.range.start, self.idx, self.first),
            other => Error::mismatch(self.array.idx.place(), other, "chunks inside the data"),
        }
    }
}

/// Reads `idx_offsets`, which has one entry for each 2^32 words, and two more.
fn epochs(offsets: &Vector, chunks: u64, words: u64) -> Result<EpochTable> {
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
    offsets.read_into(0, &mut entries)?;
    EpochTable::new(&entries, chunks, EPOCH_WORDS).map_err(|error| bad_offsets(offsets, error))
}

/// Returns the error for invalid elements of `idx_offsets`.
fn bad_offsets(offsets: &Vector, error: EpochError) -> Error {
    let (element, found, expected) = match error {
        EpochError::First { found } => (0, found, "0".to_owned()),
        EpochError::Last { found, chunks } => {
            let len = chunks.saturating_add(1);
            (offsets.len() - 1, found, format!("{len}, the length of idx"))
        }
        EpochError::Order { entry, previous, found, last } => {
            (entry as u64, found, format!("more than {previous} and less than {last}"))
        }
        other => return Error::mismatch(offsets.place(), other, "boundaries of 2^32 words"),
    };
    Error::mismatch(offsets.place_of(element), found, expected)
}

/// Returns the first `len` elements of a buffer, which grows if necessary and never shrinks.
pub(super) fn front(buffer: &mut Vec<u32>, len: usize) -> &mut [u32] {
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
    &mut buffer[..len]
}

/// Checks that an array of 32-bit integers is long enough.
pub(crate) fn at_least(array: &Vector, needed: u64) -> Result<()> {
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

/// Converts a length that was checked against the stored length, and so fits into memory.
fn in_memory(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}
