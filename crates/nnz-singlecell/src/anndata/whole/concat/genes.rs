//! The columns of concatenated matrices: by the names of genes, or by position.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Axis, Error, Place, Result, StringList};
use nnz_engine::Join;

use crate::anndata::DataFrame;

/// The columns of concatenated matrices.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The number of columns in the result.
    pub(crate) len: u64,
    /// For each matrix, the position in it of each column of the result; `None` if it does not have
    /// the column. `None` for a matrix whose columns do not change.
    pub(crate) positions: Vec<Option<Vec<Option<u64>>>>,
}

/// The genes of concatenated files.
pub(crate) struct Genes {
    pub(crate) names: StringList,
    pub(crate) columns: Columns,
    /// How many names of each kind there are, for genes that differ.
    pub(crate) joined: Option<JoinedNames>,
}

/// A join of genes that differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JoinedNames {
    join: Join,
    kept: u64,
    in_all: u64,
    files: usize,
}

impl JoinedNames {
    /// Describes it.
    ///
    /// # Errors
    ///
    /// Fails if an inner join keeps nothing.
    pub(crate) fn note(self) -> Result<String> {
        self.join.note(Axis::Cols, self.kept, self.in_all, self.files)
    }
}

impl Columns {
    /// Joins genes by name, in the order of `anndata.concat`: as in the first file; sorted in an outer
    /// join of different genes.
    pub(crate) fn of_names(
        frames: &[Arc<DataFrame>],
        places: &[&Place],
        join: Option<Join>,
        memory: u64,
    ) -> Result<Genes> {
        let mut lists = Vec::with_capacity(frames.len());
        for (frame, place) in frames.iter().zip(places) {
            let share = memory / 4 / frames.len().max(1) as u64;
            let list = frame.names().and_then(|mut names| names.list_with_limit(share));
            lists.push(list.map_err(|error| error.with_context(place))?);
        }
        of_lists(lists, places, join)
    }

    /// Joins columns by position: as many as all files have, or any.
    pub(crate) fn by_position(lengths: &[u64], join: Option<Join>) -> Self {
        let len = match join {
            Some(Join::Outer) => lengths.iter().max(),
            _ => lengths.iter().min(),
        };
        let len = len.copied().unwrap_or(0);
        let positions = lengths.iter().map(|&own| {
            (own != len).then(|| (0..len).map(|at| (at < own).then_some(at)).collect())
        });
        Self { len, positions: positions.collect() }
    }

    /// Returns the columns for files with an element; the others have no columns.
    pub(crate) fn but<T>(&self, there: &[Option<T>]) -> Self {
        let none = || Some(vec![None; usize::try_from(self.len).unwrap_or(0)]);
        let positions = self.positions.iter().zip(there);
        let positions =
            positions.map(|(own, there)| if there.is_some() { own.clone() } else { none() });
        Self { len: self.len, positions: positions.collect() }
    }

    /// Returns whether some columns are missing in a matrix.
    pub(crate) fn has_missing(&self) -> bool {
        self.positions.iter().flatten().flatten().any(Option::is_none)
    }
}

fn of_lists(lists: Vec<StringList>, places: &[&Place], join: Option<Join>) -> Result<Genes> {
    let Some((first, rest)) = lists.split_first() else {
        return Err(Error::argument("there is nothing to concatenate"));
    };
    if rest.iter().all(|list| list == first) {
        let columns = Columns { len: first.len(), positions: vec![None; lists.len()] };
        return Ok(Genes { names: first.clone(), columns, joined: None });
    }
    let mut known: Vec<HashMap<&[u8], u64>> = Vec::with_capacity(lists.len());
    for (list, place) in lists.iter().zip(places) {
        let mut names = HashMap::new();
        for (at, name) in list.iter().enumerate() {
            if names.insert(name, at as u64).is_some() {
                let name = String::from_utf8_lossy(name);
                let what = format!("duplicate gene name {name:?}; genes are joined by name");
                return Err(Error::unsupported((*place).clone(), what));
            }
        }
        known.push(names);
    }
    let everywhere = |name: &[u8]| known.iter().all(|names| names.contains_key(name));
    if join.is_none() {
        for (list, place) in lists.iter().zip(places) {
            if let Some(name) = list.iter().find(|name| !everywhere(name)) {
                let name = String::from_utf8_lossy(name);
                let what = format!("the gene {name:?} is not in all files");
                let effect = "inner keeps the genes that are in all files, outer keeps all genes";
                return Err(Error::unsupported((*place).clone(), what).with_hint("join", effect));
            }
        }
    }
    let names: Vec<&[u8]> = match join {
        Some(Join::Outer) => united(&lists),
        _ => first.iter().filter(|name| everywhere(name)).collect(),
    };
    let positions = known.iter().zip(&lists).map(|(known, list)| {
        let same = list.len() == names.len() as u64 && list.iter().eq(names.iter().copied());
        (!same).then(|| names.iter().map(|name| known.get(name).copied()).collect())
    });
    let columns = Columns { len: names.len() as u64, positions: positions.collect() };
    let joined = join.map(|join| {
        let in_all = names.iter().filter(|name| everywhere(name)).count() as u64;
        JoinedNames { join, kept: columns.len, in_all, files: lists.len() }
    });
    Ok(Genes { names: names.iter().collect(), columns, joined })
}

