//! Merging several stores.

use nnz_storage::TaskContext;
use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use nnz_core::{
    Error, ErrorKind, FragmentBatch, FragmentFields, FragmentSource, Place, Result, StringList,
    Unit, UnitReader, Written,
};

use super::cut::{Cutter, Sequences, Slice};
use super::names::shown;
use super::run::run;
use super::target::FragmentTarget;
use super::write::FragmentSummary;

/// Fragments that are merged at a time.
const PIECE: u64 = 1 << 18;

/// Options of merging.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MergeOptions {
    /// Prefixes of the names of cells, one for each store; empty for none.
    pub prefixes: Vec<String>,
}

nnz_core::setters! {
    MergeOptions {
        prefixes: Vec<String>,
    }
}

impl MergeOptions {
    /// Checks the number of prefixes.
    ///
    /// # Errors
    ///
    /// Fails if it is not the number of stores.
    pub fn check(&self, stores: usize) -> Result<()> {
        let prefixes = self.prefixes.len();
        if prefixes != 0 && prefixes != stores {
            let what =
                format!("found {prefixes} prefixes, expected {stores}, one for each fragment file");
            return Err(Error::argument(what));
        }
        Ok(())
    }
}

/// Merges several sources into a target. Each comes with its name for messages.
///
/// The cells of each source follow the cells of the source before it. Chromosomes with the same name are
/// merged, in the order of occurrence. Fragments with the same start are in the order of the sources.
///
/// # Errors
///
/// Fails as [`convert`](super::convert()), if two cells have the same name, and if a source has two
/// chromosomes of the same name.
pub fn merge(
    sources: Vec<Box<dyn FragmentSource>>,
    target: &dyn FragmentTarget,
    merging: &MergeOptions,
    context: &TaskContext,
) -> Result<FragmentSummary> {
    let started = Instant::now();
    merging.check(sources.len())?;
    let prefixes = &merging.prefixes;
    let mut stores = Vec::with_capacity(sources.len());
    let mut names = Names::default();
    let mut bytes_before = Some(0);
    for (at, source) in sources.into_iter().enumerate() {
        let place = source.place();
        let at_place = |error: Error| error.with_context(&place);
        let bytes = source.about().map_err(at_place)?.bytes;
        bytes_before = bytes_before.zip(bytes).map(|(sum, bytes): (u64, u64)| sum + bytes);
        let prefix = prefixes.get(at).map_or("", String::as_str);
        let mut store = names.add(source, prefix).map_err(at_place)?;
        store.place = place;
        stores.push(store);
    }
    names.refuse_repeated(&stores, prefixes.is_empty())?;
    let Names { chromosomes, cells, .. } = names;
    let mut sink = target.create(&chromosomes, &cells)?;
    let count = stores.iter().map(|store| store.source.header().count).sum();
    context.progress().begin("merging", Some(count));
    let units = Box::new(StoreMerger {
        stores: &stores,
        chromosomes: 0..u32::try_from(chromosomes.len()).unwrap_or(u32::MAX),
        current: None,
    });
    let done = run(
        units,
        &|batches: &mut MergedBatches| Ok(std::mem::take(&mut batches.0)),
        &mut *sink,
        context,
    );
    context.progress().end();
    let fragments = done?;
    let Written { bytes, .. } =
        sink.finish(&chromosomes, &cells).map_err(|error| error.with_context(&target.place()))?;
    Ok(FragmentSummary {
        fragments,
        chromosomes: chromosomes.len(),
        cells: cells.len(),
        bytes_before,
        bytes_after: bytes,
        seconds: started.elapsed().as_secs_f64(),
        notes: target.replaced().into_iter().collect(),
        ..FragmentSummary::default()
    })
}

/// A store, and the merged numbers of its names.
struct Store {
    source: Box<dyn FragmentSource>,
    /// The segment of the store for each merged chromosome.
    segments: HashMap<u32, Range<u64>>,
    /// The merged number of its first cell.
    first_cell: u32,
    place: Place,
}

/// The merged names.
#[derive(Default)]
struct Names {
    chromosomes: StringList,
    numbers: HashMap<Vec<u8>, u32>,
    cells: StringList,
}

impl Names {
    /// Adds the names of a store.
    fn add(&mut self, source: Box<dyn FragmentSource>, prefix: &str) -> Result<Store> {
        let mut numbers = Vec::new();
        for name in source.chromosome_names()?.iter() {
            let next = u32::try_from(self.chromosomes.len())
                .map_err(|_| Error::argument("too many chromosomes"))?;
            let number = *self.numbers.entry(name.to_vec()).or_insert(next);
            if number == next {
                self.chromosomes.push(name);
            }
            numbers.push(number);
        }
        let mut segments = HashMap::new();
        for segment in &source.header().segments {
            let number = numbers.get(segment.chromosome as usize).copied().unwrap_or(u32::MAX);
            if segments.insert(number, segment.fragments.clone()).is_some() {
                let name = self.chromosomes.iter().nth(number as usize).unwrap_or_default();
                let what = format!("two chromosomes are named {}", shown(name));
                return Err(Error::unsupported(Place::default(), what));
            }
        }
        let first_cell =
            u32::try_from(self.cells.len()).map_err(|_| Error::argument("too many cells"))?;
        let mut prefixed = prefix.as_bytes().to_vec();
        for name in source.cell_names()?.iter() {
            prefixed.truncate(prefix.len());
            prefixed.extend_from_slice(name);
            self.cells.push(&prefixed);
        }
        let place = Place::default();
        Ok(Store { source, segments, first_cell, place })
    }

