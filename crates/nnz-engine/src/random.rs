//! Random numbers from a seed.

/// The generator SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number of 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `last`, each equally likely.
    pub(crate) fn up_to(&mut self, last: u64) -> u64 {
        let Some(count) = last.checked_add(1) else { return self.next() };
        // Numbers from the last incomplete repetition of 0 to `last` are drawn again.
        let beyond = u64::MAX - (u64::MAX % count + 1) % count;
        loop {
            let number = self.next();
            if number <= beyond {
                return number % count;
            }
        }
    }

    /// Returns numbers from -1 to 1.
    pub(crate) fn numbers(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.number()).collect()
    }

    #[allow(clippy::cast_precision_loss, reason = "it rounds")]
    fn number(&mut self) -> f64 {
        self.next().cast_signed() as f64 / 9_223_372_036_854_775_808.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_are_equally_likely() {
        let mut random = Random::new(1);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[usize::try_from(random.up_to(5)).unwrap()] += 1;
        }
        assert!(counts.iter().all(|count| (9600..10_400).contains(count)), "{counts:?}");
        assert_eq!(random.up_to(0), 0);
        // Half of the numbers are drawn again.
        assert!((0..100).all(|_| random.up_to(1 << 63) <= 1 << 63));
        random.up_to(u64::MAX);
    }
}
