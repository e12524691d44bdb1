//! Checking that every edge is listed from both ends.

use std::collections::HashMap;

use nnz_core::At;

/// The number of groups of edges.
const GROUPS: usize = 4096;

/// Sums of hashes of edges: those listed from the smaller end are added, those from the larger one subtracted. They are
/// zero if each edge is listed from both ends with one weight, and otherwise with a probability of about 2^-64.
#[derive(Debug)]
pub(super) struct Pairs {
    sums: Vec<u64>,
}

impl Default for Pairs {
    fn default() -> Self {
        Self { sums: vec![0; GROUPS] }
    }
}

/// Mixes the bits of a number, as splitmix64.
#[inline]
fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[inline]
fn hash(from: u64, to: u64, weight: u64) -> (usize, u64) {
    let group = mix(from.min(to) ^ mix(from.max(to)));
    // Twelve bits of it.
    let index = usize::try_from(group >> 52).unwrap_or(0);
    (index, mix(group ^ mix(weight)))
}

impl Pairs {
    /// Adds an edge as it is listed.
    #[inline]
    pub(super) fn add(&mut self, from: u64, to: u64, weight: u64) {
        let (index, hash) = hash(from, to, weight);
        if let Some(sum) = self.sums.get_mut(index) {
            *sum = match from < to {
                true => sum.wrapping_add(hash),
                false => sum.wrapping_sub(hash),
            };
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum = sum.wrapping_add(*more);
        }
    }

    /// Returns a group with an edge that is not listed from both ends.
    pub(super) fn unpaired(&self) -> Option<usize> {
        self.sums.iter().position(|sum| *sum != 0)
    }
}

/// Returns the group of an edge.
pub(super) fn group(from: u64, to: u64) -> usize {
    hash(from, to, 0).0
}

/// The edges of one group, by their ends and weight.
#[derive(Debug, Default)]
pub(super) struct Group(HashMap<(u64, u64, u64), (i64, At)>);

impl Group {
    /// Adds an edge as it is listed.
    pub(super) fn add(&mut self, from: u64, to: u64, weight: u64, at: At) {
        let listed = self.0.entry((from.min(to), from.max(to), weight)).or_insert((0, at));
        listed.0 += if from < to { 1 } else { -1 };
    }

    /// Returns position and ends of the first edge that is listed from one end only.
    pub(super) fn first(self) -> Option<(At, [u64; 2])> {
        let unpaired = self.0.into_iter().filter(|(_, (count, _))| *count != 0);
        let line = |at: &At| match at {
            At::Line { line, column } => (*line, *column),
            _ => (u64::MAX, 0),
        };
        let first = unpaired.min_by_key(|(_, (_, at))| line(at))?;
        let ((low, high, _), (_, at)) = first;
        Some((at, [low, high]))
    }
}
