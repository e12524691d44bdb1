//! Matching the rows or columns that concatenated matrices share by name.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    Annotations, Axis, Error, Header, MatrixSource, Names, Projection, Result, Rounding,
    StringList, UnitReader, ValueType, Wrapped,
};

use crate::Selection;
use crate::collection::Join;
use crate::engine::{Concat, ConcatOptions, Padded, Slice};

/// Matrices, and a note for the user.
type Matched = (Vec<Box<dyn MatrixSource>>, Option<String>);

type Positions<'a> = HashMap<&'a [u8], u64>;

/// Puts the shared rows or columns of matrices in one order, by name: the same names in another order, those that all matrices have
/// (inner), or those that any has (outer), which are empty in the others. Matrices that need no change, or whose names differ without
/// a join, are returned as they are. Also returns a note for the user.
pub(super) fn matched_by_name(
    sources: Vec<Box<dyn MatrixSource>>,
    axis: Axis,
    join: Option<Join>,
    memory: u64,
) -> Result<Matched> {
    let mut lists: Vec<StringList> = Vec::with_capacity(sources.len());
    for source in &sources {
        let names = source.read_names(axis)?;
        let names = names.map(|mut names| names.list_with_limit(memory)).transpose();
        match names.map_err(|error| error.with_context(&source.place()))? {
            Some(names) => lists.push(names),
            None if join.is_none() => return Ok((sources, None)),
            None => {
                let what = format!("the {axis} have no names, by which a join matches them");
                return Err(Error::unsupported(source.place(), what));
            }
        }
    }
    let Some((first, others)) = lists.split_first() else { return Ok((sources, None)) };
    if others.iter().all(|list| list == first) {
        return Ok((sources, None));
    }
    let mut all: Vec<Positions<'_>> = Vec::with_capacity(lists.len());
    for (list, source) in lists.iter().zip(&sources) {
        let positions: Positions<'_> = list.iter().zip(0..).collect();
        if positions.len() as u64 != list.len() {
            if join.is_none() {
                return Ok((sources, None));
            }
            let what =
                format!("names of {axis} occur more than once, so that they cannot be matched");
            return Err(Error::unsupported(source.place(), what));
        }
        all.push(positions);
    }
    let is_in_all = |name: &&[u8]| all.iter().all(|positions| positions.contains_key(name));
    let mut wanted: Vec<&[u8]> = first.iter().collect();
    let count = lists.len();
    let note = match join {
        None => {
            let same = others.iter().all(|list| list.len() == first.len());
            if !same || !wanted.iter().all(is_in_all) {
                return Ok((sources, None));
            }
            format!(
                "the {axis} of {count} sources are in different orders, and were matched by name"
            )
        }
        Some(Join::Inner) => {
            wanted.retain(is_in_all);
            if wanted.is_empty() {
                let what = format!(
                    "no name of {axis} is in all {count} sources; some may have ids as names, and others symbols"
                );
                return Err(Error::argument(what));
            }
            format!("{} {axis} are in all {count} sources", wanted.len())
        }
        Some(_) => {
            let mut known: Positions<'_> = all[0].clone();
            for name in others.iter().flat_map(StringList::iter) {
                let next = known.len() as u64;
                if *known.entry(name).or_insert(next) == next {
                    wanted.push(name);
                }
            }
            let common = first.iter().filter(is_in_all).count();
            format!("{} {axis} are in any of {count} sources, and {common} in all", wanted.len())
        }
    };
    let sources: Vec<Arc<dyn MatrixSource>> = sources.into_iter().map(Arc::from).collect();
    let labels = match join {
        Some(Join::Outer) => Some(Arc::new(labels_of_all(&sources, axis, &all)?)),
        _ => None,
    };
    let mut found: Vec<Box<dyn MatrixSource>> = Vec::with_capacity(count);
    for (source, positions) in sources.into_iter().zip(&all) {
        let mut len = source.header().shape.len(axis);
        let picked: Vec<u64> = wanted
            .iter()
            .map(|name| {
                positions.get(name).copied().unwrap_or_else(|| {
                    // A row or column that is added at the end.
                    len += 1;
                    len - 1
                })
            })
            .collect();
        found.push(match &labels {
            None => picked_of(Box::new(source), axis, &picked)?,
            Some(labels) => {
                let mut shape = source.header().shape;
                *(if axis == Axis::Rows { &mut shape.rows } else { &mut shape.cols }) = len;
                let padded = Padded::new(Box::new(Arc::clone(&source)), shape)?;
                let inner = picked_of(Box::new(padded), axis, &picked)?;
                Box::new(Joined { inner, source, labels: Arc::clone(labels), axis })
            }
        });
    }
    Ok((found, Some(note)))
}

/// Selects rows or columns, in this order.
fn picked_of(
    source: Box<dyn MatrixSource>,
    axis: Axis,
    picked: &[u64],
) -> Result<Box<dyn MatrixSource>> {
    let picked = Selection::ranges(picked.iter().map(|at| *at..at + 1));
    let all = Selection::all();
    let [rows, cols] = if axis == Axis::Rows { [&picked, &all] } else { [&all, &picked] };
    Ok(Box::new(Slice::new(source, rows, cols)?))
}

/// Returns a matrix without entries that has the names and annotations of all rows or columns: those of the first matrix, and those
/// that each of the others adds.
fn labels_of_all(
    sources: &[Arc<dyn MatrixSource>],
    axis: Axis,
    positions: &[Positions<'_>],
) -> Result<Concat> {
    let mut parts: Vec<Box<dyn MatrixSource>> = Vec::with_capacity(sources.len());
    for (at, source) in sources.iter().enumerate() {
        let is_new = |name: &[u8]| !positions[..at].iter().any(|before| before.contains_key(name));
        let mut new: Vec<u64> =
            positions[at].iter().filter(|(name, _)| is_new(name)).map(|(_, at)| *at).collect();
        new.sort_unstable();
        let new = Selection::ranges(new.into_iter().map(|at| at..at + 1)).allow_empty(true);
        let none = Selection::ranges([]).allow_empty(true);
        let [rows, cols] = if axis == Axis::Rows { [&new, &none] } else { [&none, &new] };
        parts.push(Box::new(Slice::new(Box::new(Arc::clone(source)), rows, cols)?));
    }
    // A type of all values, of which there are none.
    let how = ConcatOptions::default().value_type(Some(ValueType::ComplexF64));
    Concat::new(parts, axis, &how.rounding(Rounding::Nearest))
}

/// A matrix with the rows or columns of all.
struct Joined {
    inner: Box<dyn MatrixSource>,
    source: Arc<dyn MatrixSource>,
    labels: Arc<Concat>,
    /// The axis of what is matched.
    axis: Axis,
}

impl Joined {
    fn labels(&self, axis: Axis) -> &dyn MatrixSource {
        if axis == self.axis { &*self.labels } else { &*self.source }
    }
}

impl MatrixSource for Joined {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        self.inner.header()
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.labels(axis).read_names(axis)
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        self.labels(axis).annotations(axis)
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.inner.units(majors, fields)
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }
}
