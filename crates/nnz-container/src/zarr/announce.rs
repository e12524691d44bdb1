//! Announcing ranges of an array, so that a storage with a latency fetches their chunks together.

use std::ops::Range;

use super::chunks::StoredArray;
use super::read::Elements;
use super::store::{Store, StoredFile};
use nnz_chunk::grid::each_chunk;

/// Number of bytes to fetch from the beginning of a shard with its index at the end, to learn its length.
const HEAD: u64 = 4 << 10;

/// Parts of a file that are as close as this are requested together, before its length is known.
const TOGETHER: u64 = 128 << 10;

/// Longer parts are announced again when the file is open, as a storage may fetch less of them before.
const AT_ONCE: u64 = 4 << 20;

/// A compressed chunk that is longer than its elements and this is read in two parts.
const OVERHEAD: u64 = 4 << 10;

/// Files whose parts are announced: more are read as they come. A scan announces 32 MiB of an array, in chunks of a few KiB or
/// more.
const MOST_FILES: usize = 1 << 12;

/// A chunk, and the range of bytes that is read if it is stored unchanged.
type ChunkRange = (u64, Range<u64>);

impl Elements {
    /// Announces that ranges of elements will be read soon.
    pub(super) fn will_read(&self, ranges: &[Range<u64>]) {
        let Store::Directory(directory) = &self.stored.directory else { return };
        let metadata = &self.stored.metadata;
        let (size, plain) = (self.size(), metadata.pipeline.is_plain());
        let mut parts: Vec<ChunkRange> = Vec::new();
        each_chunk(ranges, metadata.chunk, |chunk, part| {
            let is_last = parts.last().is_some_and(|(last, _)| *last == chunk);
            if plain || !(is_last || self.cached(chunk).is_some()) {
                parts.push((chunk, part.start * size..part.end * size));
            }
        });
        if !plain && metadata.shard.is_none() {
            let range = 0..self.chunk_bytes().saturating_add(OVERHEAD);
            directory.will_open(
                parts
                    .iter()
                    .map(|(chunk, _)| (metadata.key(&self.stored.position(*chunk)), range.clone())),
            );
            return;
        }
        self.stored.will_read_parts(parts, plain);
    }

    /// Announces that chunks, by their positions in the grid, will be read soon.
    pub(super) fn will_read_chunks(&self, chunks: &mut dyn Iterator<Item = Vec<u64>>) {
        let Store::Directory(directory) = &self.stored.directory else { return };
        let metadata = &self.stored.metadata;
        let mut range = 0..self.chunk_bytes();
        if !metadata.pipeline.is_plain() {
            range.end = range.end.saturating_add(OVERHEAD);
        } else if range.end > TOGETHER {
            // A part of each may be read.
            return;
        }
        if metadata.shard.is_none() && directory.has_latency() {
            let missing = chunks.filter(|at| self.cached(metadata.grid.number(at)).is_none());
            let files = missing.take(MOST_FILES).map(|at| (metadata.key(&at), range.clone()));
            directory.will_open(files);
        }
    }
}

impl StoredArray {
    /// Announces that whole chunks, of unknown lengths, will be read soon.
    pub(super) fn will_read_chunks(&self, chunks: Range<u64>) {
        let Store::Directory(directory) = &self.directory else { return };
        if self.metadata.shard.is_some() {
            self.will_read_parts(chunks.map(|chunk| (chunk, 0..0)).collect(), false);
            return;
        }
        let key = |chunk| self.metadata.key(&self.position(chunk));
        directory.will_open(chunks.map(|chunk| (key(chunk), 0..AT_ONCE)));
    }

    /// Announces parts of files: their lengths, then the indexes of shards, then chunks.
    fn will_read_parts(&self, parts: Vec<ChunkRange>, plain: bool) {
        let Store::Directory(directory) = &self.directory else { return };
        let mut files: Vec<(Vec<u64>, Vec<ChunkRange>)> = Vec::new();
        for part in parts {
            let mut at = self.position(part.0);
            if let Some(shard) = &self.metadata.shard {
                at = at.iter().zip(&shard.counts).map(|(at, by)| at / by).collect();
            }
            if let Some((last, inside)) = files.last_mut()
                && *last == at
            {
                inside.push(part);
            } else if files.len() < MOST_FILES {
                files.push((at, vec![part]));
            } else {
                break;
            }
        }
        let first = |inside: &[ChunkRange]| match &self.metadata.shard {
            Some(shard) if shard.at_start => 0..shard.index_bytes,
            Some(_) => 0..HEAD,
            None => joined(inside),
        };
        directory
            .will_open(files.iter().map(|(at, inside)| (self.metadata.key(at), first(inside))));
        // Of most files that are chunks, nothing else is needed.
        if self.metadata.shard.is_none() {
            files.retain(|(_, inside)| match &inside[..] {
                [(_, part)] => part.end - part.start > AT_ONCE,
                _ => true,
            });
        }
        // A file that cannot be opened is an error when it is read.
        let opened = |at: &[u64]| match self.file(at) {
            Ok(Some((StoredFile::File(file), bytes))) => Some((file, bytes)),
            _ => None,
        };
        if let Some(shard) = self.metadata.shard.as_ref().filter(|shard| !shard.at_start) {
            for (file, bytes) in files.iter().filter_map(|(at, _)| opened(at)) {
                if let Some(start) = bytes.checked_sub(shard.index_bytes) {
                    file.will_read(start..bytes);
                }
            }
        }
        for (at, inside) in &files {
            let found = inside.iter().filter_map(|(chunk, part)| {
                let found = self.find(*chunk).ok().flatten()?;
                let whole = found.at..found.at.saturating_add(found.bytes);
                let of = |byte: u64| found.at.saturating_add(byte).min(whole.end);
                Some(if plain { of(part.start)..of(part.end) } else { whole })
            });
            let found: Vec<_> = found.collect();
            if let Some((file, _)) = opened(at) {
                file.will_read_all(&found);
            }
        }
    }
}

/// Returns the range of all parts of a file if they are close, else the first.
fn joined(parts: &[ChunkRange]) -> Range<u64> {
    let start = parts.iter().map(|(_, part)| part.start).min().unwrap_or_default();
    let end = parts.iter().map(|(_, part)| part.end).max().unwrap_or_default();
    match parts {
        [(_, first), _, ..] if end - start > TOGETHER => first.clone(),
        _ => start..end,
    }
}
