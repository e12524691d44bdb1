//! Long vectors of an object: in the file, or of a compressed one, packed in memory or in a temporary file.

use std::io::{self, Read};
use std::sync::{Arc, PoisonError, RwLock};

use nnz_bitpack::{Codec, Encoder, Finished, unpack_chunks};
use nnz_core::ErrorKind;
use nnz_rds::{Document, Limits, ReadAt, SkipRead, Spool};
use nnz_storage::{FileReader, InputFile, TaskContext, TemporaryFile};

/// Reads the object of a file, without its long vectors.
pub(super) fn read(file: &InputFile, limits: Limits) -> Result<Document, nnz_rds::Error> {
    let vectors = Arc::default();
    let mut spool = FileSpool { file, context: file.context(), vectors, len: 0, packed: 0 };
    let reader = Reader { file: file.reader(), context: file.context().clone() };
    nnz_rds::read_spooled(reader, limits, &mut spool)
}

/// A file from start to end.
#[derive(Clone)]
struct Reader {
    file: FileReader,
    context: TaskContext,
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.context.check().map_err(into_io)?;
        self.file.read(out)
    }
}

impl SkipRead for Reader {
    fn skip(&mut self, count: u64) -> io::Result<()> {
        self.file.skip(count)
    }
}

/// A file in which vectors stay.
struct InFile(InputFile);

impl ReadAt for InFile {
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_exact_at(out, offset)
    }
}

/// The spool of the long vectors of a file.
struct FileSpool<'a> {
    file: &'a InputFile,
    context: &'a TaskContext,
    vectors: Arc<SpooledVectors>,
    /// The number of bytes that were appended.
    len: u64,
    /// The number of bytes of packed blocks.
    packed: u64,
}

/// Elements of vectors, in blocks of 64 KiB.
#[derive(Default)]
struct SpooledVectors(RwLock<Blocks>);

#[derive(Default)]
struct Blocks {
    blocks: Vec<Block>,
    /// The blocks that are not packed.
    file: Option<TemporaryFile>,
    file_len: u64,
}

/// Big-endian elements, or others in the file.
struct Block {
    /// The number of bytes before it.
    start: u64,
    len: usize,
    data: BlockData,
}

/// The elements of a block.
enum BlockData {
    Integers(Finished),
    /// Doubles that are whole numbers of 32 bits.
    Whole(Finished),
    /// At a position in the temporary file.
    File(u64),
}

impl BlockData {
    /// Packs big-endian elements; `None` if they are not whole numbers.
    fn pack(bytes: &[u8], size: usize) -> Option<Self> {
        if size == 4 {
            let values = bytes.as_chunks().0.iter().map(|bytes| u32::from_be_bytes(*bytes));
            return Some(Self::Integers(encode(Codec::DeltaZigzag, values)));
        }
        let numbers = || bytes.as_chunks().0.iter().map(|bytes| f64::from_be_bytes(*bytes));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "compared below"
        )]
        let whole = |number: f64| number as u32;
        // Bits, as -0.0 equals 0.
        let is_whole = |number: f64| f64::from(whole(number)).to_bits() == number.to_bits();
        numbers().all(is_whole).then(|| Self::Whole(encode(Codec::Plain, numbers().map(whole))))
    }

    /// Returns the memory it takes.
    fn bytes(&self) -> u64 {
        match self {
            Self::Integers(packed) | Self::Whole(packed) => {
                let words = packed.data.len() + packed.idx.len() + packed.starts.len();
                4 * words as u64
            }
            Self::File(_) => 0,
        }
    }
}

fn encode(codec: Codec, values: impl Iterator<Item = u32>) -> Finished {
    let values: Vec<u32> = values.collect();
    let mut encoder = Encoder::new(codec);
    encoder.push(&values);
    let mut packed = encoder.finish();
    packed.data.shrink_to_fit();
    packed
}

fn decode(codec: Codec, packed: &Finished) -> io::Result<Vec<u32>> {
    let mut values = vec![0; (packed.idx.len().saturating_sub(1)) * nnz_bitpack::CHUNK];
    unpack_chunks(codec, &packed.idx, 0, 0, &packed.data, &packed.starts, &mut values)
        .map_err(|error| io::Error::other(error.to_string()))?;
    Ok(values)
}

