//! Writing an array of 32-bit integers, bit-packed or plain.

use nnz_bitpack::{Codec, Encoder};
use nnz_container::{ArrayId, ContainerWriter};
use nnz_core::{Result, ValueType};

use crate::version::Version;
use crate::{Generation, Packing};

/// An array of 32-bit integers being written.
pub(super) enum IntegerSink {
    Packed(Box<PackedSink>),
    Plain(ArrayId),
}

impl IntegerSink {
    pub(super) fn create(
        container: &mut dyn ContainerWriter,
        name: &str,
        codec: Codec,
        version: Version,
    ) -> Result<Self> {
        match version.packing {
            Packing::Packed => {
                let packed = PackedSink::create(container, name, codec, version.generation)?;
                Ok(Self::Packed(Box::new(packed)))
            }
            Packing::Unpacked => container.create_array(name, ValueType::U32).map(Self::Plain),
        }
    }

    pub(super) fn push(
        &mut self,
        container: &mut dyn ContainerWriter,
        integers: &[u32],
    ) -> Result<()> {
        match self {
            Self::Plain(id) => container.append(*id, integers),
            Self::Packed(packed) => packed.push(container, integers),
        }
    }

    pub(super) fn finish(self, container: &mut dyn ContainerWriter) -> Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Packed(packed) => packed.finish(container),
        }
    }
}

/// The arrays `NAME_data`, `NAME_idx`, `NAME_starts` and `NAME_idx_offsets` being written.
pub(super) struct PackedSink {
    encoder: Encoder,
    data: ArrayId,
    idx: ArrayId,
    starts: Option<ArrayId>,
    idx_offsets: Option<ArrayId>,
}

impl PackedSink {
    fn create(
        container: &mut dyn ContainerWriter,
        name: &str,
        codec: Codec,
        generation: Generation,
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
            idx_offsets: match generation {
                Generation::V1 => None,
                Generation::V2 => Some(create("idx_offsets", ValueType::U64)?),
            },
        })
    }

    fn push(&mut self, container: &mut dyn ContainerWriter, integers: &[u32]) -> Result<()> {
        self.encoder.push(integers);
        let ready = self.encoder.drain();
        container.append(self.data, ready.data)?;
        container.append(self.idx, ready.idx)?;
        self.starts.map_or(Ok(()), |starts| container.append(starts, ready.starts))
    }

    fn finish(self, container: &mut dyn ContainerWriter) -> Result<()> {
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
