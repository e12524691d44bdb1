//! Sorting any number of fragments in bounded memory.
//!
//! Runs are sorted by any thread as they are read, and kept in memory, or in an unnamed file when
//! that is used up. Then they are merged by ranges of bases, again by any thread. Fragments with the
//! same start keep their order.

use nnz_storage::TaskContext;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use nnz_core::{FragmentBatch, FragmentSink, Result, Unit, UnitReader};

use super::cut::{Cutter, Sequences, Slice};
use super::run::run;
use crate::sort::{Store, StoredWords};

/// Words of a fragment: chromosome, start, end, cell.
const WORDS: usize = 4;
type Fragment = [u32; WORDS];

/// Sorted runs of fragments, to be merged.
pub struct SortedRuns {
    store: Store,
    runs: Vec<StoredWords>,
    lens: Vec<u64>,
    /// Fragments that are merged at a time.
    most: u64,
}

impl std::fmt::Debug for SortedRuns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SortedRuns").finish_non_exhaustive()
    }
}

impl SortedRuns {
    /// Keeps runs in `memory` bytes of memory and in files of a directory. `disk` is called with
    /// their bytes.
    #[must_use]
    pub fn new(directory: &Path, memory: u64, threads: usize, disk: &Arc<AtomicU64>) -> Self {
        let store = Store::new(directory, memory / 2).reporting(Some(Arc::clone(disk)));
        // A fragment is in a piece twice while it is sorted, and once in a batch.
        let bytes = 3 * (WORDS * size_of::<u32>()) as u64 * (threads as u64 + 1);
        let most = (memory / 2 / bytes).clamp(1 << 12, 1 << 20);
        Self { store, runs: Vec::new(), lens: Vec::new(), most }
    }

    /// Adds the next run.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written to disk.
    pub fn push(&mut self, run: SortedRun) -> Result<()> {
        let SortedRun(words) = run;
        if words.is_empty() {
            return Ok(());
        }
        self.lens.push((words.len() / WORDS) as u64);
        self.runs.push(self.store.keep(words)?);
        Ok(())
    }

    /// Merges all runs and writes them to a sink. Returns the number of fragments.
    ///
    /// # Errors
    ///
    /// Fails if a run cannot be read back, if the sink cannot be written, and if cancelled.
    pub fn write(&self, sink: &mut dyn FragmentSink, context: &TaskContext) -> Result<u64> {
        let change = |sorted: &mut SortedBatches| Ok(std::mem::take(&mut sorted.0));
        run(Box::new(RunMerger::new(self)), &change, sink, context)
    }

    /// Reads fragments of a run.
    fn read(
        &self,
        (run, items): Slice,
        all: &mut Vec<Fragment>,
        buffer: &mut Vec<u32>,
    ) -> Result<()> {
        let word = |item: u64| usize::try_from(item).unwrap_or(usize::MAX).saturating_mul(WORDS);
        let (start, end) = (word(items.start), word(items.end));
        let Some(stored) = self.runs.get(run) else { return Ok(()) };
        let words = stored.read(start, end - start, buffer)?;
        all.extend(words.chunks_exact(WORDS).map(|w| [w[0], w[1], w[2], w[3]]));
        Ok(())
    }
}

/// Sorted fragments.
#[derive(Debug)]
pub struct SortedRun(Vec<u32>);

impl SortedRun {
    /// Sorts fragments by chromosome and start. The sort is stable.
    ///
    /// A fragment has chromosome, start, end and cell.
    #[must_use]
    pub fn of(mut fragments: Vec<[u32; 4]>) -> Self {
        fragments.sort_by_key(key);
        Self(fragments.into_flattened())
    }
}

fn key(fragment: &Fragment) -> u64 {
    u64::from(fragment[0]) << 32 | u64::from(fragment[1])
}

impl Sequences for SortedRuns {
    fn lens(&self) -> &[u64] {
        &self.lens
    }

    fn key(&self, sequence: usize, item: u64) -> Result<u64> {
        let mut one = Vec::with_capacity(1);
        self.read((sequence, item..item + 1), &mut one, &mut Vec::new())?;
        Ok(one.first().map_or(u64::MAX, key))
    }
}

/// Yields pieces of all runs, in order.
struct RunMerger<'a> {
    runs: &'a SortedRuns,
    cutter: Cutter,
}

impl<'a> RunMerger<'a> {
    fn new(runs: &'a SortedRuns) -> Self {
        Self { runs, cutter: Cutter::new(runs, runs.most) }
    }
}

/// Fragments by chromosome.
#[derive(Default)]
struct SortedBatches(Vec<FragmentBatch>);

impl<'a> UnitReader<'a, SortedBatches> for RunMerger<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<SortedBatches> + 'a>>> {
        let slices = self.cutter.next(self.runs)?;
        let piece = RunSlices { runs: self.runs, slices };
        Ok((!piece.slices.is_empty()).then(|| Box::new(piece) as Box<dyn Unit<SortedBatches>>))
    }
}

/// Slices of sorted runs for the same keys.
struct RunSlices<'a> {
    runs: &'a SortedRuns,
    slices: Vec<Slice>,
}

impl Unit<SortedBatches> for RunSlices<'_> {
    fn decode(self: Box<Self>, sorted: &mut SortedBatches) -> Result<()> {
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
