//! A 10x matrix as a matrix source.

use std::ops::Range;

use nnz_container::matrix::{Compressed, CompressedArrays, Indices, Vector};
use nnz_container::tree::{ChildKind, Group, NdArray};
use nnz_core::{
    About, Annotations, ArrayAbout, Axis, AxisKind, Column as Annotation, ColumnInfo, ColumnType,
    ColumnValues, Duplicates, Error, Header, MatrixSource, Names, Order, Projection, Repairs,
    Result, Shape, Storage, Structure, UnitReader, readable,
};

use super::find::{FormatVersion, layout};

/// A 10x matrix in HDF5, open for reading: features x cells, by cell.
#[derive(Debug)]
pub struct TenxSource {
    format_version: FormatVersion,
    matrix: Compressed,
    header: Header,
    /// The columns of features, ids first.
    features: Vec<Column>,
    barcodes: Option<Column>,
}

/// A list of strings: one for each feature, or for each cell.
#[derive(Debug)]
struct Column {
    name: String,
    array: Box<dyn NdArray>,
}

impl TenxSource {
    /// Opens the matrix of a group. Entries are checked while they are read.
    ///
    /// # Errors
    ///
    /// Fails if an array is missing or has a wrong type, if lengths do not match the shape, or if
    /// the pointers do not end at the last entry.
    pub fn open(group: &dyn Group) -> Result<Self> {
        Self::open_with_repairs(group, None)
    }

    /// Opens the matrix of a group. With `repairs`, pointers that overflowed are corrected.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    pub fn open_with_repairs(group: &dyn Group, repairs: Option<&Repairs>) -> Result<Self> {
        let format_version = layout(&group.children()?).unwrap_or(FormatVersion::V3);
        let shape = shape(group)?;
        let arrays = CompressedArrays {
            pointers: Indices::open(group, "indptr")?,
            indices: Indices::open(group, "indices")?,
            values: Vector::open(group, "data")?,
        };
        let pointers = arrays.pointers.vector().place_of(shape.cols);
        let matrix = Compressed::open(arrays, shape, Order::Col, repairs)?;
        if matrix.unused() > 0 {
            let expected = format!("{}, the end", matrix.entries().saturating_add(matrix.unused()));
            return Err(Error::mismatch(pointers, matrix.entries(), expected));
        }
        let barcodes = Column::open(group, "barcodes", shape.cols, Axis::Cols)?;
        let features = features(group, format_version, shape.rows)?;
        let header = Header {
            shape,
            order: Order::Col,
            ordered: true,
            sorted_majors: true,
            // Cell Ranger 3.0 wrote the features of a cell in descending order.
            sorted_indices: None,
            value_type: matrix.value_type(),
            iso: false,
            nnz: Some(matrix.entries()),
            storage: Storage::Sparse,
            structure: Structure::General,
            fill: None,
            duplicates: Duplicates::Summed,
            axis_kinds: [AxisKind::Features, AxisKind::Cells],
        };
        Ok(Self { format_version, matrix, header, features, barcodes })
    }

    /// Returns the layout of the matrix.
    #[must_use]
    pub fn format_version(&self) -> FormatVersion {
        self.format_version
    }

    /// Lists the columns of features: `id`, `name`, `feature_type`, `genome` and others that exist.
    /// Before version 3 there are only `id` and `name`.
    pub fn feature_columns(&self) -> impl Iterator<Item = &str> {
        self.features.iter().map(|column| &*column.name)
    }

    /// Starts reading a column of features; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn read_feature_column(&self, name: &str) -> Result<Option<Names<'_>>> {
        let column = self.features.iter().find(|column| column.name == name);
        column.map(Column::read).transpose()
    }

    /// Returns the columns other than the names of features.
    fn others(&self) -> &[Column] {
        self.features.get(1..).unwrap_or_default()
    }
}

impl Column {
    /// Opens a list of strings of length `len`; `None` if it does not exist.
    fn open(group: &dyn Group, name: &str, len: u64, axis: Axis) -> Result<Option<Self>> {
        if group.child(name)?.is_none() {
            return Ok(None);
        }
        let array = group.array(name)?;
        if !array.element_type().is_string() {
            let found = format!("elements of type {}", array.element_type());
            return Err(Error::mismatch(array.place(), found, "strings"));
        }
        if *array.shape() != [len] {
            let found = match array.shape() {
                &[found] => format!("{found} strings"),
                shape => format!("{} dimensions", shape.len()),
            };
            let expected = format!("{len}, the number of {axis}");
            return Err(Error::mismatch(array.place(), found, expected));
        }
        Ok(Some(Self { name: name.to_owned(), array }))
    }

