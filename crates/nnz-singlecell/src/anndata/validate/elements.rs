//! Reading the elements that are neither matrices nor the tables of cells and genes.

use std::sync::Arc;

use nnz_container::tree::{ElementType, Group, NdArray};
use nnz_core::{At, Finding, Place, Placed, Result, readable};
use nnz_engine::{TaskContext, check as check_matrix};

use super::{check, check_attributes, check_encoding, report};
use crate::anndata::element::{Element, Encoding};
use crate::anndata::file::is_matrix;
use crate::anndata::frame::check_column;
use crate::anndata::item::{COLLECTIONS, TableAxis};
use crate::anndata::{AnnData, DataFrame, MatrixSource};
use crate::enumeration::Enumeration;

/// Maximum depth of nested groups, and number of groups.
const DEEPEST: usize = 64;
const MOST_GROUPS: usize = 1 << 16;

/// Bytes that are read at a time.
const BLOCK: u64 = 16 << 20;

/// Bytes of an array with missing chunks that are read, and how many times its stored size.
const MOST_UNSTORED: u64 = 1 << 30;
const MOST_RATIO: u64 = 1 << 10;

impl AnnData {
    /// Reads all elements except matrices and the tables of cells and genes, and passes findings to `each`: tables and
    /// arrays in `obsm` and `varm`, and everything in `uns`.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read, if an element takes more memory, or if cancelled.
    pub fn validate_elements(
        &self,
        context: &TaskContext,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let mut walk = Walk { context, each, groups: 0, rows: None };
        for collection in COLLECTIONS {
            for path in [Some(collection.path), collection.old].into_iter().flatten() {
                let [rows, _] = (collection.item)(String::new()).axes();
                let Some(len) = self.len_along(rows)? else { continue };
                walk.rows = match len {
                    Some(_) => readable(self.frame(rows))?.flatten(),
                    None => None,
                };
                match Element::at(&*self.root, path) {
                    Ok(Some(Element::Group(group))) => {
                        check_attributes(&*group, walk.each)?;
                        walk.members(&*group, path, len, true)?;
                    }
                    Ok(_) => {}
                    Err(error) => report(error, walk.each)?,
                }
            }
        }
        walk.rows = None;
        match Element::find(&*self.root, "uns") {
            Ok(Some(Element::Group(uns))) => {
                check_attributes(&*uns, walk.each)?;
                walk.members(&*uns, "uns", None, false)
            }
            Ok(_) => Ok(()),
            Err(error) => report(error, walk.each),
        }
    }

    /// Returns the length of an axis; `None` if its table is invalid, which is another finding.
    #[expect(clippy::option_option, reason = "an axis without a table has any length")]
    fn len_along(&self, along: TableAxis) -> Result<Option<Option<u64>>> {
        use nnz_core::Annotations as _;
        let exists = |path| Ok(readable(Element::at(&*self.root, path))?.flatten().is_some());
        let frame = match along {
            TableAxis::Nothing => return Ok(Some(None)),
            TableAxis::Obs => self.obs(),
            TableAxis::Var => self.var(),
            TableAxis::RawVar if exists("raw")? || exists("raw.var")? => self.raw_var(),
            TableAxis::RawVar => return Ok(None),
        };
        Ok(readable(frame)?.map(|frame| Some(frame.len())))
    }
}

/// A walk through groups of elements.
struct Walk<'a> {
    context: &'a TaskContext,
    each: &'a mut dyn FnMut(Finding),
    groups: usize,
    /// The table of the rows of all elements.
    rows: Option<Arc<DataFrame>>,
}

