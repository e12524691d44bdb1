//! Matching the rows or columns that concatenated matrices share by name.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    Annotations, Axis, ColumnType, Error, Header, MatrixSource, Names, Projection, Result,
    Rounding, StringList, UnitReader, ValueType, Wrapped,
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
pub(crate) fn matched_by_name(
    sources: Vec<Box<dyn MatrixSource>>,
    axis: Axis,
    join: Option<Join>,
    memory: u64,
) -> Result<Matched> {
    let all: Vec<&dyn MatrixSource> = sources.iter().map(|source| &**source).collect();
    match Matching::of(&all, axis, join, memory)? {
        None => Ok((sources, None)),
        Some(matching) => Ok((matching.apply(sources)?, Some(matching.note))),
    }
}

/// The order of the rows or columns that several matrices share.
pub(crate) struct Matching {
    axis: Axis,
    matrices: Vec<MatchedNames>,
    /// Whether rows or columns are added to matrices.
    is_outer: bool,
    /// A note for the user.
    pub(crate) note: String,
}

/// The rows or columns of a matrix.
struct MatchedNames {
    /// The position of each; those after the end of the matrix are empty.
    positions: Vec<u64>,
    /// The number of rows or columns, with those that are added at the end.
    len: u64,
    /// The positions of those that no matrix before has.
    new: Vec<u64>,
}

