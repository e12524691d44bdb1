//! Concatenating dense arrays.

use nnz_container::tree::{ArraySpec, ElementType, NdArray};
use nnz_core::{At, Error, ErrorKind, Place, Result, Rounding, Scalar, ValueType, Values};
use nnz_engine::promoted_type;

use super::ConcatFilesOptions;
use super::genes::Columns;
use crate::anndata::output::Group;
use crate::anndata::whole::elements::Transfer;

/// The smallest and largest number of bytes of rows that are read at a time.
const LEAST: u64 = 64 << 10;
const MOST: u64 = 32 << 20;

impl Transfer<'_> {
    /// Concatenates arrays of numbers; by position of their columns, unless `columns` are given.
    /// For files without one, `heights` has the number of rows with missing values.
    pub(super) fn joined_dense(
        &mut self,
        arrays: Vec<Option<Box<dyn NdArray>>>,
        heights: &[u64],
        (parent, name): (Group, &str),
        path: &str,
        columns: Option<Columns>,
        how: &ConcatFilesOptions<'_>,
    ) -> Result<()> {
        let Some(first) = arrays.iter().flatten().next() else { return Ok(()) };
        let inner = first.shape().get(2..).unwrap_or(&[]).to_vec();
        if arrays.iter().flatten().any(|array| array.shape().get(2..) != Some(&inner[..])) {
            self.left_out(path, "arrays with different numbers of dimensions");
            return Ok(());
        }
        let width =
            |array: &Option<Box<dyn NdArray>>| array.as_ref().map_or(0, |array| array.shape()[1]);
        let columns = columns.unwrap_or_else(|| {
            let lengths: Vec<u64> = arrays.iter().map(width).collect();
            Columns::by_position(&lengths, how.join)
        });
        let (value_type, fill) = common(&arrays, &columns, path, how)?;
        let tall: Vec<u64> = arrays
            .iter()
            .enumerate()
            .map(|(number, array)| match array {
                Some(array) => array.shape()[0],
                None => heights.get(number).copied().unwrap_or(0),
            })
            .collect();
        let rows = tall.iter().try_fold(0_u64, |sum, height| sum.checked_add(*height));
        let rows = rows.ok_or_else(|| Error::argument("more than 2^64 cells"))?;
        let shape = [&[rows, columns.len], &inner[..]].concat();
        let mut spec = ArraySpec::new(ElementType::Number(value_type), &shape);
        spec = spec.compress(self.compression(&**first));
        let chunk = first.storage().chunk_shape.filter(|chunk| chunk.len() == shape.len());
        if let Some(chunk) = chunk.filter(|chunk| !chunk.contains(&0)) {
            spec = spec.chunk(&chunk);
        }
        let target = self.output.tree.create_array(parent.0, name, &spec)?;
        self.output.encode_node(target, "array", "0.2.0")?;
        let elements = inner.iter().fold(1, |all: u64, len| all.saturating_mul(*len));
        for ((array, positions), height) in arrays.iter().zip(&columns.positions).zip(tall) {
            let width = width(array);
            let widest = width.max(columns.len).saturating_mul(elements);
            let row = widest.saturating_mul(value_type.size() as u64).max(1);
            let allowed = self.options.context.memory().max(MOST);
            if row > allowed {
                let kind = ErrorKind::Memory { needed: row, allowed };
                return Err(Error::new(
                    kind,
                    array.as_ref().map_or(Place::path(path), |array| array.place()),
                ));
            }
            let block = ((self.options.context.memory() / 8).clamp(LEAST, MOST) / row).max(1);
            let mut start = 0;
            while start < height {
                self.options.context.check()?;
                let end = height.min(start.saturating_add(block));
                let values = match array {
                    None => Values::new(value_type),
                    Some(array) => {
                        let values = array.read(&array.rows(start..end)?, u64::MAX)?;
                        let first = start.saturating_mul(width).saturating_mul(elements);
                        cast(values, value_type, first, &array.place())?
                    }
                };
                match positions {
                    None => self.output.tree.append_bytes(target, values.bytes())?,
                    Some(positions) => {
                        let size = elements.saturating_mul(value_type.size() as u64);
                        let rows = end - start;
                        let moved =
                            moved(values.bytes(), positions, [rows, width, size], fill.bytes());
                        self.output.tree.append_bytes(target, &moved)?;
                    }
                }
                start = end;
            }
        }
        if path == "X" {
            self.report.entries = rows.saturating_mul(columns.len);
        }
        self.output.tree.finish_array(target)
    }
}

