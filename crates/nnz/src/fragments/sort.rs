//! Sorting any number of fragments in bounded memory.
//!
//! Pieces of the text are sorted by any thread, as they are read, and wait: in memory, and in a file
//! without a name once that is used up. Then they are merged a range of bases at a time, again by
//! any thread. Fragments with one start keep the order they came in.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use nnz_core::{FragmentBatch, Result, Unit, UnitReader};
use nnz_interop::fragment_tsv::Fragments;

use super::cut::{Cutter, Sequences, Slice};
use crate::sort::{KeptWords as Kept, Store};

/// Words of a fragment: chromosome, start, end, cell.
const WORDS: usize = 4;
type Fragment = [u32; WORDS];

/// How the text of a piece is cut into blocks, and how many threads read such pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) threads: usize,
    /// Bytes of a block.
    pub(super) piece: usize,
    /// Blocks that are sorted together.
    pub(super) together: usize,
}

/// Bytes of memory for each byte of text that is being sorted: the text, its columns and where
/// chromosomes change, fragments, and room to sort them.
const COST: u64 = 5;
/// Bytes of text that are sorted together at least. Many small pieces take long to merge.
const LEAST_TEXT: u64 = 1 << 20;
/// Bytes of a block, and blocks that are sorted together, at the most.
const MOST_PIECE: u64 = 512 << 10;
const MOST_TOGETHER: u64 = 16;

/// Bytes of memory that sorting takes, however little is allowed: half of it for one thread.
pub(super) const LEAST_MEMORY: u64 = 2 * COST * LEAST_TEXT;

impl Shares {
    /// Divides half of the memory among threads; the other half is for pieces that wait. Where
    /// there is too little for all of them, fewer work.
    pub(super) fn of(memory: u64, threads: usize) -> Self {
        let text = memory / 2 / COST;
        let enough = usize::try_from(text / LEAST_TEXT).unwrap_or(usize::MAX);
        let threads = threads.min(enough).max(1);
        // Compressed blocks hold twice as much.
        let text = (text / threads as u64).max(LEAST_TEXT) / 2;
        let piece = text.min(MOST_PIECE);
        let together = (text / piece).min(MOST_TOGETHER);
        let size = |bytes| usize::try_from(bytes).unwrap_or(1);
        Self { threads, piece: size(piece), together: size(together) }
    }
}

/// Sorted pieces of a text that wait.
pub(super) struct Runs {
    store: Store,
    runs: Vec<Kept>,
    lens: Vec<u64>,
    /// Fragments to merge at a time.
    most: u64,
}

impl Runs {
    /// Waits in so many bytes of memory and in files of a directory, whose bytes `disk` is told.
    pub(super) fn new(
        directory: &Path,
        memory: u64,
        threads: usize,
        disk: &Arc<AtomicU64>,
    ) -> Self {
        let store = Store::new(directory, memory / 2).telling(Some(Arc::clone(disk)));
        // A fragment is in a piece twice while it is sorted, and once as a batch.
        let bytes = 3 * (WORDS * size_of::<u32>()) as u64 * (threads as u64 + 1);
        let most = (memory / 2 / bytes).clamp(1 << 12, 1 << 20);
        Self { store, runs: Vec::new(), lens: Vec::new(), most }
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, run: SortedRun) -> Result<()> {
        let SortedRun(words) = run;
        if words.is_empty() {
            return Ok(());
        }
        self.lens.push((words.len() / WORDS) as u64);
        self.runs.push(self.store.keep(words)?);
        Ok(())
    }

    /// Reads some fragments of a run.
    fn read(
        &self,
        (run, items): Slice,
        all: &mut Vec<Fragment>,
        buffer: &mut Vec<u32>,
    ) -> Result<()> {
        let word = |item: u64| usize::try_from(item).unwrap_or(usize::MAX).saturating_mul(WORDS);
        let (start, end) = (word(items.start), word(items.end));
        let Some(kept) = self.runs.get(run) else { return Ok(()) };
        let words = kept.read(start, end - start, buffer)?;
        all.extend(words.chunks_exact(WORDS).map(|w| [w[0], w[1], w[2], w[3]]));
        Ok(())
    }
}

