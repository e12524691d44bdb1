//! A 10x matrix as a matrix source.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use nnz_container::matrix::{Compressed, CompressedArrays, Indices, Vector};
use nnz_container::tree::{ChildKind, Group};
use nnz_core::{
    About, Annotations, Axis, AxisKind, Duplicates, Error, Finding, Header, MatrixSource, Metadata,
    Names, Order, Place, Projection, Repairs, Result, Shape, UnitReader, readable,
};
use nnz_engine::report_error;

use super::beside;
use super::columns::{Column, OpenedColumn, Table};
use super::find::{FormatVersion, GENES, MATRIX, PARTS, layout};
use super::root::{Root, says_nothing};
use crate::without::{copy_of, droppable};

/// A 10x matrix in HDF5, open for reading: features x cells, by cell.
#[derive(Debug)]
pub struct TenxSource {
    format_version: FormatVersion,
    matrix: Compressed,
    header: Header,
    /// The ids of features, or their names if there are no ids.
    ids: Option<Column>,
    /// The other columns of features.
    features: Vec<Column>,
    barcodes: Option<Column>,
    /// Other arrays with an element for each cell.
    cells: Vec<Column>,
    /// Elements that are not read.
    unread: Vec<String>,
    /// Damaged columns of features and of cells, each with its path.
    broken: [Vec<(String, Error)>; 2],
    /// Attributes of the root of the file, as JSON.
    attributes: Vec<(String, String)>,
    path: PathBuf,
    /// Attributes of the group.
    of_group: Vec<String>,
}

/// Members that are not columns.
#[derive(Default)]
struct OtherMembers {
    /// Each with the reason.
    unread: Vec<(String, String)>,
    broken: Vec<(String, Error)>,
}

