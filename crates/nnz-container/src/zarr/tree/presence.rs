//! Whether all chunks of an array are stored, and their size.

use std::ops::Range;

use nnz_core::{Error, Result};
use nnz_storage::{EntryKind, InputDirectory};

use nnz_chunk::grid::{Grid, places};

use crate::zarr::chunks::StoredArray;
use crate::zarr::metadata::Metadata;
use crate::zarr::store::Store;

/// Returns whether all chunks are stored. The search ends at the first missing one.
pub(super) fn is_complete(stored: &StoredArray) -> Result<bool> {
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
pub(super) fn missing_files(stored: &StoredArray) -> Result<u64> {
    let Metadata { grid, shard, .. } = &stored.metadata;
    let one = vec![1; grid.counts().len()];
    let by = shard.as_ref().map_or(&one, |shard| &shard.counts);
    let files = grid.counts().iter().zip(by).map(|(count, by)| count.div_ceil(*by));
    let files = files.fold(1, u64::saturating_mul);
    Ok(files.saturating_sub(stored_files(stored)?.count))
}

/// Returns the number of chunks that the stored shards do not contain. Shards are listed, as above.
pub(super) fn missing_in_shards(stored: &StoredArray) -> Result<u64> {
    let Metadata { grid, shard, .. } = &stored.metadata;
    let Some(shard) = shard else { return Ok(0) };
    let mut missing = 0_u64;
    for key in stored_files(stored)?.keys {
        let numbers = key.trim_start_matches('c').split(['/', '.']).filter(|part| !part.is_empty());
        let at: Vec<u64> = numbers.map_while(|number| number.parse().ok()).collect();
        if at.len() != grid.counts().len() || stored.metadata.key(&at) != key {
            continue;
        }
        let inside = at.iter().zip(&shard.counts).zip(grid.counts()).map(|((at, by), count)| {
            let start = at.saturating_mul(*by);
            start..start.saturating_add(*by).min(*count)
        });
        let inside: Vec<_> = inside.collect();
        if inside.iter().any(Range::is_empty) {
            continue;
        }
        for at in places(inside) {
            if stored.find_at(&at)?.is_none() {
                missing = missing.saturating_add(1);
            }
        }
    }
    Ok(missing)
}

/// Returns the size of all chunk files in bytes.
pub(super) fn stored_bytes(stored: &StoredArray) -> Result<u64> {
    Ok(stored_files(stored)?.bytes)
}

/// Files of chunks or shards.
#[derive(Default)]
struct Files {
    count: u64,
    bytes: u64,
    /// Their paths in the directory of the array.
    keys: Vec<String>,
}

impl Files {
    fn of(key: String, bytes: u64) -> Self {
        Self { count: 1, bytes, keys: vec![key] }
    }

    fn add(&mut self, Self { count, bytes, keys }: Self) {
        self.count = self.count.saturating_add(count);
        self.bytes = self.bytes.saturating_add(bytes);
        self.keys.extend(keys);
    }
}

fn stored_files(stored: &StoredArray) -> Result<Files> {
    let rank = stored.metadata.grid.shape().len();
    let directory = match &stored.directory {
        Store::Directory(directory) => directory,
        Store::Zip { archive, prefix } => {
            let mut files = Files::default();
            let chunks = archive.below(prefix).filter(|(name, _)| is_chunk(name.as_bytes()));
            chunks.for_each(|(name, bytes)| files.add(Files::of(name.to_owned(), bytes)));
            return Ok(files);
        }
    };
    files_in(directory, "", rank + 1).map_err(|error| error.with_place(stored.place.clone()))
}

/// Returns the chunk files in `depth` levels of directories.
fn files_in(directory: &InputDirectory, above: &str, depth: usize) -> Result<Files> {
    let mut files = Files::default();
    directory.for_each(&mut |entry| {
        if !is_chunk(entry.name.as_encoded_bytes()) {
            return Ok(true);
        }
        let key = format!("{above}{}", entry.name.to_string_lossy());
        let more = match entry.kind {
            EntryKind::Directory if depth > 0 => {
                files_in(&directory.inside(&entry.name), &format!("{key}/"), depth - 1)?
            }
            EntryKind::File => {
                let found = directory.metadata(&entry.name);
                let bytes = found.map_err(|error| Error::io(directory.path(), error))?.len;
                Files::of(key, bytes)
            }
            _ => Files::default(),
        };
        files.add(more);
        Ok(true)
    })?;
    Ok(files)
}

/// Returns whether a name belongs to a chunk or a directory of chunks.
fn is_chunk(name: &[u8]) -> bool {
    matches!(name.first(), Some(b'c' | b'0'..=b'9'))
}
