//! Histograms of values: bins of equal width, or of equal width on a logarithmic scale on both sides of zero.

use super::{ValueBin, ValueCounts, bins};
use crate::Number;

/// A histogram of the finite values.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ValueHistogram {
    /// The bins, ascending, without empty ones.
    pub bins: Vec<ValueBin>,
    /// Whether the bins are of equal width on a logarithmic scale, the same on both sides of zero. Zero is then in none of
    /// them. Otherwise it is in the bin from zero to the first positive number.
    pub logarithmic: bool,
    /// The absolute value at which a logarithmic scale begins. If there are a few smaller values, they are in bins from zero.
    pub least: f64,
}

/// Bins are logarithmic if the largest number is this many times the median, by absolute value.
const SKEWED: f64 = 16.0;
/// Integers below this are bins of their own, of any distribution.
const FEW: f64 = 64.0;
/// Logarithmic bins of both signs at most.
const MOST: i32 = 72;
/// Tenths of a decade to which a logarithmic scale extends for a few values only.
const DECADES: i32 = 120;
/// The part of the values that are few.
const FEW_VALUES: u64 = 100;

/// How values are joined to bins.
#[derive(Clone, Copy, Debug)]
enum Bins {
    Linear {
        step: f64,
    },
    /// A number of tenths of a decade, and the first one that is a bin of its own.
    Logarithmic {
        step: i32,
        first: i32,
    },
}

impl ValueCounts {
    /// Returns a histogram: logarithmic if the absolute values are of different orders of magnitude.
    #[must_use]
    pub fn histogram(&self) -> ValueHistogram {
        self.histogram_as(self)
    }

    /// Returns a histogram with the bins of another one, whose values include these.
    #[must_use]
    pub fn histogram_as(&self, other: &Self) -> ValueHistogram {
        let Some(how) = other.bins_of_histogram() else { return ValueHistogram::default() };
        let mut found: Vec<ValueBin> = Vec::new();
        let zero = self.integers.first().map(|&count| (0.0, count));
        let zero = zero.filter(|(_, count)| *count > 0 && matches!(how, Bins::Linear { .. }));
        for (value, count) in self.nonzero().into_iter().chain(zero) {
            let [from, to] = how.of(value.abs(), other.integral);
            let sign = 1_f64.copysign(value);
            found.push(ValueBin { from: sign * from, to: sign * to, count });
        }
        // The ends of a bin that are farther from zero are different in all bins.
        found.sort_by(|a, b| a.to.total_cmp(&b.to));
        found.dedup_by(|next, bin| {
            let is_same = next.to == bin.to;
            if is_same {
                bin.count += next.count;
            }
            is_same
        });
        let least = match how {
            Bins::Linear { .. } => 0.0,
            Bins::Logarithmic { first, .. } => end(first, other.integral),
        };
        let logarithmic = matches!(how, Bins::Logarithmic { .. });
        ValueHistogram { bins: found, logarithmic, least }
    }