impl Blocks {
    /// Copies the part of a block from `skip` on.
    fn copy(&self, block: &Block, skip: usize, out: &mut [u8]) -> io::Result<()> {
        let (values, size) = match &block.data {
            BlockData::File(at) => {
                let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
                return file.read_exact_at(out, at + skip as u64).map_err(into_io);
            }
            BlockData::Integers(packed) => (decode(Codec::DeltaZigzag, packed)?, 4),
            BlockData::Whole(packed) => (decode(Codec::Plain, packed)?, 8),
        };
        // Elements are read as a whole.
        let first = skip / size;
        let values = values.get(first..).unwrap_or_default();
        match size {
            4 => {
                for (bytes, value) in out.as_chunks_mut().0.iter_mut().zip(values) {
                    *bytes = value.to_be_bytes();
                }
            }
            _ => {
                for (bytes, value) in out.as_chunks_mut().0.iter_mut().zip(values) {
                    *bytes = f64::from(*value).to_be_bytes();
                }
            }
        }
        Ok(())
    }
}

impl ReadAt for SpooledVectors {
    fn read_exact_at(&self, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
        let blocks = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let after = blocks.blocks.partition_point(|block| block.start <= offset);
        let mut next = after.saturating_sub(1);
        while !out.is_empty() {
            let block = blocks.blocks.get(next).ok_or(io::ErrorKind::UnexpectedEof)?;
            let skip = usize::try_from(offset - block.start).unwrap_or(usize::MAX);
            let here = block.len.saturating_sub(skip).min(out.len());
            if here == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let (part, rest) = out.split_at_mut(here);
            blocks.copy(block, skip, part)?;
            (out, offset, next) = (rest, offset + here as u64, next + 1);
        }
        Ok(())
    }
}

impl Spool for FileSpool<'_> {
    fn file(&self) -> Arc<dyn ReadAt> {
        Arc::new(InFile(self.file.clone()))
    }

    fn append(&mut self, bytes: &[u8], size: usize, big_endian: bool) -> io::Result<()> {
        let mut blocks = self.vectors.0.write().unwrap_or_else(PoisonError::into_inner);
        let fits = self.packed < self.context.memory() / 4;
        let packed = if big_endian && fits { BlockData::pack(bytes, size) } else { None };
        let data = match packed {
            Some(packed) => packed,
            None => {
                let at = blocks.file_len;
                let file = match &mut blocks.file {
                    Some(file) => file,
                    none => none.insert(TemporaryFile::create(self.context).map_err(into_io)?),
                };
                file.write_all_at(bytes, at).map_err(into_io)?;
                blocks.file_len += bytes.len() as u64;
                BlockData::File(at)
            }
        };
        self.packed += data.bytes();
        blocks.blocks.push(Block { start: self.len, len: bytes.len(), data });
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn appended(&self) -> Arc<dyn ReadAt> {
        Arc::clone(&self.vectors) as Arc<dyn ReadAt>
    }
}

/// Returns the error of the system.
fn into_io(error: nnz_core::Error) -> io::Error {
    match error.kind() {
        ErrorKind::Io(inner) => io::Error::new(inner.kind(), error.to_string()),
        _ => io::Error::other(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_all_bits() {
        let whole: Vec<f64> = (0..8192).map(|at| f64::from(at % 97)).collect();
        let mut other = whole.clone();
        other[5] = -0.0;
        let largest = vec![f64::from(u32::MAX), 0.0, 1.0];
        let fraction = vec![0.5, f64::NAN];
        let integers: Vec<i32> = (0..16_384).map(|at| (at * 7919) % 30_000 - 3).collect();
        let bytes_of = |numbers: &[f64]| -> Vec<u8> {
            numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
        };
        let of_integers: Vec<u8> =
            integers.iter().flat_map(|number| number.to_be_bytes()).collect();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        std::fs::write(&path, b"").unwrap();
        let file = InputFile::open(&path).unwrap();
        let vectors = Arc::default();
        let mut spool =
            FileSpool { file: &file, context: file.context(), vectors, len: 0, packed: 0 };
        let mut all = Vec::new();
        for (bytes, size) in [
            (bytes_of(&whole), 8),
            (bytes_of(&other), 8),
            (of_integers, 4),
            (bytes_of(&largest), 8),
            (bytes_of(&fraction), 8),
        ] {
            spool.append(&bytes, size, true).unwrap();
            all.extend(bytes);
        }
        spool.append(&[1, 2, 3, 4], 4, false).unwrap();
        all.extend([1, 2, 3, 4]);
        assert!(spool.packed > 0 && spool.packed < 1 << 16);
        let read = spool.appended();
        let mut found = vec![0; all.len()];
        read.read_exact_at(&mut found, 0).unwrap();
        assert!(found == all);
        // Parts of blocks, in whole elements.
        for (at, len) in [(8, 80_000), (65_536 + 8, 16), (131_072 + 4, 65_532)] {
            let mut found = vec![0; len];
            read.read_exact_at(&mut found, at as u64).unwrap();
            assert!(found == all[at..at + len], "{at}");
        }
        read.read_exact_at(&mut [0; 8], all.len() as u64 - 4).unwrap_err();
    }
}
