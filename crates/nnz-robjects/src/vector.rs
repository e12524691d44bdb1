//! Vectors that belong to an object as a whole: members of `misc` and `metadata`.

use std::collections::HashSet;
use std::sync::Arc;

use nnz_container::rds::Object;
use nnz_core::{Column, ColumnValues, Result};

use crate::column::RColumn;
use crate::objects::{FileInfo, describe, members};
use crate::study::Unread;

/// A vector without missing values that belongs to an object as a whole, or to an alternative experiment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NamedVector {
    /// Its name.
    pub name: String,
    /// The path of the experiment in the object; empty for the object.
    pub owner: String,
    /// Its path in the object.
    pub path: String,
    /// The elements.
    pub values: Column,
}

impl NamedVector {
    /// Creates one of a text, which belongs to the object and has its name as its path.
    pub(crate) fn text(name: &str, text: &str) -> Self {
        let (owner, path) = (String::new(), name.to_owned());
        let values = ColumnValues::Strings(std::iter::once(text).collect());
        Self { name: name.to_owned(), owner, path, values: Column { values, missing: None } }
    }
}

/// Reads the vectors of numbers and texts in a list, and adds all others to those that are not read. Vectors with names,
/// factors and dates have attributes, which are no part of their elements. All are in memory, within its limit.
pub(crate) fn read_vectors(
    info: &Arc<FileInfo>,
    (prefix, owner): (&str, &str),
    (slot, list): (&str, Object),
    unread: &mut Unread,
) -> Result<Vec<NamedVector>> {
    let (mut vectors, mut names) = (Vec::new(), HashSet::new());
    let mut memory = info.memory / 4;
    for (name, member) in members(info, list) {
        let path = if owner.is_empty() {
            format!("{slot}/{name}")
        } else {
            format!("{owner}/{slot}/{name}")
        };
        if !names.insert(name.clone()) {
            unread.push((path, format!("{}, a second one of this name", describe(&member))));
            continue;
        }
        let what = describe(&member);
        let full = format!("{prefix}{path}");
        let is_plain = member.attributes().next().is_none();
        let column = if is_plain { RColumn::new(info, member, &full)?.ok() } else { None };
        let column = column.filter(|column| {
            // A sequence of any length is stored as three numbers. A text has a length, and usually some bytes.
            let needed = column.len().saturating_mul(32);
            let fits = needed <= memory;
            memory -= if fits { needed } else { 0 };
            fits
        });
        let values = column.map(|column| column.read(info, &full, info.memory)).transpose()?;
        match values.filter(|values| values.missing.is_none()) {
            Some(values) => {
                let owner = owner.to_owned();
                vectors.push(NamedVector { name, owner, path, values });
            }
            None => unread.push((path, what)),
        }
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use nnz_container::rds::{Compression, Integers, Strings, TextRef, Value};

    use super::*;

    /// Vectors that R stores as three numbers took any memory, and their names were compared with each other.
    #[test]
    fn vectors_are_within_the_memory() {
        let info = FileInfo {
            path: "x.rds".into(),
            native: None,
            compression: Compression::None,
            bytes: 0,
            memory: 16 << 20,
        };
        let count = 200_000;
        let sequence = Integers::Sequence { first: 1, step: 1, len: 1 << 16 };
        let one = || Object::from(Value::Integer(sequence.clone()));
        let mut list = Object::from(Value::List((0..count).map(|_| one()).collect()));
        let texts: Vec<String> = (1..count).map(|number| format!("v{number}")).collect();
        let texts = texts.iter().chain([&texts[0]]);
        let names: Strings = texts.map(|name| Some(TextRef::utf8(name))).collect();
        list.push_attribute("names", Value::Character(names).into());
        let mut unread = Vec::new();
        let read = read_vectors(&Arc::new(info), ("", ""), ("misc", list), &mut unread).unwrap();
        assert_eq!((read.len(), unread.len()), (2, count - 2));
        assert!(unread.last().unwrap().1.contains("second one of this name"), "{unread:?}");
    }
}
