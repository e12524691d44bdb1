//! `end_max`: the largest end so far, one entry for each chunk.

use nnz_bitpack::CHUNK;

/// Computes `end_max` from the ends of fragments in storage order.
///
/// Each entry is the largest end on the chromosome of the chunk's last fragment, from the first
/// fragment of the chromosome up to that one. If a chromosome begins inside a chunk or at its
/// start, the entry also includes all of the previous chromosome.
#[derive(Default)]
pub(super) struct EndMax {
    count: u64,
    /// The largest end on this chromosome.
    here: u32,
    /// The largest end on the chromosomes that ended since the last entry.
    before: u32,
    /// The same, for those that have fragments in this chunk.
    in_chunk: u32,
}

/// An entry of `end_max`.
pub(super) struct Entry {
    /// The value that BPCells writes.
    pub(super) exact: u32,
    /// The smallest value with which no fragment is missed.
    pub(super) needed: u32,
}

impl EndMax {
    /// Starts the next chromosome.
    pub(super) fn next_chromosome(&mut self) {
        self.before = self.before.max(self.here);
        if !self.count.is_multiple_of(CHUNK as u64) {
            self.in_chunk = self.in_chunk.max(self.here);
        }
        self.here = 0;
    }

    /// Takes the ends of the next fragments, and passes complete entries to `each`.
    pub(super) fn push(&mut self, ends: &[u32], mut each: impl FnMut(Entry)) {
        let mut rest = ends;
        while !rest.is_empty() {
            let filled = usize::try_from(self.count % CHUNK as u64).unwrap_or(0);
            let (ends, after) = rest.split_at(rest.len().min(CHUNK - filled));
            self.here = ends.iter().fold(self.here, |furthest, &end| furthest.max(end));
            self.count += ends.len() as u64;
            if filled + ends.len() == CHUNK {
                each(self.entry());
            }
            rest = after;
        }
    }

    /// Returns the entry of the last chunk if that is not full.
    pub(super) fn finish(mut self) -> Option<Entry> {
        (!self.count.is_multiple_of(CHUNK as u64)).then(|| self.entry())
    }

    fn entry(&mut self) -> Entry {
        let entry =
            Entry { exact: self.here.max(self.before), needed: self.here.max(self.in_chunk) };
        (self.before, self.in_chunk) = (0, 0);
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chromosome_that_starts_a_chunk_includes_the_previous_one() {
        let mut end_max = EndMax::default();
        let mut entries = Vec::new();
        let mut ends = vec![10; 128];
        ends[5] = 900;
        end_max.push(&ends, |entry| entries.push((entry.exact, entry.needed)));
        end_max.next_chromosome();
        end_max.push(&[20; 200], |entry| entries.push((entry.exact, entry.needed)));
        let last = end_max.finish().map(|entry| (entry.exact, entry.needed));
        assert_eq!(entries, [(900, 900), (900, 20)]);
        assert_eq!(last, Some((20, 20)));
    }

    #[test]
    fn all_chromosomes_inside_a_chunk_are_included() {
        let mut end_max = EndMax::default();
        for end in [70, 300, 5] {
            end_max.next_chromosome();
            end_max.push(&[end], |_| {});
        }
        let last = end_max.finish().map(|entry| (entry.exact, entry.needed));
        assert_eq!(last, Some((300, 300)));
        assert!(EndMax::default().finish().is_none());
    }
}
