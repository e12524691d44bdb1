//! Writing a matrix.

mod encode;
mod pointers;

use std::sync::Arc;

use nnz_bitpack::Codec;
use nnz_container::NamedArraysWriter;
use nnz_container::tree::NodeId;
use nnz_core::{
    Axis, Batch, BatchEncoder, Encoded, Error, Header, Names, Order, Place, Result,
    SinkCapabilities, ValueType, Written,
};

use super::members;
use super::positions::positions_of;
use crate::arrays::{IntegerSink, SpareChunks};
use crate::version::{self, Version};
use crate::{FormatVersion, Packing};
use encode::{EncodedBatch, EncodedValues, MatrixEncoder};
use pointers::PointerSink;

/// Capabilities of a BPCells matrix as a target.
pub const CAPABILITIES: SinkCapabilities = SinkCapabilities::new(
    &[Order::Col, Order::Row],
    &[ValueType::U32, ValueType::F32, ValueType::F64],
)
.names(true)
.positions(true);

/// Options for writing a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkOptions {
    /// Whether integers are bit-packed.
    pub packing: Packing,
    /// The version of the format.
    pub format_version: FormatVersion,
}

/// A BPCells matrix being written to a container.
pub struct MatrixSink {
    container: NamedArraysWriter,
    encoder: Arc<MatrixEncoder>,
    pointers: PointerSink,
    index: IntegerSink,
    values: ValueSink,
    entries: u64,
}

impl std::fmt::Debug for MatrixSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixSink").finish_non_exhaustive()
    }
}

enum ValueSink {
    Integers(IntegerSink),
    Floats(NodeId),
}

impl MatrixSink {
    /// Creates a sink for a matrix with the shape, order and value type of `header`, and reads
    /// `names` to the end.
    ///
    /// # Errors
    ///
    /// Fails if names cannot be read, if the shape has 2^32 or more rows or columns, if BPCells
    /// does not have the value type, or if the container refuses.
    pub fn create(
        mut container: NamedArraysWriter,
        header: &Header,
        names: [Option<Names<'_>>; 2],
        options: SinkOptions,
    ) -> Result<Self> {
        let version = Version {
            packing: options.packing,
            value_type: header.value_type,
            format_version: options.format_version,
        };
        if !CAPABILITIES.value_types.contains(&header.value_type) {
            let what = format!("a BPCells matrix does not support {}", header.value_type);
            return Err(Error::unsupported(Place::default(), what));
        }
        let (Ok(rows), Ok(cols)) =
            (u32::try_from(header.shape.rows), u32::try_from(header.shape.cols))
        else {
            let what = format!(
                "a BPCells matrix has at most {} rows and columns, but the shape is {}",
                u32::MAX,
                header.shape
            );
            return Err(Error::unsupported(Place::default(), what));
        };
        container.set_attribute(version::TAG, &version.to_string())?;
        let here = &mut container;
        let SinkOptions { packing, format_version } = options;
        let mut integers =
            |name, codec| IntegerSink::create(here, name, codec, packing, format_version);
        let index = integers(members::INDEX, Codec::DeltaZigzag)?;
        let values = match header.value_type {
            ValueType::U32 => ValueSink::Integers(integers(members::VAL, Codec::MinusOne)?),
            other => ValueSink::Floats(here.create_array(members::VAL, other)?),
        };
        let majors = header.shape.major(header.order);
        let pointers = PointerSink::create(here, majors, version.format_version)?;
        let shape = here.create_array(members::SHAPE, ValueType::U32)?;
        here.append(shape, &[rows, cols])?;
        for (axis, names) in [Axis::Rows, Axis::Cols].into_iter().zip(names) {
            let name = members::names_of(axis);
            match names {
                Some(mut names) => here.copy_strings(name, &mut *names)?,
                None => here.write_strings(name, &mut std::iter::empty())?,
            }
        }
        let order = header.order.to_string();
        here.write_strings(members::STORAGE_ORDER, &mut std::iter::once(order.as_bytes()))?;
        let minors = header.shape.minor(header.order);
        Ok(Self {
            container,
            encoder: Arc::new(MatrixEncoder { version, minors, spare: SpareChunks::default() }),
            pointers,
            index,
            values,
            entries: 0,
        })
    }
}

impl MatrixSink {
    /// Adds the original positions of the rows or columns.
    ///
    /// # Errors
    ///
    /// Fails if the container refuses.
    pub fn with_original_positions(mut self, axis: Axis, positions: &[u32]) -> Result<Self> {
        let array = self.container.create_array(positions_of(axis), ValueType::U32)?;
        self.container.append(array, positions)?;
        Ok(self)
    }
}

impl nnz_core::MatrixSink for MatrixSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let encoded = self.encoder.encode(batch, self.entries)?;
        self.write_encoded(encoded)
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        Some(Arc::clone(&self.encoder) as Arc<dyn BatchEncoder>)
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        let batch = encoded.downcast::<EncodedBatch>().ok().filter(|b| b.first == self.entries);
        let Some(batch) = batch else {
            return Err(Error::argument("the batch is not the next one of this matrix"));
        };
        let container = &mut self.container;
        self.pointers.push(container, &batch.majors, &batch.offsets, self.entries)?;
        self.index.push(container, &batch.index)?;
        match (&mut self.values, &batch.values) {
            (ValueSink::Integers(sink), EncodedValues::Integers(values)) => {
                sink.push(container, values)?;
            }
            (ValueSink::Floats(id), EncodedValues::Bytes(bytes)) => {
                container.append_bytes(*id, bytes)?;
            }
            _ => return Err(Error::argument("the batch belongs to another matrix")),
        }
        self.entries += batch.offsets.last().copied().unwrap_or(0) as u64;
        let spare = &self.encoder.spare;
        spare.put(batch.index);
        if let EncodedValues::Integers(values) = batch.values {
            spare.put(values);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.pointers.finish(&mut self.container, self.entries)?;
        self.index.finish(&mut self.container)?;
        if let ValueSink::Integers(sink) = self.values {
            sink.finish(&mut self.container)?;
        }
        self.container.finish().map(Written::new)
    }
}
