//! Announcing ranges of a dataset, so that a storage with a latency fetches them together.

use std::ops::Range;

use nnz_chunk::grid::each_chunk;

use super::dataset::Dataset;
use super::layout::Layout;

/// Chunks of a scan that are located together, with one request for about 64 of them, and bytes of a range that is taken for
/// a part of a scan.
const LOCATED: u64 = 1 << 12;
const SCAN: u64 = 4 << 20;

impl Dataset {
    /// Announces that ranges of elements will be read soon.
    pub fn will_read(&self, ranges: &[Range<u64>]) {
        let size = self.size as u64;
        let mut bytes = Vec::new();
        match &self.layout {
            Layout::Compact(_) | Layout::Unallocated { .. } | Layout::External(_) => return,
            Layout::Contiguous(address) => {
                let of = |element: u64| address.saturating_add(element.saturating_mul(size));
                bytes.extend(ranges.iter().map(|range| of(range.start)..of(range.end)));
            }
            Layout::Chunked(chunked) => {
                // An index that cannot be read is an error when elements are.
                let Ok(table) = self.table(chunked) else { return };
                let of_chunks = |range: &Range<u64>| {
                    range.start / chunked.elements..range.end.div_ceil(chunked.elements)
                };
                let mut chunks: Vec<_> = ranges.iter().map(of_chunks).collect();
                if let ([range], [chunks]) = (ranges, &mut chunks[..])
                    && (range.end.saturating_sub(range.start)).saturating_mul(size) >= SCAN
                {
                    let end = chunks.end.div_ceil(LOCATED).saturating_mul(LOCATED);
                    chunks.end = chunks.end.max(end.min(chunked.grid.count()));
                }
                if table.prepare(chunked, &chunks).is_err() {
                    return;
                }
                each_chunk(ranges, chunked.elements, |chunk, part| {
                    let kept = || chunked.cache.get(chunk).is_some();
                    let Ok(Some(entry)) = table.get(chunked, chunk) else { return };
                    let (start, whole) = (entry.address, u64::from(entry.bytes));
                    let plain = chunked.pipeline.is_plain(entry.skipped);
                    let of = |element: u64| start.saturating_add(element.saturating_mul(size));
                    match plain {
                        true => bytes.push(of(part.start)..of(part.end)),
                        false if kept() => {}
                        false => bytes.push(start..start.saturating_add(whole)),
                    }
                });
            }
        }
        self.file.will_read(&bytes);
    }
}
