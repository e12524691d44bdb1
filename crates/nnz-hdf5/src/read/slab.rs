//! Reading hyperslabs.

use std::ops::Range;

use nnz_chunk::grid::{places, product, shown, strides};
use nnz_core::{Error, Result, parallel};

use super::dataset::Dataset;
use super::decode::ChunkData;
use super::layout::{Chunked, Layout};

/// Size and maximum number of chunks that are decoded at a time, and the size for which starting a thread is worthwhile.
const BATCH: usize = 8 << 20;
const MAX_CHUNKS: usize = 4096;
const BY_THREAD: usize = 256 << 10;

impl Dataset {
    /// Fills `out` with the elements of a range of each dimension, in C order and in stored form.
    ///
    /// ```
    /// # fn main() -> nnz_core::Result<()> {
    /// # let path = std::env::temp_dir().join(format!("slab-{}.h5", std::process::id()));
    /// use nnz_core::{Place, ValueType};
    /// use nnz_hdf5::{Dataset, DatasetSpec, ElementType, File, FileOptions, FileWriter, ObjectId};
    /// use nnz_storage::InputFile;
    /// # let mut writer = FileWriter::create(&path, Default::default(), FileOptions::default())?;
    /// # let spec = DatasetSpec::contiguous(ElementType::Number(ValueType::U8), &[2, 3]);
    /// # let data = writer.create_dataset(ObjectId::ROOT, "data", spec)?;
    /// # writer.append(data, &[1, 2, 3, 4, 5, 6])?;
    /// # writer.commit()?;
    /// let file = File::open(InputFile::open(&path)?)?;
    /// let data = Dataset::open(&file.root()?.open("data")?, Place::path(&path), 2)?;
    /// let mut column = [0; 2];
    /// data.read_slab(&[0..2, 1..2], &mut column)?;
    /// assert_eq!(column, [2, 5]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if a range is outside the dataset, if `out` has another length, or if the elements cannot be read.
    pub fn read_slab(&self, ranges: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let inside =
            |(range, len): (&Range<u64>, &u64)| range.start <= range.end && range.end <= *len;
        let lengths: Vec<u64> =
            ranges.iter().map(|range| range.end.saturating_sub(range.start)).collect();
        let bytes = product(&lengths).and_then(|count| count.checked_mul(self.size as u64));
        let fits = ranges.len() == self.shape.len() && ranges.iter().zip(&self.shape).all(inside);
        if !fits || bytes != Some(out.len() as u64) {
            let found = format!("a request of {ranges:?} in {} bytes", out.len());
            let expected = format!("ranges inside of {}", shown(&self.shape));
            return Err(Error::mismatch(self.place.clone(), found, expected));
        }
        if out.is_empty() {
            return Ok(());
        }
        match self.layout()? {
            Layout::Chunked(chunked) if self.shape.len() > 1 => {
                self.read_chunks(chunked, ranges, out)
            }
            Layout::Chunked(_) | Layout::Unallocated { .. } | Layout::External(_) => {
                self.read(ranges.first().map_or(0, |range| range.start), out)
            }
            Layout::Contiguous(_) | Layout::Compact(_) => {
                let from = strides(&self.shape, self.size as u64).unwrap_or_default();
                // Dimensions that are read whole are one run with the one before.
                let whole = ranges.iter().zip(&self.shape).rev();
                let whole = whole.take_while(|(range, len)| range.end - range.start == **len);
                let divided = ranges.len().saturating_sub(whole.count()).max(1).min(ranges.len());
                let run = product(&lengths[divided.saturating_sub(1)..]).unwrap_or(0);
                let run = usize::try_from(run).unwrap_or(usize::MAX).saturating_mul(self.size);
                let rows = rows(&ranges[..divided]);
                rows.zip(out.chunks_exact_mut(run.max(1)))
                    .try_for_each(|(at, out)| self.read_bytes(offset(&at, &from), out))
            }
        }
    }

    /// Copies from all chunks that ranges intersect. Several are decoded at a time.
    fn read_chunks(&self, chunked: &Chunked, ranges: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let (size, by) = (self.size as u64, chunked.grid.chunk());
        let lengths: Vec<u64> = ranges.iter().map(|range| range.end - range.start).collect();
        let to = strides(&lengths, size).unwrap_or_default();
        let from = strides(by, size).unwrap_or_default();
        let mut touched = chunked.grid.touched(ranges).peekable();
        let at_once = (BATCH / chunked.bytes).clamp(self.threads.max(1), MAX_CHUNKS);
        while touched.peek().is_some() {
            let some: Vec<Vec<u64>> = touched.by_ref().take(at_once).collect();
            let mut found = vec![ChunkData::Missing; some.len()];
            let threads = self.threads.min(some.len() * chunked.bytes / BY_THREAD).max(1);
            parallel::for_each(threads, some.iter().zip(&mut found), |(at, found)| {
                *found = self.chunk(at, false)?;
                Ok(())
            })?;
            for (at, found) in some.iter().zip(found) {
                let first: Vec<u64> = at.iter().zip(by).map(|(at, by)| at * by).collect();
                let part = ranges.iter().zip(first.iter().zip(by));
                let part: Vec<Range<u64>> = part
                    .map(|(range, (at, by))| range.start.max(*at)..range.end.min(at + by))
                    .collect();
                let run = part.last().map_or(0, |range| range.end - range.start) * size;
                let run = usize::try_from(run).unwrap_or(usize::MAX);
                for row in rows(&part) {
                    let inside: Vec<u64> =
                        row.iter().zip(&first).map(|(at, first)| at - first).collect();
                    let target = row.iter().zip(ranges).map(|(at, range)| at - range.start);
                    let target = offset(&target.collect::<Vec<_>>(), &to);
                    let target = usize::try_from(target).unwrap_or(usize::MAX);
                    let (at, out) = (offset(&inside, &from), &mut out[target..target + run]);
                    match &found {
                        ChunkData::Missing => self.fill(out),
                        ChunkData::Plain(entry) => self.read_plain(*entry, at, out)?,
                        ChunkData::Decoded(chunk) => {
                            let at = usize::try_from(at).unwrap_or(usize::MAX);
                            out.copy_from_slice(&chunk[at..at + run]);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the position of the first element of each row: of each position in all dimensions but the last.
fn rows(part: &[Range<u64>]) -> impl Iterator<Item = Vec<u64>> + use<> {
    let (outer, last) = match part.split_last() {
        Some((last, outer)) => (outer.to_vec(), Some(last.start)),
        None => (Vec::new(), None),
    };
    places(outer).map(move |mut at| {
        at.extend(last);
        at
    })
}

fn offset(at: &[u64], strides: &[u64]) -> u64 {
    at.iter().zip(strides).map(|(at, stride)| at * stride).sum()
}