/// Unites lists pairwise like pandas: the union of different lists is sorted.
fn united(lists: &[StringList]) -> Vec<&[u8]> {
    let mut all: Vec<&[u8]> = Vec::new();
    for (at, list) in lists.iter().enumerate() {
        if at == 0 || all.is_empty() {
            all = list.iter().collect();
        } else if !list.is_empty() && !list.iter().eq(all.iter().copied()) {
            let seen: HashSet<&[u8]> = all.iter().copied().collect();
            let more: Vec<&[u8]> = list.iter().filter(|name| !seen.contains(name)).collect();
            all.extend(more);
            all.sort_unstable();
        }
    }
    all
}

/// Returns the ranges from which columns are taken; missing ones are taken from after the `own`
/// columns of a matrix. Also returns the number of missing columns.
pub(crate) fn ranges(positions: &[Option<u64>], own: u64) -> (Vec<Range<u64>>, u64) {
    let (mut ranges, mut missing): (Vec<Range<u64>>, u64) = (Vec::new(), 0);
    for position in positions {
        let at = position.unwrap_or_else(|| {
            missing += 1;
            own + missing - 1
        });
        match ranges.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end += 1,
            None => ranges.push(at..at + 1),
        }
    }
    (ranges, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(lists: &[&[&str]], join: Option<Join>) -> Result<Genes> {
        let place = Place::path("f");
        let places = vec![&place; lists.len()];
        of_lists(lists.iter().map(|list| list.iter().collect()).collect(), &places, join)
    }

    #[test]
    fn genes_are_joined_by_name() {
        let text = |genes: &Genes| genes.names.iter().map(|n| n[0] as char).collect::<String>();
        let (a, b): (&[&str], &[&str]) = (&["c", "a", "b"], &["b", "d", "c"]);
        let inner = joined(&[a, b], Some(Join::Inner)).unwrap();
        assert_eq!(text(&inner), "cb");
        assert_eq!(inner.columns.positions[0], Some(vec![Some(0), Some(2)]));
        assert_eq!(inner.columns.positions[1], Some(vec![Some(2), Some(0)]));
        assert!(!inner.columns.has_missing());
        let outer = joined(&[a, b], Some(Join::Outer)).unwrap();
        assert_eq!(text(&outer), "abcd");
        assert_eq!(outer.columns.positions[0], Some(vec![Some(1), Some(2), Some(0), None]));
        assert!(outer.columns.has_missing());
        // The same genes keep their order in any join.
        let same = joined(&[a, a], Some(Join::Outer)).unwrap();
        assert_eq!((text(&same), same.columns.positions), ("cab".to_owned(), vec![None, None]));
        let moved = joined(&[a, &["a", "b", "c"]], None).unwrap();
        assert_eq!(text(&moved), "cab");
        assert_eq!(moved.columns.positions[1], Some(vec![Some(2), Some(0), Some(1)]));
        assert!(joined(&[a, b], None).is_err_and(|e| e.to_string().contains("`join` inner")));
        assert!(joined(&[&["a", "a"], b], Some(Join::Inner)).is_err());
    }

    #[test]
    fn columns_are_truncated_or_extended_by_position() {
        let inner = Columns::by_position(&[2, 3], None);
        assert_eq!((inner.len, &inner.positions[0]), (2, &None));
        assert_eq!(inner.positions[1], Some(vec![Some(0), Some(1)]));
        let outer = Columns::by_position(&[2, 3], Some(Join::Outer));
        assert_eq!(outer.positions[0], Some(vec![Some(0), Some(1), None]));
        assert_eq!(
            ranges(&[Some(1), Some(2), None, Some(0), None], 3),
            (vec![1..4, 0..1, 4..5], 2)
        );
    }
}
