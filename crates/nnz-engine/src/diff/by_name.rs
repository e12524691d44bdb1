//! Matching rows and columns of two matrices by name.

use std::collections::HashMap;
use std::ops::Range;

use nnz_core::{Axis, Error, MatrixSource, Result, StringList};

use crate::Selection;

/// The rows or columns of a matrix that have the same names as in another matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchedNames {
    /// They are in the same order, or one matrix has no names.
    InPlace,
    /// This selection from the second matrix has them in the order of the first.
    Moved(Selection),
    /// Some names are missing in one of the matrices.
    Different {
        /// The names that only the first matrix has, in its order.
        first_only: Vec<String>,
        /// The names that only the second matrix has, in its order.
        second_only: Vec<String>,
    },
}

/// Finds the rows or columns of the first matrix in the second one, by name. The names of rows and columns are read into at most `memory` bytes.
///
/// # Errors
///
/// Fails if names cannot be read, and if the order differs and a name is repeated.
pub fn match_names(
    sources: [&dyn MatrixSource; 2],
    axis: Axis,
    memory: u64,
) -> Result<MatchedNames> {
    let places = sources.map(|source| source.place());
    let mut lists = Vec::with_capacity(2);
    for (source, place) in sources.into_iter().zip(&places) {
        let read = || match source.read_names(axis)? {
            Some(mut names) => names.list_with_limit(memory / 4).map(Some),
            None => Ok(None),
        };
        lists.extend(read().map_err(|error| error.with_context(place))?);
    }
    let [first, second] = &lists[..] else { return Ok(MatchedNames::InPlace) };
    if first.iter().eq(second.iter()) {
        return Ok(MatchedNames::InPlace);
    }
    let by_name = unique(second, axis).map_err(|error| error.with_context(&places[1]))?;
    let in_first = unique(first, axis).map_err(|error| error.with_context(&places[0]))?;
    let missing = |names: &StringList, others: &HashMap<&[u8], u64>| -> Vec<String> {
        let missing = names.iter().filter(|name| !others.contains_key(name));
        missing.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    };
    let [first_only, second_only] = [missing(first, &by_name), missing(second, &in_first)];
    if !first_only.is_empty() || !second_only.is_empty() {
        return Ok(MatchedNames::Different { first_only, second_only });
    }
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for &at in first.iter().filter_map(|name| by_name.get(name)) {
        match ranges.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end += 1,
            None => ranges.push(at..at + 1),
        }
    }
    Ok(MatchedNames::Moved(Selection::ranges(ranges).allow_empty(true)))
}

/// Returns the position of each name.
fn unique(names: &StringList, axis: Axis) -> Result<HashMap<&[u8], u64>> {
    let mut positions = HashMap::new();
    for (at, name) in (0..).zip(names.iter()) {
        if let Some(before) = positions.insert(name, at) {
            let (one, name) = (axis.singular(), String::from_utf8_lossy(name));
            let what = format!(
                "{axis} cannot be matched by name: {one} {before} and {one} {at} have {name:?}"
            );
            return Err(Error::argument(what));
        }
    }
    Ok(positions)
}
