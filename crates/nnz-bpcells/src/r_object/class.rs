//! The classes of R that hold data, and those that only point to it.

use nnz_container::Container as _;
use nnz_container::rds::{Object, Rds, Value};
use nnz_core::{Error, Place};

/// The package that defines the classes.
pub(super) const PACKAGE: &str = "BPCells";

/// Each class, and how the versions it holds begin.
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

/// Returns how the versions begin that a class holds; `None` for a class that holds no data.
pub(super) fn versions_of(class: &str) -> Option<&'static str> {
    CLASSES.iter().find(|(name, _)| *name == class).map(|(_, version)| *version)
}

/// Returns the class for what a version says.
pub(super) fn class_of(version: &str) -> Option<&'static str> {
    let (class, start) = CLASSES.iter().find(|(_, start)| version.starts_with(start))?;
    // The slots of the classes are those of version 2.
    (version.strip_prefix(start) == Some("v2")).then_some(class)
}

/// The slots in which a class keeps where its data is, and those in which it keeps other objects.
const PATHS: [&str; 2] = ["dir", "path"];
const INNER: [&str; 5] = ["matrix", "left", "right", "fragments", "matrix_list"];

/// Says that an object holds no data, and where the data is if it tells.
pub(super) fn holds_none(rds: &Rds, class: &str) -> Error {
    let slot = |name: &&str| rds.object(name).ok();
    let own = PATHS.iter().find_map(|name| text(slot(name)?));
    let inner = || INNER.iter().find_map(|name| pointed_to(slot(name)?));
    let class = class.escape_debug();
    let what = match (own, inner()) {
        (Some(path), _) => {
            format!("an R object of class {class}, which only points to {path}: read that instead")
        }
        (None, Some((inner, path))) => format!(
            "an R object of class {class}, a chain of operations on an object of class {inner}, \
             which only points to {path}: write out the result with BPCells first"
        ),
        (None, None) => format!("an R object of class {class}, which holds no BPCells data"),
    };
    Error::unsupported(Place::path(rds.path()), what)
}

/// Finds the first object inside another that points somewhere.
fn pointed_to(object: &Object) -> Option<(String, String)> {
    if let Value::List(members) = &object.value {
        return members.iter().take(1).find_map(pointed_to);
    }
    if let Some(path) = PATHS.iter().find_map(|name| text(object.attribute(name)?)) {
        let class = object.class()?;
        return Some((shown(class.get().bytes), path));
    }
    INNER.iter().find_map(|name| pointed_to(object.attribute(name)?))
}

/// Returns the only string of a vector, as it may be shown.
fn text(object: &Object) -> Option<String> {
    match &object.value {
        Value::Character(strings) => Some(shown(strings.only()?.get().bytes)),
        _ => None,
    }
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).escape_debug().to_string()
}
