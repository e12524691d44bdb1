//! Finding the regions of fragments, both sorted by start.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nnz_core::FragmentBatch;

use super::tally::Tally;

/// Fragments that are processed together.
const AT_ONCE: usize = 512;

/// A region of a chromosome, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) row: u32,
}

/// Divides regions, sorted by start, into as few layers as possible. The regions of a layer do not
/// overlap.
pub(super) fn layers(spans: impl IntoIterator<Item = Span>) -> Vec<Vec<Span>> {
    let mut layers: Vec<Vec<Span>> = Vec::new();
    // The end of each layer, with the first on top.
    let mut ends = BinaryHeap::new();
    for span in spans {
        let free = ends.peek().filter(|Reverse((end, _))| *end <= span.start);
        let layer = free.map_or(layers.len(), |Reverse((_, layer))| *layer);
        match layers.get_mut(layer) {
            Some(spans) => {
                ends.pop();
                spans.push(span);
            }
            None => layers.push(vec![span]),
        }
        ends.push(Reverse((span.end, layer)));
    }
    layers
}

/// Returns the length of the prefix of values that meet a condition.
fn gallop(values: &[u32], such: impl Fn(&u32) -> bool) -> usize {
    let mut near = 0;
    let mut step = 32;
    while values.get(near + step).is_some_and(&such) {
        near += step;
        step *= 2;
    }
    let far = values.len().min(near + step);
    near + values[near..far].partition_point(such)
}

/// A region and its successor.
#[derive(Clone, Copy)]
struct RegionBounds {
    start: u32,
    end: u32,
    /// The start of the next region.
    next: u32,
}

/// Counts fragments in regions that do not overlap.
pub(super) struct Sweep<'a> {
    spans: &'a [Span],
    /// The current region.
    at: usize,
    /// Fragments that reach into later regions: the next region, the cell, and the end.
    ahead: BinaryHeap<Reverse<(usize, u32, u32)>>,
    overlaps: bool,
}

impl<'a> Sweep<'a> {
    /// Starts with the first region. Counts fragments that overlap a region, or their first and
    /// last bases.
    pub(super) fn new(spans: &'a [Span], overlaps: bool) -> Self {
        Self { spans, at: 0, ahead: BinaryHeap::new(), overlaps }
    }

    /// Counts the next fragments.
    pub(super) fn count(&mut self, batch: &FragmentBatch, tally: &mut Tally) {
        let FragmentBatch { cells, starts, ends, .. } = batch;
        if self.overlaps {
            self.count_as::<true>([cells, starts, ends], tally);
        } else if nnz_bitpack::all_less(starts, ends) {
            self.count_as::<false>([cells, starts, ends], tally);
        } else {
            // An empty fragment has neither a first nor a last base.
            let real = |column: &[u32]| -> Vec<u32> {
                let lengths = starts.iter().zip(ends);
                let real = column.iter().zip(lengths).filter(|(_, (start, end))| start < end);
                real.map(|(value, _)| *value).collect()
            };
            self.count_as::<false>([&real(cells), &real(starts), &real(ends)], tally);
        }
    }

    /// Counts fragments by their cells, starts and ends.
    fn count_as<const OVERLAPS: bool>(&mut self, columns: [&[u32]; 3], tally: &mut Tally) {
        let mut hits = [0; AT_ONCE];
        let mut begin = 0;
        let starts = columns[1];
        while let Some(&first) = starts.get(begin) {
            self.pass(first, tally);
            let here = self.here();
            // Nothing is counted after the last region.
            if first >= here.end {
                return;
            }
            // Fragments that start before the end of the region.
            let run = begin..begin + gallop(&starts[begin..], |&start| start < here.end);
            let [cells, starts, ends] = columns.map(|column| &column[run.clone()]);
            // The bases of the region after its first one; ends may be larger.
            let mut bases = u32::MAX - here.start;
            if !OVERLAPS {
                let before = gallop(starts, |&start| start < here.start);
                tally.add(&cells[before..]);
                bases = here.end.saturating_sub(here.start);
            }
            let behind_first = here.start.saturating_add(1);
            for (ends, cells) in ends.chunks(AT_ONCE).zip(cells.chunks(AT_ONCE)) {
                let count = nnz_bitpack::pick(ends, behind_first, bases, cells, &mut hits);
                tally.add(&hits[..count]);
            }
            if nnz_bitpack::max(ends).is_some_and(|end| end > here.next) {
                for (&end, &cell) in ends.iter().zip(cells).filter(|(end, _)| **end > here.next) {
                    self.reach(cell, end);
                }
            }
            begin = run.end;
        }
    }

    fn here(&self) -> RegionBounds {
        let of = |at: usize| self.spans.get(at);
        let next = of(self.at + 1).map_or(u32::MAX, |span| span.start);
        match of(self.at) {
            Some(&Span { start, end, .. }) => RegionBounds { start, end, next },
            None => RegionBounds { start: u32::MAX, end: 0, next: u32::MAX },
        }
    }

    /// Keeps a fragment that ends after the start of the next region.
    #[inline(never)]
    fn reach(&mut self, cell: u32, end: u32) {
        let region = if self.overlaps {
            self.at + 1
        } else {
            // The region of its last base, if any.
            let last = end - 1;
            let rest = &self.spans[self.at + 1..];
            let region = if rest.first().is_some_and(|span| span.end > last) {
                self.at + 1
            } else {
                self.at + 1 + rest.partition_point(|span| span.end <= last)
            };
            if self.spans.get(region).is_none_or(|span| span.start > last) {
                return;
            }
            region
        };
        self.ahead.push(Reverse((region, cell, end)));
    }

    /// Passes all regions that end at a base or before it.
    #[inline(never)]
    fn pass(&mut self, base: u32, tally: &mut Tally) {
        while let Some(span) = self.spans.get(self.at).filter(|span| span.end <= base) {
            tally.close(span.row);
            self.at += 1;
            self.enter(tally);
        }
    }

    /// Counts the fragments that reach into the region.
    fn enter(&mut self, tally: &mut Tally) {
        while let Some(&Reverse((region, cell, end))) = self.ahead.peek()
            && region == self.at
        {
            self.ahead.pop();
            tally.add(&[cell]);
            if self.overlaps && self.spans.get(region + 1).is_some_and(|next| next.start < end) {
                self.ahead.push(Reverse((region + 1, cell, end)));
            }
        }
    }

    /// Passes all remaining regions.
    pub(super) fn finish(mut self, tally: &mut Tally) {
        self.pass(u32::MAX, tally);
    }
}
