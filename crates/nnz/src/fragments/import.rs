//! Importing text into a store.

use crate::Context;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use nnz_core::{FragmentBatch, FragmentSink, Result, StringList, Unit, Written};
use nnz_engine::flow::{self, Join, Work, Workers, Write};
use nnz_engine::fragments::{FragmentTarget as _, SortedRun, SortedRuns};
use nnz_singlecell::fragment_tsv::{
    self, Chromosomes, FragmentTsv, Fragments, Joiner, Joint, Reading, TsvBlock,
};
use nnz_storage::Opened;

use super::FragmentSummary;
use super::shares::{LEAST_MEMORY, Shares};
use super::target::{FragmentOutput, StoreOptions};
use crate::Location;

/// Options of [`import`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Whether fragments may be in any order and are sorted. Otherwise, unsorted fragments are an
    /// error.
    pub sort: bool,
    /// Whether the end is the last base of a fragment instead of the one after it.
    pub end_inclusive: bool,
    /// The cells to import; by default all.
    pub cells: Option<StringList>,
    /// The chromosomes in their order; by default in the order of occurrence.
    pub chromosomes: Option<Chromosomes>,
}

nnz_core::setters! {
    ImportOptions {
        sort: bool,
        end_inclusive: bool,
        cells: Option<StringList>,
        chromosomes: Option<Chromosomes>,
    }
}

/// Imports fragments from text: plain, gzipped or bgzipped.
///
/// Cells are numbered in the order of occurrence.
///
/// # Errors
///
/// Fails if a line is not a fragment, is out of order or has a chromosome that is not listed, and
/// if the target exists and may not be replaced or cannot be written. Nothing is written then.
pub fn import(
    from: &Location,
    to: &Location,
    reading: ImportOptions,
    options: &StoreOptions,
    context: &Context,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    let target = FragmentOutput::new(to, options, context)?;
    let mut text = open_text(from, context)?;
    let shares = Shares::of(context.memory(), context.threads());
    if reading.sort {
        text = text.in_pieces_of(shares.piece);
    }
    let bytes_before = text.about().bytes;
    let sort = reading.sort;
    let Reading { units, mut joiner } = text.read(fragment_tsv::Options {
        end_inclusive: reading.end_inclusive,
        unsorted: sort,
        cells: reading.cells,
        chromosomes: reading.chromosomes,
    })?;
    let mut sink = target.create_store().map_err(|error| error.with_context(&target.place()))?;
    let workers = Workers::of(context);
    let disk = Arc::<AtomicU64>::default();
    context.progress().begin(if sort { "sorting" } else { "importing" }, None);
    let mut joined = BlockJoiner { joiner: &mut joiner, context };
    let done = if sort {
        let directory = target.spool_directory();
        let mut runs = SortedRuns::new(&directory, context.memory(), workers.threads, &disk);
        let work = Sorting { together: shares.together, spares: Mutex::default() };
        let sorting = Workers { threads: shares.threads, ..workers };
        let read = flow::run(units, &work, &mut joined, &mut RunWriter(&mut runs), sorting);
        context.progress().end();
        context.progress().begin("writing", Some(joiner.fragments()));
        read.and_then(|()| runs.write(&mut *sink, context).map(|_| ()))
    } else {
        let work = Importing { spares: Mutex::default() };
        flow::run(units, &work, &mut joined, &mut Into(&mut *sink), workers)
    };
    context.progress().end();
    done.map_err(|error| error.with_context(&from.source_place()))?;
    let read = joiner.finish()?;
    let Written { bytes, .. } = sink
        .finish(&read.chromosomes, &read.cells)
        .map_err(|error| error.with_context(&target.place()))?;
    let mut notes: Vec<_> = target.lost.into_iter().collect();
    let mut dropped = Vec::new();
    if sort && context.memory() < LEAST_MEMORY {
        notes.push(format!("sorting takes at least {LEAST_MEMORY} bytes of memory"));
    }
    if read.unselected > 0 {
        dropped.push(format!("{} fragments of other cells", read.unselected));
    }
    if let Some([unmet, listed]) = read.unmet.filter(|[unmet, _]| *unmet > 0) {
        notes.push(format!("{unmet} of {listed} listed cells were not found"));
    }
    if read.columns.is_some_and(|columns| columns > 4) {
        dropped.push("columns after the fourth".to_owned());
    }
    Ok(FragmentSummary::default()
        .fragments(read.fragments)
        .chromosomes(read.chromosomes.len())
        .cells(read.cells.len())
        .bytes_before(bytes_before)
        .bytes_after(bytes)
        .disk(disk.load(Ordering::Relaxed))
        .seconds(started.elapsed().as_secs_f64())
        .dropped(dropped)
        .notes(notes))
}

