//! Reading a matrix of an AnnData file.

use std::ops::Range;
use std::sync::Arc;

use nnz_container::matrix::{Compressed, CompressedArrays, Indices, Vector};
use nnz_container::tree::{Group, NdArray};
use nnz_core::{
    About, Annotations, ArrayAbout, Axis, AxisKind, Duplicates, Error, ErrorKind, Header, Names,
    Order, Place, Projection, Repairs, Result, Shape, Storage, UnitReader, readable,
};

use super::element::{Element, SparseGroup};
use super::item::TableAxis;
use super::{AnnData, DataFrame, Item};
use crate::dense::{Dense, DenseReader};

/// A matrix of an AnnData file, open for reading.
///
/// Opening reads the attributes, the lengths of arrays and tables and the ends of `indptr`.
/// Everything else is read and checked when it is needed: indices are in range, and `indptr` does
/// not decrease. Indices may be unsorted and have duplicates, which anndata keeps.
pub struct MatrixSource {
    header: Header,
    stored: MatrixData,
    /// The type of the matrix in the file, such as `csr_matrix`.
    encoding: String,
    version: Option<String>,
    container: &'static str,
    /// The location in the file; `None` for a sparse matrix at any other path.
    item: Option<Item>,
    frames: [Option<Arc<DataFrame>>; 2],
    /// The file of a matrix with a location.
    file: Option<AnnData>,
    /// Whether this is the main matrix of its file, with which other elements are reported.
    pub(super) is_main: bool,
}

enum MatrixData {
    Sparse(Box<Compressed>),
    Dense(Dense),
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
    pub(super) fn open(file: &AnnData, item: &Item) -> Result<Self> {
        let (root, repairs) = (&*file.root, file.repairs.as_deref());
        let Some((path, element)) = file.element(item)? else {
            let place = Place::array(root.path(), item.to_string());
            return Err(Error::new(ErrorKind::Missing, place));
        };
        let place = element.place();
        let (stored, shape, order, encoding) = match element {
            Element::Group(group) => {
                let Some(attributes) = SparseGroup::of(&*group)? else {
                    let found = match element_kind(&*group)? {
                        kind if kind.is_empty() => "a group without encoding-type".to_owned(),
                        kind => format!("encoding-type {kind:?}"),
                    };
                    return Err(Error::mismatch(place, found, "a matrix"));
                };
                let SparseGroup { order, shape: [rows, cols], encoding } = attributes;
                let shape = Shape { rows, cols };
                (
                    MatrixData::Sparse(Box::new(open_sparse(&*group, shape, order, repairs)?)),
                    shape,
                    order,
                    encoding.kind,
                )
            }
            Element::Array(array) => {
                let (dense, shape) = Dense::open(array)?;
                (MatrixData::Dense(dense), shape, Order::Row, "array".to_owned())
            }
        };
        let [rows, cols] = item.axes();
        let frames = [file.frame(rows)?, file.frame(cols)?];
        for (frame, axis) in frames.iter().zip([Axis::Rows, Axis::Cols]) {
            let Some(frame) = frame else { continue };
            if shape.len(axis) != frame.len() {
                let found = format!("{path} of shape {shape}");
                let expected = format!("{} {axis}, the length of {}", frame.len(), frame.place());
                return Err(Error::mismatch(place, found, expected));
            }
        }
        let header = header(&stored, shape, order, item.axis_kinds());
        let version = file.version().map(ToOwned::to_owned);
        let (container, item) = (root.info().name, Some(item.clone()));
        let (file, is_main) = (Some(file.clone()), false);
        Ok(Self { header, stored, encoding, version, container, item, frames, file, is_main })
    }

    /// Opens a group as a sparse matrix without names; `None` if it is not one.
    pub(super) fn of_group(group: &dyn Group, repairs: Option<&Repairs>) -> Result<Option<Self>> {
        let Some(attributes) = SparseGroup::of(group)? else { return Ok(None) };
        let SparseGroup { order, shape: [rows, cols], encoding } = attributes;
        let shape = Shape { rows, cols };
        let stored = MatrixData::Sparse(Box::new(open_sparse(group, shape, order, repairs)?));
        let header = header(&stored, shape, order, [AxisKind::Unknown; 2]);
        let (encoding, version, container) = (encoding.kind, None, group.info().name);
        let (item, frames, file, is_main) = (None, [None, None], None, false);
        Ok(Some(Self { header, stored, encoding, version, container, item, frames, file, is_main }))
    }

    /// Opens a two-dimensional array as a matrix without names.
    pub(super) fn of_array(array: Box<dyn NdArray>, container: &'static str) -> Result<Self> {
        let (dense, shape) = Dense::open(array)?;
        let stored = MatrixData::Dense(dense);
        let header = header(&stored, shape, Order::Row, [AxisKind::Unknown; 2]);
        let (encoding, version) = ("array".to_owned(), None);
        let (item, frames, file, is_main) = (None, [None, None], None, false);
        Ok(Self { header, stored, encoding, version, container, item, frames, file, is_main })
    }

