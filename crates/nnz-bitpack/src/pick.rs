//! Filtering values without branches, for data that is hard to predict.

for_each_processor! {
    /// Returns whether each value is less than the value of `others` at the same index.
    ///
    /// ```
    /// assert!(nnz_bitpack::all_less(&[3, 9], &[4, 10]));
    /// assert!(!nnz_bitpack::all_less(&[3, 9], &[4, 9]));
    /// ```
    #[must_use]
    pub fn all_less(values: &[u32], others: &[u32]) -> bool = all_less_portable
}

/// Copies the values whose keys are in the `count` numbers from `first` on (modulo 2^32) to the
/// front of `out`, and returns how many there are.
///
/// The rest of `out` is unspecified. No more values are examined than there are keys or elements of
/// `out`.
///
/// ```
/// let mut picked = [0; 4];
/// let found = nnz_bitpack::pick(&[7, 9, 6, 8], 7, 2, &[1, 2, 3, 4], &mut picked);
/// assert_eq!(picked[..found], [1, 4]);
/// ```
#[allow(unsafe_code)]
#[must_use]
pub fn pick(keys: &[u32], first: u32, count: u32, values: &[u32], out: &mut [u32]) -> usize {
    let len = keys.len().min(values.len()).min(out.len());
    let (keys, values) = (&keys[..len], &values[..len]);
    #[cfg(target_arch = "x86_64")]
    if crate::kernels::x86::avx512::is_available() {
        // SAFETY: the processor has the instructions.
        return unsafe { crate::kernels::x86::pick::avx512(keys, first, count, values, out) };
    }
    pick_from(0, keys, first, count, values, out)
}

/// Same as [`pick`], with the first `picked` elements of `out` already written.
pub(crate) fn pick_from(
    picked: usize,
    keys: &[u32],
    first: u32,
    count: u32,
    values: &[u32],
    out: &mut [u32],
) -> usize {
    let mut at = picked;
    for (&key, &value) in keys.iter().zip(values) {
        // Written in any case; kept if the key matches.
        let Some(place) = out.get_mut(at) else { break };
        *place = value;
        at += usize::from(key.wrapping_sub(first) < count);
    }
    at
}

/// Looks up keys in a table, of which `u32::MAX` marks keys without a target, and writes the targets of the others, and
/// their positions, to the front of two slices. `first` is the position of the first key. Returns how many there are. Keys past the
/// end of the table have no target.
///
/// The table comes with marks, if few keys have a target: `marks[key & (marks.len() - 1)]` is not 0 if a key has one.
/// The rest of the slices is unspecified. No more keys are examined than the shorter of them has elements.
///
/// ```
/// let table = [u32::MAX, 5, u32::MAX, 6];
/// let (mut targets, mut positions) = ([0; 4], [0; 4]);
/// let into = (&mut targets[..], &mut positions[..]);
/// let found = nnz_bitpack::find_in_table(&[3, 2, 1, 9], 10, (&table, &[]), into);
/// assert_eq!((&targets[..found], &positions[..found]), (&[6, 5][..], &[10, 12][..]));
/// ```
#[allow(unsafe_code)]
#[must_use]
pub fn find_in_table(
    keys: &[u32],
    first: u32,
    (table, marks): (&[u32], &[u8]),
    into: (&mut [u32], &mut [u32]),
) -> usize {
    let keys = &keys[..keys.len().min(into.0.len()).min(into.1.len())];
    let mut found = Found { targets: into.0, positions: into.1, len: 0 };
    #[cfg(target_arch = "x86_64")]
    if crate::kernels::x86::avx512::is_available() {
        // SAFETY: the processor has the instructions.
        return unsafe { crate::kernels::x86::pick::find_avx512(keys, first, table, found) };
    }
    if marks.is_empty() {
        found.add(keys, first, table);
    } else {
        found.add_marked(keys, first, (table, marks));
    }
    found.len
}

/// Numbers that are looked up by [`look_up_f32`].
pub const SMALL: usize = 16;

/// Sets each element of `into` to the element of a table at the number with the same index. Writes the indices of numbers that are
/// past its end to the front of `others`, whose elements of `into` are unspecified, and returns how many there are. No more
/// numbers are examined than `into` and `others` have elements.
///
/// ```
/// let table: [f32; nnz_bitpack::SMALL] = std::array::from_fn(|number| number as f32 * 0.5);
/// let (mut found, mut others) = ([0.0; 3], [0; 3]);
/// assert_eq!(nnz_bitpack::look_up_f32(&[3, 99, 1], &table, &mut found, &mut others), 1);
/// assert_eq!((found[0], found[2], others[0]), (1.5, 0.5, 1));
/// ```
#[allow(unsafe_code)]
#[must_use]
pub fn look_up_f32(
    numbers: &[u32],
    table: &[f32; SMALL],
    into: &mut [f32],
    others: &mut [u32],
) -> usize {
    let numbers = &numbers[..numbers.len().min(into.len()).min(others.len())];
    #[cfg(target_arch = "x86_64")]
    if crate::kernels::x86::avx512::is_available() {
        // SAFETY: the processor has the instructions.
        return unsafe { crate::kernels::x86::pick::look_up_avx512(numbers, table, into, others) };
    }
    look_up_from(0, (0, numbers), table, into, others)
}

