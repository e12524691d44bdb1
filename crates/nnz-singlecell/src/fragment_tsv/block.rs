//! The fragments of a piece of text, before and after joining.

use std::ops::Range;

use nnz_core::FragmentBatch;

use super::LONGEST_LINE;
use super::fault::Fault;
use super::join::Joint;
use super::names::{MOST_NAMES, Names};

/// Marks the index of a name in the block's own list.
pub(super) const OWN: u32 = 1 << 31;
const _: () = assert!(OWN as usize == MOST_NAMES, "no other index has this bit");

/// The fragments of a piece of text.
///
/// A piece may begin and end inside a line. The parts of its first and its last line are kept as
/// text; [`Joiner::join`](super::Joiner::join) parses them.
#[derive(Debug, Default)]
pub struct TsvBlock {
    /// Text up to the first newline.
    pub(super) head: Vec<u8>,
    /// Whether there is a newline.
    pub(super) headed: bool,
    /// Text after the last newline.
    pub(super) tail: Vec<u8>,
    /// Whether this is the last block.
    pub(super) last: bool,
    /// The number of lines between head and tail, up to the first error.
    pub(super) lines: u64,
    pub(super) fault: Option<Fault>,
    /// The number of columns of the first line with a fragment, and the number of that line.
    pub(super) columns: Option<(u64, u64)>,
    pub(super) runs: Vec<Run>,
    /// Names of chromosomes, which runs refer to.
    pub(super) chromosomes: Names,
    /// The chromosome of the last run, followed by a tab.
    pub(super) current: Vec<u8>,
    /// The length of that chromosome, if it is known.
    pub(super) size: Option<u32>,
    /// Barcodes that were not known when the block was parsed.
    pub(super) new_cells: Names,
    /// The positions of the barcodes of the last lines in the text, until they are looked up.
    pub(super) barcodes: Vec<Range<usize>>,
    /// The cell of each fragment: its index, or [`OWN`] and the index of its name above.
    pub(super) cells: Vec<u32>,
    pub(super) starts: Vec<u32>,
    pub(super) ends: Vec<u32>,
    /// The number of fragments of cells that are not selected.
    pub(super) unselected: u64,
}

/// Consecutive lines of one chromosome.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The index of its name in the block.
    pub(super) chromosome: u32,
    /// The first line, counted from 0 at the beginning of the block.
    pub(super) line: u64,
    pub(super) first_start: u32,
    pub(super) last_start: u32,
    /// The end of the fragments of the run in the block.
    pub(super) end: usize,
}

impl TsvBlock {
    /// Clears the block, and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.head.clear();
        self.headed = false;
        self.tail.clear();
        self.last = false;
        self.lines = 0;
        self.fault = None;
        self.columns = None;
        self.runs.clear();
        self.chromosomes.clear();
        self.current.clear();
        self.new_cells.clear();
        self.barcodes.clear();
        self.cells.clear();
        self.starts.clear();
        self.ends.clear();
        self.unselected = 0;
    }

    /// Takes the fragments out of the block, with the indices assigned by joining.
    ///
    /// Any thread can do this.
    pub fn resolve(&mut self, joint: Joint) -> Fragments {
        let mut cells = std::mem::take(&mut self.cells);
        let mut starts = std::mem::take(&mut self.starts);
        let mut ends = std::mem::take(&mut self.ends);
        if !joint.cells.is_empty() {
            for cell in &mut cells {
                if *cell & OWN != 0 {
                    // Each name of the block has an index.
                    *cell = joint.cells.get((*cell & !OWN) as usize).copied().unwrap_or(*cell);
                }
            }
        }
        let mut runs: Vec<(u32, usize)> = Vec::with_capacity(self.runs.len() + 1);
        let mut before = 0;
        if let Some(first) = joint.first {
            cells.insert(0, first.cell);
            starts.insert(0, first.start);
            ends.insert(0, first.end);
            runs.push((first.chromosome, 1));
            before = 1;
        }
        for (run, chromosome) in self.runs.drain(..).zip(joint.chromosomes) {
            let end = run.end + before;
            match runs.last_mut() {
                Some(last) if last.0 == chromosome => last.1 = end,
                // None of its cells was selected.
                Some(last) if last.1 == end => {}
                None if end == 0 => {}
                _ => runs.push((chromosome, end)),
            }
        }
        Fragments { runs, cells, starts, ends }
    }
}

/// Fragments with their final indices, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragments {
    /// Chromosomes, each with the end of its fragments. Consecutive chromosomes are different, and
    /// none is without fragments.
    pub runs: Vec<(u32, usize)>,
    /// The cell of each fragment.
    pub cells: Vec<u32>,
    /// The start of each fragment.
    pub starts: Vec<u32>,
    /// The end of each fragment.
    pub ends: Vec<u32>,
}

impl Fragments {
    /// Returns the number of fragments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns whether there are no fragments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Splits the fragments into batches of one chromosome each. None is empty.
    #[must_use]
    pub fn into_batches(self) -> Vec<FragmentBatch> {
        let Self { runs, cells, starts, ends } = self;
        if let [(chromosome, _)] = runs[..] {
            return vec![FragmentBatch { chromosome, cells, starts, ends }];
        }
        let mut begin = 0;
        let batches = runs.into_iter().map(|(chromosome, end)| {
            let range = std::mem::replace(&mut begin, end)..end;
            FragmentBatch {
                chromosome,
                cells: cells[range.clone()].to_vec(),
                starts: starts[range.clone()].to_vec(),
                ends: ends[range].to_vec(),
            }
        });
        batches.collect()
    }
}

/// Appends to a line of any length: one byte more than the longest is enough to detect that it is
/// too long, and the first byte to detect a comment.
pub(super) fn push_bounded(line: &mut Vec<u8>, text: &[u8]) {
    let left = (LONGEST_LINE + 1).saturating_sub(line.len());
    line.extend_from_slice(&text[..text.len().min(left)]);
}
