//! The original positions of rows or columns that were reordered: an array that BPCells ignores.

use nnz_container::{NamedArrays, Vector};
use nnz_core::{
    Annotations, Axis, Column, ColumnInfo, ColumnType, ColumnValues, Error, ErrorKind,
    ORIGINAL_POSITION, Place, Result, ValueType, Values, readable,
};

/// Returns the name of the array.
pub(super) fn positions_of(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "row_original_position",
        Axis::Cols => "col_original_position",
    }
}

/// The annotations of an axis: one column.
pub(super) struct Positions {
    array: Vector,
    columns: [ColumnInfo; 1],
    len: u64,
}

impl Positions {
    /// Opens the positions of an axis of length `len`; `None` if there are none.
    pub(super) fn open(container: &NamedArrays, axis: Axis, len: u64) -> Result<Option<Self>> {
        let Some(array) = readable(container.array(positions_of(axis)))? else { return Ok(None) };
        let column_type = ColumnType::Number(array.value_type());
        let columns = [ColumnInfo::new(ORIGINAL_POSITION, column_type)];
        Ok(Some(Self { array, columns, len }))
    }
}

impl Annotations for Positions {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        if column > 0 {
            return Err(Error::argument(format!("column {column} does not exist")));
        }
        check(&self.array, self.len)?;
        let needed = self.len.saturating_mul(4);
        if needed > memory {
            return Err(Error::new(
                ErrorKind::Memory { needed, allowed: memory },
                Place::default(),
            ));
        }
        let mut positions = vec![0_u32; usize::try_from(self.len).unwrap_or(usize::MAX)];
        self.array.read_into(0, &mut positions)?;
        Ok(Column { values: ColumnValues::Numbers(Values::U32(positions)), missing: None })
    }
}

/// Checks the type and length of the array of an axis of length `len`.
pub(super) fn check(array: &Vector, len: u64) -> Result<()> {
    if array.value_type() != ValueType::U32 {
        let found = format!("elements of type {}", array.value_type());
        return Err(Error::mismatch(array.place(), found, "elements of type uint32"));
    }
    if array.len() != len {
        let found = format!("{} elements", array.len());
        return Err(Error::mismatch(array.place(), found, format!("{len} elements")));
    }
    Ok(())
}
