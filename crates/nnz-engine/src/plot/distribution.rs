//! A distribution of numbers in bounded memory.

use std::collections::BTreeMap;

/// Maximum number of different numbers.
const MOST: usize = 1 << 16;

/// Counts of each number. If there are too many different ones, they are rounded down to fewer binary digits.
#[derive(Clone, Debug, Default)]
pub(super) struct Distribution {
    /// By a key in the order of the numbers.
    counts: BTreeMap<u64, u64>,
    /// The number of low bits that are dropped.
    dropped: u32,
    most: Option<usize>,
}

const SIGN: u64 = 1 << 63;

/// Returns an integer in the order of the numbers. Both zeros have one.
fn key(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn number(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}

impl Distribution {
    pub(super) fn add(&mut self, number: f64, count: u64) {
        *self.counts.entry(key(number) >> self.dropped << self.dropped).or_default() += count;
        while self.counts.len() > self.most.unwrap_or(MOST) {
            self.dropped += 1;
            let dropped = self.dropped;
            let mut fewer = BTreeMap::new();
            for (key, count) in &self.counts {
                *fewer.entry(key >> dropped << dropped).or_default() += count;
            }
            self.counts = fewer;
        }
    }

    /// Returns the numbers, ascending, and how often each occurs.
    pub(super) fn counts(&self) -> Vec<(f64, u64)> {
        self.counts.iter().map(|(&key, &count)| (number(key), count)).collect()
    }

    /// Returns by which part of itself a number may be larger than the one it is counted as.
    pub(super) fn error(&self) -> f64 {
        match self.dropped {
            0 => 0.0,
            dropped => 2_f64.powi(i32::try_from(dropped).unwrap_or(0) - 52),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_order_and_exact_while_they_are_few() {
        let mut found = Distribution::default();
        for number in [3.0, -1.5, 0.0, -0.0, 1e300, 3.0, -7.0] {
            found.add(number, 2);
        }
        let expected = [(-7.0, 2), (-1.5, 2), (0.0, 4), (3.0, 4), (1e300, 2)];
        assert_eq!(found.counts(), expected);
        assert_eq!(found.error(), 0.0);
    }

    #[test]
    fn many_numbers_are_rounded_down_whatever_their_order() {
        let numbers: Vec<f64> = (0..1000).map(|n| 100.0 + f64::from(n) * 0.37).collect();
        let of = |numbers: &mut dyn Iterator<Item = &f64>| {
            let mut found = Distribution { most: Some(64), ..Distribution::default() };
            numbers.for_each(|&number| found.add(number, 1));
            (found.counts(), found.error())
        };
        let (counts, error) = of(&mut numbers.iter());
        assert_eq!((counts.clone(), error), of(&mut numbers.iter().rev()));
        assert!(counts.len() <= 64 && error > 0.0 && error <= 1.0 / 16.0, "{error}");
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 1000);
        for number in numbers {
            let at = counts.partition_point(|(least, _)| *least <= number) - 1;
            assert!((number - counts[at].0) / counts[at].0 <= error, "{number}");
        }
    }
}
