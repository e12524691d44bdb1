//! Objects that slots of several classes have.

use std::sync::Arc;

use nnz_container::rds::{NewObject, NewValue};
use nnz_core::StringList;

/// Creates an integer vector.
pub(super) fn integers(all: &[i32]) -> NewObject {
    NewObject::new(NewValue::Integers(all.to_vec()))
}

/// Creates a vector of doubles.
pub(super) fn reals(all: &[f64]) -> NewObject {
    NewObject::new(NewValue::Reals(all.to_vec()))
}

/// Creates a vector of one truth value.
pub(super) fn flag(value: bool) -> NewObject {
    NewObject::new(NewValue::Flags(i32::from(value), 1))
}

/// Creates an empty list.
pub(super) fn empty_list() -> NewObject {
    NewObject::new(NewValue::List(Vec::new()))
}

/// Creates a list, without names if it is empty.
pub(super) fn list(members: Vec<(String, NewObject)>) -> NewObject {
    if members.is_empty() { empty_list() } else { NewObject::named_list(members) }
}

/// Creates `NULL` for a slot.
pub(super) fn null_slot() -> NewObject {
    NewObject::new(NewValue::NullSlot)
}

/// Returns the slots of everything in Bioconductor that has elements.
pub(super) fn annotated(element_type: &str) -> Vec<(&'static str, NewObject)> {
    vec![
        ("elementType", NewObject::texts([element_type])),
        ("elementMetadata", null_slot()),
        ("metadata", empty_list()),
    ]
}

/// Creates a character vector of names.
pub(super) fn strings(names: &Arc<StringList>) -> NewObject {
    NewObject::new(NewValue::Strings(Arc::clone(names)))
}

/// Creates the names of rows and columns; `NULL` where there are none.
pub(super) fn dimnames(names: [Option<&Arc<StringList>>; 2]) -> NewObject {
    let side = |names: Option<&Arc<StringList>>| {
        names.map_or_else(|| NewObject::new(NewValue::Null), strings)
    };
    NewObject::new(NewValue::List(names.into_iter().map(side).collect()))
}

/// Creates a matrix without elements.
pub(super) fn empty_matrix() -> NewObject {
    reals(&[]).with("dim", integers(&[0, 0]))
}

/// Creates a version number, which is a list in R.
pub(super) fn version(parts: &[i32]) -> NewObject {
    let class = NewObject::texts(["package_version", "numeric_version"]);
    NewObject::new(NewValue::List(vec![integers(parts)])).with("class", class)
}

/// Returns a length as an integer of R. Lengths are checked before.
pub(super) fn length(len: u64) -> i32 {
    i32::try_from(len).unwrap_or(i32::MAX)
}

/// Creates a factor of codes from 1.
pub(super) fn factor(codes: NewValue, levels: NewObject, ordered: bool) -> NewObject {
    let class: &[&str] = if ordered { &["ordered", "factor"] } else { &["factor"] };
    let class = NewObject::texts(class.iter().copied());
    NewObject::new(codes).with("levels", levels).with("class", class)
}
