//! The chunks of an array.

use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{At, Error, ErrorKind, Place, Result};

use super::codec::{DecodeError, zeroed};
use super::metadata::{Keys, Metadata, Shard};
use super::node::{Fields, Node};
use super::store::{Store, StoredFile};
use nnz_chunk::ChunkCache;

/// Size of elements in bytes for which no stored data is required, such as fill values.
const UNCHECKED_BYTES: u64 = 64 << 20;

/// The same where a list of files takes a request, which reading a few elements should not need.
const UNCHECKED_REMOTE_BYTES: u64 = 1 << 30;

/// Maximum size of a fill value.
pub(super) const MAX_FILL_LEN: usize = 1 << 20;

/// Maximum size of the index of a shard.
const MAX_INDEX_LEN: u64 = 64 << 20;

/// An array whose metadata has been read.
pub(super) struct StoredArray {
    pub(super) place: Place,
    pub(super) metadata: Metadata,
    pub(super) directory: Store,
    /// The indexes of shards that were read last.
    indexes: ChunkCache,
    /// The file that was opened last, by its key: the next read is often in the same file.
    last: Mutex<Option<(String, StoredFile, u64)>>,
}

/// The bytes of a chunk in a file.
pub(super) struct ChunkLocation {
    file: StoredFile,
    pub(super) at: u64,
    pub(super) bytes: u64,
}

impl StoredArray {
    /// Opens a directory as an array, without checking its length, and returns its metadata and its version too. No
    /// data is read.
    pub(super) fn open(directory: Store, place: Place) -> Result<(Self, Fields, u32)> {
        let (fields, version) = match directory.node(&place)? {
            None => return Err(directory.missing(&place)),
            Some(Node::Group(_)) => return Err(Error::mismatch(place, "a group", "an array")),
            Some(Node::Array(fields, version)) => (fields, version),
        };
        let metadata = Metadata::read(&fields, version, &place)?;
        let indexes = match metadata.grid.shape().len() {
            0 | 1 => ChunkCache::default(),
            _ => ChunkCache::of_stripe(),
        };
        let stored = Self { place, metadata, directory, indexes, last: Mutex::default() };
        Ok((stored, fields, version))
    }

    /// Checks that the store has data for the length of the array, because readers allocate memory
    /// for it.
    pub(super) fn check_extent(&self) -> Result<()> {
        let Metadata { len, chunk, pipeline, shard, .. } = &self.metadata;
        // Empty strings take time, if not memory.
        let claimed = len * self.metadata.min_bytes().max(1);
        let unchecked = match self.directory.has_latency() {
            true => UNCHECKED_REMOTE_BYTES,
            false => UNCHECKED_BYTES,
        };
        if claimed <= unchecked {
            return Ok(());
        }
        let chunks = shard.as_ref().map_or(1, |shard| shard.chunks);
        let decoded = chunk * chunks * self.metadata.min_bytes();
        let mut stored = 0_u64;
        let listed = self.each_file(&mut |bytes| {
            let most = bytes.saturating_mul(pipeline.most_ratio()).min(decoded);
            stored = stored.saturating_add(most);
        });
        match listed {
            // A web server lists nothing, and others may forbid it: then the last chunk has to exist.
            Err(error) if self.directory.has_latency() && is_unlisted(&error) => {
                let last = self.metadata.grid.count().saturating_sub(1);
                return match self.find(last)? {
                    Some(_) => Ok(()),
                    None => Err(Error::mismatch(
                        self.place.clone(),
                        format!("{len} elements without the last chunk"),
                        "the last chunk, as the server does not list chunks",
                    )),
                };
            }
            listed => listed?,
        }
        if claimed <= stored.saturating_add(unchecked) {
            return Ok(());
        }
        let found = format!("{len} elements with chunks of {stored} bytes in total");
        Err(Error::mismatch(self.place.clone(), found, format!("{claimed} bytes")))
    }

    /// Calls `each` with the length of each file of chunks.
    fn each_file(&self, each: &mut dyn FnMut(u64)) -> Result<()> {
        let io = |error| Error::new(ErrorKind::Io(error), self.place.clone());
        let (inner, prefix) = match self.metadata.keys {
            Keys::InDirectory => ("c/", ""),
            Keys::WithPrefix => ("", "c."),
            Keys::Bare | Keys::BareInDirectory => ("", ""),
        };
        let directory = match &self.directory {
            Store::Directory(directory) => directory.inside(inner),
            Store::Zip { archive, prefix: outer } => {
                let below = format!("{outer}{inner}{prefix}");
                let files = archive.below(&below);
                files.filter(|(name, _)| name.parse::<u64>().is_ok()).for_each(|(_, n)| each(n));
                return Ok(());
            }
        };
        directory
            .for_each_file(&mut |name, bytes| {
                let number = name.to_str().and_then(|name| name.strip_prefix(prefix));
                if number.is_some_and(|number| number.parse::<u64>().is_ok()) {
                    each(bytes);
                }
            })
            .map_err(io)
    }

    /// Finds a chunk by its index; `None` if it is not stored.
    pub(super) fn find(&self, chunk: u64) -> Result<Option<ChunkLocation>> {
        match self.metadata.grid.shape().len() {
            1 => self.find_at(&[chunk]),
            _ => self.find_at(&self.metadata.grid.place(chunk)),
        }
    }

    /// Returns the position in the grid of a chunk.
    pub(super) fn position(&self, chunk: u64) -> Vec<u64> {
        match self.metadata.grid.shape().len() {
            1 => vec![chunk],
            _ => self.metadata.grid.place(chunk),
        }
    }

