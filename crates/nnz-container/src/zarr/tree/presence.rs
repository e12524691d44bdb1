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

/// Returns the size of all chunk files in bytes.
pub(super) fn stored_bytes(stored: &Stored) -> Result<u64> {
    let rank = stored.metadata.grid.shape().len();
    let directory = match &stored.directory {
        Store::Directory(directory) => directory,
        Store::Zip { archive, prefix } => {
            let files = archive.below(prefix).filter(|(name, _)| is_chunk(name.as_bytes()));
            return Ok(files.fold(0, |all, (_, bytes)| all.saturating_add(bytes)));
        }
    };
    file_bytes(directory, rank + 1)
        .map_err(|error| Error::new(error.into_parts().0, stored.place.clone()))
}

/// Returns the size of chunk files in `depth` levels of directories.
fn file_bytes(directory: &InputDirectory, depth: usize) -> Result<u64> {
    let mut bytes = 0_u64;
    directory.for_each(&mut |entry| {
        if !is_chunk(entry.name.as_encoded_bytes()) {
            return Ok(true);
        }
        let more = match entry.kind {
            EntryKind::Directory if depth > 0 => {
                file_bytes(&directory.inside(&entry.name), depth - 1)?
            }
            EntryKind::File => {
                let found = directory.metadata(&entry.name);
                found.map_err(|error| Error::io(directory.path(), error))?.len
            }
            _ => 0,
        };
        bytes = bytes.saturating_add(more);
        Ok(true)
    })?;
    Ok(bytes)
}

/// Returns whether a name is that of a chunk, or of a directory of chunks.
fn is_chunk(name: &[u8]) -> bool {
    matches!(name.first(), Some(b'c' | b'0'..=b'9'))
}
