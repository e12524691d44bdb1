//! Facts about the paths of a storage that are known already.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};

use nnz_storage::ReadAt;

use super::RemoteStorage;
use super::ahead::Opening;
use super::text::Text;
use crate::client::ListEntry;

/// Names that are kept.
pub(super) const MOST_NAMES: usize = 1 << 20;

#[derive(Default)]
pub(super) struct FileCache {
    /// Files that were found and not opened yet, or opened and kept, by path.
    pub(super) found: HashMap<PathBuf, PathState>,
    /// Directories that were listed completely.
    pub(super) listed: HashMap<PathBuf, ()>,
    /// Files that were announced and not requested yet, with the range of each that is wanted.
    pub(super) announced: VecDeque<(PathBuf, Range<u64>)>,
    /// Files that were requested before they are read.
    pub(super) opening: HashMap<PathBuf, Arc<Opening>>,
}

#[derive(Clone)]
pub(super) enum PathState {
    Missing,
    /// No object has the name; there may be some below.
    NoObject,
    Directory,
    /// An object of a list.
    Listed(u64),
    Opened(Arc<dyn ReadAt>),
}

impl RemoteStorage {
    pub(super) fn known(&self) -> MutexGuard<'_, FileCache> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what is at a path.
    pub(super) fn keep(&self, path: &Path, found: PathState) {
        let mut known = self.known();
        if known.found.len() < MOST_NAMES {
            known.found.insert(path.to_path_buf(), found);
        }
    }

    /// Returns that nothing is at a path, where its directory was listed without it.
    pub(super) fn is_listed_without(&self, path: &Path) -> Option<PathState> {
        let parent = path.parent().filter(|_| self.base.is_some())?;
        self.known().listed.get(parent).map(|()| PathState::Missing)
    }

    /// Notes the names of a list.
    pub(super) fn take_list(&self, path: &Path, names: &[ListEntry], complete: bool) {
        let mut known = self.known();
        for ListEntry { name, len } in names {
            if known.found.len() >= MOST_NAMES {
                return;
            }
            let found = len.map_or(PathState::Directory, PathState::Listed);
            let entry = known.found.entry(path.join(name)).or_insert(PathState::Missing);
            if matches!(entry, PathState::Missing | PathState::NoObject) {
                *entry = found;
            }
        }
        if complete {
            known.listed.insert(path.to_path_buf(), ());
        }
    }

    /// Notes the contents of small files, names that are not there, and directories with nothing else in them.
    pub(super) fn take_files(
        &self,
        files: Vec<(PathBuf, Option<Vec<u8>>)>,
        directories: Vec<PathBuf>,
    ) {
        let mut known = self.known();
        for (path, text) in files {
            if known.found.len() >= MOST_NAMES {
                return;
            }
            let Some(text) = text else {
                known.found.entry(path).or_insert(PathState::NoObject);
                continue;
            };
            for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
                known.found.entry(above.to_path_buf()).or_insert(PathState::Directory);
            }
            let entry = known.found.entry(path).or_insert(PathState::NoObject);
            if !matches!(entry, PathState::Opened(_)) {
                *entry = PathState::Opened(Arc::new(Text(text)));
            }
        }
        known.listed.extend(directories.into_iter().map(|path| (path, ())));
    }
}
