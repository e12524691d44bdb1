//! Decoding and encoding chunks.

mod crc32c;
mod delta;

use std::borrow::Cow;

use nnz_core::ValueType;

pub(super) use nnz_chunk::codec::{DecodeError, zeroed};
use nnz_chunk::codec::{ZarrCodec, same_length};
use nnz_chunk::shuffle::unshuffle;

pub(super) use delta::subtract;

/// A step of the encoding of a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Compressed bytes, or numbers of a type.
    Compress(&'static ZarrCodec, Option<ValueType>),
    /// A checksum after the bytes.
    Crc32c,
    /// Shuffled bytes of elements of this width.
    Shuffle(usize),
    /// Differences of adjacent elements of this width and byte order.
    Delta { width: usize, big: bool },
}

/// The steps of the encoding of chunks, in the order in which they were applied.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipeline(Vec<Step>);

impl Pipeline {
    /// Creates a pipeline; `None` if it compresses twice.
    pub(super) fn new(steps: Vec<Step>) -> Option<Self> {
        let compressing = steps.iter().filter(|step| step.compresses()).count();
        (compressing <= 1).then_some(Self(steps))
    }

    /// Returns whether chunks are stored unchanged.
    pub(super) fn is_plain(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the maximum number of bytes that a stored byte is decoded to.
    pub(super) fn most_ratio(&self) -> u64 {
        self.0.iter().map(|step| step.most_ratio()).max().unwrap_or(1)
    }

    /// Decodes a chunk into `out`, which must have the exact length.
    pub(super) fn decode(&self, stored: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
        let mut bytes = Cow::Borrowed(stored);
        for (at, step) in self.0.iter().enumerate().rev() {
            if at == 0 && step.compresses() {
                let found = step.decompress(&bytes, out)?;
                return same_length(found, out.len());
            }
            bytes = match step.reverse(bytes)? {
                StepOutput::Done(bytes) => bytes,
                StepOutput::Compressed(bytes) => {
                    let expected = self.encoded_length(at, out.len());
                    let mut decoded = zeroed(expected)?;
                    let found = step.decompress(&bytes, &mut decoded)?;
                    same_length(found, expected)?;
                    Cow::Owned(decoded)
                }
            };
        }
        same_length(bytes.len(), out.len())?;
        out.copy_from_slice(&bytes);
        Ok(())
    }

    /// Decodes a chunk of unknown length, of at most `most` bytes.
    pub(super) fn decode_unknown(
        &self,
        stored: &[u8],
        most: usize,
    ) -> Result<Vec<u8>, DecodeError> {
        let mut bytes = Cow::Borrowed(stored);
        for step in self.0.iter().rev() {
            bytes = match step.reverse(bytes)? {
                StepOutput::Done(bytes) => bytes,
                StepOutput::Compressed(bytes) => Cow::Owned(step.decompress_unknown(&bytes, most)?),
            };
        }
        Ok(bytes.into_owned())
    }

    /// Returns the length of the input of step `at`, if no earlier step compresses.
    fn encoded_length(&self, at: usize, bytes: usize) -> usize {
        let sums = self.0[..at].iter().filter(|step| matches!(step, Step::Crc32c)).count();
        bytes + 4 * sums
    }
}

/// The result of reversing a step.
enum StepOutput<'a> {
    Done(Cow<'a, [u8]>),
    /// Its decoded length must be known first.
    Compressed(Cow<'a, [u8]>),
}

impl Step {
    fn compresses(self) -> bool {
        matches!(self, Self::Compress(..))
    }

    fn most_ratio(self) -> u64 {
        match self {
            Self::Compress(codec, _) => codec.most_ratio,
            Self::Crc32c | Self::Shuffle(_) | Self::Delta { .. } => 1,
        }
    }

    fn reverse(self, bytes: Cow<'_, [u8]>) -> Result<StepOutput<'_>, DecodeError> {
        Ok(StepOutput::Done(match self {
            Self::Crc32c => match bytes {
                Cow::Borrowed(bytes) => Cow::Borrowed(crc32c::verify(bytes)?),
                Cow::Owned(bytes) => Cow::Owned(crc32c::verify(&bytes)?.to_vec()),
            },
            Self::Shuffle(width) => {
                let mut out = zeroed(bytes.len())?;
                unshuffle(&bytes, width, &mut out);
                Cow::Owned(out)
            }
            Self::Delta { width, big } => {
                let mut out = bytes.into_owned();
                delta::add_up(&mut out, width, big);
                Cow::Owned(out)
            }
            Self::Compress(..) => return Ok(StepOutput::Compressed(bytes)),
        }))
    }

    /// Decompresses into `out` and returns the length.
    fn decompress(self, bytes: &[u8], out: &mut [u8]) -> Result<usize, DecodeError> {
        match self {
            Self::Compress(codec, numbers) => (codec.decompress)(bytes, numbers, out),
            Self::Crc32c | Self::Shuffle(_) | Self::Delta { .. } => Ok(0),
        }
    }

    /// Decompresses bytes of unknown length, doubling the buffer.
    fn decompress_unknown(self, bytes: &[u8], most: usize) -> Result<Vec<u8>, DecodeError> {
        // Not more than the maximum ratio allows, whatever the data states.
        let ratio = usize::try_from(self.most_ratio()).unwrap_or(usize::MAX);
        let most = most.min(bytes.len().saturating_mul(ratio));
        let mut room = bytes.len().saturating_mul(4).max(64 << 10).min(most);
        loop {
            let mut out = zeroed(room)?;
            match self.decompress(bytes, &mut out) {
                Ok(found) => {
                    out.truncate(found);
                    return Ok(out);
                }
                Err(DecodeError::TooLong) if room < most => room = room.saturating_mul(2).min(most),
                Err(error) => return Err(error),
            }
        }
    }
}