    fn read(&self) -> Result<Names<'_>> {
        self.array.read_strings(&self.array.all())
    }

    fn about(&self) -> Result<ArrayAbout> {
        Ok(ArrayAbout {
            name: self.array.place().array.unwrap_or_default(),
            value_type: None,
            len: self.array.shape().first().copied(),
            bytes: ArrayAbout::size(self.array.stored_bytes())?,
        })
    }
}

/// Reads the number of features and of cells.
fn shape(group: &dyn Group) -> Result<Shape> {
    let indices = Indices::open(group, "shape")?;
    if indices.len() != 2 {
        let found = format!("{} numbers", indices.len());
        let expected = "two: features and cells";
        return Err(Error::mismatch(indices.vector().place(), found, expected));
    }
    let mut shape = [0_u64; 2];
    indices.read(0, 1 << 63, &mut shape)?;
    Ok(Shape { rows: shape[0], cols: shape[1] })
}

/// Opens the columns of features, ids first, then names, types and genomes.
fn features(group: &dyn Group, format_version: FormatVersion, rows: u64) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    if format_version == FormatVersion::V2 {
        for (array, name) in [("genes", "id"), ("gene_names", "name")] {
            if let Some(column) = Column::open(group, array, rows, Axis::Rows)? {
                columns.push(Column { name: name.to_owned(), ..column });
            }
        }
        return Ok(columns);
    }
    if group.child("features")? != Some(ChildKind::Group) {
        return Ok(columns);
    }
    let features = group.group("features")?;
    let first = ["id", "name", "feature_type", "genome"];
    for name in first {
        columns.extend(Column::open(&*features, name, rows, Axis::Rows)?);
    }
    for child in features.children()? {
        let known = first.contains(&&*child.name) || child.name == "_all_tag_keys";
        if known || child.kind != ChildKind::Array {
            continue;
        }
        // Other columns may be numbers, or have another length.
        let array = features.array(&child.name)?;
        if array.element_type().is_string() && *array.shape() == [rows] {
            columns.push(Column { name: child.name, array });
        }
    }
    Ok(columns)
}

impl MatrixSource for TenxSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let mut arrays = self.matrix.about()?;
        for column in self.features.iter().chain(&self.barcodes) {
            arrays.push(column.about()?);
        }
        let (version, dialect) = match self.format_version {
            FormatVersion::V2 => ("2", "a group for each genome"),
            FormatVersion::V3 => ("3", "one group with a table of features"),
        };
        Ok(About {
            format: "10x HDF5".to_owned(),
            container: "HDF5".to_owned(),
            version: Some(version.to_owned()),
            dialect: Some(dialect.to_owned()),
            bytes: arrays.iter().map(|array| array.bytes).sum(),
            arrays,
            notes: Vec::new(),
        })
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        let column = match axis {
            Axis::Rows => self.features.first(),
            Axis::Cols => self.barcodes.as_ref(),
        };
        column.map(Column::read).transpose()
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.matrix.units(majors, fields)
    }

    fn will_read(&self, majors: &[Range<u64>], fields: Projection) {
        // An array that cannot be read is an error when it is read.
        let _ = readable(self.matrix.will_read(majors, fields));
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        self.matrix.stored_before(major).map(Some)
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        if axis == Axis::Cols || self.others().is_empty() {
            return Ok(None);
        }
        let info = |column: &Column| ColumnInfo {
            name: column.name.clone(),
            column_type: ColumnType::String,
        };
        let columns = self.others().iter().map(info).collect();
        let (lists, len) = (self.others(), self.header.shape.rows);
        Ok(Some(Box::new(FeatureTable { columns, lists, len })))
    }
}

/// The columns of features except their ids.
struct FeatureTable<'a> {
    columns: Vec<ColumnInfo>,
    lists: &'a [Column],
    len: u64,
}

impl Annotations for FeatureTable<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Annotation> {
        let list = self.lists.get(column).ok_or_else(|| Error::argument("no such column"))?;
        let strings = list.read()?.list_with_limit(memory)?;
        Ok(Annotation { values: ColumnValues::Strings(strings), missing: None })
    }
}
