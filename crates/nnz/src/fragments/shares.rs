//! How memory is divided among threads that sort a text.

/// How the text of a piece is cut into blocks, and how many threads read such pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) threads: usize,
    /// Bytes of a block.
    pub(super) piece: usize,
    /// Blocks that are sorted together.
    pub(super) together: usize,
}

/// Bytes of memory for each byte of text that is being sorted: the text, its columns and where
/// chromosomes change, fragments, and room to sort them.
const COST: u64 = 5;
/// Bytes of text that are sorted together at least. Many small pieces take long to merge.
const LEAST_TEXT: u64 = 1 << 20;
/// Bytes of a block, and blocks that are sorted together, at the most.
const MOST_PIECE: u64 = 512 << 10;
const MOST_TOGETHER: u64 = 16;

/// Bytes of memory that sorting takes, however little is allowed: half of it for one thread.
pub(super) const LEAST_MEMORY: u64 = 2 * COST * LEAST_TEXT;

impl Shares {
    /// Divides half of the memory among threads; the other half is for pieces that wait. Where
    /// there is too little for all of them, fewer work.
    pub(super) fn of(memory: u64, threads: usize) -> Self {
        let text = memory / 2 / COST;
        let enough = usize::try_from(text / LEAST_TEXT).unwrap_or(usize::MAX);
        let threads = threads.min(enough).max(1);
        // Compressed blocks hold twice as much.
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
    fn what_threads_read_at_once_stays_within_half_of_the_memory() {
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
        // Fewer threads, rather than pieces so small that merging them takes long.
        let few = Shares { threads: 3, piece: 559_240, together: 1 };
        assert_eq!(Shares::of(32 << 20, 8).threads, few.threads);
    }
}
