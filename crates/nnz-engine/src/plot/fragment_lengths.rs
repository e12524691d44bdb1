//! Distribution of the lengths of fragments.

use nnz_storage::TaskContext;
use std::collections::BTreeMap;
use std::sync::Mutex;

use nnz_core::{FragmentBatch, FragmentFields, FragmentSource, Result, Unit, UnitReader};

use super::steps::InAnyOrder;
use crate::Progress;
use crate::flow::{Done, Work, Workers, run};
use crate::stats::lock;

/// Lengths up to this one are counted one by one.
pub const MAX_EXACT_LENGTH: usize = 999;

/// Bases of a bin of the lengths of a chromosome.
pub const BASES_PER_BIN: usize = 10;

/// Chromosomes at most, those with the most fragments.
const CHROMOSOMES: usize = 64;

/// Numbers of fragments by length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FragmentLengths {
    /// The number of fragments.
    pub fragments: u64,
    /// The number of fragments of length 0, 1, 2, ... up to [`MAX_EXACT_LENGTH`].
    pub lengths: Vec<u64>,
    /// The number of longer fragments.
    pub longer: u64,
    /// The greatest length; `None` if there are no fragments.
    pub longest: Option<u32>,
    /// Chromosomes with fragments, in the order of the file; if there are many, those with the most fragments.
    pub chromosomes: Vec<ChromosomeLengths>,
    /// The number of chromosomes with fragments.
    pub chromosomes_with_fragments: u64,
}

/// Numbers of fragments of a chromosome by length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChromosomeLengths {
    /// The name; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// The number of fragments.
    pub fragments: u64,
    /// The number of fragments in bins of [`BASES_PER_BIN`], up to [`MAX_EXACT_LENGTH`].
    pub bins: Vec<u64>,
}

impl FragmentLengths {
    /// Returns the smallest length that half of the fragments do not exceed; `None` if there are no fragments, or if more than half
    /// of them are longer than [`MAX_EXACT_LENGTH`].
    #[must_use]
    pub fn median(&self) -> Option<u32> {
        let mut before = 0;
        let half = self.fragments.div_ceil(2).max(1);
        let found = self.lengths.iter().position(|count| {
            before += count;
            before >= half
        });
        found.and_then(|length| u32::try_from(length).ok())
    }
}

/// Counts the fragments of each length, in one pass and in little memory.
///
/// # Errors
///
/// Fails if the fragments cannot be read or are invalid.
pub fn fragment_lengths(
    source: &dyn FragmentSource,
    context: &TaskContext,
) -> Result<FragmentLengths> {
    let place = &source.place();
    let header = source.header();
    let mut per_chromosome: BTreeMap<u32, u64> = BTreeMap::new();
    for segment in &header.segments {
        let count = segment.fragments.end - segment.fragments.start;
        *per_chromosome.entry(segment.chromosome).or_default() += count;
    }
    per_chromosome.retain(|_, count| *count > 0);
    let mut most: Vec<(u32, u64)> = per_chromosome.iter().map(|(&name, &n)| (name, n)).collect();
    most.sort_by_key(|&(chromosome, count)| (std::cmp::Reverse(count), chromosome));
    most.truncate(CHROMOSOMES);
    most.sort_unstable();
    let slots = most.iter().zip(0..).map(|((chromosome, _), slot)| (*chromosome, slot)).collect();
    let work = Counting { slots, tables: Mutex::default() };
    let workers = Workers::of(context);
    context.progress().begin("reading", Some(header.count));
    let done = source.units(0..header.count, FragmentFields::INTERVALS).and_then(|units| {
        let units = Box::new(ProgressUnits { units, progress: context.progress() });
        run(units, &work, &mut InAnyOrder, &mut Done, workers)
    });
    context.progress().end();
    let names = done.and_then(|()| source.chromosome_names());
    let names = names.map_err(|error| error.with_context(place))?;
    let mut all = Table::new(work.slots.len());
    lock(&work.tables).iter().for_each(|table| all.merge(table));
    let chromosomes = most.iter().zip(all.bins).map(|(&(chromosome, fragments), bins)| {
        let name = names.get(chromosome.into());
        let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
        ChromosomeLengths { name: name.unwrap_or_default(), fragments, bins }
    });
    Ok(FragmentLengths {
        fragments: all.lengths.iter().sum::<u64>() + all.longer,
        longest: all.longest,
        longer: all.longer,
        lengths: all.lengths,
        chromosomes: chromosomes.collect(),
        chromosomes_with_fragments: per_chromosome.len() as u64,
    })
}