/// Same for the numbers from an index on, with the first `found` elements of `others` already written.
pub(crate) fn look_up_from(
    mut found: usize,
    (first, numbers): (usize, &[u32]),
    table: &[f32; SMALL],
    into: &mut [f32],
    others: &mut [u32],
) -> usize {
    let into = into.get_mut(first..).unwrap_or_default();
    for ((at, &number), into) in (first..).zip(numbers).zip(into) {
        *into = table[number as usize % SMALL];
        // Written in any case; kept if it is not in the table.
        let Some(other) = others.get_mut(found) else { break };
        *other = u32::try_from(at).unwrap_or(u32::MAX);
        found += usize::from(number as usize >= SMALL);
    }
    found
}

/// Targets and positions that were found.
pub(crate) struct Found<'a> {
    pub(crate) targets: &'a mut [u32],
    pub(crate) positions: &'a mut [u32],
    pub(crate) len: usize,
}

impl Found<'_> {
    /// Adds those of keys, of which `first` is the position of the first. Which ones have a target is hard to predict, so that
    /// there is no branch.
    #[inline(always)]
    pub(crate) fn add(&mut self, keys: &[u32], first: u32, table: &[u32]) {
        let (targets, positions) = (&mut self.targets[..], &mut self.positions[..]);
        let mut len = self.len;
        for (offset, &key) in (0..).zip(keys) {
            let target = table.get(key as usize).copied().unwrap_or(u32::MAX);
            // Written in any case; kept if there is a target.
            let (Some(to), Some(at)) = (targets.get_mut(len), positions.get_mut(len)) else {
                break;
            };
            (*to, *at) = (target, first.wrapping_add(offset));
            len += usize::from(target != u32::MAX);
        }
        self.len = len;
    }

    /// Same as [`add`](Self::add), without groups of which none is marked.
    fn add_marked(&mut self, keys: &[u32], first: u32, (table, marks): (&[u32], &[u8])) {
        const GROUP: usize = 8;
        let Some(mask) = marks.len().checked_sub(1) else { return };
        let mut start = first;
        let (groups, rest) = keys.as_chunks::<GROUP>();
        for group in groups {
            // Keys past the end can be marked here, and have no target.
            let marked = group.iter().fold(0, |any, key| any | marks[*key as usize & mask]);
            if marked != 0 {
                self.add(group, start, table);
            }
            start = start.wrapping_add(8);
        }
        self.add(rest, start, table);
    }
}

/// Writes the indices of the set bits, ascending, to the front of `out`, and clears the bits.
/// Returns the number of indices.
///
/// The rest of `out` is unspecified. Indices that do not fit in `out` are omitted.
///
/// ```
/// let mut words = [0b101, 1 << 63];
/// let mut set = [0; 3];
/// assert_eq!(nnz_bitpack::take_bits(&mut words, &mut set), 3);
/// assert_eq!((set, words), ([0, 2, 127], [0, 0]));
/// ```
#[allow(unsafe_code)]
pub fn take_bits(words: &mut [u64], out: &mut [u32]) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi1,popcnt")]
        fn bmi(done: usize, at: usize, words: &mut [u64], out: &mut [u32]) -> usize {
            take_bits_from(done, at, words, out)
        }
        let (mut done, mut at) = (0, 0);
        if crate::kernels::x86::avx512::is_available() && is_x86_feature_detected!("avx512vbmi2") {
            // SAFETY: the processor has the instructions.
            (done, at) = unsafe { crate::kernels::x86::bits::avx512(words, out) };
        }
        if is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has the instructions.
            return unsafe { bmi(done, at, words, out) };
        }
        take_bits_from(done, at, words, out)
    }
    #[cfg(not(target_arch = "x86_64"))]
    take_bits_from(0, 0, words, out)
}

#[inline(always)]
fn all_less_portable(values: &[u32], others: &[u32]) -> bool {
    values.iter().zip(others).fold(true, |all, (value, other)| all & (value < other))
}

/// Indices that are written for each word without a branch, as the number of set bits is hard to
/// predict.
const AT_ONCE: usize = 3;

