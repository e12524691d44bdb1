//! Damage to HDF5 files that keeps their checksums right, so that what is behind them is reached.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::random::Random;

/// The signatures of structures that end with a checksum, and of others.
const CHECKED: [&[u8; 4]; 15] = [
    b"\x89HDF", b"OHDR", b"OCHK", b"BTHD", b"BTLF", b"BTIN", b"FRHP", b"FHIB", b"FAHD", b"FADB",
    b"EAHD", b"EAIB", b"EADB", b"EASB", b"SMTB",
];
const OTHERS: [&[u8; 4]; 5] = [b"TREE", b"SNOD", b"HEAP", b"GCOL", b"FHDB"];

/// The longest structure whose checksum is looked for.
const LONGEST: usize = 4096;

/// The bytes at the start of a structure that are changed.
const FRONT: usize = 256;

/// Returns the positions of structures. Those without a signature follow from others: object headers of version 1 begin
/// with their version, and most numbers are small.
pub fn structures(bytes: &[u8]) -> Vec<usize> {
    let is_start = |at: &usize| {
        let here = &bytes[*at..];
        CHECKED.iter().chain(&OTHERS).any(|signature| here.starts_with(*signature))
            || (at.is_multiple_of(8)
                && here.starts_with(&[1, 0])
                && here.get(4..8) == Some(&[1, 0, 0, 0]))
    };
    (0..bytes.len()).filter(is_start).collect()
}

/// Returns the ranges of structures that a checksum follows.
pub fn checked(bytes: &[u8], sum: fn(&[u8]) -> u32) -> Vec<Range<usize>> {
    let ends = |start: usize| {
        let last = bytes.len().saturating_sub(4).min(start + LONGEST);
        let fits = |end: &usize| bytes[*end..*end + 4] == sum(&bytes[start..*end]).to_le_bytes();
        (start + 5..=last).find(fits).map(|end| start..end)
    };
    let has_sum = |at: &usize| CHECKED.iter().any(|signature| bytes[*at..].starts_with(*signature));
    structures(bytes).into_iter().filter(has_sum).filter_map(ends).collect()
}

/// Changes fields of structures: to extreme values, to others that are in the file, to addresses of other structures.
pub fn mutate(bytes: &mut [u8], structures: &[usize], random: &mut Random) {
    for _ in 0..=random.below(3) {
        let Some(&start) = structures.get(random.below(structures.len().max(1))) else { return };
        let at = start + random.below(FRONT.min(bytes.len() - start));
        let width = *random.pick(&[1_usize, 2, 4, 8]);
        let old = bytes[at];
        let value: u64 = match random.below(6) {
            0 => u64::from(old.wrapping_add(1)),
            1 => u64::from(old.wrapping_sub(1)),
            2 => structures[random.below(structures.len())] as u64,
            3 => bytes.len() as u64 - random.below(16.min(bytes.len())) as u64,
            4 => random.below(64) as u64,
            _ => *random.pick(&[0, u64::MAX, u64::MAX >> 1, 1 << 31, 1 << 32, 0xffff, 0x8000]),
        };
        let end = (at + width).min(bytes.len());
        bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
    }
}

/// Updates the checksums of structures, the inner ones first.
pub fn seal(bytes: &mut [u8], checked: &[Range<usize>], sum: fn(&[u8]) -> u32) {
    let by_end: BTreeMap<usize, &Range<usize>> =
        checked.iter().map(|range| (range.end, range)).collect();
    for range in by_end.values() {
        let sum = sum(&bytes[range.start..range.end]).to_le_bytes();
        bytes[range.end..range.end + 4].copy_from_slice(&sum);
    }
}
