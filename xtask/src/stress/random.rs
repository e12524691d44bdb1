//! Random numbers of a round.

use nnz_testing::random::Random as Generator;

/// The random numbers of one round.
#[derive(Clone, Debug)]
pub(super) struct Random(Generator);

impl Random {
    /// Returns the generator of one round.
    pub(super) fn of(seed: u64, kind: &str, round: u64) -> Self {
        Self(Generator::new(seed ^ Generator::of(kind, round).next()))
    }

    /// Returns a number in `start..end`.
    pub(super) fn range(&mut self, start: u32, end: u32) -> u32 {
        start + self.0.below_u32(end.saturating_sub(start))
    }

    /// Returns `true` with a probability in percent.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.range(0, 100) < percent
    }

    /// Returns a random element; `None` if there are none.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.0.below(from.len()))
    }

    /// Shuffles a list.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        self.0.shuffle(list);
    }
}
