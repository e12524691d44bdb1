//! Reading a matrix of a Loom file.

use std::ops::Range;
use std::sync::Arc;

use nnz_container::matrix::{Coordinates, Indices, Vector};
use nnz_core::{
    About, Annotations, ArrayAbout, Axis, Duplicates, Error, Header, Names, Projection, Result,
    Shape, Storage, UnitReader, readable,
};

use super::attributes::Attributes;
use super::{Item, Loom};
use crate::dense::{Dense, DenseReader};

/// A matrix of a Loom file, open for reading.
///
/// The main matrix and layers are dense; graphs are entries in any order. Places in graphs are
/// checked when they are read.
pub struct MatrixSource {
    header: Header,
    stored: MatrixData,
    version: Option<String>,
    item: Item,
    tables: [Option<Arc<Attributes>>; 2],
    /// The file, if this is its main matrix, with which everything else is reported.
    pub(super) file: Option<Loom>,
}

/// The number of entries of a graph whose order is known.
const EXAMINED: u64 = 1 << 14;

enum MatrixData {
    Dense(Dense),
    Graph(Box<Coordinates>),
}

impl std::fmt::Debug for MatrixSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixSource")
            .field("item", &self.item)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl MatrixSource {
    pub(super) fn open(file: &Loom, item: &Item) -> Result<Self> {
        let table = |axis: Option<Axis>| axis.map(|axis| file.attributes(axis)).transpose();
        let [rows, cols] = item.axes();
        let tables = [table(rows)?, table(cols)?];
        let (stored, shape) = match item {
            Item::Matrix | Item::Layer(_) => {
                let (dense, shape) = Dense::by_column(file.dense(item)?)?;
                (MatrixData::Dense(dense), shape)
            }
            Item::RowAttribute(_) | Item::ColAttribute(_) => {
                let (dense, shape) = Dense::open(file.dense(item)?)?;
                (MatrixData::Dense(dense), shape)
            }
            Item::RowGraph(_) | Item::ColGraph(_) => {
                let len = rows.map_or(0, |axis| file.shape().len(axis));
                let shape = Shape { rows: len, cols: len };
                let group = file.root.group(&item.to_string())?;
                let [from, to] = [Indices::open(&*group, "a")?, Indices::open(&*group, "b")?];
                let weights = Vector::open(&*group, "w")?;
                let graph = Coordinates::new(from, to, weights, shape)?;
                (MatrixData::Graph(Box::new(graph)), shape)
            }
        };
        let header = header(&stored, shape, item);
        let version = file.version().map(ToOwned::to_owned);
        Ok(Self { header, stored, version, item: item.clone(), tables, file: None })
    }

    /// Returns the location in the file.
    #[must_use]
    pub fn item(&self) -> &Item {
        &self.item
    }

    /// Returns how the matrix is stored: `dense` or `graph`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.stored {
            MatrixData::Dense(_) => "dense",
            MatrixData::Graph(_) => "graph",
        }
    }

    fn table(&self, axis: Axis) -> Option<&Attributes> {
        let [rows, cols] = &self.tables;
        if axis == Axis::Rows { rows.as_deref() } else { cols.as_deref() }
    }

    /// Lists the arrays, and the names of rows and columns.
    fn arrays(&self) -> Result<Vec<ArrayAbout>> {
        let mut arrays = match &self.stored {
            MatrixData::Dense(dense) => vec![dense.array()?],
            MatrixData::Graph(graph) => graph.about()?,
        };
        for (table, axis) in self.tables.iter().zip(self.item.axes()) {
            let (Some(table), Some(axis)) = (table, axis) else { continue };
            let Some(attribute) = table.names_attribute() else { continue };
            let name = format!("{}/{attribute}", super::attributes::group_of(axis));
            let bytes = ArrayAbout::size(table.names_bytes())?;
            if arrays.iter().all(|array| array.name != name) {
                let len = Some(table.len());
                arrays.push(ArrayAbout::new(name).len(len).bytes(bytes));
            }
        }
        Ok(arrays)
    }
}

