//! The `.tbi` index of `tabix`: the positions of the lines of a region in a compressed text.
//!
//! A position is a *virtual offset*: the byte of the file at which a block begins, and in the low
//! 16 bits the byte in its text. Lines are assigned to the smallest bin that contains them; each
//! larger bin contains eight smaller ones. A bin lists the positions of its lines. In addition, for
//! every window of 16,384 bases the index has the position of the first line that overlaps it.

use std::collections::BTreeMap;
use std::ops::Range;

use nnz_core::StringList;

use super::super::bgzf::{self, Deflater};

/// The size of the smallest bins, as a power of two.
const WINDOW: u32 = 14;
/// A pseudo-bin with the position and the number of all lines of a chromosome.
const TOTAL: u32 = 37_450;

/// Consecutive lines in the same bin that overlap no other window than the first.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) chromosome: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The position of the lines in the text.
    pub(super) text: Range<usize>,
}

impl Spot {
    /// Returns the last base, even for empty fragments.
    fn last(&self) -> u32 {
        self.end.max(self.start + 1) - 1
    }

    fn bin(&self) -> u32 {
        bin(self.start, self.last())
    }

    /// Adds a line, merged with those before if that changes nothing.
    pub(super) fn push(spots: &mut Vec<Self>, next: Self) {
        if let Some(spot) = spots.last_mut()
            && spot.chromosome == next.chromosome
            && spot.start >> WINDOW == next.start >> WINDOW
            && spot.last() >> WINDOW == next.last() >> WINDOW
        {
            spot.text.end = next.text.end;
            return;
        }
        spots.push(next);
    }
}

/// Returns the smallest bin that contains two bases.
fn bin(first: u32, last: u32) -> u32 {
    let mut shift = WINDOW;
    let mut begin = 4681;
    while begin > 0 {
        if first >> shift == last >> shift {
            return begin + (first >> shift);
        }
        shift += 3;
        begin = (begin - 1) / 8;
    }
    0
}

/// An index of a part of the text, with positions from the beginning of that part.
#[derive(Debug, Default)]
pub(super) struct PartialIndex {
    parts: Vec<SpotOffsets>,
}

/// A spot with its virtual offsets.
#[derive(Debug)]
struct SpotOffsets {
    chromosome: u32,
    bin: u32,
    windows: [u32; 2],
    offsets: Range<u64>,
}

impl PartialIndex {
    /// Finds the virtual offsets of spots in text that is split into blocks.
    pub(super) fn new(spots: &[Spot], begins: &[u64]) -> Self {
        let offset = |at: usize| {
            let block = begins.get(at / bgzf::TEXT).or(begins.last()).copied().unwrap_or(0);
            block << 16 | (at % bgzf::TEXT) as u64
        };
        // The text may end inside a block: the next part begins with a new block.
        let end = spots.last().map_or(0, |spot| spot.text.end);
        let behind = begins.last().copied().unwrap_or(0) << 16;
        let parts = spots.iter().map(|spot| SpotOffsets {
            chromosome: spot.chromosome,
            bin: spot.bin(),
            windows: [spot.start >> WINDOW, spot.last() >> WINDOW],
            offsets: offset(spot.text.start)..if spot.text.end == end {
                behind
            } else {
                offset(spot.text.end)
            },
        });
        Self { parts: parts.collect() }
    }
}

/// The index of a whole text.
#[derive(Debug, Default)]
pub(super) struct Index {
    chromosomes: Vec<Chromosome>,
}

#[derive(Debug)]
struct Chromosome {
    number: u32,
    bins: BTreeMap<u32, Vec<Range<u64>>>,
    /// The position of the first line that overlaps each window.
    windows: Vec<Option<u64>>,
    offsets: Range<u64>,
    lines: u64,
}

impl Index {
    /// Adds a part of the text that begins at a byte of the file.
    pub(super) fn add(&mut self, part: PartialIndex, byte: u64) {
        for part in part.parts {
            let offsets = part.offsets.start + (byte << 16)..part.offsets.end + (byte << 16);
            if self.chromosomes.last().is_none_or(|last| last.number != part.chromosome) {
                self.chromosomes.push(Chromosome {
                    number: part.chromosome,
                    bins: BTreeMap::new(),
                    windows: Vec::new(),
                    offsets: offsets.clone(),
                    lines: 0,
                });
            }
            if let Some(chromosome) = self.chromosomes.last_mut() {
                chromosome.add(&part, offsets);
            }
        }
    }

