//! The groups, matrices, tables and arrays of a file.

use std::collections::{BTreeMap, BTreeSet};

use nnz_container::tree::{Attributes, ChildKind, Group, NdArray};
use nnz_core::{Result, readable};

use crate::formats::Member;
use crate::{Context, Location, OpenOptions};

/// Elements that are listed.
const MOST: usize = 300;

/// Levels of groups that are listed.
const DEEPEST: usize = 16;

/// A part of a file: a group, a matrix, a table or an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// Its path in the file.
    pub path: String,
    /// How it is stored, for example `csr_matrix`.
    pub kind: String,
    /// The length of each dimension, or the rows and columns of a table; empty if there are none.
    pub shape: Vec<u64>,
    /// The type of its values; empty if it has none.
    pub value_type: String,
    /// The number of stored entries of a sparse matrix.
    pub entries: Option<u64>,
    /// How the values are compressed; `None` if it has no values of its own, or if that is not known.
    pub compression: Option<String>,
}

impl Element {
    fn of_kind(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), ..Self::default() }
    }

    fn describe(&mut self, member: &Member) {
        self.kind.clone_from(&member.kind);
        self.shape.clone_from(&member.shape);
        self.value_type.clone_from(&member.value_type);
    }
}

/// Lists the elements of a location in a file or store with groups, or else `members`. Returns whether these are all.
pub(super) fn of_location(
    location: &Location,
    open: &OpenOptions,
    members: &[Member],
    context: &Context,
) -> Result<(Vec<Element>, bool)> {
    let members_of_paths = members.iter().map(|member| (&*member.path, member)).collect();
    let mut list =
        List { elements: Vec::new(), is_complete: true, members_of_paths, seen: BTreeSet::new() };
    if let Some(probe) = readable(context.probe(location, open))?
        && readable(probe.group())?.flatten().is_some()
        && let Some(tree) = readable(probe.tree())?.flatten()
        // The arrays of a matrix are listed anyway.
        && of_sparse(tree)?.is_none()
    {
        list.add_children(tree, "", 0)?;
    }
    if list.elements.is_empty() {
        list.is_complete = members.len() <= MOST;
        for member in members.iter().take(MOST) {
            let mut element = Element { path: member.path.clone(), ..Element::default() };
            element.describe(member);
            list.elements.push(element);
        }
    }
    Ok((list.elements, list.is_complete))
}

struct List<'a> {
    elements: Vec<Element>,
    is_complete: bool,
    members_of_paths: BTreeMap<&'a str, &'a Member>,
    /// The groups that are listed, which can have several paths.
    seen: BTreeSet<u64>,
}

impl List<'_> {
    /// Adds the members of a group. What is broken is listed as such.
    fn add_children(&mut self, group: &dyn Group, path: &str, depth: usize) -> Result<()> {
        if group.identity().is_some_and(|identity| !self.seen.insert(identity)) {
            return Ok(());
        }
        for child in readable(group.children())?.unwrap_or_default() {
            if self.elements.len() >= MOST {
                self.is_complete = false;
                return Ok(());
            }
            let inside = match path {
                "" => child.name.clone(),
                _ => format!("{path}/{}", child.name),
            };
            match child.kind {
                ChildKind::Group => match readable(group.group(&child.name))? {
                    Some(inner) => self.add_group(&*inner, inside, depth)?,
                    None => self.add(inside, Element::of_kind(Member::INVALID)),
                },
                ChildKind::Array => match readable(group.array(&child.name))? {
                    Some(array) => self.add(inside, of_array(&*array)?),
                    None => self.add(inside, Element::of_kind(Member::INVALID)),
                },
                ChildKind::Other(what) => self.add(inside, Element::of_kind(what)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds a group and, unless they are parts of one matrix or column, its members.
    fn add_group(&mut self, group: &dyn Group, path: String, depth: usize) -> Result<()> {
        let is_member = self.members_of_paths.contains_key(&*path);
        let kind = encoding(group)?;
        let (element, has_elements) = match (&*kind, of_sparse(group)?) {
            ("", Some(matrix)) => (matrix, !is_member),
            ("", None) => (Element::of_kind("group"), !is_member),
            (_, Some(matrix)) => (Element { kind: kind.clone(), ..matrix }, false),
            ("anndata" | "dict" | "raw" | "MuData", None) => (Element::of_kind(&*kind), true),
            ("dataframe", None) => (Element { kind: kind.clone(), ..of_table(group)? }, false),
            (_, None) => (Element { kind: kind.clone(), ..of_column(group)? }, false),
        };
        self.add(path.clone(), element);
        match has_elements && depth < DEEPEST {
            true => self.add_children(group, &path, depth + 1),
            false => Ok(()),
        }
    }

    fn add(&mut self, path: String, mut element: Element) {
        if let Some(member) = self.members_of_paths.get(&*path) {
            element.describe(member);
        }
        self.elements.push(Element { path, ..element });
    }
}

/// Returns what an element of AnnData states to be, or an empty text.
fn encoding(element: &dyn Attributes) -> Result<String> {
    let found = readable(element.attribute("encoding-type"))?.flatten();
    Ok(found.as_ref().and_then(|found| found.text()).unwrap_or_default().to_owned())
}

fn of_array(array: &dyn NdArray) -> Result<Element> {
    let encoding = encoding(array)?;
    Ok(Element {
        kind: if encoding.is_empty() { "array".to_owned() } else { encoding },
        shape: array.shape().to_vec(),
        value_type: array.element_type().to_string(),
        compression: Some(compression(array)),
        ..Element::default()
    })
}

/// Describes a compressed matrix, of which a group has the arrays; `None` if it does not.
fn of_sparse(group: &dyn Group) -> Result<Option<Element>> {
    let open = |name: &str| readable(group.array(name));
    let (Some(data), Some(_), Some(_)) = (open("data")?, open("indices")?, open("indptr")?) else {
        return Ok(None);
    };
    let mut shape = None;
    for name in ["shape", "h5sparse_shape"] {
        let found = readable(group.attribute(name))?.flatten();
        shape = shape.or(found.and_then(|found| found.unsigned()));
    }
    Ok(Some(Element {
        kind: "sparse matrix".to_owned(),
        shape: shape.unwrap_or_default(),
        value_type: data.element_type().to_string(),
        entries: data.shape().first().copied(),
        compression: Some(compression(&*data)),
        ..Element::default()
    }))
}

/// Describes a table of AnnData by its rows and columns.
fn of_table(group: &dyn Group) -> Result<Element> {
    let index = readable(group.attribute("_index"))?.flatten();
    let index = match index.as_ref().and_then(|index| index.text()) {
        Some(name) => readable(group.array(name))?,
        None => None,
    };
    let columns = readable(group.attribute("column-order"))?.flatten();
    let columns = columns.and_then(|columns| columns.strings()).map(|columns| columns.len());
    let rows = index.as_ref().and_then(|index| index.shape().first().copied());
    let shape = rows.zip(columns).map(|(rows, columns)| vec![rows, columns]);
    Ok(Element { shape: shape.unwrap_or_default(), ..Element::default() })
}

/// Describes categories, or values of which some are missing.
fn of_column(group: &dyn Group) -> Result<Element> {
    for name in ["codes", "values"] {
        if let Some(array) = readable(group.array(name))? {
            return of_array(&*array);
        }
    }
    Ok(Element::default())
}

fn compression(array: &dyn NdArray) -> String {
    match &array.storage().filters[..] {
        [] => "none".to_owned(),
        filters => filters.join(", "),
    }
}
