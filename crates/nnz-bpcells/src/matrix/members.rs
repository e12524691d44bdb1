//! The small members of a matrix: `shape`, `storage_order`, and the names of its rows and columns.

use nnz_container::Container;
use nnz_core::{At, Axis, Error, Order, Place, Result, Shape, StringList};

pub(super) const SHAPE: &str = "shape";
pub(super) const STORAGE_ORDER: &str = "storage_order";
pub(super) const IDXPTR: &str = "idxptr";
pub(super) const INDEX: &str = "index";
pub(super) const VAL: &str = "val";

/// The name of every member that a matrix of some version has.
pub const MEMBERS: &[&str] = &[
    "version",
    SHAPE,
    STORAGE_ORDER,
    "row_names",
    "col_names",
    IDXPTR,
    INDEX,
    "index_data",
    "index_idx",
    "index_idx_offsets",
    "index_starts",
    VAL,
    "val_data",
    "val_idx",
    "val_idx_offsets",
];

/// Returns the member that holds the names of an axis.
pub(super) fn names_of(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "row_names",
        Axis::Cols => "col_names",
    }
}

fn place(container: &dyn Container, name: &str) -> Place {
    Place::array(container.path(), name)
}

/// Reads `shape`: rows, then columns.
pub(super) fn shape(container: &dyn Container) -> Result<Shape> {
    let array = container.array(SHAPE)?;
    if array.len() != 2 {
        let found = format!("{} elements", array.len());
        return Err(Error::mismatch(array.place(), found, "2 elements, rows and columns"));
    }
    let mut shape = [0_u32; 2];
    array.read(0, &mut shape)?;
    Ok(Shape { rows: shape[0].into(), cols: shape[1].into() })
}

/// Reads `storage_order`: `row` or `col`.
pub(super) fn storage_order(container: &dyn Container) -> Result<Order> {
    let place = place(container, STORAGE_ORDER);
    let mut lines = 0;
    let mut order = None;
    container.for_each_string(STORAGE_ORDER, &mut |line| {
        lines += 1;
        order = match line {
            b"row" => Some(Order::Row),
            b"col" => Some(Order::Col),
            _ => {
                let shown = &line[..line.len().min(40)];
                let found = format!("\"{}\"", shown.escape_ascii());
                return Err(Error::mismatch(place.clone(), found, "\"row\" or \"col\""));
            }
        };
        Ok(())
    })?;
    match (order, lines) {
        (Some(order), 1) => Ok(order),
        _ => Err(Error::mismatch(place, format!("{lines} lines"), "1 line")),
    }
}

/// Reads the names of an axis of length `len`; `None` where there are none.
///
/// More names than members are allowed, and the surplus is dropped, as BPCells does.
pub(super) fn names(container: &dyn Container, axis: Axis, len: u64) -> Result<Option<StringList>> {
    let name = names_of(axis);
    let names = container.strings(name)?;
    if names.is_empty() {
        return Ok(None);
    }
    if names.len() < len {
        let place = place(container, name).at(At::Element(names.len()));
        let found = format!("{} names", names.len());
        return Err(Error::mismatch(place, found, format!("{len}, one for each of the {axis}")));
    }
    Ok(Some(names.truncated(len)))
}
