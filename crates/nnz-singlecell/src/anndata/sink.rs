//! Writing a matrix as a new AnnData file or store.
//!
//! Files can be read by every anndata from 0.8 on without warnings: matrices have one type for
//! `indices` and `indptr`, tables have version 0.2.0, and nothing requires a newer version.

use std::sync::Arc;

use nnz_container::Compression;
use nnz_container::tree::TreeWriter;
use nnz_core::{
    Annotations, Batch, BatchEncoder, Encoded, Header, Names, Order, Result, Shape,
    SinkCapabilities, ValueType, Written,
};

use super::columns::write_table;
use super::item_writer::ItemWriter;
use super::output::{Group, Output};

/// Capabilities of AnnData files.
pub const CAPABILITIES: SinkCapabilities =
    SinkCapabilities::new(&[Order::Row, Order::Col], ValueType::ALL)
        .names(true)
        .annotations(true)
        .positions(false);

/// Capabilities of dense matrices in AnnData files.
pub const DENSE_CAPABILITIES: SinkCapabilities =
    SinkCapabilities::new(&[Order::Row], ValueType::ALL).names(true).dense(true).unique(true);

/// The groups that every file has, even if they are empty.
pub(super) const MAPPINGS: [&str; 6] = ["layers", "obsm", "varm", "obsp", "varp", "uns"];

/// Starts a file: what it is, and the tables of its cells and genes.
pub(super) fn start_file(
    output: &mut Output,
    shape: Shape,
    [row_names, col_names]: [Option<Names<'_>>; 2],
    [row_table, col_table]: [Option<&dyn Annotations>; 2],
) -> Result<()> {
    let root = Group::ROOT;
    output.encode(root, "anndata", "0.1.0")?;
    for (name, len, names, table) in
        [("obs", shape.rows, row_names, row_table), ("var", shape.cols, col_names, col_table)]
    {
        write_table(output, (root, name), "_index", len, names, table)?;
    }
    Ok(())
}

/// Starts one of the groups that every file has.
pub(super) fn start_mapping(output: &mut Output, name: &str) -> Result<Group> {
    let group = output.group(Group::ROOT, name)?;
    output.encode(group, "dict", "0.1.0")?;
    Ok(group)
}

/// A sink that writes a matrix as `X` of a new AnnData file.
pub struct MatrixSink {
    output: Output,
    matrix: ItemWriter,
    /// The group of a new file.
    uns: Option<Group>,
}

impl std::fmt::Debug for MatrixSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixSink").finish_non_exhaustive()
    }
}

impl MatrixSink {
    /// Creates a matrix whose rows are cells in an empty tree, and writes names and tables. A dense one gets all elements,
    /// [by row](DENSE_CAPABILITIES).
    ///
    /// Rows or columns without names are named by their positions, like in anndata.
    ///
    /// # Errors
    ///
    /// Fails if the tree cannot be written, if names cannot be read or are not UTF-8, or if a table
    /// cannot be read or stored.
    pub fn create(
        tree: Box<dyn TreeWriter>,
        (header, dense): (&Header, bool),
        names: [Option<Names<'_>>; 2],
        annotations: [Option<&dyn Annotations>; 2],
        compression: Compression,
    ) -> Result<Self> {
        let mut output = Output::new(tree, compression);
        start_file(&mut output, header.shape, names, annotations)?;
        let matrix = ItemWriter::new(&mut output, (Group::ROOT, "X"), header, dense)?;
        let mut uns = None;
        for name in MAPPINGS {
            let group = start_mapping(&mut output, name)?;
            uns = (name == "uns").then_some(group).or(uns);
        }
        Ok(Self { output, matrix, uns })
    }

    /// States that the values of a new file are natural logarithms, as `scanpy.pp.log1p` does: `uns/log1p` without a base.
    ///
    /// # Errors
    ///
    /// Fails if the tree cannot be written.
    pub fn state_log1p(&mut self) -> Result<()> {
        let Some(uns) = self.uns else { return Ok(()) };
        let group = self.output.group(uns, "log1p")?;
        self.output.encode(group, "dict", "0.1.0")
    }

    /// Creates a matrix as a member of the root of a tree, which is a group in an existing file. A dense one gets all elements,
    /// [by row](DENSE_CAPABILITIES).
    ///
    /// # Errors
    ///
    /// Fails if the tree cannot be written.
    pub fn add(
        tree: Box<dyn TreeWriter>,
        (name, dense): (&str, bool),
        header: &Header,
        compression: Compression,
    ) -> Result<Self> {
        let mut output = Output::new(tree, compression);
        let matrix = ItemWriter::new(&mut output, (Group::ROOT, name), header, dense)?;
        Ok(Self { output, matrix, uns: None })
    }
}

impl nnz_core::MatrixSink for MatrixSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        self.matrix.put(&mut self.output, batch)
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        self.matrix.encoder()
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        self.matrix.put_encoded(&mut self.output, encoded)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { mut output, matrix, .. } = *self;
        matrix.finish(&mut output)?;
        Ok(Written::new(output.finish()?))
    }
}
