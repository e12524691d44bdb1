//! Dividing memory among the threads that sort.

use super::SortPlan;
use crate::flow::Workers;

/// Bytes that a thread needs in addition to the entries it sorts: batches of the source, and buffers of its reader.
const BESIDE: u64 = 2 << 20;
/// Minimum entries of a packet, as many as a unit has in most formats. Smaller packets take longer to unpack.
const LEAST: u64 = 64 * 1024;
/// Maximum entries of a packet. In tests, packets of a million took as long.
const MOST: u64 = 256 * 1024;
/// Maximum number of packets that are stored as one.
const MERGED: u64 = 16;
/// Bytes of a packed entry without a value.
const PACKED: u64 = 5;
/// Entries of a small unit, such as a block of text.
const SMALL_UNIT: usize = 16 * 1024;

/// The threads that sort, and the entries that each of them holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) threads: usize,
    /// Entries of a packet.
    pub(super) packet: usize,
    /// Packets that are stored as one.
    pub(super) merged: usize,
    /// Units that are read together.
    pub(super) units: usize,
    /// Entries of a bucket that is sorted.
    pub(super) bucket: usize,
}

impl Shares {
    /// Divides the memory that sorting has among threads. If there is too little for all threads, fewer are used.
    pub(super) fn of(plan: &SortPlan<'_>) -> Self {
        let threads = sorting_workers(plan.workers, plan.memory).threads.max(1);
        let share = of_sorting(plan.memory) / threads as u64;
        let [majors, minors] = [plan.shape.major(plan.order), plan.shape.minor(plan.order)];
        let position = if majors.max(minors) > 1 << 32 { 16 } else { 8 };
        let entry = position + plan.value_type.map_or(0, |value_type| value_type.size() as u64);
        // As read, divided into buckets and packed, and the place of each.
        let packet = (share.saturating_sub(BESIDE) / (3 * entry + 4)).clamp(LEAST, MOST);
        // Only what does not fit in memory is read in pieces. Packed, and copied when it is merged.
        let value = plan.value_type.map_or(0, |value_type| value_type.size() as u64);
        let left = share.saturating_sub(BESIDE + packet * (3 * entry + 4));
        let fits =
            plan.expected.is_some_and(|expected| expected.saturating_mul(PACKED) < plan.memory / 2);
        let most = if fits { 1 } else { MERGED };
        let merged = (left / (2 * packet * (PACKED + value))).clamp(1, most);
        // Unpacked, sorted, the place of each, and buffers to sort unsorted ones.
        let bucket = (share / (2 * entry + 20)).max(LEAST);
        let [packet, merged, bucket] =
            [packet, merged, bucket].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        Self { threads, packet, merged, units: merged * packet / SMALL_UNIT, bucket }
    }
}

/// Returns as many workers as sort in this memory.
pub(crate) fn sorting_workers(workers: Workers<'_>, memory: u64) -> Workers<'_> {
    workers.within(of_sorting(memory))
}

/// Returns how much of the memory is for sorting: half is for packets, and some for the chunks that a target compresses.
fn of_sorting(memory: u64) -> u64 {
    memory / 8 * 3
}

#[cfg(test)]
mod tests {
    use nnz_core::{Order, Shape, ValueType};

    use super::*;

    fn shares(memory: u64, threads: usize, value_type: Option<ValueType>, rows: u64) -> Shares {
        let plan = SortPlan {
            order: Order::Row,
            shape: Shape { rows, cols: 5 },
            value_type,
            expected: None,
            memory,
            directory: std::path::Path::new("."),
            disk: None,
            workers: Workers { threads, cancellation: None },
        };
        Shares::of(&plan)
    }

    #[test]
    fn threads_use_less_than_half_of_the_memory() {
        for threads in [1, 2, 8, 64] {
            for memory in [0, 1 << 20, 16 << 20, 64 << 20, 1 << 30, u64::MAX] {
                for rows in [5, 1 << 40] {
                    for value_type in [None, Some(ValueType::F32), Some(ValueType::ComplexF64)] {
                        let found = shares(memory, threads, value_type, rows);
                        assert!((1..=threads).contains(&found.threads));
                        assert!(found.units >= 1 && found.bucket >= found.packet / 4, "{found:?}");
                        let taken = found.threads as u64 * (found.packet as u64 * 28 + BESIDE);
                        let small = value_type != Some(ValueType::ComplexF64) && rows == 5;
                        assert!(
                            !small || taken <= of_sorting(memory).max(4 << 20),
                            "{memory} {found:?}"
                        );
                    }
                }
            }
        }
        let plenty = shares(1 << 40, 8, Some(ValueType::F32), 5);
        assert_eq!((plenty.packet, plenty.merged), (256 << 10, 16));
        // Fewer threads are used, because small packets are slow.
        assert_eq!(shares(64 << 20, 32, Some(ValueType::F32), 5).threads, 6);
        assert_eq!(shares(1 << 20, 32, Some(ValueType::F32), 5).threads, 1);
    }
}
