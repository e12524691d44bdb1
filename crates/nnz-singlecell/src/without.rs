//! Groups without some of their members, so that a file can be read without what is broken in it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use nnz_container::ContainerInfo;
use nnz_container::tree::{
    ArrayStorage, Attribute, AttributeValue, Attributes, Child, ElementType, Group, NdArray,
};
use nnz_core::{Error, ErrorKind, Names, Place, Result, Scalar, StringList, readable};

/// The attribute with the names of the columns of a table, which are also left out there.
const COLUMNS: &str = "column-order";

/// The attribute with the name of the index of a table.
const INDEX: &str = "_index";

/// Returns a group without the members at some paths. Members of tables are columns, and members of arrays of
/// compounds are fields.
#[must_use]
pub fn without(root: Arc<dyn Group>, paths: &[String]) -> Arc<dyn Group> {
    if paths.is_empty() {
        return root;
    }
    let hidden = paths.iter().map(|path| path.trim_matches('/').to_owned()).collect();
    Arc::new(Without { inner: root, path: String::new(), hidden })
}

/// Returns whether a group has a member at a path that can be left out, also if it cannot be read.
///
/// # Errors
///
/// Fails if the group cannot be read, and for the names of the rows of a table.
pub fn has_member(root: &dyn Group, path: &str) -> Result<bool> {
    has(root, path.trim_matches('/'), path)
}

fn has(group: &dyn Group, path: &str, whole: &str) -> Result<bool> {
    let refused =
        || Error::argument(format!("{whole} has the names of rows, and cannot be left out"));
    let index = readable(group.attribute(INDEX))?.flatten();
    if index.is_some_and(|index| index.text() == Some(path)) {
        return Err(refused());
    }
    let columns = readable(group.attribute(COLUMNS))?.flatten().and_then(|found| found.strings());
    if columns.is_some_and(|columns| columns.iter().any(|name| name == path.as_bytes())) {
        return Ok(true);
    }
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    if group.child(name)?.is_none() {
        return Ok(false);
    }
    if rest.is_empty() {
        return Ok(true);
    }
    if let Some(inner) = readable(group.group(name))? {
        return has(&*inner, rest, whole);
    }
    let array = readable(group.array(name))?;
    let Some(ElementType::Compound(fields)) = array.as_ref().map(|array| array.element_type())
    else {
        return Ok(false);
    };
    let is_table = matches!(name, "obs" | "var" | "raw.var");
    match fields.iter().position(|field| field.name == rest) {
        Some(0) if is_table => Err(refused()),
        found => Ok(found.is_some()),
    }
}

/// A group without some of its members.
struct Without<G> {
    inner: G,
    /// Its path from the root.
    path: String,
    hidden: Arc<[String]>,
}

impl<G> Without<G> {
    fn path_of(&self, name: &str) -> String {
        match &*self.path {
            "" => name.trim_matches('/').to_owned(),
            path => format!("{path}/{}", name.trim_matches('/')),
        }
    }

    fn hides(&self, path: &str) -> bool {
        self.hidden.iter().any(|hidden| path == hidden || is_below(path, hidden))
    }

    /// Returns whether something below a path is hidden.
    fn hides_in(&self, path: &str) -> bool {
        self.hidden.iter().any(|hidden| is_below(hidden, path))
    }
}

fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

impl<G> std::fmt::Debug for Without<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Without").field("path", &self.path).finish_non_exhaustive()
    }
}

impl<G: std::ops::Deref<Target = dyn Group> + Send + Sync> Attributes for Without<G> {
    fn attributes(&self) -> Result<Vec<String>> {
        self.inner.attributes()
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        let found = self.inner.attribute(name)?;
        let Some(Attribute { value: AttributeValue::Strings(list), .. }) =
            found.as_ref().filter(|_| name == COLUMNS)
        else {
            return Ok(found);
        };
        let mut kept = StringList::new();
        for column in list.iter() {
            let column_name = std::str::from_utf8(column).unwrap_or_default();
            if !self.hides(&self.path_of(column_name)) {
                kept.try_push(column)?;
            }
        }
        Ok(Some(match kept.len() {
            // As anndata stores an empty list.
            0 => Attribute::of_numbers::<f64>(&[]),
            len => Attribute { shape: vec![len], value: AttributeValue::Strings(kept) },
        }))
    }
}

