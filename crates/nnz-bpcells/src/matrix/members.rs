//! The small members of a matrix: `shape`, `storage_order`, and the names of its rows and columns.

use nnz_container::NamedArrays;
use nnz_core::{At, Axis, Error, Names, Order, Place, Result, Shape, StringReader};

pub(super) const SHAPE: &str = "shape";
pub(super) const STORAGE_ORDER: &str = "storage_order";
pub(super) const IDXPTR: &str = "idxptr";
pub(super) const INDEX: &str = "index";
pub(super) const VAL: &str = "val";

/// The names of all members that a matrix of any version can have.
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
    "row_original_position",
    "col_original_position",
];

/// Returns the name of the member with the names of an axis.
pub(super) fn names_of(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "row_names",
        Axis::Cols => "col_names",
    }
}

fn place(container: &NamedArrays, name: &str) -> Place {
    Place::array(container.path(), name)
}

/// Reads `shape`: rows, then columns.
pub(super) fn shape(container: &NamedArrays) -> Result<Shape> {
    let array = container.array(SHAPE)?;
    if array.len() != 2 {
        let found = format!("{} elements", array.len());
        return Err(Error::mismatch(array.place(), found, "2 elements, rows and columns"));
    }
    let mut shape = [0_u32; 2];
    array.read_into(0, &mut shape)?;
    Ok(Shape { rows: shape[0].into(), cols: shape[1].into() })
}

/// Reads `storage_order`: `row` or `col`.
pub(super) fn storage_order(container: &NamedArrays) -> Result<Order> {
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

/// Starts reading the names of an axis of length `len`; `None` if there are none.
///
/// More names than the axis is long are allowed; the rest is dropped, as in BPCells.
pub(super) fn names(container: &NamedArrays, axis: Axis, len: u64) -> Result<Option<Names<'_>>> {
    let name = names_of(axis);
    let mut strings = container.read_strings(name)?;
    let Some(first) = strings.next_string()?.map(<[u8]>::to_vec) else { return Ok(None) };
    let place = place(container, name);
    Ok(Some(Box::new(AxisNames { strings, first, given: 0, axis, len, place })))
}

/// The names of an axis; an error if there are fewer than it is long.
struct AxisNames<'a> {
    strings: Names<'a>,
    /// The first name, read to find out whether there are names.
    first: Vec<u8>,
    given: u64,
    axis: Axis,
    len: u64,
    place: Place,
}

impl StringReader for AxisNames<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        if self.given == self.len {
            self.strings.drain()?;
            return Ok(None);
        }
        if self.given == 0 {
            self.given = 1;
            return Ok(Some(&self.first));
        }
        match self.strings.next_string()? {
            Some(name) => {
                self.given += 1;
                Ok(Some(name))
            }
            None => {
                let place = self.place.clone().at(At::Element(self.given));
                let found = format!("{} names", self.given);
                let expected = format!("{}, one for each of the {}", self.len, self.axis);
                Err(Error::mismatch(place, found, expected))
            }
        }
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.len - self.given)
    }
}