    /// Returns the counts of these values and of others.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let extreme = |a: Option<Number>, b: Option<Number>, is_less: bool| match (a, b) {
            (Some(a), Some(b)) => Some(if (float(a) < float(b)) == is_less { a } else { b }),
            (a, b) => a.or(b),
        };
        let integers = self.integers.iter().zip(&other.integers).map(|(a, b)| a + b);
        Self {
            entries: self.entries.saturating_add(other.entries),
            integers: integers.collect(),
            bins: [&self.bins[..], &other.bins].concat(),
            nan: self.nan + other.nan,
            negative_infinity: self.negative_infinity + other.negative_infinity,
            positive_infinity: self.positive_infinity + other.positive_infinity,
            integral: self.integral && other.integral,
            min: extreme(self.min, other.min, true),
            max: extreme(self.max, other.max, false),
        }
    }

    /// Returns the finite values other than zero, or the end of their bin that is nearer to zero, and their counts.
    #[expect(clippy::cast_precision_loss, reason = "small integers")]
    fn nonzero(&self) -> Vec<(f64, u64)> {
        let integers = self.integers.iter().enumerate().skip(1);
        let integers = integers.map(|(value, &count)| (value as f64, count));
        // The first bin starts at zero.
        let size = |bin: &ValueBin| bin.from.abs().max(f64::from_bits(1)).copysign(bin.to);
        let all = integers.chain(self.bins.iter().map(|bin| (size(bin), bin.count)));
        all.filter(|(_, count)| *count > 0).collect()
    }

    /// Chooses the bins; `None` if there are no finite values.
    fn bins_of_histogram(&self) -> Option<Bins> {
        let mut sizes = self.nonzero();
        sizes.iter_mut().for_each(|(value, _)| *value = value.abs());
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(&(low, _)), Some(&(high, _))) = (sizes.first(), sizes.last()) else {
            let zeros = self.integers.first().is_some_and(|count| *count > 0);
            return zeros.then_some(Bins::Linear { step: 1.0 });
        };
        let all: u64 = sizes.iter().map(|(_, count)| count).sum();
        let at_most = |size: f64| {
            let smaller = sizes.iter().take_while(|(other, _)| *other <= size);
            smaller.map(|(_, count)| count).sum::<u64>()
        };
        if self.integral && high < FEW {
            return Some(Bins::Linear { step: 1.0 });
        }
        // Half of the values are at least this part of the largest one.
        if at_most(high / SKEWED) < all.div_ceil(2) && high < f64::MAX / SKEWED {
            // The power of two that is not greater, but no subnormal number.
            let power = f64::from_bits(high.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE);
            let step = power / SKEWED;
            return Some(Bins::Linear { step: if self.integral { step.max(1.0) } else { step } });
        }
        let last = place(high, self.integral);
        let cut = end(last - DECADES, self.integral);
        let low = match at_most(cut) <= all / FEW_VALUES {
            true => sizes.iter().find(|(size, _)| *size > cut).map_or(high, |(size, _)| *size),
            false => low,
        };
        let first = place(low, self.integral);
        let negative = self.bins.iter().any(|bin| bin.to < 0.0);
        let positive = self.integers.iter().skip(1).any(|count| *count > 0)
            || self.bins.iter().any(|bin| bin.to > 0.0);
        let signs = i32::from(negative) + i32::from(positive);
        let fits = |step: &i32| ((last - first) / step + 1) * signs <= MOST;
        let step = [1, 2, 5, 10, 20, 50, 100, 200, 500].into_iter().find(fits).unwrap_or(1000);
        Some(Bins::Logarithmic { step, first: first.div_euclid(step) * step })
    }
}

impl Bins {
    /// Returns the ends of the bin of an absolute value.
    fn of(self, size: f64, integral: bool) -> [f64; 2] {
        match self {
            Self::Linear { step } => {
                let from = (size / step).floor() * step;
                [from, from + step]
            }
            Self::Logarithmic { step, first } => {
                let place = place(size, integral).div_euclid(step) * step;
                match place < first {
                    true => [0.0, end(first, integral)],
                    false => [place, place + step].map(|place| end(place, integral)),
                }
            }
        }
    }
}

/// Returns the end of a tenth of a decade: a value that is the start of a bin, and an integer if all values are.
fn end(tenths: i32, integral: bool) -> f64 {
    let end = bins::nearest(bins::power(tenths)).min(f64::MAX);
    if integral { end.round() } else { end }
}

fn place(size: f64, integral: bool) -> i32 {
    bins::place(size, |tenths| match bins::nearest(bins::power(tenths)) {
        end if integral => end.round(),
        end => end,
    })
}