impl OtherMembers {
    /// Returns a member if it is a column.
    fn column(&mut self, path: String, opened: OpenedColumn) -> Option<Column> {
        match opened {
            OpenedColumn::Column(column) => return Some(column),
            OpenedColumn::Unread(why) => self.unread.push((path, why)),
            OpenedColumn::Broken(error) => self.broken.push((path, error)),
        }
        None
    }
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
        let format_version = layout_of(group)?;
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
        let (mut others, mut of_cells) = (OtherMembers::default(), OtherMembers::default());
        let (ids, features) = features(group, format_version, shape.rows, &mut others)?;
        let cells = cells(group, format_version, shape, &mut of_cells)?;
        others.unread.append(&mut of_cells.unread);
        let names: BTreeSet<&str> = others.unread.iter().map(|(name, _)| &**name).collect();
        let of_arrays = beside::of_arrays(group, &names)?;
        let unread = others.unread.iter().map(|(name, why)| format!("{name} ({why})"));
        let unread = unread.chain(of_arrays).collect();
        let path = group.path().to_path_buf();
        let name = path.to_string_lossy();
        let of_group =
            beside::of_object(group, name.rsplit(['/', ':']).next().unwrap_or_default())?;
        let header = Header::new(shape, Order::Col, matrix.value_type())
            .nnz(matrix.entries())
            .duplicates(Duplicates::Summed)
            .axis_kinds([AxisKind::Features, AxisKind::Cells]);
        Ok(Self {
            format_version,
            matrix,
            header,
            ids,
            features,
            barcodes,
            cells,
            unread,
            broken: [others.broken, of_cells.broken],
            attributes: Vec::new(),
            path,
            of_group,
        })
    }

    /// Reads the attributes of the root of the file, which belong to all of its matrices. `only` is the group of the
    /// matrix if the file has no other and was opened without a group. Then the other members of the root are listed as not
    /// read.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read them.
    pub fn in_file(mut self, root: &dyn Group, only: Option<&str>) -> Result<Self> {
        let Root { attributes, unread } = Root::read(root)?;
        self.attributes = attributes;
        if root.path() != self.path {
            self.unread.append(&mut self.of_group);
        }
        if let Some(group) = only {
            self.unread.extend(readable(beside::of_root(root, group))?.unwrap_or_default());
            let of_root = unread.iter().map(|name| format!("the attribute {name:?} of the file"));
            self.unread.extend(of_root);
        }
        Ok(self)
    }

    /// Leaves members of the root out of what is listed as not read.
    #[must_use]
    pub fn without(mut self, members: &[String]) -> Self {
        self.unread.retain(|name| !members.contains(name));
        self
    }

    /// Reads the columns, and passes findings to `each`. Columns are not kept; one may take `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read, or if a column takes more memory.
    pub fn validate_columns(&self, memory: u64, each: &mut dyn FnMut(Finding)) -> Result<()> {
        for (_, error) in self.broken.iter().flatten() {
            report_error(copy_of(error), each)?;
        }
        for column in self.features.iter().chain(&self.cells) {
            if let Err(error) = column.read(memory) {
                report_error(error, each)?;
            }
        }
        if let Some(what) = self.unread_note() {
            each(Finding::note(Place::path(&*self.path), what));
        }
        Ok(())
    }

    /// Describes the damaged columns.
    fn broken_notes(&self) -> impl Iterator<Item = String> + '_ {
        let broken = self.broken.iter().flatten();
        broken.map(|(path, error)| format!("damaged: {path} ({})", error.kind()))
    }

    /// Describes what is not read, if there is something.
    fn unread_note(&self) -> Option<String> {
        (!self.unread.is_empty()).then(|| format!("not read: {}", self.unread.join(", ")))
    }

    /// Returns the layout of the matrix.
    #[must_use]
    pub fn format_version(&self) -> FormatVersion {
        self.format_version
    }

    /// Returns the columns other than the names.
    fn columns(&self, axis: Axis) -> &[Column] {
        match axis {
            Axis::Rows => &self.features,
            Axis::Cols => &self.cells,
        }
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

/// Returns the layout of a matrix.
fn layout_of(group: &dyn Group) -> Result<FormatVersion> {
    let children = group.children()?;
    let has_features = children.iter().any(|child| child.name == "features");
    let path = group.path().to_string_lossy();
    let is_named = path.rsplit(['/', ':']).next() == Some(MATRIX);
    Ok(match layout(&children) {
        // A group of a genome, without its genes.
        Some(FormatVersion::V3) if !has_features && !is_named => FormatVersion::V2,
        found => found.unwrap_or(FormatVersion::V3),
    })
}

/// Opens the names of features, and their other columns: names, types and genomes first. What is not a column
/// is added to `others`.
fn features(
    group: &dyn Group,
    format_version: FormatVersion,
    rows: u64,
    others: &mut OtherMembers,
) -> Result<(Option<Column>, Vec<Column>)> {
    /// All columns of Cell Ranger, as strings.
    const KNOWN: [&str; 4] = ["id", "name", "feature_type", "genome"];
    let mut columns = Vec::new();
    match format_version {
        FormatVersion::V2 => {
            for (array, name) in GENES.into_iter().zip(KNOWN) {
                if let Some(column) = Column::open(group, array, rows, Axis::Rows)? {
                    columns.push(column.named(name));
                }
            }
        }
        FormatVersion::V3 if group.child("features")? == Some(ChildKind::Group) => {
            let features = group.group("features")?;
            for name in KNOWN {
                if name != "id" && is_single(&*features, name)? {
                    let why = "one value for all features".to_owned();
                    others.unread.push((format!("features/{name}"), why));
                    continue;
                }
                columns.extend(Column::open(&*features, name, rows, Axis::Rows)?);
            }
            for child in features.children()? {
                if KNOWN.contains(&&*child.name) || child.name == "_all_tag_keys" {
                    continue;
                }
                let opened = Column::optional(&*features, &child, rows, true)?;
                columns.extend(others.column(format!("features/{}", child.name), opened));
            }
        }
        FormatVersion::V3 => {}
    }
    let has_names = columns.first().is_some_and(|column| ["id", "name"].contains(&column.name()));
    let names = has_names.then(|| columns.remove(0));
    Ok((names, columns))
}

/// Returns whether a member of a group is an array without dimensions.
fn is_single(group: &dyn Group, name: &str) -> Result<bool> {
    if group.child(name)? != Some(ChildKind::Array) {
        return Ok(false);
    }
    Ok(readable(group.array(name))?.is_some_and(|array| array.shape().is_empty()))
}

/// Opens the arrays of a matrix with an element for each cell, such as `filtered_barcodes`. Others, with a length that
/// is not the number of cells, or also the number of features, are added to `others`.
fn cells(
    group: &dyn Group,
    format_version: FormatVersion,
    shape: Shape,
    others: &mut OtherMembers,
) -> Result<Vec<Column>> {
    const FILTERED: &str = "filtered_barcodes";
    let mut columns = Vec::new();
    for child in group.children()? {
        let known = match format_version {
            FormatVersion::V2 => GENES.contains(&&*child.name),
            FormatVersion::V3 => child.name == "features",
        };
        if known || PARTS.contains(&&*child.name) {
            continue;
        }
        let is_of_cells = child.name == FILTERED;
        let opened = match Column::optional(group, &child, shape.cols, is_of_cells)? {
            OpenedColumn::Column(_) if shape.rows == shape.cols && !is_of_cells => {
                OpenedColumn::Unread("of cells or of features".to_owned())
            }
            opened => opened,
        };
        columns.extend(others.column(child.name, opened));
    }
    Ok(columns)
}

impl MatrixSource for TenxSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let mut arrays = self.matrix.about()?;
        let names = self.ids.iter().chain(&self.features).chain(&self.barcodes);
        for column in names.chain(&self.cells) {
            arrays.push(column.about()?);
        }
        let (version, dialect) = match self.format_version {
            FormatVersion::V2 => ("2", "a group for each genome"),
            FormatVersion::V3 => ("3", "one group with a table of features"),
        };
        Ok(About::new("10x HDF5", "HDF5")
            .version(version.to_owned())
            .dialect(dialect.to_owned())
            .with_arrays(arrays)
            .notes(self.unread_note().into_iter().chain(self.broken_notes()).collect()))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        let names = match axis {
            Axis::Rows => &self.ids,
            Axis::Cols => &self.barcodes,
        };
        names.as_ref().map(Column::strings).transpose()
    }

    fn names_column(&self, axis: Axis) -> Option<String> {
        (axis == Axis::Rows).then(|| "id".to_owned())
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
        let [of_features, of_cells] = &self.broken;
        let (broken, group) = match axis {
            Axis::Rows => (of_features, "features/"),
            Axis::Cols => (of_cells, ""),
        };
        if let Some((path, error)) = broken.first() {
            return Err(droppable(copy_of(error), path));
        }
        let (columns, len) = (self.columns(axis), self.header.shape.len(axis));
        Ok((!columns.is_empty())
            .then(|| Box::new(Table::new(columns, len, group)) as Box<dyn Annotations>))
    }

    fn metadata(&self) -> Metadata {
        let attributes = self.attributes.iter().cloned();
        let (format, file) = attributes.partition(|(name, json)| says_nothing(name, json));
        Metadata::default().file(file).format(format)
    }

    fn extras(&self) -> Result<Vec<String>> {
        Ok(self.unread.clone())
    }
}
