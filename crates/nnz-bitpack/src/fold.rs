//! Sums and extremes of freshly decoded values, while they are still in the cache.

/// What a slice of values comes to.
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
    /// The least value; the largest there is where there are none.
    pub min: u32,
    /// The greatest value; 0 where there are none.
    pub max: u32,
}

impl Fold {
    /// Folds values.
    #[must_use]
    pub fn of(values: &[u32]) -> Self {
        let mut all = Self { sum: 0, squares: 0, min: u32::MAX, max: 0 };
        for block in values.chunks(BLOCK) {
            let part = fold_block(block);
            // Of values below 2^24 the squares of a block fit 64 bits; of others they are added
            // up again.
            all.squares += if part.max < 1 << 24 { part.squares.into() } else { squares(block) };
            all.sum += part.sum;
            all.min = all.min.min(part.min);
            all.max = all.max.max(part.max);
        }
        all
    }
}

/// Adds up values.
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
        if avx512::here() {
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
    /// Returns the greatest value; `None` where there are none.
    ///
    /// ```
    /// assert_eq!(nnz_bitpack::max(&[3, 9, 4]), Some(9));
    /// ```
    #[must_use]
    pub fn max(values: &[u32]) -> Option<u32> = max_portable
}

for_each_processor! {
    /// Returns whether each value is greater than the one before it.
    ///
    /// ```
    /// assert!(nnz_bitpack::ascends(&[3, 4, 9]));
    /// assert!(!nnz_bitpack::ascends(&[3, 4, 4]));
    /// ```
    #[must_use]
    pub fn ascends(values: &[u32]) -> bool = ascends_portable
}

for_each_processor! {
    /// Counts the values that are not greater than the one before them.
    ///
    /// ```
    /// assert_eq!(nnz_bitpack::count_descents(&[3, 4, 4, 9, 1]), 2);
    /// ```
    #[must_use]
    pub fn count_descents(values: &[u32]) -> usize = count_descents_portable
}

/// Counts the runs of values that begin with no more than the value before them. One place of
/// `starts` is where a run begins and the next where it ends; those without values do not count.
///
/// Runs may be of any length and empty ones may lie anywhere, so that nothing here depends on
/// guessing which are.
///
/// ```
/// // 4 before 4 and 9 before 1, but not 1 before 2.
/// assert_eq!(nnz_bitpack::count_descents_between(&[3, 4, 4, 9, 1, 2], &[0, 2, 2, 4, 5, 6]), 2);
/// ```
#[allow(unsafe_code)]
#[must_use]
pub fn count_descents_between(values: &[u32], starts: &[usize]) -> usize {
    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
    if crate::kernels::x86::avx512::here() {
        // SAFETY: the processor has the instructions.
        let (done, falls) = unsafe { crate::kernels::x86::falls::between(values, starts) };
        return falls
            + count_descents_between_portable(values, starts.get(done..).unwrap_or_default());
    }
    count_descents_between_portable(values, starts)
}

for_each_processor! {
    /// Returns whether no value is less than the one before it.
    ///
    /// ```
    /// assert!(nnz_bitpack::is_sorted(&[3, 4, 4]));
    /// assert!(!nnz_bitpack::is_sorted(&[3, 4, 3]));
    /// ```
    #[must_use]
    pub fn is_sorted(values: &[u32]) -> bool = is_sorted_portable
}

for_each_processor! {
    /// Adds to each value the one at its place in `others`, and returns whether all sums fit. Those
    /// that do not wrap around.
    ///
    /// ```
    /// let mut ends = [5, 7];
    /// assert!(nnz_bitpack::add(&mut ends, &[100, 200]));
    /// assert_eq!(ends, [105, 207]);
    /// assert!(!nnz_bitpack::add(&mut ends, &[0, u32::MAX]));
    /// ```
    pub fn add(values: &mut [u32], others: &[u32]) -> bool = add_portable
}

/// Values that are folded in 64-bit lanes.
const BLOCK: usize = 1 << 14;

/// A [`Fold`] whose squares may have wrapped around.
struct Part {
    sum: u64,
    squares: u64,
    min: u32,
    max: u32,
}

for_each_processor! {
    fn fold_block(values: &[u32]) -> Part = fold_portable
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
    // Counted in lanes as narrow as the values, which cannot overflow in a block.
    let pairs = values.chunks(BLOCK).zip(later.chunks(BLOCK));
    let counts = pairs.map(|(values, later)| {
        values.iter().zip(later).map(|(value, next)| u32::from(value >= next)).sum::<u32>() as usize
    });
    counts.sum()
}

fn count_descents_between_portable(values: &[u32], starts: &[usize]) -> usize {
    let falls = starts.windows(2).map(|pair| {
        let held = pair[1].checked_sub(1).and_then(|before| values.get(before..));
        let neighbours = held.and_then(|values| values.first_chunk::<2>());
        let falls = neighbours.is_some_and(|[before, first]| before >= first);
        usize::from(falls & (pair[0] != pair[1]))
    });
    falls.sum()
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
        // A sum that does not fit is less than its parts.
        all & (*value >= other)
    })
}

#[inline(always)]
fn fold_portable(values: &[u32]) -> Part {
    let mut part = Part { sum: 0, squares: 0, min: u32::MAX, max: 0 };
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
    use super::*;

    #[test]
    fn folds_are_exact_for_values_of_any_size_and_slices_of_any_length() {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state
        };
        for len in [0, 1, 7, 8, 33, 129, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5] {
            for shift in [0, 7, 8, 9, 20, 31] {
                let values: Vec<u32> = (0..len).map(|_| next() >> shift).collect();
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
                let fallen = values.windows(2).filter(|pair| pair[0] >= pair[1]).count();
                assert_eq!(count_descents(&values), fallen);
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
            let mut falls = vec![9; 300];
            falls[at] = 8;
            assert!(!is_sorted(&falls), "at {at}");
            let mut values = vec![1; 300];
            values[at - 1] = u32::MAX;
            assert!(!add(&mut values, &falls), "at {at}");
        }
        let largest = vec![u32::MAX; BLOCK * 2];
        let square = u128::from(u32::MAX) * u128::from(u32::MAX);
        assert_eq!(Fold::of(&largest).squares, square * (BLOCK as u128 * 2));
    }

    #[test]
    fn falls_are_counted_where_runs_begin_and_nowhere_else() {
        let mut state = 1_u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let mut found = 0;
        for runs in 0..300 {
            let (mut values, mut starts, mut expected) = (Vec::new(), vec![0], 0);
            for _ in 0..runs {
                let last = values.last().copied();
                for entry in 0..draw(4) {
                    values.push(if draw(9) == 0 { u32::MAX } else { draw(5) });
                    let falls = last.is_some_and(|last| last >= values[values.len() - 1]);
                    expected += usize::from(entry == 0 && falls);
                }
                starts.push(values.len());
            }
            assert_eq!(count_descents_between(&values, &starts), expected, "{values:?} {starts:?}");
            assert_eq!(count_descents_between_portable(&values, &starts), expected);
            // Places that are not there, in whatever order.
            starts.extend([usize::MAX, 1 << 62, values.len() + 1, usize::MAX - 1]);
            let turn = draw(9) as usize % starts.len();
            starts.rotate_right(turn);
            let each = count_descents_between_portable(&values, &starts);
            assert_eq!(count_descents_between(&values, &starts), each, "{values:?} {starts:?}");
            found += expected;
        }
        assert!(found > 1000, "{found}");
    }
}
