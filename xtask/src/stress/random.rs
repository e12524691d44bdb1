//! Random numbers that follow from a seed.

/// A SplitMix64 generator.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// Returns the generator of one round.
    pub(super) fn of(seed: u64, kind: &str, round: u64) -> Self {
        let mut state = Self(seed);
        for byte in kind.bytes() {
            state.0 = state.next() ^ u64::from(byte);
        }
        state.0 = state.next() ^ round;
        state
    }

    /// Returns the next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from `start` to `end`, the end excluded.
    pub(super) fn range(&mut self, start: u32, end: u32) -> u32 {
        let span = u64::from(end.saturating_sub(start).max(1));
        start + u32::try_from(self.next() % span).unwrap_or(0)
    }

    /// Returns `true` in that many of a hundred cases.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.range(0, 100) < percent
    }

    /// Picks an element; `None` only of an empty slice.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(from.len()).unwrap_or(0).max(1);
        from.get(usize::try_from(self.next() % count).unwrap_or(0))
    }

    /// Puts a list into random order.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            let count = u64::try_from(at + 1).unwrap_or(1);
            list.swap(at, usize::try_from(self.next() % count).unwrap_or(0));
        }
    }
}