impl Matching {
    /// Matches the names of matrices. Returns `None` if they need no change, or if names differ without a join.
    pub(crate) fn of(
        sources: &[&dyn MatrixSource],
        axis: Axis,
        join: Option<Join>,
        memory: u64,
    ) -> Result<Option<Self>> {
        let mut lists: Vec<StringList> = Vec::with_capacity(sources.len());
        for source in sources {
            let names = source.read_names(axis)?;
            let names = names.map(|mut names| names.list_with_limit(memory)).transpose();
            match names.map_err(|error| error.with_context(&source.place()))? {
                Some(names) => lists.push(names),
                None if join.is_none() => return Ok(None),
                None => {
                    let what = format!("the {axis} have no names, by which a join matches them");
                    return Err(Error::unsupported(source.place(), what));
                }
            }
        }
        let Some((first, others)) = lists.split_first() else { return Ok(None) };
        if others.iter().all(|list| list == first) {
            return Ok(None);
        }
        let mut all: Vec<Positions<'_>> = Vec::with_capacity(lists.len());
        for (list, source) in lists.iter().zip(sources) {
            let positions: Positions<'_> = list.iter().zip(0..).collect();
            if positions.len() as u64 != list.len() {
                if join.is_none() {
                    return Ok(None);
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
        let common = wanted.iter().filter(|name| is_in_all(name)).count() as u64;
        let note = match join {
            None => {
                let same = others.iter().all(|list| list.len() == first.len());
                if !same || common != first.len() {
                    return Ok(None);
                }
                format!(
                    "the {axis} of {count} sources are in different orders, and were matched by name"
                )
            }
            Some(join) => {
                match join {
                    Join::Outer => {
                        let mut known: Positions<'_> = all[0].clone();
                        for name in others.iter().flat_map(StringList::iter) {
                            let next = known.len() as u64;
                            if *known.entry(name).or_insert(next) == next {
                                wanted.push(name);
                            }
                        }
                    }
                    _ => wanted.retain(is_in_all),
                }
                if common == 0 {
                    refuse_other_names(sources, &all, axis, memory)?;
                }
                join.note(axis, wanted.len() as u64, common, count)?
            }
        };
        let matrices = lists.iter().enumerate().map(|(at, list)| {
            let mut len = list.len();
            let position = |name: &&[u8]| {
                all[at].get(name).copied().unwrap_or_else(|| {
                    // A row or column that is added at the end.
                    len += 1;
                    len - 1
                })
            };
            let positions = wanted.iter().map(position).collect();
            let is_new = |name: &[u8]| !all[..at].iter().any(|before| before.contains_key(name));
            let new = list.iter().zip(0..).filter(|(name, _)| is_new(name)).map(|(_, at)| at);
            MatchedNames { positions, len, new: new.collect() }
        });
        let matrices = matrices.collect();
        Ok(Some(Self { axis, matrices, is_outer: join == Some(Join::Outer), note }))
    }

    /// Puts the rows or columns of the matrices in order. All have the names and annotations of all.
    pub(crate) fn apply(
        &self,
        sources: Vec<Box<dyn MatrixSource>>,
    ) -> Result<Vec<Box<dyn MatrixSource>>> {
        let axis = self.axis;
        let sources: Vec<Arc<dyn MatrixSource>> = sources.into_iter().map(Arc::from).collect();
        let labels = match self.is_outer {
            true => Some(Arc::new(self.labels_of_all(&sources)?)),
            false => None,
        };
        let matched = sources.into_iter().enumerate().map(|(number, source)| {
            let inner = self.apply_to_one(number, Box::new(Arc::clone(&source)))?;
            Ok(match &labels {
                None => inner,
                Some(labels) => {
                    Box::new(Joined { inner, source, labels: Arc::clone(labels), axis }) as _
                }
            })
        });
        matched.collect()
    }

    /// Puts the rows or columns of a matrix in order, which are those of the matrix of this number.
    pub(crate) fn apply_to_one(
        &self,
        number: usize,
        source: Box<dyn MatrixSource>,
    ) -> Result<Box<dyn MatrixSource>> {
        let Some(MatchedNames { positions, len, .. }) = self.matrices.get(number) else {
            return Ok(source);
        };
        let mut source = source;
        if self.is_outer {
            let mut shape = source.header().shape;
            *(if self.axis == Axis::Rows { &mut shape.rows } else { &mut shape.cols }) = *len;
            source = Box::new(Padded::new(source, shape)?);
        }
        picked_of(source, self.axis, positions)
    }

    /// Returns a matrix without entries that has the names and annotations of all rows or columns: those of the first matrix, and
    /// those that each of the others adds.
    fn labels_of_all(&self, sources: &[Arc<dyn MatrixSource>]) -> Result<Concat> {
        let mut parts: Vec<Box<dyn MatrixSource>> = Vec::with_capacity(sources.len());
        for (source, names) in sources.iter().zip(&self.matrices) {
            let new = names.new.iter().map(|at| *at..at + 1);
            let new = Selection::ranges(new).allow_empty(true);
            let none = Selection::ranges([]).allow_empty(true);
            let [rows, cols] = if self.axis == Axis::Rows { [&new, &none] } else { [&none, &new] };
            parts.push(Box::new(Slice::new(Box::new(Arc::clone(source)), rows, cols)?));
        }
        // A type of all values, of which there are none.
        let how = ConcatOptions::default().value_type(Some(ValueType::ComplexF64));
        Concat::new(parts, self.axis, &how.rounding(Rounding::Nearest))
    }
}

/// Refuses names of a matrix that another one has in a column of annotations: ids, and symbols.
fn refuse_other_names(
    sources: &[&dyn MatrixSource],
    names: &[Positions<'_>],
    axis: Axis,
    memory: u64,
) -> Result<()> {
    let mut text = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let Some(table) = source.annotations(axis)? else { continue };
        for (number, info) in table.columns().iter().enumerate() {
            if matches!(info.column_type, ColumnType::Number(_)) {
                continue;
            }
            let column = table.read_column(number, memory)?;
            for row in 0..column.len() {
                text.clear();
                column.write_text(row, &mut text);
                let is_name = |(other, names): (usize, &Positions<'_>)| {
                    (other != at && names.contains_key(&*text)).then_some(other)
                };
                let Some(other) = names.iter().enumerate().find_map(is_name) else { continue };
                let (place, other) = (source.place(), sources.get(other).map(|one| one.place()));
                let what = format!(
                    "no name of {axis} is in all {} sources: names of {} are in the column {:?} of {place}; convert sources of 10x \
                     to .h5ad first, in which symbols are the names",
                    sources.len(),
                    other.unwrap_or_default(),
                    info.name
                );
                return Err(Error::argument(what));
            }
        }
    }
    Ok(())
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