/// Reports how many fragments were read.
struct ProgressUnits<'a, 'p> {
    units: Box<dyn UnitReader<'a, FragmentBatch> + 'a>,
    progress: &'p dyn Progress,
}

impl<'a> UnitReader<'a, FragmentBatch> for ProgressUnits<'a, '_> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<FragmentBatch> + 'a>>> {
        self.units.next_unit()
    }

    fn on_decoded(&mut self, fragments: u64) -> Result<()> {
        self.progress.advance(fragments);
        self.units.on_decoded(fragments)
    }

    fn counts_may_fail(&self) -> bool {
        self.units.counts_may_fail()
    }

    fn end(&mut self) -> Result<()> {
        self.units.end()
    }
}

/// Counts the lengths of batches.
struct Counting {
    /// The row of each chromosome that is counted on its own.
    slots: BTreeMap<u32, usize>,
    /// Tables of each thread that needed one.
    tables: Mutex<Vec<Table>>,
}

impl Work for Counting {
    type Batch = FragmentBatch;
    type Decoded = FragmentBatch;
    type Encoded = ();
    type Joint = ();

    fn decode(
        &self,
        units: Vec<Box<dyn Unit<FragmentBatch> + '_>>,
    ) -> Result<(FragmentBatch, Vec<u64>)> {
        let mut batch = FragmentBatch::default();
        let mut counts = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            counts.push(batch.starts.len() as u64);
        }
        Ok((batch, counts))
    }

    fn encode(&self, batch: FragmentBatch, (): ()) -> Result<()> {
        let spare = lock(&self.tables).pop();
        let mut table = spare.unwrap_or_else(|| Table::new(self.slots.len()));
        table.add(&batch, self.slots.get(&batch.chromosome).copied());
        lock(&self.tables).push(table);
        Ok(())
    }
}

struct Table {
    lengths: Vec<u64>,
    longer: u64,
    longest: Option<u32>,
    bins: Vec<Vec<u64>>,
}

impl Table {
    fn new(slots: usize) -> Self {
        let bins = vec![vec![0; MAX_EXACT_LENGTH.div_ceil(BASES_PER_BIN)]; slots];
        Self { lengths: vec![0; MAX_EXACT_LENGTH + 1], longer: 0, longest: None, bins }
    }

    fn add(&mut self, batch: &FragmentBatch, slot: Option<usize>) {
        let mut bins = slot.and_then(|slot| self.bins.get_mut(slot));
        for (&start, &end) in batch.starts.iter().zip(&batch.ends) {
            let length = end.saturating_sub(start);
            self.longest = self.longest.max(Some(length));
            let length = length as usize;
            match self.lengths.get_mut(length) {
                Some(count) => *count += 1,
                None => self.longer += 1,
            }
            let bin = bins.as_mut().and_then(|bins| bins.get_mut(length / BASES_PER_BIN));
            if let Some(count) = bin {
                *count += 1;
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        let add = |into: &mut [u64], from: &[u64]| {
            into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
        };
        add(&mut self.lengths, &other.lengths);
        self.longer += other.longer;
        self.longest = self.longest.max(other.longest);
        self.bins.iter_mut().zip(&other.bins).for_each(|(into, from)| add(into, from));
    }
}
