//! The classes of R that contain data, and those that only have its path.

use nnz_container::rds::{Object, Rds, Value};
use nnz_container::tree::Group as _;
use nnz_core::{Error, Place};

/// The package that defines the classes.
pub(super) const PACKAGE: &str = "BPCells";

/// Each class, and the prefix of its versions.
const CLASSES: [(&str, &str); 8] = [
    ("PackedMatrixMem_uint32_t", "packed-uint-matrix-"),
    ("PackedMatrixMem_float", "packed-float-matrix-"),
    ("PackedMatrixMem_double", "packed-double-matrix-"),
    ("UnpackedMatrixMem_uint32_t", "unpacked-uint-matrix-"),
    ("UnpackedMatrixMem_float", "unpacked-float-matrix-"),
    ("UnpackedMatrixMem_double", "unpacked-double-matrix-"),
    ("PackedMemFragments", "packed-fragments-"),
    ("UnpackedMemFragments", "unpacked-fragments-"),
];

/// Returns the prefix of the versions of a class; `None` for a class without data.
pub(super) fn versions_of(class: &str) -> Option<&'static str> {
    CLASSES.iter().find(|(name, _)| *name == class).map(|(_, version)| *version)
}

/// Returns the class for a version.
pub(super) fn class_of(version: &str) -> Option<&'static str> {
    let (class, start) = CLASSES.iter().find(|(_, start)| version.starts_with(start))?;
    // The classes have the slots of version 2.
    (version.strip_prefix(start) == Some("v2")).then_some(class)
}

/// The slots for the path of data, and the slots for other objects.
const PATHS: [&str; 2] = ["dir", "path"];
const INNER: [&str; 6] = ["matrix", "left", "right", "fragments", "matrix_list", "fragments_list"];

/// Maximum number of paths of a chain that are listed, and maximum depth at which it is followed.
const MOST_PATHS: usize = 5;
const MOST_INNER: usize = 64;

/// Returns the error for an object without data, with the path of the data if the object has it.
pub(super) fn no_data(rds: &Rds, class: &str) -> Error {
    let slot = |name: &&str| rds.object(name).ok();
    let own = PATHS.iter().find_map(|name| text(slot(name)?));
    let mut inner = Vec::new();
    INNER.iter().filter_map(slot).for_each(|object| find_paths(object, 0, &mut inner));
    let class = class.escape_debug();
    let what = match (own, &inner[..]) {
        (Some(path), _) => {
            format!("an R object of class {class}, which only points to {path}: read that instead")
        }
        (None, [(inner, path)]) => format!(
            "an R object of class {class}, a chain of operations on an object of class {inner}, \
             which only points to {path}: write out the result with BPCells first"
        ),
        // A matrix of another class.
        (None, []) if ["Dim", "Dimnames"].iter().all(|slot| rds.object(slot).is_ok()) => {
            let what = format!("an R object of class {class}");
            unsupported(&what, "; convert it by as(x, \"generalMatrix\")")
        }
        (None, []) => unsupported_class(&class.to_string()),
        (None, several) => {
            let several = several.iter().map(|(class, path)| format!("\n  {path} (class {class})"));
            let (named, more): (Vec<_>, Vec<_>) =
                several.enumerate().partition(|(number, _)| *number < MOST_PATHS);
            let named: String = named.into_iter().map(|(_, named)| named).collect();
            let more = if more.is_empty() { "" } else { "\n  ..." };
            format!(
                "an R object of class {class}, a chain of operations on objects that only point \
                 to where their data is; write out the result with BPCells first, from{named}{more}"
            )
        }
    };
    Error::unsupported(Place::path(rds.path()), what)
}

/// Finds objects inside another object that have a path, one more than are listed.
fn find_paths(object: &Object, depth: usize, found: &mut Vec<(String, String)>) {
    if depth > MOST_INNER || found.len() > MOST_PATHS {
        return;
    }
    if let Value::List(members) = &object.value {
        members.iter().for_each(|member| find_paths(member, depth + 1, found));
        return;
    }
    let path = PATHS.iter().find_map(|name| text(object.attribute(name)?));
    if let (Some(path), Some(class)) = (path, object.class()) {
        let pointer = (shown(class.get().bytes), path);
        if found.len() <= MOST_PATHS && !found.contains(&pointer) {
            found.push(pointer);
        }
        return;
    }
    let inner = INNER.iter().filter_map(|name| object.attribute(name));
    inner.for_each(|inner| find_paths(inner, depth + 1, found));
}

/// Returns the only string of a character vector, escaped for messages.
fn text(object: &Object) -> Option<String> {
    match &object.value {
        Value::Character(strings) => Some(shown(strings.only()?.get().bytes)),
        _ => None,
    }
}

/// Describes an object that is not read, and how to save one that is.
fn unsupported(what: &str, remedy: &str) -> String {
    format!(
        "{what}, which is not read: supported are matrices of R and its package Matrix, objects of Seurat and \
         SummarizedExperiment, tables, lists of these, and matrices and fragments that BPCells keeps in memory{remedy}"
    )
}

/// Describes an object of a class that is not read.
fn unsupported_class(class: &str) -> String {
    unsupported(&format!("an R object of class {class}"), "")
}

/// Describes a list of objects, one of which may be a matrix.
fn unsupported_list(object: &Object, count: usize) -> String {
    let mut names = Vec::new();
    if let Some(Value::Character(all)) = object.attribute("names").map(|names| &names.value) {
        let mut all = all.cursor();
        while let (true, Some(name)) = (names.len() < MOST_PATHS, all.next_text()) {
            names.push(name.map(|name| shown(name.bytes)).unwrap_or_default());
        }
    }
    let more = if count > names.len() { ", ..." } else { "" };
    let (list, one) = match names.first() {
        Some(first) => (format!(" ({}{more})", names.join(", ")), format!("\"{first}\"")),
        None => (String::new(), "1".to_owned()),
    };
    let remedy = format!("; save one of its objects, such as x[[{one}]]");
    unsupported(&format!("a list of length {count}{list}"), &remedy)
}

/// Describes an object that is neither S4 nor a list with a version, and how to save one that is read.
pub(super) fn describe_other(object: &Object) -> Option<String> {
    if object.is_s4() {
        return None;
    }
    let named = |names: &Object, name: &[u8]| match &names.value {
        Value::Character(names) => names
            .try_for_each(|text| match text {
                Some(text) if text.bytes == name => Err(()),
                _ => Ok(()),
            })
            .is_err(),
        _ => false,
    };
    let list = matches!(object.value, Value::List(_));
    if list && object.attribute("names").is_some_and(|names| named(names, b"version")) {
        return None;
    }
    Some(match object.attribute("class").map(|class| &class.value) {
        Some(Value::Character(classes)) => {
            let mut first = String::new();
            // The first class is its own, the others are those it inherits from.
            let _ = classes.try_for_each(|class| {
                first = class.map(|class| shown(class.bytes)).unwrap_or_default();
                Err(())
            });
            unsupported_class(&first)
        }
        _ => match &object.value {
            Value::List(members) => unsupported_list(object, members.len()),
            other => unsupported(&format!("an R object that is {}", other.kind()), ""),
        },
    })
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).escape_debug().to_string()
}
