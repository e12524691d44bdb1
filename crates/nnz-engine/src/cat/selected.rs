//! The rows or columns to write, and their names.

use std::ops::Range;

use nnz_core::{Axis, Error, ErrorKind, MatrixSource, Place, Result, Scalar, write_scalar};

use crate::Selection;
use crate::names::check_one_line;

/// Ascending rows or columns.
pub(super) struct AxisSelection {
    /// Ranges, each with the number of selected positions before it.
    ranges: Vec<(Range<u64>, u64)>,
    names: Option<Names>,
}

/// The names of the selected positions.
#[derive(Default)]
struct Names {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl AxisSelection {
    /// Resolves a selection, and reads its names, if any, into at most `names` bytes.
    pub(super) fn new(
        source: &dyn MatrixSource,
        axis: Axis,
        selection: Option<&Selection>,
        names: Option<u64>,
    ) -> Result<Self> {
        let sorted = match selection {
            Some(selection) => selection.sorted(source, axis)?,
            None => std::iter::once(0..source.header().shape.len(axis)).collect(),
        };
        let mut before = 0;
        let mut ranges = Vec::with_capacity(sorted.len());
        for range in sorted {
            let count = range.end - range.start;
            ranges.push((range, before));
            before += count;
        }
        let mut selected = Self { ranges, names: None };
        if let Some(allowed) = names {
            selected.names = selected.read_names(source, axis, allowed).map_err(|error| {
                let array = Some(format!("names of {axis}"));
                error.with_context(&Place::default().with_array(array))
            })?;
        }
        Ok(selected)
    }

    fn read_names(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
        allowed: u64,
    ) -> Result<Option<Names>> {
        let Some(mut reader) = source.read_names(axis)? else { return Ok(None) };
        let mut names = Names::default();
        let mut position = 0;
        while let Some(name) = reader.next_string()? {
            if self.find(position).is_some() {
                check_one_line(name, position)?;
                let taken =
                    names.text.len() + name.len() + (names.ends.len() + 1) * size_of::<usize>();
                let needed = u64::try_from(taken).unwrap_or(u64::MAX);
                if needed > allowed {
                    let kind = ErrorKind::Memory { needed, allowed };
                    return Err(Error::new(kind, Place::default()));
                }
                names.text.extend_from_slice(name);
                names.ends.push(names.text.len());
            }
            position += 1;
        }
        Ok(Some(names))
    }

    /// Returns the selected ranges.
    pub(super) fn ranges(&self) -> Vec<Range<u64>> {
        self.ranges.iter().map(|(range, _)| range.clone()).collect()
    }

    /// Returns the number of a position in the selection.
    pub(super) fn find(&self, position: u64) -> Option<u64> {
        let after = self.ranges.partition_point(|(range, _)| range.start <= position);
        let (range, before) = self.ranges.get(after.checked_sub(1)?)?;
        (position < range.end).then(|| before + (position - range.start))
    }

    /// Writes the name of a position, or the position if there are no names.
    pub(super) fn write(&self, position: u64, number: u64, out: &mut Vec<u8>) {
        let name = self.names.as_ref().and_then(|names| names.get(number));
        match name {
            Some(name) => out.extend_from_slice(name),
            None => write_scalar(out, Scalar::U64(position), ""),
        }
    }
}

impl Names {
    fn get(&self, number: u64) -> Option<&[u8]> {
        let number = usize::try_from(number).ok()?;
        let end = *self.ends.get(number)?;
        let start =
            number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..end)
    }
}
