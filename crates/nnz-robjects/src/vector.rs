//! Vectors that belong to an object as a whole: members of `misc` and `metadata`.

use std::sync::Arc;

use nnz_container::rds::Object;
use nnz_core::{Column, Result};

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

/// Longer vectors are not read.
const MOST: u64 = 1 << 20;

/// Reads the vectors of numbers and texts in a list, and adds all others to those that are not read. Vectors with names,
/// factors and dates have attributes, which are no part of their elements.
pub(crate) fn read_vectors(
    info: &Arc<FileInfo>,
    (prefix, owner): (&str, &str),
    (slot, list): (&str, Object),
    unread: &mut Unread,
) -> Result<Vec<NamedVector>> {
    let mut vectors: Vec<NamedVector> = Vec::new();
    for (name, member) in members(info, list) {
        let path = if owner.is_empty() {
            format!("{slot}/{name}")
        } else {
            format!("{owner}/{slot}/{name}")
        };
        if vectors.iter().any(|known| known.name == name) {
            unread.push((path, format!("{}, a second one of this name", describe(&member))));
            continue;
        }
        let what = describe(&member);
        let full = format!("{prefix}{path}");
        let is_plain = member.attributes().next().is_none();
        let column = if is_plain { RColumn::new(info, member, &full)?.ok() } else { None };
        let column = column.filter(|column| (1..=MOST).contains(&column.len()));
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