/// Same as [`take_bits`] from `word` on, with the first `listed` elements of `out` already written.
#[inline(always)]
fn take_bits_from(word: usize, listed: usize, words: &mut [u64], out: &mut [u32]) -> usize {
    let mut at = listed;
    // Indices are 32-bit numbers that wrap around.
    let first = (word as u64).wrapping_mul(u64::BITS.into()) % (1 << 32);
    let mut first = u32::try_from(first).unwrap_or(0);
    for word in &mut words[word..] {
        let mut bits = std::mem::take(word);
        let end = at + bits.count_ones() as usize;
        if let Some(places) = out.get_mut(at..at + AT_ONCE) {
            for place in places {
                *place = first.wrapping_add(bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
            }
            at += AT_ONCE;
        }
        while bits != 0 {
            let Some(place) = out.get_mut(at) else { break };
            *place = first.wrapping_add(bits.trailing_zeros());
            bits &= bits.wrapping_sub(1);
            at += 1;
        }
        at = end.min(out.len());
        first = first.wrapping_add(u64::BITS);
    }
    at
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    fn into(lists: &mut [Vec<u32>; 2]) -> Found<'_> {
        let [targets, positions] = lists.each_mut().map(|list| &mut list[..]);
        Found { targets, positions, len: 0 }
    }

    #[test]
    fn lookups_match_scalar_ones() {
        let mut random = Random::new(3);
        for len in (0..70).chain([1000]) {
            let table: Vec<u32> = (0..50_u32)
                .map(|at| if random.below(2) == 0 { u32::MAX } else { 7 * at })
                .collect();
            let mut key = || u32::try_from(random.below(60)).unwrap();
            let mut keys: Vec<u32> = (0..len).map(|_| key()).collect();
            keys.extend([u32::MAX, 1 << 31, 49, 50]);
            for short in [0, 5, 20] {
                let room = keys.len() - short.min(keys.len());
                let mut found = [vec![9; room], vec![9; room]];
                let (mut each, mut marked) = (found.clone(), found.clone());
                let first = u32::MAX - 20;
                let Found { targets, positions, .. } = into(&mut found);
                let all = find_in_table(&keys, first, (&table, &[]), (targets, positions));
                let mut one_by_one = into(&mut each);
                one_by_one.add(&keys[..room], first, &table);
                assert_eq!(all, one_by_one.len);
                let marks: Vec<u8> = (0..64)
                    .map(|at| table.get(at).is_some_and(|to| *to != u32::MAX).into())
                    .collect();
                let mut with_marks = into(&mut marked);
                with_marks.add_marked(&keys[..room], first, (&table, &marks));
                assert_eq!(all, with_marks.len);
                for (found, (each, marked)) in found.iter().zip(each.iter().zip(&marked)) {
                    assert_eq!((&found[..all], &found[..all]), (&each[..all], &marked[..all]));
                }
            }
        }
    }

    #[test]
    fn pick_matches_scalar() {
        let keys: Vec<u32> = (0..1000).map(|n: u32| n.wrapping_mul(0x9e37_79b9) >> 24).collect();
        let values: Vec<u32> = (0..1000).collect();
        for (first, count) in [(0, 0), (0, 256), (7, 100), (200, 100), (u32::MAX, 9)] {
            let (mut found, mut expected) = ([0; 1000], [0; 1000]);
            let all = pick(&keys, first, count, &values, &mut found);
            let one_by_one = pick_from(0, &keys, first, count, &values, &mut expected);
            assert_eq!(found[..all], expected[..one_by_one], "{count} from {first}");
        }
    }

    #[test]
    fn take_bits_lists_all_that_fit() {
        let mut random = Random::new(1);
        let mut random = || random.next();
        let empty = vec![0; 9];
        let full = vec![u64::MAX; 9];
        let sparse: Vec<u64> = (0..99).map(|_| random() & random() & random() & random()).collect();
        let dense: Vec<u64> =
            (0..99).map(|n| if n % 2 == 0 { random() } else { 1 << 63 }).collect();
        for words in [empty, full, sparse, dense] {
            let set = |bit: &u32| words[*bit as usize / 64] >> (bit % 64) & 1 == 1;
            let all: Vec<u32> = (0..64 * u32::try_from(words.len()).unwrap()).filter(set).collect();
            for room in (0..all.len() + 70).step_by(7).chain([all.len(), all.len() + 16]) {
                let (mut taken, mut out) = (words.clone(), vec![7; room]);
                assert_eq!(take_bits(&mut taken, &mut out), all.len().min(room));
                assert!(taken.iter().all(|&word| word == 0));
                let listed = all.len().min(room);
                assert_eq!(out[..listed], all[..listed], "room for {room}");
                let mut one_by_one = vec![7; room];
                assert_eq!(take_bits_from(0, 0, &mut words.clone(), &mut one_by_one), listed);
                assert_eq!(one_by_one[..listed], all[..listed]);
            }
        }
    }
}
