//! Dividing memory among threads that sort a text.

/// The size of blocks of text, and the number of threads that sort them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) threads: usize,
    /// Bytes of a block.
    pub(super) piece: usize,
    /// Blocks that are sorted together.
    pub(super) together: usize,
}

/// Bytes of memory per byte of text that is being sorted: the text, its columns and changes of
/// chromosomes, fragments, and space to sort them.
const COST: u64 = 5;
/// Minimum bytes of text that are sorted together. Merging many small runs is slow.
const LEAST_TEXT: u64 = 1 << 20;
/// Maximum bytes of a block, and maximum number of blocks that are sorted together.
const MOST_PIECE: u64 = 512 << 10;
const MOST_TOGETHER: u64 = 16;

/// Minimum memory of sorting in bytes: half of it is for one thread.
pub(super) const LEAST_MEMORY: u64 = 2 * COST * LEAST_TEXT;

impl Shares {
    /// Divides half of the memory among threads; the other half is for runs that wait. If there is
    /// too little for all threads, fewer are used.
    pub(super) fn of(memory: u64, threads: usize) -> Self {
        let text = memory / 2 / COST;
        let enough = usize::try_from(text / LEAST_TEXT).unwrap_or(usize::MAX);
        let threads = threads.min(enough).max(1);
        // Compressed blocks have twice as much text.
        let text = (text / threads as u64).max(LEAST_TEXT) / 2;
        let piece = text.min(MOST_PIECE);
        let together = (text / piece).min(MOST_TOGETHER);
        let size = |bytes| usize::try_from(bytes).unwrap_or(1);
        Self { threads, piece: size(piece), together: size(together) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_use_half_of_the_memory() {
        for threads in [1, 2, 8, 64] {
            for memory in [0, 1 << 20, LEAST_MEMORY, 32 << 20, 100 << 20, 1 << 30, u64::MAX] {
                let shares = Shares::of(memory, threads);
                assert!((1..=threads).contains(&shares.threads));
                assert!(shares.piece >= 64 << 10 && shares.together >= 1, "{shares:?}");
                let text = 2 * (shares.piece * shares.together) as u64;
                let taken = shares.threads as u64 * text * COST;
                assert!(taken <= memory.max(LEAST_MEMORY) / 2, "{memory} {shares:?}");
            }
            let plenty = Shares { threads, piece: 512 << 10, together: 16 };
            assert_eq!(Shares::of(64 << 30, threads), plenty);
        }
        // Fewer threads are used, because merging many small runs is slow.
        let few = Shares { threads: 3, piece: 559_240, together: 1 };
        assert_eq!(Shares::of(32 << 20, 8).threads, few.threads);
    }
}