impl<G: std::ops::Deref<Target = dyn Group> + Send + Sync> Group for Without<G> {
    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn info(&self) -> &'static ContainerInfo {
        self.inner.info()
    }

    fn identity(&self) -> Option<u64> {
        self.inner.identity()
    }

    fn children(&self) -> Result<Vec<Child>> {
        let mut children = self.inner.children()?;
        children.retain(|child| !self.hides(&self.path_of(&child.name)));
        Ok(children)
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        let path = self.path_of(name);
        if self.hides(&path) {
            return Err(Error::new(ErrorKind::Missing, Place::array(self.path(), name)));
        }
        let inner = self.inner.group(name)?;
        match self.hides_in(&path) {
            true => Ok(Box::new(Without { inner, path, hidden: Arc::clone(&self.hidden) })),
            false => Ok(inner),
        }
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let path = self.path_of(name);
        if self.hides(&path) {
            return Err(Error::new(ErrorKind::Missing, Place::array(self.path(), name)));
        }
        let inner = self.inner.array(name)?;
        match inner.element_type() {
            ElementType::Compound(fields) if self.hides_in(&path) => {
                let kept = |name: &str| !self.hides(&format!("{path}/{name}"));
                let fields = fields.iter().filter(|field| kept(&field.name)).cloned().collect();
                let element = ElementType::Compound(fields);
                Ok(Box::new(WithoutFields { inner, element }))
            }
            _ => Ok(inner),
        }
    }
}

/// An array of compounds without some of their fields.
#[derive(Debug)]
struct WithoutFields {
    inner: Box<dyn NdArray>,
    element: ElementType,
}

impl Attributes for WithoutFields {
    fn attributes(&self) -> Result<Vec<String>> {
        self.inner.attributes()
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        self.inner.attribute(name)
    }
}

impl NdArray for WithoutFields {
    fn place(&self) -> Place {
        self.inner.place()
    }

    fn shape(&self) -> &[u64] {
        self.inner.shape()
    }

    fn is_null(&self) -> bool {
        self.inner.is_null()
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn storage(&self) -> ArrayStorage {
        self.inner.storage()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.inner.stored_bytes()
    }

    fn is_fully_stored(&self) -> Result<bool> {
        self.inner.is_fully_stored()
    }

    fn missing_chunks(&self) -> Result<u64> {
        self.inner.missing_chunks()
    }

    fn fill_value(&self) -> Result<Option<Scalar>> {
        self.inner.fill_value()
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        self.inner.read_bytes(selection, out)
    }

    fn read_strings(&self, selection: &[Range<u64>]) -> Result<Names<'static>> {
        self.inner.read_strings(selection)
    }

    fn field(&self, name: &str) -> Result<Box<dyn NdArray>> {
        match &self.element {
            ElementType::Compound(fields) if fields.iter().all(|field| field.name != name) => {
                Err(Error::new(ErrorKind::Missing, self.inner.place()))
            }
            _ => self.inner.field(name),
        }
    }
}

/// Adds to an error in an element that the element can be left out.
pub(crate) fn droppable(error: Error, path: &str) -> Error {
    let content = matches!(
        error.kind(),
        ErrorKind::Missing | ErrorKind::Mismatch { .. } | ErrorKind::Unsupported(_)
    );
    if error.hint().is_some() || !content {
        return error;
    }
    error.with_hint("drop", format!("{path} leaves it out"))
}

/// Copies an error about the content of a file.
pub(crate) fn copy_of(error: &Error) -> Error {
    let place = error.place().clone();
    match error.kind() {
        ErrorKind::Missing => Error::new(ErrorKind::Missing, place),
        ErrorKind::Mismatch { found, expected } => Error::mismatch(place, found, expected),
        other => Error::mismatch(place, other, "a column"),
    }
}
