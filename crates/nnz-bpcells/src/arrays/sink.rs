//! Writing an array of 32-bit integers, bit-packed or plain.

use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_bitpack::{CHUNK, Chunks, Codec, Encoder};
use nnz_container::NamedArraysWriter;
use nnz_container::tree::NodeId;
use nnz_core::{Error, Result, ValueType};

use crate::{FormatVersion, Packing};

/// Consecutive elements of an array, encoded by any thread.
pub(crate) enum EncodedIntegers {
    /// Whole chunks, between the elements that complete the previous chunk and those that begin the
    /// next.
    Packed {
        head: Vec<u32>,
        chunks: Chunks,
        tail: Vec<u32>,
    },
    Plain(Vec<u32>),
}

/// Chunks that were written, whose memory is used again. If it was freed for each batch, the allocator would return it to
/// the system, which clears it before it is used again.
#[derive(Default)]
pub(crate) struct SpareChunks(Mutex<Vec<Chunks>>);

impl SpareChunks {
    fn take(&self, codec: Codec) -> Chunks {
        self.lock().pop().unwrap_or_else(|| Chunks::new(codec))
    }

    /// Keeps the memory of elements that were written.
    pub(crate) fn put(&self, written: EncodedIntegers) {
        if let EncodedIntegers::Packed { chunks, .. } = written {
            self.lock().push(chunks);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Chunks>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EncodedIntegers {
    /// Encodes elements, the first of which is number `first` of the array.
    pub(crate) fn encode(
        codec: Codec,
        packing: Packing,
        integers: &[u32],
        first: u64,
        spare: &SpareChunks,
    ) -> Self {
        if packing == Packing::Unpacked {
            return Self::Plain(integers.to_vec());
        }
        let chunk = CHUNK as u64;
        let missing = usize::try_from(first.next_multiple_of(chunk) - first).unwrap_or(0);
        let (head, rest) = integers.split_at(missing.min(integers.len()));
        let mut chunks = spare.take(codec);
        let tail = chunks.replace(codec, rest);
        Self::Packed { head: head.to_vec(), chunks, tail: tail.to_vec() }
    }
}

/// An array of 32-bit integers being written.
pub(crate) enum IntegerSink {
    Packed(Box<PackedSink>),
    Plain(NodeId),
}

impl IntegerSink {
    pub(crate) fn create(
        container: &mut NamedArraysWriter,
        name: &str,
        codec: Codec,
        packing: Packing,
        format_version: FormatVersion,
    ) -> Result<Self> {
        match packing {
            Packing::Packed => {
                let packed = PackedSink::create(container, name, codec, format_version)?;
                Ok(Self::Packed(Box::new(packed)))
            }
            Packing::Unpacked => container.create_array(name, ValueType::U32).map(Self::Plain),
        }
    }

    /// Appends elements.
    pub(crate) fn append(
        &mut self,
        container: &mut NamedArraysWriter,
        integers: &[u32],
    ) -> Result<()> {
        match self {
            Self::Plain(id) => container.append(*id, integers),
            Self::Packed(sink) => {
                sink.encoder.push(integers);
                sink.drain(container)
            }
        }
    }

    /// Appends elements that were encoded separately.
    pub(crate) fn push(
        &mut self,
        container: &mut NamedArraysWriter,
        integers: &EncodedIntegers,
    ) -> Result<()> {
        match (self, integers) {
            (Self::Plain(id), EncodedIntegers::Plain(integers)) => container.append(*id, integers),
            (Self::Packed(sink), EncodedIntegers::Packed { head, chunks, tail }) => {
                sink.push(container, head, chunks, tail)
            }
            _ => Err(Error::argument("the batch belongs to another matrix")),
        }
    }

    pub(crate) fn finish(self, container: &mut NamedArraysWriter) -> Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Packed(packed) => packed.finish(container),
        }
    }
}

/// The arrays `NAME_data`, `NAME_idx`, `NAME_starts` and `NAME_idx_offsets` being written.
pub(crate) struct PackedSink {
    encoder: Encoder,
    data: NodeId,
    idx: NodeId,
    starts: Option<NodeId>,
    idx_offsets: Option<NodeId>,
}

impl PackedSink {
    fn create(
        container: &mut NamedArraysWriter,
        name: &str,
        codec: Codec,
        format_version: FormatVersion,
    ) -> Result<Self> {
        let mut create = |suffix: &str, value_type| {
            container.create_array(&format!("{name}_{suffix}"), value_type)
        };
        Ok(Self {
            encoder: Encoder::new(codec),
            data: create("data", ValueType::U32)?,
            idx: create("idx", ValueType::U32)?,
            starts: match codec.has_starts() {
                true => Some(create("starts", ValueType::U32)?),
                false => None,
            },
            idx_offsets: match format_version {
                FormatVersion::V1 => None,
                FormatVersion::V2 => Some(create("idx_offsets", ValueType::U64)?),
            },
        })
    }

    fn push(
        &mut self,
        container: &mut NamedArraysWriter,
        head: &[u32],
        chunks: &Chunks,
        tail: &[u32],
    ) -> Result<()> {
        self.encoder.push(head);
        if !chunks.is_empty() {
            self.drain(container)?;
            if !self.encoder.append_positions(chunks) {
                return Err(Error::argument("the batch is not the next one of this matrix"));
            }
            container.append(self.data, chunks.data())?;
        }
        self.encoder.push(tail);
        self.drain(container)
    }

    /// Passes encoded data on to the container.
    fn drain(&mut self, container: &mut NamedArraysWriter) -> Result<()> {
        let ready = self.encoder.drain();
        container.append(self.data, ready.data)?;
        container.append(self.idx, ready.idx)?;
        self.starts.map_or(Ok(()), |starts| container.append(starts, ready.starts))
    }

    fn finish(self, container: &mut NamedArraysWriter) -> Result<()> {
        let rest = self.encoder.finish();
        container.append(self.data, &rest.data)?;
        container.append(self.idx, &rest.idx)?;
        if let Some(starts) = self.starts {
            container.append(starts, &rest.starts)?;
        }
        match self.idx_offsets {
            Some(offsets) => container.append(offsets, &rest.idx_offsets),
            None => Ok(()),
        }
    }
}