impl Walk<'_> {
    /// Checks the members of a group, each of which has `len` rows, if it is known. Matrices may be checked elsewhere.
    fn members(
        &mut self,
        group: &dyn Group,
        path: &str,
        len: Option<u64>,
        matrices_elsewhere: bool,
    ) -> Result<()> {
        self.groups += 1;
        if self.groups > MOST_GROUPS || path.split('/').count() > DEEPEST {
            return Ok(());
        }
        let children = match group.children() {
            Ok(children) => children,
            Err(error) => return report(error, self.each),
        };
        for child in children {
            self.check_cancelled()?;
            let path = format!("{path}/{}", child.name);
            let done = Element::open(group, &child.name).and_then(|element| {
                if matrices_elsewhere && is_matrix(&element)? {
                    return Ok(());
                }
                self.element(group, &child.name, &element, &path, len)
            });
            if let Err(error) = done {
                report(error, self.each)?;
            }
        }
        Ok(())
    }

    fn check_cancelled(&self) -> Result<()> {
        self.context.check()
    }

    fn element(
        &mut self,
        parent: &dyn Group,
        name: &str,
        element: &Element,
        path: &str,
        len: Option<u64>,
    ) -> Result<()> {
        check_encoding(element, self.each)?;
        let group = match element {
            Element::Array(array) => {
                check_len(&**array, len)?;
                return self.array(&**array);
            }
            Element::Group(group) => &**group,
        };
        let place = Place::path(group.path());
        if let Some(matrix) = MatrixSource::of_group(group, None)? {
            let matrix = Placed::new(Box::new(matrix), place);
            return check_matrix(&matrix, self.context, self.each);
        }
        match &*Encoding::of(group, &place)?.kind {
            "dataframe" => self.table(group, path, len),
            "" if group.attribute("_index")?.is_some() => self.table(group, path, len),
            "categorical" | "nullable-integer" | "nullable-boolean" | "nullable-string-array" => {
                check_column(parent, name, len, self.context.memory())
            }
            // Names with slashes are nested groups.
            "" | "dict" => self.members(group, path, len, len.is_some()),
            _ => self.members(group, path, None, false),
        }
    }

    fn table(&mut self, group: &dyn Group, path: &str, len: Option<u64>) -> Result<()> {
        use nnz_core::Annotations as _;
        let frame = DataFrame::of_group(group, path)?;
        if let Some(len) = len.filter(|len| *len != frame.len()) {
            let found = format!("a table of {} rows", frame.len());
            let error = nnz_core::Error::mismatch(frame.place(), found, len);
            report(error, self.each)?;
        } else if let Some(rows) = self.rows.as_ref().filter(|_| len.is_some())
            && let Err(error) = check_names(&frame, rows)
        {
            report(error, self.each)?;
        }
        check(Ok(frame.into()), self.context.memory(), self.each)
    }

    /// Reads all elements of an array.
    fn array(&mut self, array: &dyn NdArray) -> Result<()> {
        if array.is_null() {
            return Ok(());
        }
        if Enumeration::of(array)?.is_some() {
            return self.array(&*array.integers()?);
        }
        match array.element_type() {
            found if found.is_string() => array.read_strings(&array.all())?.drain(),
            ElementType::Compound(fields) => {
                fields.iter().try_for_each(|field| self.array(&*array.field(&field.name)?))
            }
            found => match found.value_type() {
                Some(value_type) => self.numbers(array, value_type.size() as u64),
                None => {
                    let what = format!(
                        "elements of type {found} are not supported, and left out by other commands"
                    );
                    (self.each)(Finding::note(array.place(), what));
                    Ok(())
                }
            },
        }
    }

    fn numbers(&mut self, array: &dyn NdArray, size: u64) -> Result<()> {
        let Some((&rows, inner)) = array.shape().split_first() else {
            return array.read(&[], self.context.memory()).map(drop);
        };
        let width = inner.iter().fold(size, |all: u64, len| all.saturating_mul(*len));
        if rows == 0 || width == 0 {
            return Ok(());
        }
        let bytes = rows.saturating_mul(width);
        // Chunks that are not stored cannot be damaged.
        if bytes > MOST_UNSTORED
            && !array.is_fully_stored()?
            && bytes / MOST_RATIO > array.stored_bytes()?
        {
            return Ok(());
        }
        let chunk = array.storage().chunk_shape.and_then(|chunk| chunk.first().copied());
        // Whole chunks, as far as they fit.
        let block = (BLOCK.min(self.context.memory()) / width).max(1);
        let chunk = chunk.unwrap_or(1).max(1);
        let block = if block > chunk { block / chunk * chunk } else { block };
        let mut start = 0;
        while start < rows {
            self.check_cancelled()?;
            let end = rows.min(start.saturating_add(block));
            array.read(&array.rows(start..end)?, self.context.memory())?;
            start = end;
        }
        Ok(())
    }
}

/// Fails if the names of rows differ from the names of the axis, as anndata does.
fn check_names(frame: &DataFrame, axis: &DataFrame) -> Result<()> {
    // Names of the axis that cannot be read are another finding.
    let Some(mut expected) = readable(axis.names())? else { return Ok(()) };
    let mut names = frame.names()?;
    let mut row = 0;
    while let Some(name) = names.next_string()? {
        let Some(other) = readable(expected.next_string())?.flatten() else { return Ok(()) };
        if name != other {
            let [name, other] = [name, other].map(String::from_utf8_lossy);
            let found = format!("the name {name:?}");
            let place = frame.place().at(At::Element(row));
            let expected = format!("{other:?}, as in {}", axis.place());
            return Err(nnz_core::Error::mismatch(place, found, expected));
        }
        row += 1;
    }
    Ok(())
}

/// Fails if an array does not have a number of rows, if it is known.
fn check_len(array: &dyn NdArray, len: Option<u64>) -> Result<()> {
    let Some(len) = len.filter(|len| !array.is_null() && array.shape().first() != Some(len)) else {
        return Ok(());
    };
    let found = format!("an array of shape {:?}", array.shape());
    Err(nnz_core::Error::mismatch(array.place(), found, format!("{len} rows")))
}
