//! The four ways in which entries of a matrix are stored.

use nnz_core::{Error, Order, Place, Result, Shape};

use crate::store::{Integers, LevelStore, Store};

/// The arrays of a matrix except its values.
pub(super) enum Form {
    /// Every element of each major vector: of listed vectors, or of all.
    Dense { listed: Option<Integers> },
    /// The minors of each major vector: of listed vectors, or of all. Without pointers there is
    /// only one.
    Runs { listed: Option<Integers>, pointers: Option<Integers>, minors: Integers },
    /// Major and minor of each entry.
    Pairs { majors: Integers, minors: Integers },
}

/// Returns how a matrix is stored, its shape and its order.
pub(super) fn form(store: &mut Store, place: &Place) -> Result<(Form, Shape, Order)> {
    let (shape, order) = match store.descriptor.shape[..] {
        [rows, cols] if store.descriptor.layout.is_transposed() => {
            (Shape { rows, cols }, Order::Col)
        }
        [rows, cols] => (Shape { rows, cols }, Order::Row),
        [rows] => (Shape { rows, cols: 1 }, Order::Col),
        _ => return Err(no_matrix(store, place)),
    };
    let mut levels = std::mem::take(&mut store.levels).into_iter();
    let form = match (levels.next(), levels.next()) {
        (Some(LevelStore::Dense { .. }), None) => Form::Dense { listed: None },
        (Some(LevelStore::Sparse { mut indices, .. }), None) => {
            let (last, first) = (indices.pop(), indices.pop());
            match (first, last) {
                (Some(majors), Some(minors)) => Form::Pairs { majors, minors },
                (None, Some(minors)) => Form::Runs { listed: None, pointers: None, minors },
                _ => return Err(no_matrix(store, place)),
            }
        }
        (Some(LevelStore::Sparse { mut indices, .. }), Some(LevelStore::Dense { .. })) => {
            Form::Dense { listed: indices.pop() }
        }
        (Some(outer), Some(LevelStore::Sparse { pointers, mut indices, .. })) => {
            let listed = match outer {
                LevelStore::Sparse { mut indices, .. } => indices.pop(),
                LevelStore::Dense { .. } => None,
            };
            let Some(minors) = indices.pop() else {
                return Err(no_matrix(store, place));
            };
            Form::Runs { listed, pointers, minors }
        }
        _ => return Err(no_matrix(store, place)),
    };
    Ok((form, shape, order))
}

fn no_matrix(store: &Store, place: &Place) -> Error {
    let what = format!(
        "a tensor of {} dimensions is not a matrix; its entries can be listed",
        store.descriptor.shape.len()
    );
    Error::unsupported(place.clone(), what)
}
