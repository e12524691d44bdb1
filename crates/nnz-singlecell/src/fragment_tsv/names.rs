//! A hash table of names with indices.

use std::hash::{BuildHasher, RandomState};

use nnz_core::StringList;

/// The largest number of names in a set. The highest bit is used as a mark.
pub(super) const MOST_NAMES: usize = 1 << 31;

/// Unique names, with indices in the order of insertion.
///
/// Names come from files, so the hash has a random seed for each set: input cannot be made to
/// collide.
#[derive(Debug)]
pub(super) struct Names {
    text: Vec<u8>,
    /// The end of each name in the text.
    ends: Vec<usize>,
    /// In the slot of a name: the high half of its hash and its index plus 1, or 0.
    slots: Vec<u64>,
    seed: u64,
}

/// The slot of a name, and its content.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NameSlot {
    hash: u64,
    slot: u64,
}

impl Default for Names {
    fn default() -> Self {
        // Odd, so that multiplication by it is a bijection.
        let seed = RandomState::new().hash_one(0) | 1;
        Self { text: Vec::new(), ends: Vec::new(), slots: Vec::new(), seed }
    }
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Removes all names, and keeps the memory.
    pub(super) fn clear(&mut self) {
        if !self.ends.is_empty() {
            self.text.clear();
            self.ends.clear();
            self.slots.fill(0);
        }
    }

    /// Returns a name by its index; empty if there is none.
    #[inline]
    pub(super) fn name(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = match number.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        let end = self.ends.get(number).copied();
        start.zip(end).and_then(|(start, end)| self.text.get(start..end)).unwrap_or(&[])
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.text[std::mem::replace(&mut start, end)..end])
    }

    pub(super) fn list(&self) -> StringList {
        self.iter().collect()
    }

    /// Returns the index of a name.
    #[inline]
    pub(super) fn find(&self, name: &[u8]) -> Option<u32> {
        self.find_hashed(name, self.hash(name))
    }

    /// Reads the slot of a name. Doing this for many names before `answer` is faster, because the
    /// processor can wait for several cache misses at once.
    pub(super) fn ask(&self, name: &[u8]) -> NameSlot {
        let hash = self.hash(name);
        let slot = match self.slots.len().checked_sub(1) {
            Some(mask) => self.slots[place(hash, mask) & mask],
            None => 0,
        };
        NameSlot { hash, slot }
    }

    /// Returns the index of a name whose slot was read.
    #[inline]
    pub(super) fn answer(&self, name: &[u8], asked: NameSlot) -> Option<u32> {
        let NameSlot { hash, slot } = asked;
        if slot != 0 && (slot ^ hash) >> 32 == 0 {
            let number = low_half(slot) - 1;
            if self.name(number) == name {
                return Some(number);
            }
        }
        self.find_hashed(name, hash)
    }

    /// Returns the index of a name, which is inserted if it is new. Returns `None` if there would
    /// be too many names.
    pub(super) fn find_or_insert(&mut self, name: &[u8]) -> Option<u32> {
        let hash = self.hash(name);
        if let Some(number) = self.find_hashed(name, hash) {
            return Some(number);
        }
        if self.ends.len() == MOST_NAMES {
            return None;
        }
        let number = u32::try_from(self.ends.len()).ok()?;
        if self.slots.len() < 2 * (self.ends.len() + 1) {
            self.grow();
        }
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        put(&mut self.slots, hash, number);
        Some(number)
    }

    #[inline]
    fn find_hashed(&self, name: &[u8], hash: u64) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = place(hash, mask);
        loop {
            let slot = self.slots[at & mask];
            if slot == 0 {
                return None;
            }
            if (slot ^ hash) >> 32 == 0 {
                let number = low_half(slot) - 1;
                if self.name(number) == name {
                    return Some(number);
                }
            }
            at += 1;
        }
    }

    fn grow(&mut self) {
        let len = (4 * (self.ends.len() + 1)).next_power_of_two().max(64);
        let mut slots = vec![0; len];
        for (number, name) in (0..).zip(self.iter()) {
            put(&mut slots, self.hash(name), number);
        }
        self.slots = slots;
    }

    #[inline]
    fn hash(&self, name: &[u8]) -> u64 {
        let mut hash = self.seed.rotate_left(32) ^ name.len() as u64;
        let (words, rest) = name.as_chunks::<8>();
        for word in words {
            hash = fold(hash ^ u64::from_le_bytes(*word), self.seed);
        }
        if !rest.is_empty() {
            // The last eight bytes overlap with those before; the length is part of the hash.
            let last = match name.last_chunk::<8>() {
                Some(last) => u64::from_le_bytes(*last),
                None => rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
            };
            hash = fold(hash ^ last, self.seed);
        }
        fold(hash, self.seed)
    }
}

/// Inserts an index that has no slot yet.
fn put(slots: &mut [u64], hash: u64, number: u32) {
    let mask = slots.len() - 1;
    let mut at = place(hash, mask);
    while slots[at & mask] != 0 {
        at += 1;
    }
    slots[at & mask] = hash >> 32 << 32 | (u64::from(number) + 1);
}

/// Returns the first slot of a name.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "cut to the number of slots")]
fn place(hash: u64, mask: usize) -> usize {
    // Uses other bits than those in the slots, so that names with the same slot differ in the
    // latter.
    (hash ^ hash >> 40) as usize & mask
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "only the low half is used")]
fn low_half(word: u64) -> u32 {
    word as u32
}

/// Multiplies, and XORs the two halves of the product.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_keep_their_indices() {
        let mut names = Names::default();
        let long = [b'A'; 100];
        let mut all: Vec<Vec<u8>> = (0..=100).map(|len| long[..len].to_vec()).collect();
        all.extend((0..5000).map(|n| format!("CELL{n:012}-1").into_bytes()));
        for (number, name) in (0..).zip(&all) {
            assert_eq!(names.find(name), None);
            assert_eq!(names.find_or_insert(name), Some(number));
        }
        for (number, name) in (0..).zip(&all) {
            assert_eq!(names.find(name), Some(number));
            assert_eq!(names.find_or_insert(name), Some(number));
            assert_eq!(names.name(number), name);
        }
        assert_eq!(names.len(), all.len());
        assert!(names.iter().eq(all.iter()));
        names.clear();
        assert_eq!((names.len(), names.find(b"A"), names.name(0)), (0, None, &b""[..]));
        assert_eq!(names.find_or_insert(b"B"), Some(0));
    }
}