/// Returns the common type in NumPy of all arrays and of missing values, and the missing value.
fn common(
    arrays: &[Option<Box<dyn NdArray>>],
    columns: &Columns,
    path: &str,
    how: &ConcatFilesOptions<'_>,
) -> Result<(ValueType, Values)> {
    let mut common: Option<ValueType> = None;
    for (array, positions) in arrays.iter().zip(&columns.positions) {
        let Some(array) = array else { continue };
        let mut own = array.value_type()?;
        // The missing value of integers is a 64-bit NaN.
        let fills = positions.iter().flatten().any(Option::is_none);
        if fills && how.fill.is_none() && own.is_integer() {
            own = ValueType::F64;
        }
        common = Some(common.map_or(own, |before| promoted_type(before, own)));
    }
    let value_type = common.ok_or_else(|| Error::argument("there is nothing to concatenate"))?;
    if !columns.has_missing() {
        return Ok((value_type, Values::new(value_type)));
    }
    let no_type = |what: String| Error::argument(format!("{path}: {what}"));
    let Some(requested) = how.fill else {
        let fill = match value_type {
            ValueType::F32 => Scalar::F32(f32::NAN),
            ValueType::ComplexF32 | ValueType::ComplexF64 => {
                let error = no_type(format!("{value_type} has no missing value"));
                return Err(error.with_hint("fill", "sets one"));
            }
            // Missing values are NaN, like in anndata.
            _ => Scalar::F64(f64::NAN),
        };
        return Ok((fill.value_type(), fill.repeat(1)));
    };
    let fill = Scalar::F64(requested).cast(value_type, Rounding::Refused);
    let fill = fill
        .map_err(|_| no_type(format!("{value_type} does not hold the fill value {requested}")))?;
    Ok((value_type, fill.repeat(1)))
}

/// Casts values of an array, the first of which has the position `first`.
fn cast(values: Values, to: ValueType, first: u64, place: &Place) -> Result<Values> {
    if values.value_type() == to {
        return Ok(values);
    }
    let mut cast = Values::new(to);
    values.cast_into(to, Rounding::Refused, &mut cast).map_err(|offender| {
        let what = format!(
            "found {}, which cannot be stored exactly as {to}, the type for all files",
            offender.found
        );
        let number = first.saturating_add(offender.index as u64);
        Error::unsupported(place.clone().at(At::Element(number)), what)
    })?;
    Ok(cast)
}

/// Moves columns of some bytes to other positions in rows; missing ones are set to the fill value.
fn moved(
    values: &[u8],
    positions: &[Option<u64>],
    [rows, width, size]: [u64; 3],
    fill: &[u8],
) -> Vec<u8> {
    let bytes = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let (size, len) = (bytes(size), bytes(width.saturating_mul(size)));
    let count = bytes(rows).saturating_mul(positions.len());
    let mut out = Vec::with_capacity(count.saturating_mul(size));
    for row in 0..bytes(rows) {
        // Empty if a file has no columns.
        let row = values.get(row.saturating_mul(len)..).unwrap_or_default();
        let row = row.get(..len).unwrap_or_default();
        for position in positions {
            let at = position.map(|position| bytes(position).saturating_mul(size));
            match at.and_then(|at| row.get(at..at.saturating_add(size))) {
                Some(column) => out.extend_from_slice(column),
                None => out.extend(fill.iter().cycle().take(size)),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_moved_to_their_positions() {
        let rows = [1, 1, 2, 2, 3, 3, 4, 4];
        let moved = moved(&rows, &[Some(1), None, Some(0)], [2, 2, 2], &[9]);
        assert_eq!(moved, [2, 2, 9, 9, 1, 1, 4, 4, 9, 9, 3, 3]);
        assert_eq!(super::moved(&[], &[None], [3, 0, 1], &[9]), [9; 3]);
    }
}
