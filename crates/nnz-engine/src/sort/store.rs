//! Storage of packets: memory, then a temporary file.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nnz_core::Result;
use nnz_storage::TemporaryFile;

/// Stores words.
pub(crate) struct Store {
    directory: PathBuf,
    /// Maximum bytes in memory.
    allowed: u64,
    /// Is called with the bytes on disk.
    disk: Option<Arc<AtomicU64>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    in_memory: u64,
    file: Option<Arc<TemporaryFile>>,
    file_len: u64,
}

/// Stored words.
pub(crate) enum StoredWords {
    Memory(Vec<u32>),
    File { file: Arc<TemporaryFile>, offset: u64 },
}

impl Store {
    pub(crate) fn new(directory: &Path, allowed: u64) -> Self {
        let directory = directory.to_path_buf();
        Self { directory, allowed, disk: None, state: Mutex::default() }
    }

    /// Reports the bytes on disk as they grow.
    pub(crate) fn reporting(self, disk: Option<Arc<AtomicU64>>) -> Self {
        Self { disk, ..self }
    }

    /// Counts bytes that are in memory as well, which leaves less space for words.
    pub(crate) fn count(&self, bytes: usize) {
        self.lock().in_memory += bytes as u64;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores words, in memory while there is space.
    pub(crate) fn keep(&self, mut words: Vec<u32>) -> Result<StoredWords> {
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let len = bytes.len() as u64;
        let mut state = self.lock();
        if state.in_memory.saturating_add(len) <= self.allowed {
            state.in_memory += len;
            drop(state);
            words.shrink_to_fit();
            return Ok(StoredWords::Memory(words));
        }
        let file = match &state.file {
            Some(file) => file.clone(),
            None => state.file.insert(Arc::new(TemporaryFile::create_in(&self.directory)?)).clone(),
        };
        let offset = state.file_len;
        state.file_len += len;
        if let Some(disk) = &self.disk {
            disk.store(state.file_len, Ordering::Relaxed);
        }
        drop(state);
        file.write_all_at(bytes, offset)?;
        Ok(StoredWords::File { file, offset })
    }

    /// Checks that the disk has space for the bytes that do not fit into memory.
    pub(crate) fn check_space(&self, expected: u64) -> Result<()> {
        let needed = expected.saturating_sub(self.allowed);
        crate::free_space::check_free_space(&self.directory, needed, "sorting")
    }
}

impl StoredWords {
    /// Reads `len` words from word `start` on, into `buffer` if they are not in memory.
    pub(crate) fn read<'a>(
        &'a self,
        start: usize,
        len: usize,
        buffer: &'a mut Vec<u32>,
    ) -> Result<&'a [u32]> {
        match self {
            Self::Memory(words) => Ok(&words[start..start + len]),
            Self::File { file, offset } => {
                buffer.resize(len, 0);
                let at = offset + 4 * start as u64;
                file.read_exact_at(bytemuck::cast_slice_mut(buffer), at)?;
                Ok(buffer)
            }
        }
    }
}