fn header(stored: &MatrixData, shape: Shape, item: &Item) -> Header {
    let (order, value_type, nnz) = match stored {
        MatrixData::Dense(dense) => {
            (dense.order(), dense.value_type(), u64::try_from(shape.elements()).ok())
        }
        MatrixData::Graph(graph) => (graph.order(), graph.value_type(), Some(graph.entries())),
    };
    let is_dense = matches!(stored, MatrixData::Dense(_));
    Header::new(shape, order, value_type)
        .ordered(is_dense)
        .sorted_majors(match stored {
            MatrixData::Dense(_) => true,
            MatrixData::Graph(graph) => graph.is_sorted() && graph.entries() <= EXAMINED,
        })
        .sorted_indices(is_dense.then_some(true))
        .nnz(nnz)
        .storage(if is_dense { Storage::Dense } else { Storage::Sparse })
        .duplicates(if is_dense { Duplicates::Refused } else { Duplicates::Summed })
        .axis_kinds(item.axis_kinds())
}

impl nnz_core::MatrixSource for MatrixSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let arrays = self.arrays()?;
        Ok(About::new("Loom", "HDF5")
            .version(self.version.clone())
            .dialect(self.kind().to_owned())
            .with_arrays(arrays)
            .notes(match &self.file {
                Some(file) => file.unread_note()?.into_iter().collect(),
                None => Vec::new(),
            }))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.table(axis).map_or(Ok(None), Attributes::names)
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let Some(table) = self.table(axis) else { return Ok(None) };
        table.check_columns()?;
        Ok(Some(Box::new(table)))
    }

    fn extras(&self) -> Result<Vec<String>> {
        match &self.file {
            Some(file) => Ok(readable(file.others())?.unwrap_or_default()),
            None => {
                let [rows, cols] = &self.tables;
                let other = cols
                    .as_ref()
                    .filter(|cols| rows.as_ref().is_none_or(|rows| !Arc::ptr_eq(rows, cols)));
                Ok(rows.iter().chain(other).flat_map(|table| table.unread()).collect())
            }
        }
    }

    fn names_column(&self, axis: Axis) -> Option<String> {
        self.table(axis).and_then(Attributes::names_attribute).map(ToOwned::to_owned)
    }

    fn notes(&self) -> Vec<String> {
        let axes = [Axis::Rows, Axis::Cols];
        axes.into_iter().filter_map(|axis| self.table(axis)?.names_note(axis)).collect()
    }

    fn random_access(&self) -> bool {
        matches!(self.stored, MatrixData::Dense(_))
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        match &self.stored {
            MatrixData::Dense(dense) => {
                self.header.check_majors(&majors)?;
                Ok(Box::new(DenseReader::new(dense, majors, fields)))
            }
            MatrixData::Graph(graph) => {
                let order = self.header.order;
                if majors != (0..self.header.shape.major(order)) {
                    let axis = order.major();
                    let what =
                        format!("a graph can only be read as a whole, not by a range of {axis}");
                    return Err(Error::argument(what));
                }
                Ok(graph.units(fields))
            }
        }
    }

    fn units_within(
        &self,
        majors: Range<u64>,
        minors: &[Range<u64>],
        fields: Projection,
    ) -> Result<Option<Box<dyn UnitReader<'_> + '_>>> {
        let MatrixData::Dense(dense) = &self.stored else { return Ok(None) };
        self.header.check_majors(&majors)?;
        let reader = DenseReader::within(dense, majors, minors, fields);
        Ok(reader.map(|reader| Box::new(reader) as Box<dyn UnitReader<'_>>))
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        let Header { shape, order, .. } = self.header;
        if major > shape.major(order) {
            return Ok(None);
        }
        match &self.stored {
            MatrixData::Dense(_) => Ok(major.checked_mul(shape.minor(order))),
            MatrixData::Graph(_) => Ok(None),
        }
    }
}
