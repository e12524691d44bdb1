//! Selecting fragments of a store.

use nnz_storage::TaskContext;
use std::ops::RangeInclusive;
use std::time::Instant;

use nnz_core::{Error, FragmentBatch, FragmentFields, FragmentSource, Result, StringList, Written};

use super::names::{Table, find_all};
use super::ranges::{FragmentRange, RangeReader, retain};
use super::run::run;
use super::target::FragmentTarget;
use super::write::FragmentSummary;

/// Selected fragments; by default all.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SelectOptions {
    /// The cells, in the order of the target; by default all.
    pub cells: Option<StringList>,
    /// The chromosomes, in the order of the target; by default all.
    pub chromosomes: Option<StringList>,
    /// The length of a fragment in bases.
    pub length: RangeInclusive<u32>,
}

nnz_core::setters! {
    SelectOptions {
        cells: Option<StringList>,
        chromosomes: Option<StringList>,
        length: RangeInclusive<u32>,
    }
}

impl Default for SelectOptions {
    fn default() -> Self {
        Self { cells: None, chromosomes: None, length: 0..=u32::MAX }
    }
}

impl SelectOptions {
    /// Checks the options.
    ///
    /// # Errors
    ///
    /// Fails if the range of lengths is empty.
    pub fn check(&self) -> Result<()> {
        if self.length.is_empty() {
            return Err(Error::argument("the minimum length is larger than the maximum length"));
        }
        Ok(())
    }
}

/// Writes selected fragments of a source to a target.
///
/// # Errors
///
/// Fails as [`convert`](super::convert()), and if a cell or chromosome does not exist or is listed
/// twice.
pub fn select(
    source: &dyn FragmentSource,
    target: &dyn FragmentTarget,
    selected: &SelectOptions,
    context: &TaskContext,
) -> Result<FragmentSummary> {
    let from = &source.place();
    const ABSENT: u32 = u32::MAX;
    let started = Instant::now();
    selected.check()?;
    let at_source = |error: Error| error.with_context(from);
    let about = source.about().map_err(at_source)?;
    let chromosomes = source.chromosome_names().map_err(at_source)?;
    let cells = source.cell_names().map_err(at_source)?;

    let header = source.header();
    let segment = |chromosome: u32| {
        let mut segments = header.segments.iter();
        let found = segments.find(|segment| segment.chromosome == chromosome);
        found.map_or(0..0, |segment| segment.fragments.clone())
    };
    // The new numbers of the chromosomes and cells.
    let mut numbers = vec![ABSENT; usize::try_from(chromosomes.len()).unwrap_or(usize::MAX)];
    let (chromosomes, ranges) = match &selected.chromosomes {
        Some(wanted) => {
            let found = find_all("chromosome", wanted, &chromosomes).map_err(at_source)?;
            for (&old, new) in found.iter().zip(0..) {
                numbers[old as usize] = new;
            }
            (wanted.clone(), found.iter().map(|&old| segment(old)).collect())
        }
        None => {
            for (number, new) in numbers.iter_mut().zip(0..) {
                *number = new;
            }
            (chromosomes, header.segments.iter().map(|s| s.fragments.clone()).collect::<Vec<_>>())
        }
    };
    let (cells, renumbered) = match &selected.cells {
        Some(wanted) => {
            let mut renumbered = vec![ABSENT; Table::of(&cells)?.len()];
            for (&old, new) in find_all("cell", wanted, &cells).map_err(at_source)?.iter().zip(0..)
            {
                renumbered[old as usize] = new;
            }
            (wanted.clone(), Some(renumbered))
        }
        None => (cells, None),
    };

    let change = |batch: &mut FragmentBatch| {
        let number = numbers.get(batch.chromosome as usize);
        batch.chromosome = number.copied().unwrap_or(batch.chromosome);
        if let Some(renumbered) = &renumbered {
            for cell in &mut batch.cells {
                *cell = renumbered.get(*cell as usize).copied().unwrap_or(ABSENT);
            }
        }
        if renumbered.is_some() || selected.length != (0..=u32::MAX) {
            retain(batch, |start, end, cell| {
                (renumbered.is_none() || cell != ABSENT) && selected.length.contains(&(end - start))
            });
        }
        Ok(vec![std::mem::take(batch)])
    };
    let ranges = ranges.into_iter().map(|positions| FragmentRange { positions, bases: None });
    let units = Box::new(RangeReader::new(source, FragmentFields::ALL, ranges));
    let mut sink = target.create(&chromosomes, &cells)?;
    context.progress().begin("selecting", None);
    let done = run(units, &change, &mut *sink, context);
    context.progress().end();
    let fragments = done.map_err(|error| error.with_context(from))?;
    let Written { bytes, .. } =
        sink.finish(&chromosomes, &cells).map_err(|error| error.with_context(&target.place()))?;
    Ok(FragmentSummary {
        fragments,
        chromosomes: chromosomes.len(),
        cells: cells.len(),
        bytes_before: about.bytes,
        bytes_after: bytes,
        seconds: started.elapsed().as_secs_f64(),
        notes: target.replaced().into_iter().collect(),
        ..FragmentSummary::default()
    })
}