    /// Counts lines of the last chromosome.
    pub(super) fn count(&mut self, chromosome: u32, lines: u64) {
        let found = self.chromosomes.iter_mut().rev().find(|found| found.number == chromosome);
        if let Some(found) = found {
            found.lines += lines;
        }
    }

    /// Returns the bytes of the index, in blocks.
    pub(super) fn finish(self, names: &StringList) -> Result<Vec<u8>, String> {
        let all: Vec<&[u8]> = names.iter().collect();
        let name = |number: u32| all.get(number as usize).copied().unwrap_or(&[]);
        let mut out = b"TBI\x01".to_vec();
        put_count(&mut out, self.chromosomes.len())?;
        // Positions from 0 with exclusive end; the columns of chromosome, start and end; comments
        // begin with #; no line is skipped.
        for number in [0x1_0000_i32, 1, 2, 3, i32::from(b'#'), 0] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let text: Vec<u8> = self
            .chromosomes
            .iter()
            .flat_map(|chromosome| name(chromosome.number).iter().copied().chain([0]))
            .collect();
        put_count(&mut out, text.len())?;
        out.extend_from_slice(&text);
        for chromosome in self.chromosomes {
            chromosome.put(&mut out)?;
        }
        let without_place = 0_u64;
        out.extend_from_slice(&without_place.to_le_bytes());
        let mut blocks = Vec::new();
        let mut deflater = Deflater::default();
        for text in out.chunks(bgzf::TEXT) {
            deflater.block(text, &mut blocks)?;
        }
        blocks.extend_from_slice(&bgzf::END);
        Ok(blocks)
    }
}

impl Chromosome {
    fn add(&mut self, part: &SpotOffsets, offsets: Range<u64>) {
        self.offsets.end = offsets.end;
        let [first, last] = part.windows.map(|window| window as usize);
        if self.windows.len() <= last {
            // At most 2^15, because larger positions are errors.
            self.windows.resize(last + 1, None);
        }
        for window in &mut self.windows[first..=last] {
            window.get_or_insert(offsets.start);
        }
        let chunks = self.bins.entry(part.bin).or_default();
        match chunks.last_mut() {
            // Lines between them in the same block are read anyway.
            Some(chunk) if chunk.end >> 16 >= offsets.start >> 16 => chunk.end = offsets.end,
            _ => chunks.push(offsets),
        }
    }

    fn put(mut self, out: &mut Vec<u8>) -> Result<(), String> {
        put_count(out, self.bins.len() + 1)?;
        let total = vec![self.offsets, self.lines..0];
        for (bin, chunks) in self.bins.into_iter().chain([(TOTAL, total)]) {
            out.extend_from_slice(&bin.to_le_bytes());
            put_count(out, chunks.len())?;
            for chunk in chunks {
                out.extend_from_slice(&chunk.start.to_le_bytes());
                out.extend_from_slice(&chunk.end.to_le_bytes());
            }
        }
        put_count(out, self.windows.len())?;
        // No line overlaps an empty window, so it gets the position of the next one.
        let mut next = 0;
        for window in self.windows.iter_mut().rev() {
            next = *window.get_or_insert(next);
        }
        for window in self.windows {
            out.extend_from_slice(&window.unwrap_or(0).to_le_bytes());
        }
        Ok(())
    }
}

