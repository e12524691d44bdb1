//! Up to a quarter of a million entries, divided into buckets and packed, and several of these as one.
//!
//! A bucket of a packet has pieces: the number of entries, which positions are wide, and the packed majors, minors and values.

use nnz_bitpack::Codec;
use nnz_core::{Batch, Error, Minors, Order, Place, Result, Shape, Values};

use super::block::{damaged, pack, pack_values, unpack, unpack_values};
use super::cut::Cut;
use super::store::{Store, StoredWords};
use crate::stages::emptied;

/// Entries in storage order, with an array for each component.
#[derive(Default)]
pub(super) struct Entries {
    /// Majors relative to the start of the range, as low and high halves; the high ones are empty
    /// if not needed.
    pub(super) majors: Halves,
    pub(super) minors: Halves,
    pub(super) values: Values,
}

/// 64-bit numbers as two arrays of halves; the upper one is empty while all are zero.
#[derive(Default)]
pub(super) struct Halves {
    pub(super) low: Vec<u32>,
    pub(super) high: Vec<u32>,
}

impl Halves {
    #[expect(clippy::cast_possible_truncation, reason = "both halves are kept")]
    fn push(&mut self, number: u64) {
        let high = (number >> 32) as u32;
        if high != 0 || !self.high.is_empty() {
            self.high.resize(self.low.len(), 0);
            self.high.push(high);
        }
        self.low.push(number as u32);
    }

    /// Appends numbers below 2^32.
    fn extend(&mut self, numbers: impl Iterator<Item = u32>) {
        self.low.extend(numbers);
        if !self.high.is_empty() {
            self.high.resize(self.low.len(), 0);
        }
    }

    /// Returns the numbers if all are below 2^32.
    pub(super) fn narrow(&self) -> Option<&[u32]> {
        self.high.is_empty().then_some(&self.low)
    }

    pub(super) fn get(&self, position: usize) -> u64 {
        let high = self.high.get(position).copied().unwrap_or(0);
        u64::from(high) << 32 | u64::from(self.low[position])
    }

    /// Subtracts or adds the start of a bucket from numbers below 2^32: small numbers pack better.
    fn shift(&mut self, range: std::ops::Range<usize>, by: u64, shift: fn(u32, u32) -> u32) {
        // A bucket with a higher start has none of these numbers.
        if let Ok(by) = u32::try_from(by) {
            self.low[range].iter_mut().for_each(|number| *number = shift(*number, by));
        }
    }

    /// Sets these to permuted numbers.
    fn scatter(&mut self, other: &Self, places: &[u32]) {
        scatter(&mut self.low, &other.low, places);
        scatter(&mut self.high, &other.high, places);
    }

    fn clear(&mut self) {
        self.low.clear();
        self.high.clear();
    }

    fn pack(&self, codec: Codec, range: std::ops::Range<usize>, words: &mut Vec<u32>) {
        pack(codec, &self.low[range.clone()], words);
        if !self.high.is_empty() {
            pack(Codec::Plain, &self.high[range], words);
        }
    }

    fn unpack<'a>(
        &mut self,
        codec: Codec,
        count: usize,
        wide: bool,
        words: &'a [u32],
    ) -> Result<&'a [u32]> {
        let before = self.low.len();
        let rest = unpack(codec, count, words, &mut self.low)?;
        if wide {
            self.high.resize(before, 0);
            return unpack(Codec::Plain, count, rest, &mut self.high);
        }
        if !self.high.is_empty() {
            self.high.resize(self.low.len(), 0);
        }
        Ok(rest)
    }
}

/// Sets `into` to the numbers of `from`, permuted.
pub(super) fn scatter(into: &mut Vec<u32>, from: &[u32], places: &[u32]) {
    into.resize(from.len(), 0);
    let into = &mut into[..];
    for (&number, &place) in from.iter().zip(places) {
        into[place as usize] = number;
    }
}

impl Entries {
    /// Removes all entries; a shared value is kept.
    pub(super) fn clear(&mut self) {
        self.majors.clear();
        self.minors.clear();
        self.values.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.majors.low.len()
    }