fn open_text(from: &Location, context: &Context) -> Result<FragmentTsv> {
    let context = &context.operation();
    match &from.resolve(&**context.storage())? {
        Location::Stream => fragment_tsv::open_stdin(),
        Location::Path { path, group: None } => {
            fragment_tsv::from_opened(&Opened::new(context, path)?)
        }
        Location::Path { .. } => {
            let what = "text files have no groups";
            Err(nnz_core::Error::unsupported(from.source_place(), what))
        }
    }
}

/// Joins blocks of text.
struct BlockJoiner<'a> {
    joiner: &'a mut Joiner,
    context: &'a Context,
}

impl BlockJoiner<'_> {
    fn next(&mut self, block: &TsvBlock) -> Result<Joint> {
        let before = self.joiner.fragments();
        let joint = self.joiner.join(block)?;
        self.context.progress().advance(self.joiner.fragments() - before);
        Ok(joint)
    }
}

/// Makes batches of sorted text.
struct Importing {
    /// Blocks to be reused.
    spares: Mutex<Vec<TsvBlock>>,
}

impl Work for Importing {
    type Batch = TsvBlock;
    type Decoded = TsvBlock;
    type Encoded = Vec<FragmentBatch>;
    type Joint = Joint;

    fn decode(&self, units: Vec<Box<dyn Unit<TsvBlock> + '_>>) -> Result<(TsvBlock, Vec<u64>)> {
        let spare = self.spares.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut block = spare.unwrap_or_default();
        for unit in units {
            unit.decode(&mut block)?;
        }
        Ok((block, Vec::new()))
    }

    fn encode(&self, mut block: TsvBlock, joint: Joint) -> Result<Vec<FragmentBatch>> {
        let batches = block.resolve(joint).into_batches();
        self.spares.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        Ok(batches)
    }
}

impl Join<Importing> for BlockJoiner<'_> {
    fn join(&mut self, block: &TsvBlock) -> Result<Option<Joint>> {
        self.next(block).map(Some)
    }
}

/// The consumer of sorted batches.
struct Into<'a>(&'a mut dyn FragmentSink);

impl Write<Importing> for Into<'_> {
    fn write(&mut self, batches: Vec<FragmentBatch>) -> Result<()> {
        batches.iter().try_for_each(|batch| self.0.write(batch))
    }
}

/// Makes sorted runs of unsorted text.
struct Sorting {
    /// Blocks that are sorted together.
    together: usize,
    /// Blocks to be reused.
    spares: Mutex<Vec<TsvBlock>>,
}

impl Work for Sorting {
    type Batch = TsvBlock;
    type Decoded = Vec<TsvBlock>;
    type Encoded = SortedRun;
    type Joint = Vec<Joint>;

    fn together(&self) -> usize {
        self.together
    }

    fn decode(
        &self,
        units: Vec<Box<dyn Unit<TsvBlock> + '_>>,
    ) -> Result<(Vec<TsvBlock>, Vec<u64>)> {
        let mut blocks = Vec::with_capacity(units.len());
        for unit in units {
            let spare = self.spares.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut block = spare.unwrap_or_default();
            unit.decode(&mut block)?;
            blocks.push(block);
        }
        Ok((blocks, Vec::new()))
    }

    fn encode(&self, blocks: Vec<TsvBlock>, joints: Vec<Joint>) -> Result<SortedRun> {
        let mut pieces = Vec::with_capacity(blocks.len());
        for (mut block, joint) in blocks.into_iter().zip(joints) {
            pieces.push(block.resolve(joint));
            self.spares.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        }
        Ok(sorted(pieces))
    }
}

impl Join<Sorting> for BlockJoiner<'_> {
    fn join(&mut self, blocks: &Vec<TsvBlock>) -> Result<Option<Vec<Joint>>> {
        blocks.iter().map(|block| self.next(block)).collect::<Result<_>>().map(Some)
    }
}

/// Sorts the fragments of consecutive blocks.
fn sorted(blocks: Vec<Fragments>) -> SortedRun {
    let len = blocks.iter().map(Fragments::len).sum();
    let mut all: Vec<[u32; 4]> = Vec::with_capacity(len);
    for Fragments { runs, cells, starts, ends } in blocks {
        let mut columns = starts.into_iter().zip(ends).zip(cells);
        let mut begin = 0;
        for (chromosome, end) in runs {
            let run = columns.by_ref().take(end - std::mem::replace(&mut begin, end));
            all.extend(run.map(|((start, end), cell)| [chromosome, start, end, cell]));
        }
    }
    SortedRun::of(all)
}

/// The consumer of sorted runs.
struct RunWriter<'a>(&'a mut SortedRuns);

impl Write<Sorting> for RunWriter<'_> {
    fn write(&mut self, run: SortedRun) -> Result<()> {
        self.0.push(run)
    }
}
