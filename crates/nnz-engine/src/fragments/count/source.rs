//! A matrix of counts that is computed as it is read.

use std::cell::RefCell;
use std::ops::Range;

use nnz_core::{
    About, Axis, AxisKind, Batch, Error, FragmentFields, FragmentSource, Header, MatrixSource,
    Names, Order, Projection, Result, Shape, StringReader, Unit, UnitReader, ValueType,
};

use super::regions::{Place, Regions, Rows};
use super::sweep::{Span, Sweep, layers};
use super::tally::Tally;

/// Fragments of a unit, approximately.
const PIECE: u64 = 1 << 17;
/// Maximum number of rows of a unit.
const MOST_ROWS: u64 = 1 << 14;
/// Number of fragments between two regions, approximately, from which on they are skipped.
const SKIPPED: u64 = 1 << 12;

thread_local! {
    /// Buffers of a thread.
    static TALLY: RefCell<Tally> = RefCell::default();
}

/// Counted parts of a fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountMode {
    /// The first and the last base of a fragment, each where it is. The default.
    #[default]
    Insertions,
    /// Fragments that overlap a region.
    Overlaps,
}

/// Counts of each cell in each region: a matrix of regions by cells.
///
/// It is computed when it is read, for the rows that are read: a [`MatrixSource`] with random
/// access by row.
pub struct Counts {
    source: Box<dyn FragmentSource>,
    rows: Rows,
    mode: CountMode,
    header: Header,
    /// The fragments of each chromosome, and about how many bases they span.
    extents: Vec<(u64, u64)>,
}

impl std::fmt::Debug for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counts").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Counts {
    /// Creates the matrix; nothing is counted yet.
    ///
    /// # Errors
    ///
    /// Fails if names cannot be read, tiles have no bases, or their chromosomes no sizes.
    pub fn new(source: Box<dyn FragmentSource>, regions: Regions, mode: CountMode) -> Result<Self> {
        let rows = Rows::new(&*source, regions)?;
        let cells = source.cell_names()?.len();
        if u32::try_from(cells).is_err() {
            return Err(Error::argument(format!(
                "{cells} cells: at most {} are supported",
                u32::MAX
            )));
        }
        let mut extents = Vec::new();
        for segment in &source.header().segments {
            let last = segment.fragments.end.saturating_sub(1);
            let fields = FragmentFields { cells: false, starts: true, ends: false };
            let mut bases = 1;
            source.for_each(last..segment.fragments.end, fields, &mut |batch| {
                bases = batch.starts.last().map_or(1, |&start| u64::from(start) + 1);
                Ok(())
            })?;
            let at = segment.chromosome as usize;
            if extents.len() <= at {
                extents.resize(at + 1, (0, 1));
            }
            extents[at] = (segment.fragments.end - segment.fragments.start, bases);
        }
        let header =
            Header::new(Shape { rows: rows.len(), cols: cells }, Order::Row, ValueType::U32)
                .sorted_indices(true)
                .axis_kinds([AxisKind::Features, AxisKind::Cells]);
        Ok(Self { source, rows, mode, header, extents })
    }

    /// Estimates the number of fragments in a region of a chromosome.
    fn expected(&self, chromosome: u32, bases: u32) -> u64 {
        let (fragments, all) = self.extents.get(chromosome as usize).copied().unwrap_or((0, 1));
        let product = u128::from(fragments) * u128::from(bases) / u128::from(all);
        u64::try_from(product).unwrap_or(u64::MAX)
    }

    /// Groups rows by chromosome. Rows that cannot have fragments are left out.
    fn spans(&self, rows: &Range<u64>) -> Vec<(u32, Span)> {
        let mut spans = Vec::new();
        for (row, number) in rows.clone().zip(0..) {
            if let Place { chromosome: Some(chromosome), start, end } = self.rows.place(row) {
                spans.push((chromosome, Span { start, end, row: number }));
            }
        }
        if !spans.is_sorted() {
            spans.sort_unstable();
        }
        spans
    }

    /// Splits sorted regions into clusters where many fragments between them can be skipped.
    fn clusters<'s>(&self, spans: &'s [(u32, Span)]) -> Vec<&'s [(u32, Span)]> {
        let mut clusters = Vec::new();
        let mut begin = 0;
        let mut reach = 0;
        for (at, &(chromosome, span)) in spans.iter().enumerate() {
            if at > begin {
                let other = spans[begin].0 != chromosome;
                let gap = span.start.saturating_sub(reach);
                if other || self.expected(chromosome, gap) > SKIPPED {
                    clusters.push(&spans[begin..at]);
                    (begin, reach) = (at, 0);
                }
            }
            reach = reach.max(span.end);
        }
        if begin < spans.len() {
            clusters.push(&spans[begin..]);
        }
        clusters
    }

    /// Returns the chromosome of a cluster, and the bases from the first to the last.
    fn bases(cluster: &[(u32, Span)]) -> Option<(u32, Range<u32>)> {
        let &(chromosome, first) = cluster.first()?;
        let end = cluster.iter().map(|(_, span)| span.end).max()?;
        Some((chromosome, first.start..end))
    }

    /// Counts the fragments of some rows.
    fn read_for(&self, rows: &Range<u64>) -> Result<u64> {
        let spans = self.spans(rows);
        let mut sum = 0;
        for cluster in self.clusters(&spans) {
            if let Some((chromosome, bases)) = Self::bases(cluster) {
                let positions = self.source.overlapping(chromosome, bases)?;
                sum += positions.end - positions.start;
            }
        }
        Ok(sum)
    }

    fn count(&self, rows: &Range<u64>, tally: &mut Tally, batch: &mut Batch) -> Result<()> {
        let len = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        tally.start(self.header.shape.cols, len)?;
        let overlaps = self.mode == CountMode::Overlaps;
        let spans = self.spans(rows);
        for of_one in spans.chunk_by(|(a, _), (b, _)| a == b) {
            let chromosome = of_one.first().map_or(0, |(chromosome, _)| *chromosome);
            for layer in layers(of_one.iter().map(|(_, span)| *span)) {
                let layer: Vec<_> = layer.into_iter().map(|span| (chromosome, span)).collect();
                for cluster in self.clusters(&layer) {
                    let Some((chromosome, bases)) = Self::bases(cluster) else { continue };
                    let spans: Vec<Span> = cluster.iter().map(|(_, span)| *span).collect();
                    let mut sweep = Sweep::new(&spans, overlaps);
                    let positions = self.source.overlapping(chromosome, bases)?;
                    self.source.for_each(positions, FragmentFields::ALL, &mut |fragments| {
                        sweep.count(fragments, tally);
                        Ok(())
                    })?;
                    sweep.finish(tally);
                }
            }
        }
        tally.finish(rows.start, batch)
    }
}

