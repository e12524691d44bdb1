//! The fragments of a piece of text, before and after they are joined to the others.

use std::ops::Range;

use nnz_core::FragmentBatch;

use super::LONGEST_LINE;
use super::fault::Fault;
use super::join::Joint;
use super::names::{MOST_NAMES, Names};

/// Marks a number as one of the block's own list of names.
pub(super) const OWN: u32 = 1 << 31;
const _: () = assert!(OWN as usize == MOST_NAMES, "no other number has this bit");

/// The fragments of a piece of text.
///
/// A piece begins and ends anywhere, also inside a line. Its first and its last bit of a line are
/// kept as text; [`Joiner::join`](super::Joiner::join) reads what they come to.
#[derive(Debug, Default)]
pub struct TsvBlock {
    /// Text up to the first newline.
    pub(super) head: Vec<u8>,
    /// Whether there is a newline at all.
    pub(super) headed: bool,
    /// Text after the last newline.
    pub(super) tail: Vec<u8>,
    /// Whether the text ends with this block.
    pub(super) last: bool,
    /// Lines between head and tail, up to the first one that is wrong.
    pub(super) lines: u64,
    pub(super) fault: Option<Fault>,
    /// Columns of the first line that holds a fragment, and which line that is.
    pub(super) columns: Option<(u64, u64)>,
    pub(super) runs: Vec<Run>,
    /// Names of chromosomes, which runs refer to.
    pub(super) chromosomes: Names,
    /// The chromosome of the last run, with a tab behind it.
    pub(super) current: Vec<u8>,
    /// Bases of that chromosome, where known.
    pub(super) size: Option<u32>,
    /// Barcodes that were not known when the block was read.
    pub(super) new_cells: Names,
    /// Where the barcodes of the last lines are in the text, until they are looked up.
    pub(super) barcodes: Vec<Range<usize>>,
    /// The cell of each fragment: its number, or [`OWN`] and the number of its name above.
    pub(super) cells: Vec<u32>,
    pub(super) starts: Vec<u32>,
    pub(super) ends: Vec<u32>,
    /// Fragments of cells that are not wanted.
    pub(super) unwanted: u64,
}

/// Lines after one another that are of one chromosome.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The number of its name in the block.
    pub(super) chromosome: u32,
    /// The first line, counted from 0 where the lines of the block begin.
    pub(super) line: u64,
    pub(super) first_start: u32,
    pub(super) last_start: u32,
    /// Where the fragments of the run end in the block.
    pub(super) end: usize,
}

impl TsvBlock {
    /// Empties the block, and keeps its memory.
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
        self.unwanted = 0;
    }

    /// Takes the fragments out of the block, with the numbers that joining gave them.
    ///
    /// Any thread can do this.
    pub fn resolve(&mut self, joint: Joint) -> Fragments {
        let mut cells = std::mem::take(&mut self.cells);
        let mut starts = std::mem::take(&mut self.starts);
        let mut ends = std::mem::take(&mut self.ends);
        if !joint.cells.is_empty() {
            for cell in &mut cells {
                if *cell & OWN != 0 {
                    // Each name of the block has been given a number.
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
                // All of its cells were unwanted.
                Some(last) if last.1 == end => {}
                None if end == 0 => {}
                _ => runs.push((chromosome, end)),
            }
        }
        Fragments { runs, cells, starts, ends }
    }
}

/// Fragments with their final numbers, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragments {
    /// Chromosomes, each with the position where its fragments end. Neighbours differ, and none is
    /// without fragments.
    pub runs: Vec<(u32, usize)>,
    /// The cell of each fragment.
    pub cells: Vec<u32>,
    /// Where each fragment starts.
    pub starts: Vec<u32>,
    /// Where each fragment ends.
    pub ends: Vec<u32>,
}

impl Fragments {
    /// Returns the number of fragments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Cuts the fragments into batches of one chromosome each. None is empty.
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

/// Adds to a line that may never end: one byte more than the longest is enough to tell that it is
/// too long, and the first one whether it is a comment.
pub(super) fn push_bounded(line: &mut Vec<u8>, text: &[u8]) {
    let room = (LONGEST_LINE + 1).saturating_sub(line.len());
    line.extend_from_slice(&text[..text.len().min(room)]);
}
