//! Ways to damage a file, at random but the same every time.
#![allow(dead_code)]

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Returns how many mutations of each file are tried.
pub(crate) fn count() -> usize {
    std::env::var("NNZ_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(20)
}

/// A generator of numbers that need not be good.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Starts from `NNZ_SEED`, or 1.
    pub(crate) fn seeded() -> Self {
        Self(std::env::var("NNZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1))
    }

    pub(crate) fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below.max(1)
    }
}

/// Bytes that mean the most where a length, an address or a count is expected.
pub(crate) const NASTY: [&[u8]; 8] = [
    &[0xff; 8],
    &[0; 8],
    &[0xff, 0xff, 0xff, 0x7f],
    &[0, 0, 0, 0, 1, 0, 0, 0],
    &[0xff],
    &[0],
    &[0x80],
    &[1, 0, 0, 0, 0, 0, 0, 0x10],
];

/// Damages a file in one way or another.
pub(crate) fn mutated(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    match numbers.next(8) {
        0 => bytes.truncate(numbers.next(bytes.len())),
        1 => {
            // A part of the file in a wrong place.
            let len = numbers.next(256).min(bytes.len() / 2);
            let (from, to) = (numbers.next(bytes.len() - len), numbers.next(bytes.len() - len));
            bytes.copy_within(from..from + len, to);
        }
        _ => {
            for _ in 0..=numbers.next(6) {
                // Metadata lie at the front, mostly.
                let front = if numbers.next(3) == 0 { bytes.len() } else { bytes.len().min(8192) };
                let at = numbers.next(front);
                if numbers.next(2) == 0 {
                    bytes[at] ^= 1 << numbers.next(8);
                } else {
                    let nasty = NASTY[numbers.next(NASTY.len())];
                    let end = (at + nasty.len()).min(bytes.len());
                    bytes[at..end].copy_from_slice(&nasty[..end - at]);
                }
            }
        }
    }
}

/// A file that is damaged again and again.
pub(crate) struct Target {
    path: PathBuf,
    file: File,
    _dir: tempfile::TempDir,
}

impl Target {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("damaged");
        let file = File::create(&path).unwrap();
        Self { path, file, _dir: dir }
    }

    /// Puts bytes into it. It is not made anew: some file systems then write it to the disk at once.
    pub(crate) fn set(&self, bytes: &[u8]) -> &Path {
        let mut file = &self.file;
        file.rewind().unwrap();
        file.write_all(bytes).unwrap();
        self.file.set_len(bytes.len() as u64).unwrap();
        &self.path
    }
}
