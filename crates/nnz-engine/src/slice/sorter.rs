//! Sorting the entries of a major by their minors.

/// The longest axis for which places are kept.
const LONGEST: u64 = 1 << 22;

/// A word of the bits of an axis is scanned as fast as a few comparisons are made: below this many words for an entry,
/// scanning is faster than sorting.
const WORDS: usize = 4;

/// Sorts entries of minors below a length.
pub(super) struct Sorter {
    len: u64,
    /// A bit for each minor of a major, and its position; empty until they are needed.
    bits: Vec<u64>,
    places: Vec<u32>,
    pairs: Vec<(u64, u32)>,
}

impl Sorter {
    pub(super) fn new(len: u64) -> Self {
        Self { len, bits: Vec::new(), places: Vec::new(), pairs: Vec::new() }
    }

    /// Sorts the minors of a major with the positions of their entries. Equal ones stay in order.
    pub(super) fn sort(&mut self, minors: &mut [u64], positions: &mut [u32]) {
        if minors.is_sorted() {
            return;
        }
        let words = usize::try_from(self.len.div_ceil(64)).unwrap_or(usize::MAX);
        if self.len > LONGEST || words / WORDS > minors.len() || !self.place(minors, positions) {
            self.compare(minors, positions);
        }
    }

    /// Sorts by marking the minors that there are; returns whether this was possible, because none is repeated.
    fn place(&mut self, minors: &mut [u64], positions: &mut [u32]) -> bool {
        let Ok(len) = usize::try_from(self.len) else { return false };
        if self.bits.is_empty() {
            self.bits.resize(len.div_ceil(64), 0);
            self.places.resize(len, 0);
        }
        let mut repeated = false;
        for (minor, position) in minors.iter().zip(&*positions) {
            let at = usize::try_from(*minor).unwrap_or(usize::MAX);
            let (Some(word), Some(place)) = (self.bits.get_mut(at / 64), self.places.get_mut(at))
            else {
                repeated = true;
                break;
            };
            let bit = 1 << (at % 64);
            repeated |= *word & bit != 0;
            *word |= bit;
            *place = *position;
        }
        if repeated {
            self.bits.fill(0);
            return false;
        }
        let mut sorted = minors.iter_mut().zip(positions);
        for (number, word) in self.bits.iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let at = number * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let (Some((minor, position)), Some(place)) = (sorted.next(), self.places.get(at))
                {
                    (*minor, *position) = (at as u64, *place);
                }
            }
        }
        true
    }

    fn compare(&mut self, minors: &mut [u64], positions: &mut [u32]) {
        self.pairs.clear();
        self.pairs.extend(minors.iter().copied().zip(positions.iter().copied()));
        self.pairs.sort_by_key(|(minor, _)| *minor);
        for ((minor, position), pair) in minors.iter_mut().zip(positions).zip(&self.pairs) {
            (*minor, *position) = *pair;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(len: u64, minors: &[u64]) -> (Vec<u64>, Vec<u32>) {
        let mut sorter = Sorter::new(len);
        let (mut found, mut positions): (Vec<u64>, Vec<u32>) =
            minors.iter().copied().zip(0..).unzip();
        sorter.sort(&mut found, &mut positions);
        // The buffers are clean for the next major.
        let (mut again, mut places): (Vec<u64>, Vec<u32>) = minors.iter().copied().zip(0..).unzip();
        sorter.sort(&mut again, &mut places);
        assert_eq!((&again, &places), (&found, &positions));
        (found, positions)
    }

    #[test]
    fn minors_are_sorted_with_their_positions() {
        for len in [130, 1 << 20, 1 << 40] {
            assert_eq!(sorted(len, &[]), (vec![], vec![]));
            assert_eq!(sorted(len, &[7, 3, 129]), (vec![3, 7, 129], vec![1, 0, 2]));
            assert_eq!(sorted(len, &[64, 63, 0, 127]), (vec![0, 63, 64, 127], vec![2, 1, 0, 3]));
        }
    }

    #[test]
    fn equal_minors_stay_in_order() {
        assert_eq!(sorted(70, &[65, 3, 65, 3]), (vec![3, 3, 65, 65], vec![1, 3, 0, 2]));
    }

    #[test]
    fn minors_past_the_end_are_sorted_too() {
        assert_eq!(sorted(64, &[90, 3]), (vec![3, 90], vec![1, 0]));
    }
}
