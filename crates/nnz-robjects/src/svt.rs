//! Sparse matrices of the package SparseArray: a leaf for each column.

use std::sync::Arc;

use nnz_container::rds::{Integers, Object, Reals, Value};
use nnz_core::{Error, Order, Result, Shape, Structure};

use crate::matrix::{AxisNames, Numbers, Parts, Places};
use crate::objects::{FileInfo, integer, integers, is_null, slot};

/// Returns whether an object is such a matrix.
pub(crate) fn is_svt(object: &Object) -> bool {
    object.is_s4() && crate::objects::has(object, &["SVT", "dim", "type"])
}

/// Reads a matrix, whose leaves become arrays in memory.
pub(crate) fn parse(info: &Arc<FileInfo>, object: &Object, path: &str) -> Result<Parts> {
    let wrong = |found: String, expected: &str| {
        Err(Error::mismatch(info.place(path), found, expected.to_owned()))
    };
    if slot(object, ".svt_version").and_then(integer) != Some(1) {
        let what = "a SVT_SparseMatrix of a version before 1 (SparseArray before 1.5.0): update it with updateObject";
        return Err(Error::unsupported(info.place(path), what));
    }
    let Some([rows, cols]) = crate::objects::dims(object) else {
        return wrong("other dimensions".to_owned(), "rows and columns");
    };
    let leaves = match slot(object, "SVT").map(|leaves| &leaves.value) {
        None => &[][..],
        Some(Value::List(leaves)) if leaves.len() as u64 == cols => leaves,
        Some(other) => return wrong(other.kind().to_owned(), "a list of a leaf for each column"),
    };
    let mut builder = Builder { integers: Vec::new(), reals: Vec::new() };
    let kind = slot(object, "type").and_then(|kind| info.string(kind)).unwrap_or_default();
    let is_real = kind == "double";
    if !matches!(&*kind, "double" | "integer" | "logical") {
        return wrong(format!("values of type {}", kind.escape_debug()), "numbers");
    }
    let (mut pointers, mut minors) = (vec![0], Vec::new());
    for leaf in leaves {
        if !is_null(leaf) {
            let Value::List(parts) = &leaf.value else {
                return wrong(leaf.value.kind().to_owned(), "a leaf");
            };
            let [values, offsets] = &parts[..] else {
                return wrong(format!("a leaf of {} parts", parts.len()), "values and offsets");
            };
            let Some(offsets) = integers(info, offsets, path)? else {
                return wrong("other offsets".to_owned(), "integers");
            };
            // Without values, all are one.
            let same = match &values.value {
                _ if is_null(values) => builder.ones(is_real, offsets.len()),
                Value::Real(all) if is_real => builder.reals(info, all, path)?,
                Value::Integer(_) | Value::Logical(_) if !is_real => {
                    let all = integers(info, values, path)?.unwrap_or_default();
                    builder.integers.extend_from_slice(&all);
                    all.len()
                }
                other => return wrong(other.kind().to_owned(), "values of the stated type"),
            };
            if same != offsets.len() {
                let found = format!("{same} values and {} offsets in a leaf", offsets.len());
                return wrong(found, "the same number");
            }
            minors.extend_from_slice(&offsets);
        }
        pointers.push(i32::try_from(minors.len()).unwrap_or(i32::MAX));
    }
    if leaves.is_empty() {
        info.check_memory(cols, 4, path)?;
        let count = usize::try_from(cols).unwrap_or(0);
        pointers.resize(count + 1, 0);
    }
    let numbers = match &*kind {
        "double" => Numbers::Real(Reals::Stored(builder.reals)),
        "integer" => Numbers::Integer(Integers::Stored(builder.integers)),
        _ => Numbers::Logical(builder.integers),
    };
    Ok(Parts {
        class: "SVT_SparseMatrix".to_owned(),
        added: Vec::new(),
        shape: Shape { rows, cols },
        order: Order::Col,
        structure: Structure::General,
        triangle: None,
        places: Places::Compressed {
            pointers: Integers::Stored(pointers),
            minors: Integers::Stored(minors),
        },
        numbers,
        names: AxisNames::of_object(object),
    })
}

/// The values so far.
struct Builder {
    integers: Vec<i32>,
    reals: Vec<f64>,
}

impl Builder {
    fn ones(&mut self, is_real: bool, count: usize) -> usize {
        match is_real {
            true => self.reals.resize(self.reals.len() + count, 1.0),
            false => self.integers.resize(self.integers.len() + count, 1),
        }
        count
    }

    fn reals(&mut self, info: &FileInfo, all: &Reals, path: &str) -> Result<usize> {
        let before = self.reals.len();
        let read = all.for_each_block(|_, block| {
            self.reals.extend_from_slice(block);
            true
        });
        read.map_err(|error| Error::new(nnz_core::ErrorKind::Io(error), info.place(path)))?;
        Ok(self.reals.len() - before)
    }
}