    /// Reserves space for entries with 32-bit positions.
    pub(super) fn reserve(&mut self, count: usize) {
        self.majors.low.reserve(count);
        self.minors.low.reserve(count);
        self.values.reserve(count);
    }

    /// Appends the entries of runs in any order, until there are `most`, and returns the next run.
    pub(super) fn push(
        &mut self,
        batch: &Batch,
        first: usize,
        most: usize,
        order: Order,
        shape: Shape,
        with_values: bool,
    ) -> Result<usize> {
        let (before, mut run) = (self.len(), first);
        while run < batch.runs() && self.len() < most {
            self.push_run(batch, run, order, shape)?;
            run += 1;
        }
        if with_values && first < run {
            let entries = batch.run(first).start..batch.run(run - 1).end;
            if !self.values.extend_from(&batch.values, entries.clone()) {
                if before > 0 {
                    return Err(Error::argument(
                        "batches of one matrix have different value types",
                    ));
                }
                self.values = emptied(&batch.values);
                self.values.extend_from(&batch.values, entries);
            }
        }
        Ok(run)
    }
}

impl Entries {
    /// Appends the positions of a run.
    fn push_run(&mut self, batch: &Batch, run: usize, order: Order, shape: Shape) -> Result<()> {
        let major = batch.majors.get(run);
        let same = batch.order == order;
        let outside = |major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            let place = Place::default().at(nnz_core::At::Entry { row, col });
            let expected = format!("a position inside {shape}");
            Err(Error::mismatch(place, "an entry outside the matrix", expected))
        };
        let (majors, minors) = (shape.major(batch.order), shape.minor(batch.order));
        if let (Minors::U32(all), Ok(narrow)) = (&batch.minors, u32::try_from(major)) {
            let run = &all[batch.run(run)];
            let Some(largest) = run.iter().copied().max() else { return Ok(()) };
            if major >= majors || u64::from(largest) >= minors {
                return outside(major, largest.into());
            }
            let repeated = std::iter::repeat_n(narrow, run.len());
            let [ours, other] = if same {
                [&mut self.majors, &mut self.minors]
            } else {
                [&mut self.minors, &mut self.majors]
            };
            ours.extend(repeated);
            other.extend(run.iter().copied());
            return Ok(());
        }
        for entry in batch.run(run) {
            let minor = batch.minor(run, entry);
            if major >= majors || minor >= minors {
                return outside(major, minor);
            }
            let (major, minor) = if same { (major, minor) } else { (minor, major) };
            self.majors.push(major);
            self.minors.push(minor);
        }
        Ok(())
    }
}

/// Calls `each` with the bucket of every entry.
fn for_each_bucket(entries: &Entries, cut: &Cut, mut each: impl FnMut(usize)) {
    if let (Some(majors), true) = (entries.majors.narrow(), cut.by_major()) {
        majors.iter().for_each(|&major| each(cut.bucket_of(major.into(), 0)));
        return;
    }
    let bucket_of = |entry| cut.bucket_of(entries.majors.get(entry), entries.minors.get(entry));
    (0..entries.len()).for_each(|entry| each(bucket_of(entry)));
}

/// Entries divided into buckets and packed.
pub(super) struct Packet {
    /// The number of entries and words up to the end of each bucket.
    ends: Vec<(u32, u32)>,
    words: StoredWords,
}

/// Bits of a piece whose positions have 64 bits.
const WIDE_MAJORS: u32 = 1;
const WIDE_MINORS: u32 = 2;

/// Buffers to divide and pack entries.
#[derive(Default)]
pub(super) struct PackBuffers {
    divided: Entries,
    places: Vec<u32>,
    words: Vec<u32>,
}

/// A packet that is not stored yet.
pub(super) struct UnstoredPacket {
    ends: Vec<(u32, u32)>,
    words: Vec<u32>,
}

