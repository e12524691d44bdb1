//! Comparing two stores of fragments.

use nnz_storage::TaskContext;
use std::ops::Range;

use nnz_core::{FragmentBatch, FragmentFields, FragmentSource, Result, StringList, UnitReader};

use super::names::{Numbers, Table};
use super::ranges::{FragmentRange, RangeReader};

/// Options of a comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DiffOptions {
    /// Maximum number of differences; by default 10.
    pub max_diffs: usize,
}

nnz_core::setters! {
    DiffOptions {
        max_diffs: usize,
    }
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { max_diffs: 10 }
    }
}

/// A difference between two stores of fragments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FragmentDifference {
    /// The names of the chromosomes differ.
    Chromosomes,
    /// The names of the cells differ.
    Cells,
    /// A fragment of a chromosome differs; `None` for a missing one.
    Fragment {
        /// The name of the chromosome.
        chromosome: Vec<u8>,
        /// Its number among the fragments of the chromosome.
        number: u64,
        /// The fragment in the first store: start, end and cell.
        first: Option<(u32, u32, Vec<u8>)>,
        /// The fragment in the second store.
        second: Option<(u32, u32, Vec<u8>)>,
    },
}

/// Compares two stores of fragments and passes the first differences to `each`.
///
/// Chromosomes and cells are compared by name. The fragments of a chromosome are compared in
/// storage order; the order of the chromosomes does not matter.
///
/// # Errors
///
/// Fails if one of them cannot be read or is broken, and if it is cancelled.
pub fn diff(
    sources: [&dyn FragmentSource; 2],
    options: &DiffOptions,
    context: &TaskContext,
    each: &mut dyn FnMut(FragmentDifference),
) -> Result<()> {
    let places = sources.map(|source| source.place());
    let [first, second] = sources.map(|source| source.header().count);
    let total = first.saturating_add(second);
    let context = &context.in_part("comparing", Some(total));
    let names = |source: &dyn FragmentSource| -> Result<[StringList; 2]> {
        Ok([source.chromosome_names()?, source.cell_names()?])
    };
    let [chromosomes, cells] = {
        let [a, b] = [names(sources[0])?, names(sources[1])?];
        let ([a, c], [b, d]) = (a, b);
        [[a, b], [c, d]]
    };
    let mut left = options.max_diffs;
    let mut report = |difference| {
        left = left.saturating_sub(1);
        each(difference);
        left > 0
    };
    if chromosomes[0] != chromosomes[1] && !report(FragmentDifference::Chromosomes) {
        return Ok(());
    }
    if cells[0] != cells[1] && !report(FragmentDifference::Cells) {
        return Ok(());
    }
    let tables = [Table::of(&cells[0])?, Table::of(&cells[1])?];
    let numbers = Numbers::<&[u8]>::of(&chromosomes[1]);
    let segment = |which: usize, chromosome: Option<u32>| -> Range<u64> {
        let mut segments = sources[which].header().segments.iter();
        let found = segments.find(|segment| Some(segment.chromosome) == chromosome);
        found.map_or(0..0, |segment| segment.fragments.clone())
    };
    let known = Numbers::<&[u8]>::of(&chromosomes[0]);
    let mut pairs = Vec::new();
    for (name, a) in chromosomes[0].iter().zip(0..) {
        pairs.push((name, Some(a), numbers.find(name)?));
    }
    for (name, b) in chromosomes[1].iter().zip(0..) {
        if known.find(name)?.is_none() {
            pairs.push((name, None, Some(b)));
        }
    }
    for (name, a, b) in pairs {
        let positions = [segment(0, a), segment(1, b)];
        let mut streams = [0, 1].map(|which| {
            let range = FragmentRange { positions: positions[which].clone(), bases: None };
            let units = RangeReader::new(sources[which], FragmentFields::ALL, [range]);
            Stream { units, batch: FragmentBatch::default(), at: 0, context }
        });
        for number in 0.. {
            let mut next = [None, None];
            for (which, next) in next.iter_mut().enumerate() {
                let place = &places[which];
                *next = streams[which].next().map_err(|error| error.with_context(place))?;
            }
            let of = |which: usize| {
                let (start, end, cell) = next[which]?;
                Some((start, end, tables[which].get(cell)))
            };
            let (x, y) = (of(0), of(1));
            if x.is_none() && y.is_none() {
                break;
            }
            if x != y {
                let owned = |found: Option<(u32, u32, &[u8])>| {
                    found.map(|(start, end, cell)| (start, end, cell.to_vec()))
                };
                let (first, second) = (owned(x), owned(y));
                let chromosome = name.to_vec();
                if !report(FragmentDifference::Fragment { chromosome, number, first, second }) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Yields fragments one by one.
struct Stream<'a> {
    units: RangeReader<'a>,
    batch: FragmentBatch,
    at: usize,
    context: &'a TaskContext,
}

impl Stream<'_> {
    fn next(&mut self) -> Result<Option<(u32, u32, u32)>> {
        while self.at >= self.batch.starts.len() {
            self.context.check()?;
            let Some(unit) = self.units.next_unit()? else {
                return Ok(None);
            };
            unit.decode(&mut self.batch)?;
            self.context.progress().advance(self.batch.starts.len() as u64);
            self.at = 0;
        }
        let FragmentBatch { cells, starts, ends, .. } = &self.batch;
        let fragment = (starts[self.at], ends[self.at], cells[self.at]);
        self.at += 1;
        Ok(Some(fragment))
    }
}