    /// Finds a chunk by its position in the grid; `None` if it is not stored.
    pub(super) fn find_at(&self, at: &[u64]) -> Result<Option<ChunkLocation>> {
        let Some(shard) = &self.metadata.shard else {
            return Ok(self.file(at)?.map(|(file, bytes)| ChunkLocation { file, at: 0, bytes }));
        };
        let grid = &self.metadata.grid;
        let chunk = grid.number(at);
        let outer: Vec<u64> = at.iter().zip(&shard.counts).map(|(at, by)| at / by).collect();
        let Some((file, bytes)) = self.file(&outer)? else { return Ok(None) };
        let shards = grid.counts().iter().zip(&shard.counts).map(|(count, by)| count.div_ceil(*by));
        let number = outer.iter().zip(shards).fold(0, |all, (at, count)| all * count + at);
        let index = self.index(shard, number, &file, bytes)?;
        let inner = at.iter().zip(&shard.counts).fold(0, |all, (at, by)| all * by + at % by);
        let at = usize::try_from(inner).unwrap_or(usize::MAX);
        let first = at.saturating_mul(2);
        let entry = index.as_chunks::<8>().0.get(first..first.saturating_add(2));
        let read = |bytes: &[u8; 8]| match shard.big {
            true => u64::from_be_bytes(*bytes),
            false => u64::from_le_bytes(*bytes),
        };
        match entry.map(|entry| (read(&entry[0]), read(&entry[1]))) {
            None | Some((u64::MAX, u64::MAX)) => Ok(None),
            Some((at, length)) => match at.checked_add(length) {
                Some(end) if end <= bytes => Ok(Some(ChunkLocation { file, at, bytes: length })),
                _ => {
                    let found = format!("{length} bytes at byte {at} of a shard");
                    let place = self.place_of(chunk);
                    Err(Error::mismatch(
                        place,
                        found,
                        format!("a chunk that ends at byte {bytes} or before"),
                    ))
                }
            },
        }
    }

    /// Opens the file of a chunk or a shard.
    pub(super) fn file(&self, at: &[u64]) -> Result<Option<(StoredFile, u64)>> {
        let key = self.metadata.key(at);
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, file, bytes)) = last().as_ref().filter(|(last, ..)| *last == key) {
            return Ok(Some((file.clone(), *bytes)));
        }
        let found = self.directory.file(&key, &self.place)?;
        if let Some((file, bytes)) = &found {
            *last() = Some((key, file.clone(), *bytes));
        }
        Ok(found)
    }

    /// Returns the index of a shard.
    fn index(
        &self,
        shard: &Shard,
        number: u64,
        file: &StoredFile,
        bytes: u64,
    ) -> Result<Arc<[u8]>> {
        if let Some(index) = self.indexes.get(number) {
            return Ok(index);
        }
        let place = || self.place_of(number.saturating_mul(shard.chunks));
        let length = shard.index_bytes;
        if length > bytes.min(MAX_INDEX_LEN) {
            let found = format!("a shard of {bytes} bytes");
            let expected = format!("room for an index of {length} bytes, at most 64 MiB");
            return Err(Error::mismatch(place(), found, expected));
        }
        let at = if shard.at_start { 0 } else { bytes - length };
        let stored = self.bytes(&ChunkLocation { file: file.clone(), at, bytes: length })?;
        let entries = usize::try_from(shard.chunks).unwrap_or(usize::MAX).saturating_mul(16);
        let mut index = vec![0; entries.min(stored.len())];
        shard
            .index
            .decode(&stored, &mut index)
            .map_err(|why| decode_error(why, place(), "the index of a shard", index.len()))?;
        let index: Arc<[u8]> = index.into();
        self.indexes.put(number, Arc::clone(&index));
        Ok(index)
    }

    /// Returns the location of the first element of a chunk.
    pub(super) fn place_of(&self, chunk: u64) -> Place {
        match self.metadata.grid.shape().len() {
            1 => self.place.clone().at(At::Element(chunk.saturating_mul(self.metadata.chunk))),
            _ => self.place.clone(),
        }
    }

    /// Reads a part of a chunk that is stored unchanged.
    pub(super) fn read_part(
        &self,
        chunk: &ChunkLocation,
        from: usize,
        out: &mut [u8],
    ) -> Result<()> {
        chunk.file.read_at(chunk.at + from as u64, out, &self.place)
    }

    /// Reads the stored bytes of a chunk, whose length has been checked.
    pub(super) fn bytes(&self, chunk: &ChunkLocation) -> Result<Vec<u8>> {
        let bytes = usize::try_from(chunk.bytes).unwrap_or(usize::MAX);
        let place = || self.place.clone();
        let mut stored =
            zeroed(bytes).map_err(|why| decode_error(why, place(), "a chunk", bytes))?;
        self.read_part(chunk, 0, &mut stored)?;
        Ok(stored)
    }
}

/// Creates the error that a chunk could not be decoded.
pub(super) fn decode_error(why: DecodeError, place: Place, what: &str, bytes: usize) -> Error {
    let expected = format!("{what} of {}", bytes_of(bytes));
    why.error(place, |why| format!("damaged data of {what}: {why}"), expected)
}

fn bytes_of(bytes: usize) -> String {
    format!("{bytes} bytes")
}

/// Returns whether a server does not list its files.
fn is_unlisted(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied)
}
