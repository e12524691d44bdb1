//! Whether all chunks of an array are stored, and their size.

use nnz_core::{Error, Result};
use nnz_storage::{EntryKind, InputDirectory};

use crate::tree::{Grid, places};
use crate::zarr::chunks::Stored;
use crate::zarr::metadata::Metadata;
use crate::zarr::store::Store;

/// Returns whether all chunks are stored. The search ends at the first missing one.
pub(super) fn is_complete(stored: &Stored) -> Result<bool> {
    let Metadata { grid, shard, .. } = &stored.metadata;
    if grid.count() == 0 {
        return Ok(true);
    }
    // By shard, so that each index is read once.
    let one = vec![1; grid.counts().len()];
    let by = shard.as_ref().map_or(&one, |shard| &shard.counts);
    let Some(shards) = Grid::new(grid.counts(), by) else { return Ok(false) };
    let all: Vec<_> = grid.counts().iter().map(|&count| 0..count).collect();
    for shard in shards.touched(&all) {
        let inside = shard.iter().zip(by).zip(grid.counts()).map(|((at, by), count)| {
            at * by..at.saturating_mul(*by).saturating_add(*by).min(*count)
        });
        for at in places(inside.collect()) {
            if stored.find_at(&at)?.is_none() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Returns the number of files of chunks or shards that do not exist. Files are listed, not looked up: the metadata
/// can state any number.
pub(super) fn missing_files(stored: &Stored) -> Result<u64> {
    let Metadata { grid, shard, .. } = &stored.metadata;
    let one = vec![1; grid.counts().len()];
    let by = shard.as_ref().map_or(&one, |shard| &shard.counts);
    let files = grid.counts().iter().zip(by).map(|(count, by)| count.div_ceil(*by));
    let files = files.fold(1, u64::saturating_mul);
    Ok(files.saturating_sub(stored_files(stored)?.count))
}

/// Returns the size of all chunk files in bytes.
pub(super) fn stored_bytes(stored: &Stored) -> Result<u64> {
    Ok(stored_files(stored)?.bytes)
}

/// Files of chunks or shards.
#[derive(Clone, Copy, Default)]
struct Files {
    count: u64,
    bytes: u64,
}

impl Files {
    fn add(&mut self, Self { count, bytes }: Self) {
        self.count = self.count.saturating_add(count);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

fn stored_files(stored: &Stored) -> Result<Files> {
    let rank = stored.metadata.grid.shape().len();
    let directory = match &stored.directory {
        Store::Directory(directory) => directory,
        Store::Zip { archive, prefix } => {
            let mut files = Files::default();
            let chunks = archive.below(prefix).filter(|(name, _)| is_chunk(name.as_bytes()));
            chunks.for_each(|(_, bytes)| files.add(Files { count: 1, bytes }));
            return Ok(files);
        }
    };
    files_in(directory, rank + 1)
        .map_err(|error| Error::new(error.into_parts().0, stored.place.clone()))
}

/// Returns the chunk files in `depth` levels of directories.
fn files_in(directory: &InputDirectory, depth: usize) -> Result<Files> {
    let mut files = Files::default();
    directory.for_each(&mut |entry| {
        if !is_chunk(entry.name.as_encoded_bytes()) {
            return Ok(true);
        }
        let more = match entry.kind {
            EntryKind::Directory if depth > 0 => {
                files_in(&directory.inside(&entry.name), depth - 1)?
            }
            EntryKind::File => {
                let found = directory.metadata(&entry.name);
                let bytes = found.map_err(|error| Error::io(directory.path(), error))?.len;
                Files { count: 1, bytes }
            }
            _ => Files::default(),
        };
        files.add(more);
        Ok(true)
    })?;
    Ok(files)
}

/// Returns whether a name is that of a chunk, or of a directory of chunks.
fn is_chunk(name: &[u8]) -> bool {
    matches!(name.first(), Some(b'c' | b'0'..=b'9'))
}
