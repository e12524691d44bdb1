//! Writing a file with several matrices from any sources.

use std::path::Path;
use std::sync::{Arc, Mutex};

use nnz_container::Compression;
use nnz_container::tree::{Attribute, AttributeValue, TreeWriter};
use nnz_core::{Axis, Batch, Error, Header, MatrixSource, Order, Result, ValueType};
use nnz_engine::{ConvertOptions, TaskContext};

use super::Item;
use super::columns::write_table;
use super::item_writer::ItemWriter;
use super::output::{Group, Output};
use super::sink::{MAPPINGS, start_file, start_mapping};
use crate::globals;
use crate::parts::{PartCapabilities, PartOutput, PartWriter, take, write_part};

/// A file with several matrices, which are written one after the other.
///
/// The first one has the names and annotations of cells and genes. All others have the lengths of its axes, except the one of
/// `raw`, which has genes of its own.
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
    /// Starts a file in an empty tree, with the names and annotations of a matrix whose rows are cells. `path` is the
    /// path of the file.
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
        let mut output = Output::new(tree, compression);
        let axes = [Axis::Rows, Axis::Cols];
        let [rows, cols] = axes.map(|axis| main.annotations(axis));
        let (rows, cols) = (rows?, cols?);
        let names = [main.read_names(Axis::Rows)?, main.read_names(Axis::Cols)?];
        start_file(&mut output, main.header().shape, names, [rows.as_deref(), cols.as_deref()])?;
        let mut groups = Vec::new();
        for name in MAPPINGS {
            groups.push((name, start_mapping(&mut output, name)?));
        }
        let parts = Parts { output, groups, item: Item::X, part: None };
        Ok(Self { output: Arc::new(Mutex::new(parts)), path, context })
    }

    /// Writes a matrix, and returns the number of its entries. Members of `obsm` and
    /// `varm` are dense, all others sparse.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read or stored, and if it belongs to `raw`, of which only `X` can be written.
    pub fn write(
        &mut self,
        item: Item,
        source: &dyn MatrixSource,
        options: &ConvertOptions,
    ) -> Result<u64> {
        let dense = matches!(item, Item::Obsm(_) | Item::Varm(_));
        let capabilities = PartCapabilities {
            value_types: ValueType::ALL,
            orders: if dense { &[Order::Row] } else { &[Order::Row, Order::Col] },
            dense,
        };
        let path = item.to_string();
        if let Ok(mut parts) = self.output.lock() {
            if item == Item::RawX {
                parts.start_raw(source)?;
            }
            parts.item = item;
        }
        let target = (capabilities, self.path, &*path);
        write_part(source, &self.output, target, options, self.context)
    }

    /// Writes an element of `uns`, and returns whether it is supported: a name without slashes, numbers or strings.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn write_unstructured(&mut self, name: &str, attribute: &Attribute) -> Result<bool> {
        if name.is_empty() || name.contains('/') {
            return Ok(false);
        }
        let Ok(mut parts) = self.output.lock() else { return Ok(false) };
        let uns = parts.groups.iter().find(|(known, _)| *known == "uns");
        let Some(group) = uns.map(|(_, group)| group.0) else { return Ok(false) };
        let array = globals::write(&mut *parts.output.tree, (group, name), attribute, true)?;
        let Some(array) = array else { return Ok(false) };
        let kind = match (&attribute.value, attribute.shape.is_empty()) {
            (AttributeValue::Strings(_), true) => "string",
            (AttributeValue::Strings(_), false) => "string-array",
            (_, true) => "numeric-scalar",
            (_, false) => "array",
        };
        parts.output.encode_node(array, kind, "0.2.0")?;
        Ok(true)
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
    groups: Vec<(&'static str, Group)>,
    item: Item,
    part: Option<ItemWriter>,
}

impl Parts {
    /// Starts the group of the matrix before genes were selected, with its genes.
    fn start_raw(&mut self, source: &dyn MatrixSource) -> Result<()> {
        let raw = self.output.group(Group::ROOT, "raw")?;
        self.output.encode(raw, "raw", "0.1.0")?;
        let names = source.read_names(Axis::Cols)?;
        let table = source.annotations(Axis::Cols)?;
        let len = source.header().shape.cols;
        write_table(&mut self.output, (raw, "var"), "_index", len, names, table.as_deref())?;
        let varm = self.output.group(raw, "varm")?;
        self.output.encode(varm, "dict", "0.1.0")?;
        self.groups.push(("raw", raw));
        Ok(())
    }

    /// Returns the group and the name of the matrix.
    fn place(&self) -> Result<(Group, String)> {
        let path = self.item.to_string();
        let Some((group, name)) = path.split_once('/') else { return Ok((Group::ROOT, path)) };
        let found = self.groups.iter().find(|(known, _)| *known == group);
        match found {
            Some((_, group)) => Ok((*group, name.to_owned())),
            None => Err(Error::argument(format!("{path} cannot be written beside a main matrix"))),
        }
    }
}

impl PartOutput for Parts {
    fn start(&mut self, header: &Header) -> Result<()> {
        let (group, name) = self.place()?;
        let dense = matches!(self.item, Item::Obsm(_) | Item::Varm(_));
        self.part = Some(ItemWriter::new(&mut self.output, (group, &name), header, dense)?);
        Ok(())
    }
}

impl PartWriter for Parts {
    fn put(&mut self, batch: &Batch) -> Result<()> {
        match &mut self.part {
            Some(part) => part.put(&mut self.output, batch),
            None => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        match self.part.take() {
            Some(part) => part.finish(&mut self.output),
            None => Ok(()),
        }
    }
}
