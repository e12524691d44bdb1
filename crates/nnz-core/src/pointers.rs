//! Dividing compressed matrices (CSR, CSC) into pieces.

use std::ops::Range;

use crate::{Error, Result};

/// Number of pointers that are read at once.
const WINDOW: u64 = 1 << 13;

/// Maximum number of vectors of a piece, as empty vectors have a cost too.
const VECTORS: usize = 1 << 16;

/// The pointers of a compressed matrix: the position of the first entry of each major vector,
/// followed by the number of entries.
pub trait Pointers {
    /// Fills `out` with the pointers from vector `first` on, unchecked.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn load(&self, first: u64, out: &mut [u64]) -> Result<()>;

    /// Returns the number of entries, which no pointer may exceed.
    fn entries(&self) -> u64;

    /// Creates the error that a pointer is not as expected.
    fn wrong(&self, element: u64, found: u64, expected: String) -> Error;
}

/// Fills `out` with the pointers from vector `first` on, and checks that they begin with 0,
/// do not descend and are at least `least`.
///
/// # Errors
///
/// Fails if they do not, or cannot be read.
pub fn read_pointers(
    pointers: &(impl Pointers + ?Sized),
    first: u64,
    mut least: u64,
    out: &mut [u64],
) -> Result<()> {
    pointers.load(first, out)?;
    let entries = pointers.entries();
    for (&pointer, element) in out.iter().zip(first..) {
        let most = if element == 0 { 0 } else { entries };
        if pointer < least || pointer > most {
            let expected = if element == 0 {
                "0".to_owned()
            } else if pointer < least {
                format!("at least {least}, the previous element")
            } else {
                format!("at most {entries}, the number of entries")
            };
            return Err(pointers.wrong(element, pointer, expected));
        }
        least = pointer;
    }
    Ok(())
}

/// Returns the ranges of pointers that locate the entries of ranges of vectors.
#[must_use]
pub fn pointer_ranges(majors: &[Range<u64>]) -> Vec<Range<u64>> {
    majors.iter().map(|range| range.start..range.end.saturating_add(1)).collect()
}

/// Returns the ranges of entries of ranges of vectors, to announce that they will be read. Invalid and empty ranges
/// are left out.
///
/// # Errors
///
/// Fails if a pointer cannot be read.
pub fn entry_ranges(
    majors: &[Range<u64>],
    entries: u64,
    pointer: impl Fn(u64) -> Result<u64>,
) -> Result<Vec<Range<u64>>> {
    let mut found = Vec::new();
    for range in majors {
        let (start, end) = (pointer(range.start)?, pointer(range.end)?);
        if start < end && end <= entries {
            found.push(start..end);
        }
    }
    Ok(found)
}

/// Adjacent entries of a compressed matrix. The first and the last vector may be incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPiece {
    /// The first vector.
    pub first: u64,
    /// The offsets of the vectors in the entries of the piece: one more than vectors.
    pub offsets: Vec<usize>,
    /// The range of the entries in the matrix.
    pub entries: Range<u64>,
    /// Whether the first vector begins in the previous piece.
    pub continued: bool,
}