/// Appends a count, which has 31 bits in the index.
fn put_count(out: &mut Vec<u8>, count: usize) -> Result<(), String> {
    let short = i32::try_from(count).map_err(|_| format!("{count} is too large for an index"))?;
    out.extend_from_slice(&short.to_le_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_the_smallest_that_contain_a_fragment() {
        for (first, last, expected) in [
            (0, 0, 4681),
            (16_383, 16_383, 4681),
            (16_383, 16_384, 585),
            (131_071, 131_072, 73),
            ((1 << 20) - 1, 1 << 20, 9),
            ((1 << 23) - 1, 1 << 23, 1),
            ((1 << 26) - 1, 1 << 26, 0),
            ((1 << 29) - 1, (1 << 29) - 1, 37_448),
        ] {
            assert_eq!(bin(first, last), expected, "{first} to {last}");
        }
    }

    /// A `.tbi` file, field by field, with the names of the tabix specification.
    #[test]
    fn the_index_follows_the_tabix_specification() {
        let spot = |chromosome, start, end, text| Spot { chromosome, start, end, text };
        let spots = [
            spot(1, 5, 9, 0..12),
            spot(1, 16_380, 16_390, 12..30), // crosses into the second window
            spot(0, 40_000, 40_001, 30..45), // in the third window
        ];
        // One block, which begins at byte 0 of the file and ends at byte 60.
        let mut index = Index::default();
        index.add(PartialIndex::new(&spots, &[0, 60]), 0);
        index.count(1, 2);
        index.count(0, 1);
        let names = StringList::from_iter(["chrA", "chrB"]);
        let blocks = index.finish(&names).unwrap();

        let expected = [
            &b"TBI\x01"[..],
            b"\x02\0\0\0",         // n_ref = 2
            b"\0\0\x01\0",         // format = 0x10000: generic, half-open from 0
            b"\x01\0\0\0",         // col_seq = 1
            b"\x02\0\0\0",         // col_beg = 2
            b"\x03\0\0\0",         // col_end = 3
            b"#\0\0\0",            // meta = '#'
            b"\0\0\0\0",           // skip = 0
            b"\x0a\0\0\0",         // l_nm = 10
            b"chrB\0chrA\0",       // names
            b"\x03\0\0\0",         // chrB: n_bin = 3
            b"\x49\x02\0\0",       // bin = 585
            b"\x01\0\0\0",         // n_chunk = 1
            b"\x0c\0\0\0\0\0\0\0", // cnk_beg = byte 12 of the block at 0
            b"\x1e\0\0\0\0\0\0\0", // cnk_end = byte 30
            b"\x49\x12\0\0",       // bin = 4681
            b"\x01\0\0\0",         // n_chunk = 1
            b"\0\0\0\0\0\0\0\0",   // cnk_beg = byte 0
            b"\x0c\0\0\0\0\0\0\0", // cnk_end = byte 12
            b"\x4a\x92\0\0",       // bin = 37450, the metadata
            b"\x02\0\0\0",         // n_chunk = 2
            b"\0\0\0\0\0\0\0\0",   // off_beg = byte 0
            b"\x1e\0\0\0\0\0\0\0", // off_end = byte 30
            b"\x02\0\0\0\0\0\0\0", // n_mapped = 2
            b"\0\0\0\0\0\0\0\0",   // n_unmapped = 0
            b"\x02\0\0\0",         // n_intv = 2
            b"\0\0\0\0\0\0\0\0",   // ioff[0] = byte 0
            b"\x0c\0\0\0\0\0\0\0", // ioff[1] = byte 12
            b"\x02\0\0\0",         // chrA: n_bin = 2
            b"\x4b\x12\0\0",       // bin = 4683
            b"\x01\0\0\0",         // n_chunk = 1
            b"\x1e\0\0\0\0\0\0\0", // cnk_beg = byte 30 of the block at 0
            b"\0\0\x3c\0\0\0\0\0", // cnk_end = the block at 60
            b"\x4a\x92\0\0",       // bin = 37450
            b"\x02\0\0\0",         // n_chunk = 2
            b"\x1e\0\0\0\0\0\0\0", // off_beg
            b"\0\0\x3c\0\0\0\0\0", // off_end
            b"\x01\0\0\0\0\0\0\0", // n_mapped = 1
            b"\0\0\0\0\0\0\0\0",   // n_unmapped = 0
            b"\x03\0\0\0",         // n_intv = 3
            b"\x1e\0\0\0\0\0\0\0", // ioff[0]: nothing there, so the next
            b"\x1e\0\0\0\0\0\0\0", // ioff[1]
            b"\x1e\0\0\0\0\0\0\0", // ioff[2] = byte 30
            b"\0\0\0\0\0\0\0\0",   // n_no_coor = 0
        ]
        .concat();
        let bgzf::Beginning::Block { len, data } = bgzf::beginning(&blocks) else {
            panic!("no block")
        };
        let mut text = vec![0; bgzf::LARGEST_TEXT];
        let mut inflater = libdeflater::Decompressor::new();
        let read = bgzf::inflate(&mut inflater, &blocks[..len], data, &mut text).unwrap();
        assert_eq!(text[..read], expected);
        assert_eq!(blocks[len..], bgzf::END);
    }
}
