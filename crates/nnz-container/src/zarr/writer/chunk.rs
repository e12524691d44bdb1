//! Files of chunks and shards.

use nnz_core::{Place, Result};

use super::encoding::Encoding;
use super::options::ZarrVersion;
use nnz_chunk::Tiles;

/// The limit for the size of a chunk: NumPy and codecs of other programs use 31 bits.
pub(super) const LARGEST: u64 = 1 << 31;

/// The value in the index of a shard for a missing chunk.
const MISSING: u64 = u64::MAX;

/// Returns the file name of a chunk in the directory of its array.
pub(super) fn key(at: &[u64], version: ZarrVersion) -> String {
    let joined = |mark| at.iter().map(u64::to_string).collect::<Vec<_>>().join(mark);
    match (version, at) {
        (ZarrVersion::V2, []) => "0".to_owned(),
        (ZarrVersion::V2, _) => joined("."),
        (ZarrVersion::V3, []) => "c".to_owned(),
        (ZarrVersion::V3, _) => format!("c/{}", joined("/")),
    }
}

/// A shard: several chunks, followed by an index of their offsets.
pub(super) struct Shard<'a> {
    /// The shapes of the shard and of a chunk.
    pub(super) lengths: &'a [u64],
    pub(super) chunk: &'a [u64],
    /// Size of an element in bytes.
    pub(super) element: usize,
    pub(super) encoding: Encoding,
}

impl Shard<'_> {
    /// Encodes the file of the shard at a position of the grid.
    pub(super) fn encode(
        &self,
        bytes: &[u8],
        at: &[u64],
        shape: &[u64],
        place: &Place,
    ) -> Result<Vec<u8>> {
        let tiles = Tiles::new(self.lengths, self.chunk, self.element)?;
        let chunks = tiles.cut(0, bytes.to_vec())?;
        let size = self.chunk.iter().product::<u64>().saturating_mul(self.element as u64);
        let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
        let (mut file, mut index) = (Vec::new(), Vec::new());
        for (number, chunk) in chunks.chunks_exact(size).enumerate() {
            let starts = tiles.offsets(number).into_iter().zip(at).zip(self.lengths);
            let starts = starts.map(|((inside, at), length)| at * length + inside);
            let is_inside = starts.zip(shape).all(|(start, length)| start < *length);
            let (offset, length) = match is_inside {
                true => {
                    let packed = self.encoding.encode(chunk, place)?;
                    let offset = file.len() as u64;
                    file.extend_from_slice(&packed);
                    (offset, packed.len() as u64)
                }
                false => (MISSING, MISSING),
            };
            index.extend(offset.to_le_bytes());
            index.extend(length.to_le_bytes());
        }
        let sum = crc32c::crc32c(&index);
        file.extend(index);
        file.extend(sum.to_le_bytes());
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use nnz_core::ValueType;

    use super::*;
    use crate::tree::ElementType;
    use nnz_chunk::Compression;

    #[test]
    fn shards_are_chunks_and_an_index() {
        let encoding = Encoding::new(Compression::None, &ElementType::Number(ValueType::U8));
        let shard = Shard { lengths: &[2, 4], chunk: &[2, 2], element: 1, encoding };
        // Rows 2 and 3 of an array of 3 x 2.
        let file = shard.encode(&[1, 2, 0, 0, 0, 0, 0, 0], &[1, 0], &[3, 2], &Place::default());
        let mut expected = vec![1, 2, 0, 0];
        expected.extend([0, 4].map(u64::to_le_bytes).concat()); // offset and bytes of the first
        expected.extend([0xff; 16]); // the second is outside
        let sum = crc32c::crc32c(&expected[4..]);
        expected.extend(sum.to_le_bytes());
        assert_eq!(file.unwrap(), expected);
    }

    #[test]
    fn chunk_file_names() {
        assert_eq!(key(&[3, 0], ZarrVersion::V2), "3.0");
        assert_eq!(key(&[3, 0], ZarrVersion::V3), "c/3/0");
        assert_eq!(key(&[], ZarrVersion::V2), "0");
        assert_eq!(key(&[], ZarrVersion::V3), "c");
    }
}