impl MatrixSource for Counts {
    fn place(&self) -> nnz_core::Place {
        self.source.place()
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let mut about = self.source.about()?;
        about.format = format!("counts of {}", about.format);
        Ok(about)
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        Ok(Some(match axis {
            Axis::Rows => Box::new(RowNames { rows: &self.rows, next: 0, name: Vec::new() }),
            Axis::Cols => self.source.read_cell_names()?,
        }))
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.header.check_majors(&majors)?;
        Ok(Box::new(Reader { counts: self, rows: majors }))
    }

    fn notes(&self) -> Vec<String> {
        self.rows.notes.clone()
    }
}

/// Formats the names of rows, of which there may be many.
struct RowNames<'a> {
    rows: &'a Rows,
    next: u64,
    name: Vec<u8>,
}

impl StringReader for RowNames<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        if self.next >= self.rows.len() {
            return Ok(None);
        }
        self.rows.name(self.next, &mut self.name);
        self.next += 1;
        Ok(Some(&self.name))
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.rows.len() - self.next)
    }

    fn min_bytes(&self) -> u64 {
        self.rows.least_bytes_of_names(self.next)
    }
}

/// Divides rows into units of about as many fragments each.
struct Reader<'a> {
    counts: &'a Counts,
    rows: Range<u64>,
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let first = self.rows.start;
        let mut sum = 0;
        let mut before: Option<Place> = None;
        let most = self.rows.end.min(first.saturating_add(MOST_ROWS));
        let mut end = first;
        while end < most && sum < PIECE {
            let place = self.counts.rows.place(end);
            if let Some(chromosome) = place.chromosome {
                // From the start of the region before, if that is near.
                let from = before.filter(|before| {
                    before.chromosome == place.chromosome && before.start <= place.start
                });
                let gap = from.map_or(0, |before| place.start.saturating_sub(before.end));
                let gap = self.counts.expected(chromosome, gap);
                let own = self.counts.expected(chromosome, place.end - place.start);
                sum += own + gap.min(SKIPPED);
                before = Some(place);
            }
            end += 1;
        }
        // If regions are closer than that, fewer rows.
        while end - first > 1 && self.counts.read_for(&(first..end))? > 4 * PIECE {
            end = first + (end - first) / 2;
        }
        if first == end {
            return Ok(None);
        }
        self.rows.start = end;
        Ok(Some(Box::new(CountedRows { counts: self.counts, rows: first..end })))
    }
}

/// A unit of rows that are counted when it is decoded.
struct CountedRows<'a> {
    counts: &'a Counts,
    rows: Range<u64>,
}

impl Unit for CountedRows<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        TALLY.with_borrow_mut(|tally| self.counts.count(&self.rows, tally, batch))
    }
}