impl UnstoredPacket {
    /// Divides and packs entries.
    pub(super) fn new(entries: &Entries, cut: &Cut, buffers: &mut PackBuffers) -> Result<Self> {
        let PackBuffers { divided, places, words } = buffers;
        u32::try_from(entries.len()).map_err(too_many)?;
        // Stable counting sort by bucket.
        let mut starts = vec![0_u32; cut.buckets() + 1];
        for_each_bucket(entries, cut, |bucket| starts[bucket + 1] += 1);
        for bucket in 0..cut.buckets() {
            starts[bucket + 1] += starts[bucket];
        }
        let ends: Vec<u32> = starts[1..].to_vec();
        places.clear();
        places.reserve(entries.len());
        for_each_bucket(entries, cut, |bucket| {
            let start = &mut starts[bucket];
            places.push(*start);
            *start += 1;
        });
        // One array at a time: the ends of all its buckets fit into the cache.
        divided.majors.scatter(&entries.majors, places);
        divided.minors.scatter(&entries.minors, places);
        divided.values.scatter(&entries.values, places);
        let Entries { majors, minors, values } = divided;
        let (bytes, size) = match &*values {
            Values::Iso(_) => (&[][..], 0),
            values => (values.bytes(), values.value_type().size()),
        };

        let wide_majors = if majors.high.is_empty() { 0 } else { WIDE_MAJORS };
        let wide_minors = if minors.high.is_empty() { 0 } else { WIDE_MINORS };
        words.clear();
        let mut start = 0;
        let mut bucket_ends = Vec::with_capacity(ends.len());
        for (bucket, end) in ends.into_iter().enumerate() {
            let range = start as usize..end as usize;
            if !range.is_empty() {
                // If some are larger, none are shifted.
                if majors.high.is_empty() {
                    majors.shift(range.clone(), cut.covers(bucket)[0].start, u32::wrapping_sub);
                }
                words.extend([end - start, wide_majors | wide_minors]);
                majors.pack(Codec::Plain, range.clone(), words);
                minors.pack(Codec::DeltaZigzag, range.clone(), words);
                if !bytes.is_empty() {
                    pack_values(&bytes[range.start * size..range.end * size], size, words);
                }
            }
            bucket_ends.push((end, u32::try_from(words.len()).map_err(too_many)?));
            start = end;
        }
        Ok(Self { ends: bucket_ends, words: words.clone() })
    }

    /// Makes one packet of several, which are emptied: the pieces of a bucket are together, so that they are read at once.
    pub(super) fn merge(packets: &mut Vec<Self>) -> Result<Option<Self>> {
        if packets.len() < 2 {
            return Ok(packets.pop());
        }
        let [entries, len] = packets.iter().fold([0_u64; 2], |[entries, len], packet| {
            let last = packet.ends.last().map_or(0, |end| end.0);
            [entries + u64::from(last), len + packet.words.len() as u64]
        });
        u32::try_from(entries.max(len)).map_err(too_many)?;
        let mut words = Vec::with_capacity(packets.iter().map(|packet| packet.words.len()).sum());
        let mut ends = Vec::with_capacity(packets[0].ends.len());
        for bucket in 0..packets[0].ends.len() {
            let mut entries = 0;
            for Self { ends, words: pieces } in &*packets {
                let start = bucket.checked_sub(1).map_or(0, |before| ends[before].1);
                let end = ends[bucket];
                entries += end.0;
                words.extend_from_slice(&pieces[start as usize..end.1 as usize]);
            }
            ends.push((entries, u32::try_from(words.len()).map_err(too_many)?));
        }
        packets.clear();
        Ok(Some(Self { ends, words }))
    }

    /// Stores the packet.
    pub(super) fn keep(self, store: &Store) -> Result<Packet> {
        let Self { ends, words } = self;
        store.count(size_of_val(&ends[..]));
        Ok(Packet { ends, words: store.keep(words)? })
    }
}

fn too_many(_: std::num::TryFromIntError) -> Error {
    Error::argument("a packet has fewer than 2^32 entries")
}

