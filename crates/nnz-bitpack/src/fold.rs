//! Sums and extremes of decoded values while they are in the cache.

/// Sums and extremes of a slice of values.
///
/// ```
/// let fold = nnz_bitpack::Fold::of(&[3, 0, 4]);
/// assert_eq!((fold.sum, fold.squares, fold.min, fold.max), (7, 25, 0, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The sum of the values.
    pub sum: u64,
    /// The sum of their squares.
    pub squares: u128,
    /// The smallest value; `u32::MAX` without values.
    pub min: u32,
    /// The largest value; 0 without values.
    pub max: u32,
}

impl Fold {
    /// Computes them for `values`.
    #[must_use]
    pub fn of(values: &[u32]) -> Self {
        let mut all = Self { sum: 0, squares: 0, min: u32::MAX, max: 0 };
        for block in values.chunks(BLOCK) {
            let part = fold_block(block);
            // The squares of a block of values below 2^24 fit in 64 bits; other squares are added up
            // again.
            all.squares += if part.max < 1 << 24 { part.squares.into() } else { squares(block) };
            all.sum += part.sum;
            all.min = all.min.min(part.min);
            all.max = all.max.max(part.max);
        }
        all
    }
}

/// Returns the sum of the values.
///
/// ```
/// assert_eq!(nnz_bitpack::sum(&[u32::MAX, 1]), 1 << 32);
/// ```
#[allow(unsafe_code)]
#[must_use]
pub fn sum(values: &[u32]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::kernels::x86::{avx512, sum};
        if avx512::is_available() {
            // SAFETY: the processor has the instructions.
            return unsafe { sum::avx512(values) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions.
            return unsafe { sum::avx2(values) };
        }
    }
    values.iter().map(|&value| u64::from(value)).sum()
}

for_each_processor! {
    /// Returns the largest value, or `None` without values.
    ///
    /// ```
    /// assert_eq!(nnz_bitpack::max(&[3, 9, 4]), Some(9));
    /// ```
    #[must_use]
    pub fn max(values: &[u32]) -> Option<u32> = max_portable
}

for_each_processor! {
    /// Returns whether each value is greater than the previous one.
    ///
    /// ```
    /// assert!(nnz_bitpack::ascends(&[3, 4, 9]));
    /// assert!(!nnz_bitpack::ascends(&[3, 4, 4]));
    /// ```
    #[must_use]
    pub fn ascends(values: &[u32]) -> bool = ascends_portable
}

for_each_processor! {
    /// Counts the values that are not greater than the previous one.
    ///
    /// ```
    /// assert_eq!(nnz_bitpack::count_descents(&[3, 4, 4, 9, 1]), 2);
    /// ```
    #[must_use]
    pub fn count_descents(values: &[u32]) -> usize = count_descents_portable
}

/// Counts the runs whose first value is not greater than the value before it. Adjacent entries of
/// `starts` are the start and the end of a run; runs without values are not counted.
///
/// Branches do not depend on the lengths of the runs, which are hard to predict.
///
/// ```
/// // 4 before 4 and 9 before 1, but not 1 before 2.
/// assert_eq!(nnz_bitpack::count_descents_between(&[3, 4, 4, 9, 1, 2], &[0, 2, 2, 4, 5, 6]), 2);
/// ```
#[allow(unsafe_code)]
#[must_use]
pub fn count_descents_between(values: &[u32], starts: &[usize]) -> usize {
    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
    if crate::kernels::x86::avx512::is_available() {
        // SAFETY: the processor has the instructions.
        let (done, descents) = unsafe { crate::kernels::x86::descents::between(values, starts) };
        return descents
            + count_descents_between_portable(values, starts.get(done..).unwrap_or_default());
    }
    count_descents_between_portable(values, starts)
}

for_each_processor! {
    /// Returns whether no value is less than the previous one.
    ///
    /// ```
    /// assert!(nnz_bitpack::is_sorted(&[3, 4, 4]));
    /// assert!(!nnz_bitpack::is_sorted(&[3, 4, 3]));
    /// ```
    #[must_use]
    pub fn is_sorted(values: &[u32]) -> bool = is_sorted_portable
}

for_each_processor! {
    /// Adds the values of `others` in place, and returns whether all sums fit. Sums that do not fit
    /// wrap around.
    ///
    /// ```
    /// let mut ends = [5, 7];
    /// assert!(nnz_bitpack::add(&mut ends, &[100, 200]));
    /// assert_eq!(ends, [105, 207]);
    /// assert!(!nnz_bitpack::add(&mut ends, &[0, u32::MAX]));
    /// ```
    pub fn add(values: &mut [u32], others: &[u32]) -> bool = add_portable
}

/// The number of values that are summed in 64-bit lanes.
const BLOCK: usize = 1 << 14;

/// A [`Fold`] whose squares may have wrapped around.
struct PartialFold {
    sum: u64,
    squares: u64,
    min: u32,
    max: u32,
}

for_each_processor! {
    fn fold_block(values: &[u32]) -> PartialFold = fold_portable
}

#[inline(always)]
fn max_portable(values: &[u32]) -> Option<u32> {
    values.iter().copied().max()
}

#[inline(always)]
fn ascends_portable(values: &[u32]) -> bool {
    let later = values.get(1..).unwrap_or_default();
    values.iter().zip(later).fold(true, |all, (value, next)| all & (value < next))
}