impl EntryPiece {
    /// Returns the vectors.
    #[must_use]
    pub fn vectors(&self) -> Range<u64> {
        self.first..self.first.saturating_add(self.offsets.len() as u64 - 1)
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Divides a range of major vectors into pieces that end at multiples of a number of entries, such
/// as the size of chunks.
#[derive(Debug)]
pub struct PointerCursor {
    /// The remaining vectors; the first may be partly done.
    vectors: Range<u64>,
    /// The number of entries between two ends of pieces.
    step: u64,
    /// The next entry.
    entry: Option<u64>,
    /// The pointers from vector `start` on.
    window: Vec<u64>,
    start: u64,
}

impl PointerCursor {
    /// Starts at the first vector of a range.
    #[must_use]
    pub fn new(vectors: Range<u64>, step: u64) -> Self {
        Self { vectors, step: step.max(1), entry: None, window: Vec::new(), start: 0 }
    }

    /// Returns the index of the next vector in the window, after reading its pointer and the next
    /// one.
    fn load(&mut self, pointers: &impl Pointers) -> Result<usize> {
        let at = usize::try_from(self.vectors.start - self.start).unwrap_or(usize::MAX);
        if at < self.window.len().saturating_sub(1) {
            return Ok(at);
        }
        let least = self.window.last().copied().unwrap_or(0);
        let count = WINDOW.min(self.vectors.end - self.vectors.start);
        self.start = self.vectors.start;
        self.window.resize(usize::try_from(count).unwrap_or(0) + 1, 0);
        read_pointers(pointers, self.start, least, &mut self.window)?;
        Ok(0)
    }

    /// Returns the next piece, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if pointers cannot be read, or descend.
    pub fn next_piece(&mut self, pointers: &impl Pointers) -> Result<Option<EntryPiece>> {
        if self.vectors.is_empty() {
            return Ok(None);
        }
        let first = self.vectors.start;
        let mut at = self.load(pointers)?;
        let begin = self.window[at];
        let start = *self.entry.get_or_insert(begin);
        let limit = (start / self.step).saturating_add(1).saturating_mul(self.step);
        let mut offsets = Vec::with_capacity((self.window.len() - at).min(256));
        offsets.push(0);
        let mut end = start;
        while end < limit && offsets.len() <= VECTORS {
            let Some(&next) = self.window.get(at + 1) else {
                if self.vectors.is_empty() {
                    break;
                }
                at = self.load(pointers)?;
                continue;
            };
            end = next.min(limit);
            offsets.push(usize::try_from(end - start).unwrap_or(usize::MAX));
            if next > limit {
                // The vector continues in the next piece.
                break;
            }
            self.vectors.start += 1;
            at += 1;
        }
        self.entry = Some(end);
        Ok(Some(EntryPiece { first, offsets, entries: start..end, continued: start > begin }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    struct Listed(Vec<u64>);

    impl Pointers for Listed {
        fn load(&self, first: u64, out: &mut [u64]) -> Result<()> {
            let first = usize::try_from(first).unwrap();
            out.copy_from_slice(&self.0[first..first + out.len()]);
            Ok(())
        }

        fn entries(&self) -> u64 {
            *self.0.last().unwrap()
        }

        fn wrong(&self, element: u64, found: u64, expected: String) -> Error {
            Error::mismatch(Place::array("m", format!("pointers[{element}]")), found, expected)
        }
    }

    fn pieces(pointers: &Listed, vectors: Range<u64>, step: u64) -> Vec<EntryPiece> {
        let mut cursor = PointerCursor::new(vectors, step);
        std::iter::from_fn(|| cursor.next_piece(pointers).unwrap()).collect()
    }

    /// The number of entries of each vector, summed over the pieces.
    fn lengths(pieces: &[EntryPiece], vectors: Range<u64>) -> Vec<u64> {
        let mut lengths = vec![0; usize::try_from(vectors.end - vectors.start).unwrap()];
        for piece in pieces {
            for (vector, run) in piece.vectors().zip(piece.offsets.windows(2)) {
                lengths[usize::try_from(vector - vectors.start).unwrap()] +=
                    (run[1] - run[0]) as u64;
            }
        }
        lengths
    }

    #[test]
    fn pieces_end_at_multiples_of_the_step() {
        let pointers = Listed(vec![0, 3, 3, 10, 12]);
        let pieces = pieces(&pointers, 0..4, 4);
        let entries: Vec<_> = pieces.iter().map(|piece| piece.entries.clone()).collect();
        assert_eq!(entries, [0..4, 4..8, 8..12]);
        let firsts: Vec<_> = pieces.iter().map(|piece| (piece.first, piece.continued)).collect();
        assert_eq!(firsts, [(0, false), (2, true), (2, true)]);
        assert_eq!(lengths(&pieces, 0..4), [3, 0, 7, 2]);
    }

    #[test]
    fn pieces_have_a_bounded_number_of_vectors() {
        let empty = Listed(vec![0; 200_001]);
        let pieces_of_empty = pieces(&empty, 0..200_000, 1 << 16);
        assert!(pieces_of_empty.iter().all(|piece| piece.offsets.len() <= VECTORS + 1));
        assert_eq!(pieces_of_empty.len(), 4);
        assert_eq!(pieces_of_empty.last().unwrap().vectors().end, 200_000);

        let ones = Listed((0..=50_000).collect());
        let pieces_of_ones = pieces(&ones, 10..50_000, 1 << 14);
        assert_eq!(pieces_of_ones.len(), 4);
        assert_eq!(lengths(&pieces_of_ones, 10..50_000), vec![1; 49_990]);
        assert!(pieces(&ones, 7..7, 16).is_empty());
    }

    #[test]
    fn descending_pointers_are_refused_across_windows() {
        let mut list: Vec<u64> = (0..=20_000).collect();
        let end = usize::try_from(WINDOW).unwrap();
        list[end + 1] = 5;
        let mut cursor = PointerCursor::new(0..20_000, 1 << 20);
        let error = cursor.next_piece(&Listed(list)).unwrap_err().to_string();
        assert!(error.contains(&format!("pointers[{}]", end + 1)), "{error}");
        assert!(error.contains("at least 8192"), "{error}");

        let mut cursor = PointerCursor::new(0..2, 8);
        let error = cursor.next_piece(&Listed(vec![1, 2, 3])).unwrap_err().to_string();
        assert!(error.contains("pointers[0]") && error.contains("expected 0"), "{error}");

        let mut cursor = PointerCursor::new(0..2, 8);
        let error = cursor.next_piece(&Listed(vec![0, 7, 3])).unwrap_err().to_string();
        assert!(error.contains("at most 3"), "{error}");
    }
}
