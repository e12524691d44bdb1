//! An open file.

use std::sync::{Arc, OnceLock};

use nnz_container::tree::{Attribute, ElementType, Group};
use nnz_core::{Axis, Error, Place, Repairs, Result, readable};

use super::Item;
use super::element::{Element, Encoding, SparseGroup};
use super::frame::DataFrame;
use super::item::{COLLECTIONS, TableAxis};
use super::matrix::MatrixSource;
use crate::globals;

/// An AnnData file or store, or a group in one.
///
/// Opening reads only the attributes of the root; tables and matrices are read when they are
/// needed.
#[derive(Clone)]
pub struct AnnData {
    pub(crate) root: Arc<dyn Group>,
    encoding: Encoding,
    frames: Arc<Frames>,
    /// Records repairs, if they are allowed.
    pub(super) repairs: Option<Arc<Repairs>>,
}

/// The tables, each opened only once.
#[derive(Default)]
struct Frames {
    obs: OnceLock<Arc<DataFrame>>,
    var: OnceLock<Arc<DataFrame>>,
    raw_var: OnceLock<Arc<DataFrame>>,
}

impl std::fmt::Debug for AnnData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnnData").field("root", &self.root).finish_non_exhaustive()
    }
}

impl AnnData {
    /// Returns whether a group is the root of AnnData: it has the attributes, or `obs` and `var` in
    /// the layout before anndata 0.8.
    ///
    /// # Errors
    ///
    /// Fails if the group cannot be read.
    pub fn is_root(group: &dyn Group) -> Result<bool> {
        let encoding = Encoding::of(group, &Place::path(group.path()))?;
        if !encoding.kind.is_empty() {
            return Ok(encoding.kind == "anndata");
        }
        Ok(is_frame(group, "obs")? && is_frame(group, "var")?)
    }

    /// Opens the AnnData with this root group.
    ///
    /// # Errors
    ///
    /// Fails if it is not AnnData, or of an unknown version.
    pub fn open(root: impl Into<Arc<dyn Group>>) -> Result<Self> {
        let root = root.into();
        let place = Place::path(root.path());
        let encoding = Encoding::of(&*root, &place)?;
        if encoding.kind == "anndata" {
            encoding.check(&["0.1.0"], &place)?;
        } else if !encoding.kind.is_empty() || !Self::is_root(&*root)? {
            let found = match &*encoding.kind {
                "" => "no obs and var".to_owned(),
                kind => format!("encoding-type {kind:?}"),
            };
            return Err(Error::mismatch(place, found, "AnnData"));
        }
        Ok(Self { root, encoding, frames: Arc::default(), repairs: None })
    }

    /// Opens the tables and what belongs to them of a root of another kind, which has no `X`.
    pub(crate) fn of_tables(root: Arc<dyn Group>) -> Self {
        Self { root, encoding: Encoding::default(), frames: Arc::default(), repairs: None }
    }

    /// Corrects pointers that overflowed in the matrices opened, and records it in `repairs`.
    #[must_use]
    pub fn with_repairs(mut self, repairs: Option<Arc<Repairs>>) -> Self {
        self.repairs = repairs;
        self
    }

