//! An open file.

use std::sync::{Arc, OnceLock};

use nnz_container::kinds;
use nnz_container::tree::{Attribute, Child, ChildKind, Group, NdArray};
use nnz_core::{Axis, Error, ErrorKind, Place, Result, Shape, readable};

use super::attributes::{Attributes, group_of};
use super::item::{ATTRIBUTES, COLLECTIONS, Item};
use super::matrix::MatrixSource;
use super::spec;

/// The groups of the root.
const GROUPS: [&str; 6] =
    ["layers", "row_attrs", "col_attrs", "row_graphs", "col_graphs", spec::ATTRIBUTES];

/// A Loom file, or a group with the contents of one.
///
/// Opening reads the version and the shape of the main matrix; everything else is read when it is
/// needed.
#[derive(Clone)]
pub struct Loom {
    pub(super) root: Arc<dyn Group>,
    version: Option<String>,
    shape: Shape,
    tables: Arc<[OnceLock<Arc<Attributes>>; 2]>,
}

impl std::fmt::Debug for Loom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loom").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Loom {
    /// Returns whether a group is the root of a Loom file: it has an array `matrix` and the groups
    /// `row_attrs` and `col_attrs`.
    ///
    /// # Errors
    ///
    /// Fails if the group cannot be read.
    pub fn is_root(group: &dyn Group) -> Result<bool> {
        // Of HDF5 only: no program writes Loom to other containers.
        if *group.info() != kinds::HDF5 {
            return Ok(false);
        }
        for axis in [Axis::Rows, Axis::Cols] {
            if readable(group.group(group_of(axis)))?.is_none() {
                return Ok(false);
            }
        }
        let kind = readable(group.child("matrix"))?.flatten();
        Ok(matches!(kind, Some(ChildKind::Array)))
    }

    /// Opens the file with this root group.
    ///
    /// # Errors
    ///
    /// Fails if it has no main matrix with two dimensions, or no attributes.
    pub fn open(root: impl Into<Arc<dyn Group>>) -> Result<Self> {
        let root = root.into();
        let shape = shape_of(&*root.array("matrix")?)?;
        for axis in [Axis::Rows, Axis::Cols] {
            root.group(group_of(axis))?;
        }
        let version = spec::version(&*root)?;
        Ok(Self { root, version, shape, tables: Arc::default() })
    }

    /// Returns the version of the specification, such as `3.0.0`; `None` if the file has none.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the numbers of genes and cells.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the attributes of an axis.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    pub fn attributes(&self, axis: Axis) -> Result<Arc<Attributes>> {
        let [rows, cols] = &*self.tables;
        let cell = if axis == Axis::Rows { rows } else { cols };
        if let Some(table) = cell.get() {
            return Ok(Arc::clone(table));
        }
        let len = self.shape.len(axis);
        let table = Attributes::open(&*self.root, axis, len, self.version())?;
        Ok(Arc::clone(cell.get_or_init(|| Arc::new(table))))
    }

    /// Lists the matrices, the main one first.
    ///
    /// # Errors
    ///
    /// Fails if a group cannot be read.
    pub fn items(&self) -> Result<Vec<Item>> {
        let mut items = vec![Item::Matrix];
        for (name, item) in COLLECTIONS {
            let group = match self.root.group(name) {
                Ok(group) => group,
                // Files of version 1 have no graphs, and layers are optional.
                Err(error) if matches!(error.kind(), ErrorKind::Missing) => continue,
                Err(error) => return Err(error),
            };
            items.extend(group.children()?.into_iter().map(|child| item(child.name)));
        }
        for (axis, (_, item)) in [Axis::Rows, Axis::Cols].into_iter().zip(ATTRIBUTES) {
            items.extend(self.attributes(axis)?.wide().iter().cloned().map(item));
        }
        Ok(items)
    }

    /// Opens a matrix.
    ///
    /// # Errors
    ///
    /// Fails if there is none at this location, if it is invalid, or if its shape differs from
    /// the main matrix.
    pub fn matrix(&self, item: &Item) -> Result<MatrixSource> {
        MatrixSource::open(self, item)
    }

    /// Opens the main matrix of the file: everything else is among its
    /// [extras](nnz_core::MatrixSource::extras).
    ///
    /// # Errors
    ///
    /// Fails like [`matrix`](Self::matrix).
    pub fn main_matrix(&self) -> Result<MatrixSource> {
        let mut matrix = self.matrix(&Item::Matrix)?;
        matrix.file = Some(self.clone());
        Ok(matrix)
    }

    /// Lists everything in the file except the main matrix, its names and annotations.
    ///
    /// # Errors
    ///
    /// Fails if a group cannot be read.
    pub fn others(&self) -> Result<Vec<String>> {
        let items = self.items()?;
        let mut others: Vec<String> = items.iter().skip(1).map(ToString::to_string).collect();
        others.extend(self.unread()?);
        Ok(others)
    }

    /// Lists what is not read: attributes that are neither annotations nor matrices, and global
    /// attributes.
    ///
    /// # Errors
    ///
    /// Fails if a group cannot be read.
    pub fn unread(&self) -> Result<Vec<String>> {
        let mut unread = Vec::new();
        for axis in [Axis::Rows, Axis::Cols] {
            let Some(table) = readable(self.attributes(axis))? else { continue };
            unread.extend(table.unread());
        }
        let globals = spec::global_attributes(&*self.root)?;
        unread.extend(globals.into_iter().map(|name| format!("the attribute {name:?}")));
        unread.extend(self.unspecified()?);
        Ok(unread)
    }

    /// Describes what is not read, if there is something.
    pub(super) fn unread_note(&self) -> Result<Option<String>> {
        let mut unread = self.unread()?;
        // They are kept when the whole file is converted.
        let globals = self.global_attributes()?;
        unread.retain(|path| {
            globals.iter().all(|(name, _)| *path != format!("the attribute {name:?}"))
        });
        Ok((!unread.is_empty()).then(|| format!("not read: {}", unread.join(", "))))
    }

    /// Lists what the specification does not have: other members of the root, and attributes of arrays and groups.
    fn unspecified(&self) -> Result<Vec<String>> {
        let mut unread = Vec::new();
        for Child { name, kind, .. } in readable(self.root.children())?.unwrap_or_default() {
            let group = GROUPS.contains(&&*name).then_some(ChildKind::Group);
            let known = group.or((name == "matrix").then_some(ChildKind::Array));
            if known.is_none_or(|known| known != kind) {
                unread.push(name);
                continue;
            }
            let attributes = match kind {
                ChildKind::Array => self.root.array(&name).and_then(|array| array.attributes()),
                _ => self.root.group(&name).and_then(|group| group.attributes()),
            };
            // loompy writes when the array or group was changed.
            let mut names = readable(attributes)?.unwrap_or_default();
            names.retain(|attribute| !spec::OWN.contains(&&**attribute));
            unread.extend(
                names.iter().map(|attribute| format!("the attribute {attribute:?} of {name}")),
            );
        }
        Ok(unread)
    }

    /// Reads the global attributes of the user: numbers and strings, alone or in a list. All others are
    /// left out.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read them.
    pub fn global_attributes(&self) -> Result<Vec<(String, Attribute)>> {
        spec::read_global_attributes(&*self.root)
    }

    /// Opens the array of a dense matrix.
    pub(super) fn dense(&self, item: &Item) -> Result<Box<dyn NdArray>> {
        let array = self.root.array(&item.to_string())?;
        let shape = shape_of(&*array)?;
        let Shape { rows, cols } = self.shape;
        let expected = match item {
            Item::RowAttribute(_) => Shape { rows, cols: shape.cols },
            Item::ColAttribute(_) => Shape { rows: cols, cols: shape.cols },
            _ => self.shape,
        };
        if shape != expected {
            let found = format!("an array of shape {shape}");
            let expected = format!("{expected}, as the main matrix requires");
            return Err(Error::mismatch(array.place(), found, expected));
        }
        Ok(array)
    }

    pub(super) fn place(&self) -> Place {
        Place::path(self.root.path())
    }
}

/// Returns the shape of a matrix, which must have two dimensions.
fn shape_of(array: &dyn NdArray) -> Result<Shape> {
    match *array.shape() {
        [rows, cols] => Ok(Shape { rows, cols }),
        _ => {
            let found = format!("{} dimensions", array.shape().len());
            Err(Error::mismatch(array.place(), found, "two dimensions"))
        }
    }
}
