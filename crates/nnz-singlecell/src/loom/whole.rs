//! Writing a file with several matrices.

use std::path::Path;
use std::sync::{Arc, Mutex};

use nnz_container::Compression;
use nnz_container::tree::{Attribute, NodeId, TreeWriter};
use nnz_core::{Axis, Batch, Header, MatrixSource, Order, Result, ValueType};
use nnz_engine::{ConvertOptions, TaskContext};

use super::graph_writer::GraphWriter;
use super::output::Output;
use super::sink::VALUE_TYPES;
use super::table_writer::is_name;
use super::{Item, spec};
use crate::dense_writer::DenseWriter;
use crate::globals;
use crate::parts::{PartCapabilities, PartOutput, PartWriter, take, write_part};

/// A file with several matrices, which are written one after the other.
///
/// The first one has the names and annotations of rows and columns. All others have the lengths of its axes.
pub struct FileWriter<'a> {
    output: Arc<Mutex<Parts>>,
    path: &'a Path,
    context: &'a TaskContext,
}

impl std::fmt::Debug for FileWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileWriter").field("path", &self.path).finish_non_exhaustive()
    }
}

impl<'a> FileWriter<'a> {
    /// Starts a file in an empty tree of HDF5, with the names and annotations of a matrix whose columns are cells. `path`
    /// is the path of the file.
    ///
    /// # Errors
    ///
    /// Fails if the tree cannot be written, and if names or annotations cannot be read or stored.
    pub fn create(
        tree: Box<dyn TreeWriter>,
        main: &dyn MatrixSource,
        (path, compression): (&'a Path, Compression),
        context: &'a TaskContext,
    ) -> Result<Self> {
        let mut output = Output::start(tree, compression)?;
        for axis in [Axis::Rows, Axis::Cols] {
            let table = main.annotations(axis)?;
            let len = main.header().shape.len(axis);
            output.table(axis, len, main.read_names(axis)?, table.as_deref())?;
        }
        let parts = Parts { output, item: Item::Matrix, part: None };
        Ok(Self { output: Arc::new(Mutex::new(parts)), path, context })
    }

    /// Writes a matrix, and returns the number of its entries.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read or stored.
    pub fn write(
        &mut self,
        item: Item,
        source: &dyn MatrixSource,
        options: &ConvertOptions,
    ) -> Result<u64> {
        let is_graph = matches!(item, Item::RowGraph(_) | Item::ColGraph(_));
        let capabilities = PartCapabilities {
            value_types: if is_graph { &[ValueType::F32, ValueType::F64] } else { VALUE_TYPES },
            orders: match item {
                Item::RowAttribute(_) | Item::ColAttribute(_) => &[Order::Row],
                _ => &[Order::Col, Order::Row],
            },
            dense: !is_graph,
        };
        let path = item.to_string();
        if let Ok(mut parts) = self.output.lock() {
            parts.item = item;
        }
        let target = (capabilities, self.path, &*path);
        write_part(source, &self.output, target, options, self.context)
    }

    /// Writes a global attribute, and returns whether it is supported: a name without slashes, numbers or strings.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn write_attribute(&mut self, name: &str, attribute: &Attribute) -> Result<bool> {
        if !is_name(name) || spec::OWN.contains(&name) {
            return Ok(false);
        }
        let Ok(mut parts) = self.output.lock() else { return Ok(false) };
        let place = (parts.output.groups.attributes, name);
        let written = globals::write(&mut *parts.output.tree, place, attribute, false)?;
        Ok(written.is_some())
    }

    /// Returns the tree, which the caller finishes.
    ///
    /// # Errors
    ///
    /// Fails if a matrix is not complete.
    pub fn finish(self) -> Result<Box<dyn TreeWriter>> {
        Ok(take(self.output)?.output.tree)
    }
}

/// The file, and the matrix that is being written.
struct Parts {
    output: Output,
    item: Item,
    part: Option<ItemWriter>,
}

enum ItemWriter {
    Dense(DenseWriter),
    Graph(GraphWriter),
}

impl PartOutput for Parts {
    fn start(&mut self, header: &Header) -> Result<()> {
        let groups = self.output.groups;
        let ([row_table, col_table], [row_graphs, col_graphs]) = (groups.tables, groups.graphs);
        let place: (NodeId, &str) = match &self.item {
            Item::Matrix => (NodeId::ROOT, "matrix"),
            Item::Layer(name) => (groups.layers, name),
            Item::RowGraph(name) => (row_graphs, name),
            Item::ColGraph(name) => (col_graphs, name),
            Item::RowAttribute(name) => (row_table, name),
            Item::ColAttribute(name) => (col_table, name),
        };
        let tree = &mut *self.output.tree;
        self.part = Some(match &self.item {
            Item::RowGraph(_) | Item::ColGraph(_) => {
                ItemWriter::Graph(GraphWriter::create(tree, place, header)?)
            }
            _ => ItemWriter::Dense(DenseWriter::create(
                tree,
                place,
                header,
                self.output.compression,
            )?),
        });
        Ok(())
    }
}

impl PartWriter for Parts {
    fn put(&mut self, batch: &Batch) -> Result<()> {
        let tree = &mut *self.output.tree;
        match &mut self.part {
            Some(ItemWriter::Dense(dense)) => dense.put(tree, batch),
            Some(ItemWriter::Graph(graph)) => graph.put(tree, batch),
            None => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        let tree = &mut *self.output.tree;
        match self.part.take() {
            Some(ItemWriter::Dense(dense)) => dense.finish(tree),
            Some(ItemWriter::Graph(graph)) => graph.finish(tree),
            None => Ok(()),
        }
    }
}