    /// Returns the location in the file; `None` for a sparse matrix at any other path.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.item.as_ref()
    }

    /// Returns the type of the matrix in the file, such as `csr_matrix`.
    #[must_use]
    pub fn encoding(&self) -> &str {
        &self.encoding
    }

    fn frame(&self, axis: Axis) -> Option<&DataFrame> {
        self.frames[usize::from(axis == Axis::Cols)].as_deref()
    }

    /// Lists the arrays, and the names of rows and columns.
    fn arrays(&self) -> Result<Vec<ArrayAbout>> {
        let mut arrays = match &self.stored {
            MatrixData::Sparse(sparse) => sparse.about()?,
            MatrixData::Dense(dense) => vec![dense.array()?],
        };
        let [rows, cols] = self.item.as_ref().map_or([TableAxis::Nothing; 2], Item::axes);
        for (frame, along) in self.frames.iter().zip([rows, cols]) {
            let Some(frame) = frame else { continue };
            let name = match along {
                TableAxis::Obs => "obs names",
                TableAxis::Var => "var names",
                TableAxis::RawVar => "raw/var names",
                TableAxis::Nothing => continue,
            };
            let (len, bytes) = (Some(frame.len()), ArrayAbout::size(frame.names_bytes())?);
            if arrays.iter().all(|array| array.name != name) {
                arrays.push(ArrayAbout::new(name).len(len).bytes(bytes));
            }
        }
        Ok(arrays)
    }
}

fn header(stored: &MatrixData, shape: Shape, order: Order, axis_kinds: [AxisKind; 2]) -> Header {
    Header::new(
        shape,
        order,
        match stored {
            MatrixData::Sparse(sparse) => sparse.value_type(),
            MatrixData::Dense(dense) => dense.value_type(),
        },
    )
    .sorted_indices(match stored {
        MatrixData::Sparse(_) => None,
        MatrixData::Dense(_) => Some(true),
    })
    .nnz(match stored {
        MatrixData::Sparse(sparse) => Some(sparse.entries()),
        MatrixData::Dense(_) => u64::try_from(shape.elements()).ok(),
    })
    .storage(match stored {
        MatrixData::Sparse(_) => Storage::Sparse,
        MatrixData::Dense(_) => Storage::Dense,
    })
    .duplicates(Duplicates::Summed)
    .axis_kinds(axis_kinds)
}

/// Returns the encoding of a group.
fn element_kind(group: &dyn Group) -> Result<String> {
    super::element::text(group, "encoding-type", &Place::path(group.path()))
}

/// Opens the arrays of a sparse matrix, whose pointers must end at the last entry.
fn open_sparse(
    group: &dyn Group,
    shape: Shape,
    order: Order,
    repairs: Option<&Repairs>,
) -> Result<Compressed> {
    let arrays = CompressedArrays {
        pointers: Indices::open(group, "indptr")?,
        indices: Indices::open(group, "indices")?,
        values: Vector::open(group, "data")?,
    };
    let last = arrays.pointers.vector().place_of(shape.major(order));
    let matrix = Compressed::open(arrays, shape, order, repairs)?;
    if matrix.unused() > 0 {
        let stored = matrix.entries().saturating_add(matrix.unused());
        let expected = format!("{stored}, the number of indices");
        return Err(Error::mismatch(last, matrix.entries(), expected));
    }
    Ok(matrix)
}

impl nnz_core::MatrixSource for MatrixSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let arrays = self.arrays()?;
        Ok(About::new("AnnData", self.container)
            .version(self.version.clone())
            .dialect(self.encoding.clone())
            .with_arrays(arrays))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.frame(axis).map(DataFrame::names).transpose()
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let Some(frame) = self.frame(axis) else { return Ok(None) };
        frame.check_columns()?;
        Ok(Some(Box::new(frame)))
    }

    fn extras(&self) -> Result<Vec<String>> {
        let mut extras = Vec::new();
        for (number, frame) in self.frames.iter().enumerate() {
            let Some(frame) = frame else { continue };
            let before = self.frames.iter().take(number).flatten();
            // Both axes of a graph have the same table.
            if before.into_iter().all(|other| !Arc::ptr_eq(other, frame)) {
                extras.extend(frame.unread());
            }
        }
        if let (Some(file), Some(item)) = (&self.file, &self.item) {
            if self.is_main {
                extras.extend(readable(file.others(item))?.unwrap_or_default());
            }
            let attributes = readable(file.foreign_attributes(item, self.is_main))?;
            extras.extend(attributes.unwrap_or_default());
        }
        Ok(extras)
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        match &self.stored {
            MatrixData::Sparse(sparse) => sparse.units(majors, fields),
            MatrixData::Dense(dense) => {
                self.header.check_majors(&majors)?;
                Ok(Box::new(DenseReader::new(dense, majors, fields)))
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

    fn will_read(&self, majors: &[Range<u64>], fields: Projection) {
        if let MatrixData::Sparse(sparse) = &self.stored {
            // An array that cannot be read is an error when it is read.
            let _ = readable(sparse.will_read(majors, fields));
        }
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        if major > self.header.shape.major(self.header.order) {
            return Ok(None);
        }
        match &self.stored {
            MatrixData::Sparse(sparse) => sparse.stored_before(major).map(Some),
            MatrixData::Dense(_) => Ok(major.checked_mul(self.header.shape.cols)),
        }
    }
}
