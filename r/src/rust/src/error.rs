//! Errors as conditions of R.

use nnz::error::{At, Hint};
use nnz::{Error, ErrorKind};

use crate::value::Value;

/// An error of nnz, which becomes a condition, or one of R, such as an interrupt, which R continues.
#[derive(Debug)]
pub(crate) enum Failure {
    Nnz(Error),
    R(savvy::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Nnz(error)
    }
}

impl From<savvy::Error> for Failure {
    fn from(error: savvy::Error) -> Self {
        Self::R(error)
    }
}

/// Describes an error for R: classes, message, path, array and position.
pub(crate) fn condition(error: &Error) -> Value {
    let place = error.place();
    let path = place.path.as_ref().map(|path| path.to_string_lossy().into_owned());
    let classes = class_names(error.class());
    let members = [
        ("message", Value::text(message(error))),
        ("classes", Value::Texts(classes.into_iter().map(Some).collect())),
        ("path", Value::optional_text(path)),
        ("array", Value::optional_text(place.array.clone())),
        ("position", place.at.as_ref().map_or(Value::Null, position)),
    ];
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
    Value::Object("nnz_failure", members.collect())
}

/// Returns the classes of the condition for a class of the Python package: `CorruptFileError` is `nnz_corrupt_file_error`.
fn class_names(class: &str) -> Vec<String> {
    let mut name = "nnz".to_owned();
    for sign in class.chars() {
        if sign.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(sign.to_ascii_lowercase());
    }
    // Both of these are more special cases of another class.
    let parent = match class {
        "UnknownNameError" | "PositionError" => Some("nnz_argument_error"),
        "MissingFileError" | "AccessError" | "ExistsError" | "ChangedError" => {
            Some("nnz_storage_error")
        }
        _ => None,
    };
    let mut names = vec![name];
    names.extend(parent.map(str::to_owned));
    if names[0] != "nnz_error" {
        names.push("nnz_error".to_owned());
    }
    names
}

/// Returns the message, with the names of options in R.
fn message(error: &Error) -> String {
    let (kind, place) = (error.kind(), error.place());
    let hint = match (error.hint(), kind) {
        (Some(found), _) => hint(found).unwrap_or_default(),
        (None, ErrorKind::Exists) => "; `force = TRUE` replaces it".to_owned(),
        (None, _) => String::new(),
    };
    if place.path.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
        return format!("the path is empty: {kind}{hint}");
    }
    if place.is_unknown() { format!("{kind}{hint}") } else { format!("{place}: {kind}{hint}") }
}

/// Returns the hint, if the package has the option.
fn hint(hint: &Hint) -> Option<String> {
    let item = match hint.item {
        "format" => "to =",
        "value_type" => "type =",
        "StructurePolicy::General" => "nnz_convert(expand = TRUE)",
        "transpose" => "nnz_transpose",
        "memory_limit" => "memory =",
        item if item.contains("::") => return None,
        item => return Some(format!("; `{item} =` {}", hint.effect)),
    };
    Some(format!("; `{item}` {}", hint.effect))
}

/// Describes a position, counted as in the message.
fn position(at: &At) -> Value {
    match *at {
        At::Byte(byte) => Value::list([("byte", Value::whole(byte))]),
        At::Element(element) => Value::list([("element", Value::whole(element))]),
        At::Line { line, column } => {
            Value::list([("line", Value::whole(line)), ("column", Value::whole(column))])
        }
        At::Entry { row, col } => {
            Value::list([("row", Value::whole(row)), ("col", Value::whole(col))])
        }
    }
}
