//! The variables of a file.

use nnz_container::tree::{
    AttributeValue, Attributes, Child, ChildKind, ElementType, Group, NdArray,
};
use nnz_core::{Error, ErrorKind, Place, Result, ValueType, readable};

use super::{CLASS, Class, EMPTY, SPARSE, Variable, is_complex};
use crate::matlab::{MAX_DEPTH, MAX_DIMENSIONS};

/// Groups with the data of references and of objects.
const INTERNAL: [&str; 2] = ["#refs#", "#subsystem#"];

/// The largest size of the dimensions of an empty array, in bytes.
const LONGEST_SHAPE: u64 = 8 * MAX_DIMENSIONS as u64;

/// Lists the variables, and the fields of structs, sorted by name.
///
/// # Errors
///
/// Fails if a group cannot be read, or a variable has no valid dimensions.
pub fn variables(root: &dyn Group) -> Result<Vec<Variable>> {
    let mut lister = Lister::default();
    lister.group(root, "", 0)?;
    Ok(lister.found)
}

/// Lists members that are not supported, and therefore not variables.
///
/// # Errors
///
/// Fails as [`variables`].
pub fn unsupported(root: &dyn Group) -> Result<Vec<UnsupportedMember>> {
    let mut lister = Lister { only_unsupported: true, ..Lister::default() };
    lister.group(root, "", 0)?;
    Ok(lister.unsupported)
}

/// A member or an attribute that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedMember {
    /// The path of the member, with `@NAME` for an attribute.
    pub path: String,
    /// A description.
    pub what: String,
}

/// Describes one variable; `None` if it does not exist.
pub(super) fn find(root: &dyn Group, path: &str) -> Result<Option<Variable>> {
    let (inside, name) = path.rsplit_once('/').unwrap_or(("", path));
    if name.is_empty() || INTERNAL.contains(&path.split('/').next().unwrap_or_default()) {
        return Ok(None);
    }
    let opened;
    let group = match inside {
        "" => root,
        inside => {
            let Some(group) = readable(root.group(inside))? else { return Ok(None) };
            opened = group;
            &*opened
        }
    };
    Ok(match group.child(name)? {
        Some(ChildKind::Array) => Some(array(&*group.array(name)?, path)?),
        Some(ChildKind::Group) => {
            let child = group.group(name)?;
            match child.attribute(SPARSE)? {
                Some(_) => Some(sparse(&*child, path)?),
                None => Some(structure(&*child, path)?),
            }
        }
        _ => None,
    })
}

/// Returns the class of a member of a group, if it has the attribute.
pub(super) fn class(group: &dyn Group, child: &Child) -> Result<Option<Class>> {
    match child.kind {
        ChildKind::Array => class_of(&*group.array(&child.name)?),
        ChildKind::Group => class_of(&*group.group(&child.name)?),
        _ => Ok(None),
    }
}

fn class_of<T: Attributes + ?Sized>(object: &T) -> Result<Option<Class>> {
    let class = object.attribute(CLASS)?;
    Ok(class.and_then(|class| class.text().map(Class::of_name)))
}

#[derive(Default)]
struct Lister {
    found: Vec<Variable>,
    unsupported: Vec<UnsupportedMember>,
    /// Whether attributes are examined, but no variable is described.
    only_unsupported: bool,
    /// The groups that were listed, as hard links can form cycles.
    visited: Vec<u64>,
}

impl Lister {
    fn group(&mut self, group: &dyn Group, inside: &str, depth: usize) -> Result<()> {
        if let Some(identity) = group.identity() {
            if self.visited.contains(&identity) {
                return Ok(());
            }
            self.visited.push(identity);
        }
        self.attributes(group, inside)?;
        for Child { name, kind, .. } in group.children()? {
            if depth == 0 && INTERNAL.contains(&&*name) {
                continue;
            }
            let path = if inside.is_empty() { name.clone() } else { format!("{inside}/{name}") };
            match kind {
                ChildKind::Array => {
                    let opened = match group.array(&name) {
                        Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                            let what = error.into_parts().0.to_string();
                            self.unsupported.push(UnsupportedMember { path, what });
                            continue;
                        }
                        opened => opened?,
                    };
                    self.attributes(&*opened, &path)?;
                    self.describe(|| array(&*opened, &path))?;
                }
                ChildKind::Group => {
                    let child = group.group(&name)?;
                    if child.attribute(SPARSE)?.is_some() {
                        self.describe(|| sparse(&*child, &path))?;
                    } else if depth < MAX_DEPTH && !child.children()?.is_empty() {
                        self.group(&*child, &path, depth + 1)?;
                    } else {
                        self.describe(|| structure(&*child, &path))?;
                    }
                }
                ChildKind::Other(what) => self.unsupported.push(UnsupportedMember { path, what }),
                _ => {}
            }
        }
        Ok(())
    }

    fn describe(&mut self, variable: impl FnOnce() -> Result<Variable>) -> Result<()> {
        if !self.only_unsupported {
            self.found.push(variable()?);
        }
        Ok(())
    }

    /// Lists the attributes of an object that are not supported.
    fn attributes<T: Attributes + ?Sized>(&mut self, object: &T, path: &str) -> Result<()> {
        if !self.only_unsupported {
            return Ok(());
        }
        // The attributes of MATLAB, such as the names of fields, are known.
        let names = object.attributes()?.into_iter();
        for name in names.filter(|name| !name.starts_with("MATLAB_")) {
            let found = readable(object.attribute(&name))?.flatten();
            if let Some(AttributeValue::Unsupported(what)) = found.map(|found| found.value) {
                let (path, what) = (format!("{path}@{name}"), format!("an attribute of {what}"));
                self.unsupported.push(UnsupportedMember { path, what });
            }
        }
        Ok(())
    }
}