/// Fragments in order.
pub(super) struct SortedRun(Vec<u32>);

impl SortedRun {
    /// Sorts the fragments of some blocks that follow each other.
    pub(super) fn of(blocks: Vec<Fragments>) -> Self {
        let len = blocks.iter().map(Fragments::len).sum();
        let mut all: Vec<Fragment> = Vec::with_capacity(len);
        for Fragments { runs, cells, starts, ends } in blocks {
            let mut columns = starts.into_iter().zip(ends).zip(cells);
            let mut begin = 0;
            for (chromosome, end) in runs {
                let run = columns.by_ref().take(end - std::mem::replace(&mut begin, end));
                all.extend(run.map(|((start, end), cell)| [chromosome, start, end, cell]));
            }
        }
        all.sort_by_key(key);
        Self(all.into_flattened())
    }
}

fn key(fragment: &Fragment) -> u64 {
    u64::from(fragment[0]) << 32 | u64::from(fragment[1])
}

impl Sequences for Runs {
    fn lens(&self) -> &[u64] {
        &self.lens
    }

    fn key(&self, sequence: usize, item: u64) -> Result<u64> {
        let mut one = Vec::with_capacity(1);
        self.read((sequence, item..item + 1), &mut one, &mut Vec::new())?;
        Ok(one.first().map_or(u64::MAX, key))
    }
}

/// Hands out pieces of all runs, in order.
pub(super) struct Merging<'a> {
    runs: &'a Runs,
    cutter: Cutter,
}

impl<'a> Merging<'a> {
    pub(super) fn new(runs: &'a Runs) -> Self {
        Self { runs, cutter: Cutter::new(runs, runs.most) }
    }
}

/// Fragments of one chromosome after the other.
#[derive(Default)]
pub(super) struct Sorted(pub(super) Vec<FragmentBatch>);

impl<'a> UnitReader<'a, Sorted> for Merging<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<Sorted> + 'a>>> {
        let slices = self.cutter.next(self.runs)?;
        let piece = Piece { runs: self.runs, slices };
        Ok((!piece.slices.is_empty()).then(|| Box::new(piece) as Box<dyn Unit<Sorted>>))
    }
}

struct Piece<'a> {
    runs: &'a Runs,
    slices: Vec<Slice>,
}

impl Unit<Sorted> for Piece<'_> {
    fn decode(self: Box<Self>, sorted: &mut Sorted) -> Result<()> {
        let mut all = Vec::new();
        let mut buffer = Vec::new();
        let several = self.slices.len() > 1;
        for slice in self.slices {
            self.runs.read(slice, &mut all, &mut buffer)?;
        }
        if several {
            all.sort_by_key(key);
        }
        for run in all.chunk_by(|a, b| a[0] == b[0]) {
            sorted.0.push(FragmentBatch {
                chromosome: run.first().map_or(0, |fragment| fragment[0]),
                cells: run.iter().map(|fragment| fragment[3]).collect(),
                starts: run.iter().map(|fragment| fragment[1]).collect(),
                ends: run.iter().map(|fragment| fragment[2]).collect(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_threads_read_at_once_stays_within_half_of_the_memory() {
        for threads in [1, 2, 8, 64] {
            for memory in [0, 1 << 20, LEAST_MEMORY, 32 << 20, 100 << 20, 1 << 30, u64::MAX] {
                let shares = Shares::of(memory, threads);
                assert!((1..=threads).contains(&shares.threads));
                assert!(shares.piece >= 64 << 10 && shares.together >= 1, "{shares:?}");
                let text = 2 * (shares.piece * shares.together) as u64;
                let taken = shares.threads as u64 * text * COST;
                assert!(taken <= memory.max(LEAST_MEMORY) / 2, "{memory} {shares:?}");
            }
            let plenty = Shares { threads, piece: 512 << 10, together: 16 };
            assert_eq!(Shares::of(64 << 30, threads), plenty);
        }
        // Fewer threads, rather than pieces so small that merging them takes long.
        let few = Shares { threads: 3, piece: 559_240, together: 1 };
        assert_eq!(Shares::of(32 << 20, 8).threads, few.threads);
    }
}