    fn refuse_repeated(&self, stores: &[Store], prefixable: bool) -> Result<()> {
        if u32::try_from(self.cells.len()).is_err() {
            return Err(Error::argument("too many cells"));
        }
        let mut seen = HashMap::new();
        for (name, number) in self.cells.iter().zip(0..) {
            if let Some(first) = seen.insert(name, number) {
                let name = shown(name);
                let of = |cell: u32| {
                    stores.iter().rev().find(|store| store.first_cell <= cell).map(|s| &s.place)
                };
                let place = of(number).cloned().unwrap_or_default();
                let what = match of(first) {
                    Some(other) if *other != place => {
                        format!("the cell name {name} is also in {other}")
                    }
                    _ => format!("several cells are named {name}"),
                };
                let error = Error::new(ErrorKind::Argument(what), place);
                return Err(match prefixable {
                    true => error.with_hint("prefixes", "makes the names distinct"),
                    false => error,
                });
            }
        }
        Ok(())
    }
}

/// Sorted fragments of several stores.
#[derive(Default)]
struct MergedBatches(Vec<FragmentBatch>);

/// Finds pieces of all stores that can be merged independently.
struct StoreMerger<'a> {
    stores: &'a [Store],
    /// The remaining chromosomes.
    chromosomes: Range<u32>,
    current: Option<(Segments<'a>, Cutter)>,
}

/// The segments of a chromosome in the stores.
struct Segments<'a> {
    chromosome: u32,
    parts: Vec<(&'a Store, Range<u64>)>,
    lens: Vec<u64>,
}

impl Sequences for Segments<'_> {
    fn lens(&self) -> &[u64] {
        &self.lens
    }

    fn key(&self, sequence: usize, item: u64) -> Result<u64> {
        let Some((store, segment)) = self.parts.get(sequence) else {
            return Ok(u64::MAX);
        };
        let position = segment.start + item;
        let fields = FragmentFields { cells: false, starts: true, ends: false };
        let mut start = u32::MAX;
        store
            .source
            .for_each(position..position + 1, fields, &mut |batch| {
                start = batch.starts.first().copied().unwrap_or(start);
                Ok(())
            })
            .map_err(|error| error.with_context(&store.place))?;
        Ok(start.into())
    }
}

impl<'a> UnitReader<'a, MergedBatches> for StoreMerger<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<MergedBatches> + 'a>>> {
        loop {
            if let Some((segments, cutter)) = &mut self.current {
                let slices = cutter.next(segments)?;
                if !slices.is_empty() {
                    let slice = |(sequence, items): Slice| {
                        let (store, segment) = &segments.parts[sequence];
                        (*store, segment.start + items.start..segment.start + items.end)
                    };
                    let slices = slices.into_iter().map(slice).collect();
                    let chromosome = segments.chromosome;
                    return Ok(Some(Box::new(StoreSlices { chromosome, slices })));
                }
            }
            let Some(chromosome) = self.chromosomes.next() else {
                return Ok(None);
            };
            let part = |store: &'a Store| {
                let segment = store.segments.get(&chromosome)?;
                Some((store, segment.clone()))
            };
            let parts: Vec<_> = self.stores.iter().filter_map(part).collect();
            let lens = parts.iter().map(|(_, segment)| segment.end - segment.start).collect();
            let segments = Segments { chromosome, parts, lens };
            let cutter = Cutter::new(&segments, PIECE);
            self.current = Some((segments, cutter));
        }
    }
}

/// Slices of stores for the same bases.
struct StoreSlices<'a> {
    chromosome: u32,
    slices: Vec<(&'a Store, Range<u64>)>,
}

impl Unit<MergedBatches> for StoreSlices<'_> {
    fn decode(self: Box<Self>, merged: &mut MergedBatches) -> Result<()> {
        let mut all: Vec<[u32; 3]> = Vec::new();
        let several = self.slices.len() > 1;
        for (store, positions) in self.slices {
            let read = store.source.for_each(positions, FragmentFields::ALL, &mut |batch| {
                let columns = batch.starts.iter().zip(&batch.ends).zip(&batch.cells);
                // Cells are less than the number of their names, and the sum of those was checked.
                let fragment = |((&start, &end), &cell): ((&u32, &u32), &u32)| {
                    [start, end, store.first_cell.wrapping_add(cell)]
                };
                all.extend(columns.map(fragment));
                Ok(())
            });
            read.map_err(|error| error.with_context(&store.place))?;
        }
        if several {
            // A stable sort: fragments with the same start are in the order of the stores.
            all.sort_by_key(|fragment| fragment[0]);
        }
        merged.0.push(FragmentBatch {
            chromosome: self.chromosome,
            cells: all.iter().map(|fragment| fragment[2]).collect(),
            starts: all.iter().map(|fragment| fragment[0]).collect(),
            ends: all.iter().map(|fragment| fragment[1]).collect(),
        });
        Ok(())
    }
}