#[inline(always)]
fn count_descents_portable(values: &[u32]) -> usize {
    let later = values.get(1..).unwrap_or_default();
    // Counted in lanes as wide as the values, which cannot overflow in a block.
    let pairs = values.chunks(BLOCK).zip(later.chunks(BLOCK));
    let counts = pairs.map(|(values, later)| {
        values.iter().zip(later).map(|(value, next)| u32::from(value >= next)).sum::<u32>() as usize
    });
    counts.sum()
}

fn count_descents_between_portable(values: &[u32], starts: &[usize]) -> usize {
    let descents = starts.windows(2).map(|pair| {
        let held = pair[1].checked_sub(1).and_then(|before| values.get(before..));
        let neighbours = held.and_then(|values| values.first_chunk::<2>());
        let descents = neighbours.is_some_and(|[before, first]| before >= first);
        usize::from(descents & (pair[0] != pair[1]))
    });
    descents.sum()
}

#[inline(always)]
fn is_sorted_portable(values: &[u32]) -> bool {
    let later = values.get(1..).unwrap_or_default();
    values.iter().zip(later).fold(true, |all, (value, next)| all & (value <= next))
}

#[inline(always)]
fn add_portable(values: &mut [u32], others: &[u32]) -> bool {
    values.iter_mut().zip(others).fold(true, |all, (value, &other)| {
        *value = value.wrapping_add(other);
        // A sum that wrapped around is less than its parts.
        all & (*value >= other)
    })
}

#[inline(always)]
fn fold_portable(values: &[u32]) -> PartialFold {
    let mut part = PartialFold { sum: 0, squares: 0, min: u32::MAX, max: 0 };
    for &value in values {
        let wide = u64::from(value);
        part.sum += wide;
        part.squares = part.squares.wrapping_add(wide.wrapping_mul(wide));
        part.min = part.min.min(value);
        part.max = part.max.max(value);
    }
    part
}

fn squares(values: &[u32]) -> u128 {
    values.iter().map(|&value| u128::from(u64::from(value) * u64::from(value))).sum()
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    fn low_word(random: u64) -> u32 {
        u32::try_from(random & u64::from(u32::MAX)).unwrap()
    }

    #[test]
    fn folds_match_wide_arithmetic() {
        let mut random = Random::new(1);
        for len in [0, 1, 7, 8, 33, 129, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5] {
            for shift in [0, 7, 8, 9, 20, 31] {
                let values: Vec<u32> = (0..len).map(|_| low_word(random.next()) >> shift).collect();
                let wide = || values.iter().map(|&value| u128::from(value));
                let expected = Fold {
                    sum: u64::try_from(wide().sum::<u128>()).unwrap(),
                    squares: wide().map(|value| value * value).sum(),
                    min: values.iter().copied().min().unwrap_or(u32::MAX),
                    max: values.iter().copied().max().unwrap_or(0),
                };
                assert_eq!(Fold::of(&values), expected, "{len} values >> {shift}");
                assert_eq!(sum(&values), expected.sum);
                assert_eq!(max(&values), values.iter().copied().max());
                assert!(!ascends(&values) || len < 2);
                let descents = values.windows(2).filter(|pair| pair[0] >= pair[1]).count();
                assert_eq!(count_descents(&values), descents);
                let ramp: Vec<u32> = (0..).take(len).map(|value: u32| value + shift).collect();
                assert!(ascends(&ramp) && is_sorted(&ramp) && count_descents(&ramp) == 0);
                assert!(is_sorted(&vec![7; len]) && (!ascends(&vec![7; len]) || len < 2));
                let mut sums = values.clone();
                let fit = values.iter().zip(&ramp).all(|(a, b)| a.checked_add(*b).is_some());
                assert_eq!(add(&mut sums, &ramp), fit);
                let each = values.iter().zip(&ramp).map(|(a, b)| a.wrapping_add(*b));
                assert!(sums.iter().copied().eq(each));
            }
        }
        for at in 1..300 {
            let mut descents = vec![9; 300];
            descents[at] = 8;
            assert!(!is_sorted(&descents), "at {at}");
            let mut values = vec![1; 300];
            values[at - 1] = u32::MAX;
            assert!(!add(&mut values, &descents), "at {at}");
        }
        let largest = vec![u32::MAX; BLOCK * 2];
        let square = u128::from(u32::MAX) * u128::from(u32::MAX);
        assert_eq!(Fold::of(&largest).squares, square * (BLOCK as u128 * 2));
    }

    #[test]
    fn descents_are_counted_only_at_run_starts() {
        let mut random = Random::new(1);
        let mut found = 0;
        for runs in 0..300 {
            let (mut values, mut starts, mut expected) = (Vec::new(), vec![0], 0);
            for _ in 0..runs {
                let last = values.last().copied();
                for entry in 0..random.below(4) {
                    let value = low_word(random.next()) % 5;
                    values.push(if random.below(9) == 0 { u32::MAX } else { value });
                    let descents = last.is_some_and(|last| last >= values[values.len() - 1]);
                    expected += usize::from(entry == 0 && descents);
                }
                starts.push(values.len());
            }
            assert_eq!(count_descents_between(&values, &starts), expected, "{values:?} {starts:?}");
            assert_eq!(count_descents_between_portable(&values, &starts), expected);
            // Starts that are out of bounds, in any order.
            starts.extend([usize::MAX, 1 << 62, values.len() + 1, usize::MAX - 1]);
            let turn = random.below(starts.len());
            starts.rotate_right(turn);
            let each = count_descents_between_portable(&values, &starts);
            assert_eq!(count_descents_between(&values, &starts), each, "{values:?} {starts:?}");
            found += expected;
        }
        assert!(found > 1000, "{found}");
    }
}
