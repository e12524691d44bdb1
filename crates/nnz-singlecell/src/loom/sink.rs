//! Writing a matrix as a new Loom file.

use nnz_container::Compression;
use nnz_container::tree::{NodeId, TreeWriter};
use nnz_core::{
    Annotations, Axis, Batch, Header, Names, Order, Result, SinkCapabilities, ValueType, Written,
};

use super::output::Output;
use crate::dense_writer::DenseWriter;

/// Capabilities of Loom files.
pub const CAPABILITIES: SinkCapabilities =
    SinkCapabilities::new(&[Order::Col, Order::Row], VALUE_TYPES)
        .names(true)
        .annotations(true)
        .unique(true)
        .dense(true);

/// The types of values; there are no booleans.
pub(super) const VALUE_TYPES: &[ValueType] = &[
    ValueType::U8,
    ValueType::U16,
    ValueType::U32,
    ValueType::U64,
    ValueType::I8,
    ValueType::I16,
    ValueType::I32,
    ValueType::I64,
    ValueType::F32,
    ValueType::F64,
];

/// The compression that loompy uses.
pub const COMPRESSION: Compression = Compression::Gzip(2);

/// A sink that writes a matrix as the main one of a new file. All elements are stored.
pub struct MatrixSink {
    output: Output,
    matrix: DenseWriter,
}

impl std::fmt::Debug for MatrixSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixSink").finish_non_exhaustive()
    }
}

impl MatrixSink {
    /// Creates a matrix whose columns are cells in an empty tree of HDF5, and writes names and
    /// annotations, except columns that are [not supported](super::table_losses).
    ///
    /// # Errors
    ///
    /// Fails if the tree cannot be written, if names cannot be read or are not UTF-8, or if
    /// annotations cannot be read or stored.
    pub fn create(
        tree: Box<dyn TreeWriter>,
        header: &Header,
        names: [Option<Names<'_>>; 2],
        annotations: [Option<&dyn Annotations>; 2],
        compression: Compression,
    ) -> Result<Self> {
        let mut output = Output::start(tree, compression)?;
        let axes = [Axis::Rows, Axis::Cols];
        for ((axis, names), annotations) in axes.into_iter().zip(names).zip(annotations) {
            output.table(axis, header.shape.len(axis), names, annotations)?;
        }
        let place = (NodeId::ROOT, "matrix");
        let matrix = DenseWriter::create(&mut *output.tree, place, header, compression)?;
        Ok(Self { output, matrix })
    }
}

impl nnz_core::MatrixSink for MatrixSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        self.matrix.put(&mut *self.output.tree, batch)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { mut output, matrix } = *self;
        matrix.finish(&mut *output.tree)?;
        Ok(Written::new(output.tree.finish()?))
    }
}
