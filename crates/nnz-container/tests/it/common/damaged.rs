//! A file that is damaged repeatedly.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use nnz_testing::random::Random;

/// Returns a generator with the seed `NNZ_SEED`, or 1.
pub(crate) fn random() -> Random {
    Random::new(std::env::var("NNZ_SEED").map_or(1, |seed| seed.parse().unwrap()))
}

/// A file that is damaged repeatedly.
pub(crate) struct DamagedFile {
    path: PathBuf,
    file: File,
    _dir: tempfile::TempDir,
}

impl DamagedFile {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("damaged");
        let file = File::create(&path).unwrap();
        Self { path, file, _dir: dir }
    }

    /// Replaces the contents. The file is not created again, because some file systems then write
    /// it to disk at once.
    pub(crate) fn set(&self, bytes: &[u8]) -> &Path {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0)).unwrap();
        file.write_all(bytes).unwrap();
        self.file.set_len(bytes.len() as u64).unwrap();
        &self.path
    }
}