#[expect(clippy::cast_precision_loss, reason = "compared with another one")]
fn float(number: Number) -> f64 {
    match number {
        Number::Integer(number) => number as f64,
        Number::Float(number) => number,
    }
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "the numbers are small, or rounded on purpose")]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = f64>) -> ValueCounts {
        let mut table = super::super::values::Table::default();
        let values: Vec<f64> = values.into_iter().collect();
        table.add(&nnz_core::Values::F64(values), 1);
        table.finish()
    }

    fn counts(histogram: &ValueHistogram) -> Vec<(f64, f64, u64)> {
        histogram.bins.iter().map(|bin| (bin.from, bin.to, bin.count)).collect()
    }

    /// A sum of twelve uniform numbers is nearly normal.
    fn normal(count: usize) -> Vec<f64> {
        let mut random = nnz_testing::random::Random::new(3);
        let mut uniform = || random.below(1 << 20) as f64 / f64::from(1 << 20);
        let mut one = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        (0..count).map(|_| one()).collect()
    }

    #[test]
    fn normal_values_have_equal_bins_on_both_sides_of_zero() {
        let values = normal(20_000);
        let found = of(values.iter().copied()).histogram();
        assert!(!found.logarithmic);
        let widths: Vec<f64> = found.bins.iter().map(|bin| (bin.to - bin.from).abs()).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{widths:?}");
        assert!((25..65).contains(&found.bins.len()), "{}", found.bins.len());
        for bin in &found.bins {
            let (low, high) = (bin.from.min(bin.to), bin.from.max(bin.to));
            let exact = values.iter().filter(|value| match bin.to < 0.0 {
                true => low < **value && **value <= high,
                false => low <= **value && **value < high,
            });
            assert_eq!(exact.count() as u64, bin.count, "{bin:?}");
        }
        // A mirrored matrix has the mirrored histogram.
        let mirrored = of(values.iter().map(|value| -value)).histogram();
        let expected: Vec<_> =
            counts(&found).into_iter().rev().map(|(a, b, n)| (-a, -b, n)).collect();
        assert_eq!(counts(&mirrored), expected);
    }

    #[test]
    fn values_of_different_orders_have_equal_bins_on_a_logarithmic_scale() {
        let sizes = (0..6000).map(|at| 10_f64.powf(f64::from(at) / 1000.0 - 3.0));
        let both = sizes.clone().chain(sizes.map(|size| -size));
        let found = of(both.chain([0.0; 5])).histogram();
        assert!(found.logarithmic && found.bins.len() <= 74, "{}", found.bins.len());
        assert_eq!(found.bins.iter().map(|bin| bin.count).sum::<u64>(), 12_000);
        let widths: Vec<f64> = found.bins.iter().map(|bin| (bin.to / bin.from).log10()).collect();
        assert!(widths.iter().all(|width| (0.18..0.22).contains(width)), "{widths:?}");
        // Without a comb: each bin has about the same number of these values.
        let is_full = |bin: &&ValueBin| bin.from.abs() > 0.0011 && bin.to.abs() < 900.0;
        let full = || found.bins.iter().filter(is_full).map(|bin| bin.count);
        assert!(full().max().unwrap() * 10 < full().min().unwrap() * 13, "{found:?}");
        let sides = |sign: f64| found.bins.iter().filter(move |bin| bin.to * sign > 0.0);
        let right: Vec<_> = sides(1.0).map(|bin| (bin.from, bin.to, bin.count)).collect();
        let left: Vec<_> = sides(-1.0).map(|bin| (-bin.from, -bin.to, bin.count)).rev().collect();
        assert_eq!(left, right);
    }

    #[test]
    fn a_few_tiny_values_do_not_stretch_the_scale() {
        let found = of(normal(1000).into_iter().chain((0..200).map(|_| 1e3)).chain([2.638e-228]));
        let found = found.histogram();
        assert!(found.logarithmic && (1e-7..1e-2).contains(&found.least), "{}", found.least);
        let tiny = found.bins.iter().find(|bin| bin.from == 0.0 && bin.to > 0.0).unwrap();
        assert_eq!((tiny.to, tiny.count), (found.least, 1));
    }

    #[test]
    fn small_integers_have_bins_of_their_own() {
        let found = of([-3.0, -1.0, 0.0, 1.0, 1.0, 40.0]).histogram();
        let expected =
            [(-3.0, -4.0, 1), (-1.0, -2.0, 1), (0.0, 1.0, 1), (1.0, 2.0, 2), (40.0, 41.0, 1)];
        assert!(!found.logarithmic);
        assert_eq!(counts(&found), expected);
        // Larger ones are joined between integers.
        let found = of((0..90).map(|_| 1.0).chain([2.0, 18.0, 19.0, 20.0, 1000.0])).histogram();
        let expected = [(1.0, 2.0, 90), (2.0, 3.0, 1), (16.0, 20.0, 2), (20.0, 25.0, 1)];
        assert!(found.logarithmic);
        assert_eq!(counts(&found)[..4], expected);
        assert!(found.bins[4].from <= 1000.0 && found.bins[4].to > 1000.0);
    }

    #[test]
    fn histograms_of_any_values_have_all_of_them() {
        let tiny = f64::from_bits(1);
        for values in [
            vec![],
            vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
            vec![0.0, -0.0],
            vec![tiny],
            vec![tiny, -tiny, tiny * 7.0],
            vec![tiny, f64::MAX],
            vec![-f64::MAX, f64::MAX, f64::MAX / 2.0],
            vec![f64::MIN_POSITIVE, 1e-310, -1e-320],
            vec![0.3; 5],
            vec![u64::MAX as f64, 1.0, -1e18],
        ] {
            let counts = of(values.clone());
            let found = counts.histogram();
            let finite = values.iter().filter(|value| value.is_finite()).count() as u64;
            let binned: u64 = found.bins.iter().map(|bin| bin.count).sum();
            let zeros = if found.logarithmic { counts.integers[0] } else { 0 };
            assert_eq!(binned + zeros, finite, "{values:?}: {found:?}");
            assert!(found.bins.len() <= 80 && found.bins.iter().all(|bin| bin.to.is_finite()));
            let both = counts.joined(&of([1.5, -2.0]));
            let binned: u64 = counts.histogram_as(&both).bins.iter().map(|bin| bin.count).sum();
            assert!(binned <= finite && both.min.is_some(), "{values:?}");
        }
    }
}