    /// Returns the version of the root, such as `0.1.0`; `None` before anndata 0.8.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        Some(&*self.encoding.version).filter(|version| !version.is_empty())
    }

    /// Returns the table of cells.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or invalid.
    pub fn obs(&self) -> Result<Arc<DataFrame>> {
        once(&self.frames.obs, || DataFrame::open(&*self.root, "obs"))
    }

    /// Returns the table of genes.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or invalid.
    pub fn var(&self) -> Result<Arc<DataFrame>> {
        once(&self.frames.var, || DataFrame::open(&*self.root, "var"))
    }

    /// Returns the table of genes of `raw`.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or invalid.
    pub fn raw_var(&self) -> Result<Arc<DataFrame>> {
        once(&self.frames.raw_var, || {
            let old = Element::find(&*self.root, "raw.var")?.is_some();
            DataFrame::open(&*self.root, if old { "raw.var" } else { "raw/var" })
        })
    }

    /// Returns the table for the rows or columns of a matrix, which need not exist; `None` for
    /// columns without names.
    ///
    /// # Errors
    ///
    /// Fails if the table is missing or invalid.
    pub fn table(&self, item: &Item, axis: Axis) -> Result<Option<Arc<DataFrame>>> {
        let [rows, cols] = item.axes();
        self.frame(if axis == Axis::Rows { rows } else { cols })
    }

    /// Returns whether the file has a matrix at this location.
    ///
    /// # Errors
    ///
    /// Fails if that cannot be read.
    pub fn contains(&self, item: &Item) -> Result<bool> {
        Ok(self.element(item)?.is_some())
    }

    /// Returns the table for an axis.
    pub(super) fn frame(&self, along: TableAxis) -> Result<Option<Arc<DataFrame>>> {
        match along {
            TableAxis::Obs => self.obs().map(Some),
            TableAxis::Var => self.var().map(Some),
            TableAxis::RawVar => self.raw_var().map(Some),
            TableAxis::Nothing => Ok(None),
        }
    }

    /// Lists the matrices, `X` first. Other elements, such as a table in `obsm`, are left out.
    ///
    /// # Errors
    ///
    /// Fails if a group cannot be read.
    pub fn items(&self) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        for item in [Item::X, Item::RawX] {
            // If it is not a matrix, opening it gives the error.
            if readable(self.element(&item))?.is_none_or(|found| found.is_some()) {
                items.push(item);
            }
        }
        for collection in COLLECTIONS {
            for path in [Some(collection.path), collection.old].into_iter().flatten() {
                match Element::at(&*self.root, path)? {
                    Some(Element::Group(group)) => {
                        let mut names = Vec::new();
                        // All layers have to be matrices.
                        let all = collection.path == "layers";
                        matrices_in(&*group, "", all, &mut names)?;
                        items.extend(names.into_iter().map(collection.item));
                    }
                    Some(Element::Array(array)) => {
                        if let ElementType::Compound(fields) = array.element_type() {
                            let names = fields.iter().map(|field| field.name.clone());
                            items.extend(names.map(collection.item));
                        }
                    }
                    None => {}
                }
            }
        }
        Ok(items)
    }

    /// Reads the elements of `uns` that are numbers or strings, alone or in a list. All others are left
    /// out.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read them.
    pub fn plain_unstructured(&self) -> Result<Vec<(String, Attribute)>> {
        match readable(self.root.group("uns"))? {
            Some(uns) => globals::read(&*uns),
            None => Ok(Vec::new()),
        }
    }

    /// Lists the members of `uns`, each with its encoding, such as `dict`, and the type of an array.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read them.
    pub fn unstructured(&self) -> Result<Vec<(String, String, String)>> {
        let Some(uns) = readable(self.root.group("uns"))? else { return Ok(Vec::new()) };
        let mut members = Vec::new();
        for name in readable(uns.member_names())?.unwrap_or_default() {
            let described = readable(Element::open(&*uns, &name).and_then(|element| {
                let kind = element.encoding()?.kind;
                Ok(match (element, &*kind) {
                    (Element::Array(array), "") => {
                        ("array".to_owned(), array.element_type().to_string())
                    }
                    (Element::Array(array), _) => (kind, array.element_type().to_string()),
                    (Element::Group(_), "") => ("dict".to_owned(), String::new()),
                    (Element::Group(_), _) => (kind, String::new()),
                })
            }))?;
            let (kind, element_type) =
                described.unwrap_or_else(|| ("invalid".to_owned(), String::new()));
            members.push((name, kind, element_type));
        }
        Ok(members)
    }

    /// Opens a matrix.
    ///
    /// # Errors
    ///
    /// Fails if there is none at this location, if it is invalid, or if its shape differs from
    /// the tables.
    pub fn matrix(&self, item: &Item) -> Result<MatrixSource> {
        MatrixSource::open(self, item)
    }

    /// Opens the main matrix of the file: all other elements are among its
    /// [extras](nnz_core::MatrixSource::extras).
    ///
    /// # Errors
    ///
    /// Fails like [`matrix`](Self::matrix).
    pub fn main_matrix(&self, item: &Item) -> Result<MatrixSource> {
        let mut matrix = self.matrix(item)?;
        matrix.is_main = true;
        Ok(matrix)
    }

    /// Finds the element of a matrix, and its path.
    pub(super) fn element(&self, item: &Item) -> Result<Option<(String, Element)>> {
        for path in item.paths() {
            if let Some(element) = Element::at(&*self.root, &path)?
                && !element.is_null()?
            {
                return Ok(Some((path, element)));
            }
        }
        Ok(None)
    }
}

fn once(
    cell: &OnceLock<Arc<DataFrame>>,
    open: impl FnOnce() -> Result<DataFrame>,
) -> Result<Arc<DataFrame>> {
    if let Some(frame) = cell.get() {
        return Ok(Arc::clone(frame));
    }
    let frame = Arc::new(open()?);
    Ok(Arc::clone(cell.get_or_init(|| frame)))
}

/// Returns whether something looks like a table of anndata.
fn is_frame(group: &dyn Group, name: &str) -> Result<bool> {
    Ok(match Element::find(group, name)? {
        Some(Element::Group(frame)) => frame.attribute("_index")?.is_some(),
        Some(Element::Array(array)) => matches!(array.element_type(), ElementType::Compound(_)),
        None => false,
    })
}

/// Returns whether an element can be read as a matrix. An invalid one counts, because opening it
/// gives the error.
pub(super) fn is_matrix(element: &Element) -> Result<bool> {
    Ok(match element {
        Element::Group(group) => may_be_sparse(&**group)?,
        Element::Array(array) => {
            let element = array.element_type();
            let is_number = !element.is_string() && !matches!(element, ElementType::Time(_));
            array.shape().len() == 2 && is_number
        }
    })
}

/// Returns whether a group is a sparse matrix, or an invalid one.
pub(super) fn may_be_sparse(group: &dyn Group) -> Result<bool> {
    Ok(readable(SparseGroup::of(group))?.is_none_or(|found| found.is_some()))
}

/// Maximum depth of nested groups: names with slashes are nested groups.
const DEEPEST: usize = 16;

/// Lists the matrices of a group, or all its members. Names with slashes are nested groups.
fn matrices_in(group: &dyn Group, prefix: &str, all: bool, names: &mut Vec<String>) -> Result<()> {
    for child in group.children()? {
        let name = format!("{prefix}{}", child.name);
        let element = readable(Element::open(group, &child.name))?;
        let inner = match &element {
            Some(Element::Group(inner)) if is_folder(&**inner)? => Some(inner),
            _ => None,
        };
        if let Some(inner) = inner.filter(|_| prefix.matches('/').count() < DEEPEST) {
            matrices_in(&**inner, &format!("{name}/"), all, names)?;
        } else if all || element.as_ref().map_or(Ok(true), is_matrix)? {
            names.push(name);
        }
    }
    Ok(())
}

/// Returns whether a group has only groups.
fn is_folder(group: &dyn Group) -> Result<bool> {
    let encoding = readable(Encoding::of(group, &Place::path(group.path())))?;
    if !encoding.is_some_and(|encoding| matches!(&*encoding.kind, "" | "dict")) {
        return Ok(false);
    }
    Ok(!may_be_sparse(group)? && readable(group.array("indptr"))?.is_none())
}
