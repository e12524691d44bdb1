//! Which chunks of an array are stored, and in how many bytes.

use std::path::Path;

use nnz_core::{Error, ErrorKind, Result};

use crate::tree::{Grid, places};
use crate::zarr::chunks::Stored;
use crate::zarr::metadata::Metadata;
use crate::zarr::store::Store;

/// Returns whether every chunk is stored. The first that is not ends the search.
pub(super) fn is_complete(stored: &Stored) -> Result<bool> {
    let Metadata { grid, shard, .. } = &stored.metadata;
    if grid.count() == 0 {
        return Ok(true);
    }
    // Shard by shard, so that each index is read once.
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

/// Returns the bytes of all files of chunks.
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
        .map_err(|error| Error::new(ErrorKind::Io(error), stored.place.clone()))
}

/// Adds up the bytes of files of chunks, so many directories deep.
fn file_bytes(directory: &Path, depth: usize) -> std::io::Result<u64> {
    let mut bytes = 0_u64;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if !is_chunk(name.as_encoded_bytes()) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() && depth > 0 {
            bytes = bytes.saturating_add(file_bytes(&entry.path(), depth - 1)?);
        } else if kind.is_file() {
            bytes = bytes.saturating_add(entry.metadata()?.len());
        }
    }
    Ok(bytes)
}

/// Returns whether a name is one of chunks, or of directories of them.
fn is_chunk(name: &[u8]) -> bool {
    matches!(name.first(), Some(b'c' | b'0'..=b'9'))
}