impl Packet {
    /// Returns the number of entries of a bucket.
    pub(super) fn count(&self, bucket: usize) -> usize {
        (self.ends[bucket].0 - self.start(bucket).0) as usize
    }

    fn start(&self, bucket: usize) -> (u32, u32) {
        bucket.checked_sub(1).map_or((0, 0), |before| self.ends[before])
    }

    /// Appends the unpacked entries of adjacent buckets.
    pub(super) fn unpack(
        &self,
        buckets: std::ops::Range<usize>,
        cut: &Cut,
        scratch: &mut [Vec<u32>; 2],
        entries: &mut Entries,
    ) -> Result<()> {
        let Some(last) = buckets.end.checked_sub(1) else { return Ok(()) };
        let start = self.start(buckets.start).1 as usize;
        let len = self.ends[last].1 as usize - start;
        if len == 0 {
            return Ok(());
        }
        let [buffer, scratch] = scratch;
        let mut words = self.words.read(start, len, buffer)?;
        for bucket in buckets {
            let mut left = self.count(bucket);
            while left > 0 {
                let &[count, wide, ref rest @ ..] = words else { return Err(damaged()) };
                let count = count as usize;
                left = left.checked_sub(count.max(1)).ok_or_else(damaged)?;
                let before = entries.len();
                let is_wide = wide & WIDE_MAJORS != 0;
                words = entries.majors.unpack(Codec::Plain, count, is_wide, rest)?;
                if !is_wide {
                    let start = cut.covers(bucket)[0].start;
                    entries.majors.shift(before..before + count, start, u32::wrapping_add);
                }
                let is_wide = wide & WIDE_MINORS != 0;
                words = entries.minors.unpack(Codec::DeltaZigzag, count, is_wide, words)?;
                words = unpack_values(count, words, &mut entries.values, scratch)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use nnz_core::{Bint8, Scalar};

    use super::*;

    #[test]
    fn packets_with_small_and_large_majors_are_unpacked() {
        let store = Store::new(&std::env::temp_dir(), 1 << 20);
        let cut = Cut::of_ranges(0..1 << 34, 0..10, None);
        let shared = || Values::Iso(Scalar::Bint8(Bint8(1)));
        // The second to last bucket has 2^24 majors from 2^24 on; one packet extends beyond 2^32.
        let lists: [&[u64]; 3] = [&[5, (1 << 24) + 7, 1 << 33], &[(1 << 24) + 3], &[(1 << 24) + 9]];
        for (order, merged) in [[0, 1, 2], [1, 0, 2], [1, 2, 0]]
            .iter()
            .flat_map(|order| [(order, 1), (order, 2), (order, 3)])
        {
            let mut packets = Vec::new();
            let mut unpacked = Entries { values: shared(), ..Entries::default() };
            let mut expected = Vec::new();
            for list in order.map(|which: usize| lists[which]) {
                let mut entries = Entries { values: shared(), ..Entries::default() };
                for &major in list {
                    entries.majors.push(major);
                    entries.minors.push(major % 10);
                    expected.extend((cut.bucket_of(major, 0) == 1).then_some(major));
                }
                packets.push(
                    UnstoredPacket::new(&entries, &cut, &mut PackBuffers::default()).unwrap(),
                );
                if packets.len() < merged {
                    continue;
                }
                let packet = UnstoredPacket::merge(&mut packets).unwrap().unwrap();
                let packet = packet.keep(&store).unwrap();
                let mut scratch = [Vec::new(), Vec::new()];
                packet.unpack(1..2, &cut, &mut scratch, &mut unpacked).unwrap();
            }
            let left = UnstoredPacket::merge(&mut packets).unwrap();
            if let Some(packet) = left {
                let packet = packet.keep(&store).unwrap();
                packet.unpack(1..2, &cut, &mut Default::default(), &mut unpacked).unwrap();
            }
            let found: Vec<u64> = (0..unpacked.len()).map(|e| unpacked.majors.get(e)).collect();
            assert_eq!(found, expected);
            assert_eq!(found.len(), 3);
        }
    }
}