/// Describes a dataset.
fn array(array: &dyn NdArray, path: &str) -> Result<Variable> {
    let element = array.element_type();
    let stored = element.value_type();
    let class = match class_of(array)? {
        Some(Class::Number(_)) if stored.is_none() && !is_complex(element) => Class::Object,
        Some(class) => class,
        // Datasets of other programs.
        None => match (stored, element) {
            (Some(ValueType::ComplexF64), _) => Class::Number(ValueType::F64),
            (Some(ValueType::ComplexF32), _) => Class::Number(ValueType::F32),
            (Some(value_type), _) => Class::Number(value_type),
            (None, ElementType::Reference) => Class::Cell,
            _ => Class::Object,
        },
    };
    let complex = is_complex(element);
    let shape = shape(array, class)?;
    Ok(Variable { path: path.to_owned(), class, shape, sparse: false, complex })
}

/// Returns the dimensions of a dataset, at least two as in MATLAB.
fn shape(array: &dyn NdArray, class: Class) -> Result<Vec<u64>> {
    let empty = array.attribute(EMPTY)?.and_then(|attribute| attribute.unsigned());
    if empty.is_some_and(|flag| flag.iter().any(|flag| *flag != 0)) {
        let shape = stored_shape(array)?;
        // Structs without fields have no data, but any dimensions.
        if matches!(class, Class::Number(_)) && !shape.contains(&0) {
            return Err(not_dimensions(array, format!("the dimensions {shape:?}")));
        }
        return Ok(shape);
    }
    Ok(match *array.shape() {
        [] if array.is_null() => vec![0, 0],
        [] => vec![1, 1],
        [length] => vec![length, 1],
        ref shape => shape.iter().rev().copied().collect(),
    })
}

fn not_dimensions(array: &dyn NdArray, found: String) -> Error {
    Error::mismatch(array.place(), found, "the dimensions of an array without elements")
}

/// Reads the dimensions that an array without elements stores.
fn stored_shape(array: &dyn NdArray) -> Result<Vec<u64>> {
    let wrong = |found: String| Err(not_dimensions(array, found));
    if array.value_type()?.is_complex() || !array.value_type()?.is_integer() {
        return wrong(format!("elements of type {}", array.element_type()));
    }
    let values = array.read(&array.all(), LONGEST_SHAPE)?;
    let count = values.len().unwrap_or(0);
    let mut shape = Vec::new();
    for at in 0..count {
        match values.get(at).and_then(|length| length.to_string().parse::<u64>().ok()) {
            Some(length) => shape.push(length),
            None => return wrong("an invalid length of a dimension".to_owned()),
        }
    }
    if !(2..=MAX_DIMENSIONS).contains(&shape.len()) {
        return wrong(format!("the dimensions {shape:?}"));
    }
    Ok(shape)
}

/// Describes a struct.
fn structure(group: &dyn Group, path: &str) -> Result<Variable> {
    let class = class_of(group)?.unwrap_or(Class::Struct);
    let (path, shape) = (path.to_owned(), vec![1, 1]);
    Ok(Variable { path, class, shape, sparse: false, complex: false })
}

/// Describes a sparse matrix.
fn sparse(group: &dyn Group, path: &str) -> Result<Variable> {
    let rows = group.required_attribute(SPARSE)?;
    let place = || Place::array(group.path(), SPARSE);
    let rows = match rows.unsigned().as_deref() {
        Some(&[rows]) => rows,
        _ => return Err(Error::mismatch(place(), rows.type_name(), "the number of rows")),
    };
    let pointers = group.array("jc")?;
    let cols = match pointers.shape() {
        &[count] if count > 0 => count - 1,
        shape => {
            let found = format!("an array of the shape {shape:?}");
            return Err(Error::mismatch(pointers.place(), found, "one more than columns"));
        }
    };
    let complex = match group.child("data")? {
        Some(ChildKind::Array) => is_complex(group.array("data")?.element_type()),
        _ => false,
    };
    let class = class_of(group)?.unwrap_or(Class::Number(ValueType::F64));
    let shape = vec![rows, cols];
    Ok(Variable { path: path.to_owned(), class, shape, sparse: true, complex })
}
