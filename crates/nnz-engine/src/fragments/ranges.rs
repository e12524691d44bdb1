//! Ranges of fragments of a store, read one after the other.

use std::collections::VecDeque;
use std::ops::Range;

use nnz_core::{FragmentBatch, FragmentFields, FragmentSource, Result, Unit, UnitReader};

use super::region::Region;

/// A range of fragments, possibly only those that overlap some bases.
#[derive(Clone, Debug)]
pub struct FragmentRange {
    /// Positions of the fragments in the source.
    pub positions: Range<u64>,
    /// Bases that a fragment has to overlap.
    pub bases: Option<Range<u32>>,
}

impl FragmentRange {
    /// Finds the fragments of a region. A whole chromosome includes empty fragments.
    ///
    /// # Errors
    ///
    /// Fails if the fragments cannot be read.
    pub fn of_region(source: &dyn FragmentSource, region: &Region) -> Result<Self> {
        let Region { chromosome, bases } = region;
        if *bases == (0..u32::MAX) {
            // An empty fragment overlaps no bases, but is on the chromosome.
            let mut segments = source.header().segments.iter();
            let segment = segments.find(|segment| segment.chromosome == *chromosome);
            let positions = segment.map_or(0..0, |segment| segment.fragments.clone());
            return Ok(Self { positions, bases: None });
        }
        let positions = source.overlapping(*chromosome, bases.clone())?;
        Ok(Self { positions, bases: Some(bases.clone()) })
    }
}

/// Reads ranges in sequence. Units without fragments are returned, too.
pub struct RangeReader<'a> {
    source: &'a dyn FragmentSource,
    fields: FragmentFields,
    ranges: VecDeque<FragmentRange>,
    reading: Option<OpenRange<'a>>,
}

/// The range that is being read.
struct OpenRange<'a> {
    units: Box<dyn UnitReader<'a, FragmentBatch> + 'a>,
    bases: Option<Range<u32>>,
}

impl std::fmt::Debug for RangeReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RangeReader").field("ranges", &self.ranges).finish_non_exhaustive()
    }
}

impl<'a> RangeReader<'a> {
    /// Creates a reader of columns of ranges of a source. Ranges with bases need the starts and ends.
    #[must_use]
    pub fn new(
        source: &'a dyn FragmentSource,
        fields: FragmentFields,
        ranges: impl IntoIterator<Item = FragmentRange>,
    ) -> Self {
        let ranges = ranges.into_iter().filter(|range| !range.positions.is_empty()).collect();
        Self { source, fields, ranges, reading: None }
    }
}

impl<'a> UnitReader<'a, FragmentBatch> for RangeReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<FragmentBatch> + 'a>>> {
        loop {
            if let Some(OpenRange { units, bases }) = &mut self.reading {
                if let Some(unit) = units.next_unit()? {
                    return Ok(Some(match bases.clone() {
                        Some(bases) => Box::new(OverlapUnit { unit, bases }),
                        None => unit,
                    }));
                }
                units.end()?;
            }
            let Some(FragmentRange { positions, bases }) = self.ranges.pop_front() else {
                return Ok(None);
            };
            let units = self.source.units(positions, self.fields)?;
            self.reading = Some(OpenRange { units, bases });
        }
    }
}

/// The fragments of a unit that overlap some bases.
struct OverlapUnit<'a> {
    unit: Box<dyn Unit<FragmentBatch> + 'a>,
    bases: Range<u32>,
}

impl Unit<FragmentBatch> for OverlapUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut FragmentBatch) -> Result<()> {
        let Self { unit, bases } = *self;
        unit.decode(batch)?;
        retain(batch, |start, end, _| start < bases.end && end > bases.start);
        Ok(())
    }
}

/// Keeps some fragments of a batch, whose columns are all present or empty.
pub(super) fn retain(batch: &mut FragmentBatch, keep: impl Fn(u32, u32, u32) -> bool) {
    let FragmentBatch { cells, starts, ends, .. } = batch;
    let mut kept = 0;
    for at in 0..starts.len().min(ends.len()) {
        let cell = cells.get(at).copied();
        if keep(starts[at], ends[at], cell.unwrap_or(0)) {
            (starts[kept], ends[kept]) = (starts[at], ends[at]);
            if let Some(cell) = cell {
                cells[kept] = cell;
            }
            kept += 1;
        }
    }
    cells.truncate(kept);
    starts.truncate(kept);
    ends.truncate(kept);
}
