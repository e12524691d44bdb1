//! Concatenating tables.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use nnz_core::{
    Annotations, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues, Error,
    Names, Result, Rounding, Scalar, StringReader, ValueType, Values,
};
use nnz_engine::{Appended, Join};

use super::{ConcatFilesOptions, common_index};
use crate::anndata::DataFrame;
use crate::anndata::columns::{MOST_COLUMN, write_table};
use crate::anndata::output::Group;
use crate::anndata::whole::elements::Transfer;

impl Transfer<'_> {
    /// Concatenates tables, with the names of cells.
    pub(crate) fn joined_obs(
        &mut self,
        to: (Group, &str),
        obs: &[Arc<DataFrame>],
        tables: &[Arc<DataFrame>],
        how: &ConcatFilesOptions<'_>,
    ) -> Result<()> {
        let path = to.1;
        for (frame, obs) in tables.iter().zip(obs) {
            self.check_columns(frame, path)?;
            if frame.len() != obs.len() {
                let found = format!("{} rows", frame.len());
                return Err(Error::mismatch(frame.place(), found, obs.len()));
            }
        }
        let parts = tables.iter().map(|frame| Box::new(&**frame) as Box<dyn Annotations>);
        let join = how.join.unwrap_or(Join::Inner);
        let appended = Appended::promoted(parts.collect(), join, MOST_COLUMN)?;
        for column in appended.dropped() {
            self.left_out(&format!("the column {:?} of {path}", column.name), &column.why);
        }
        if path == "obs" && how.index_unique.is_none() {
            self.note_repeated_names(obs)?;
        }
        let lengths = obs.iter().map(|frame| frame.len()).collect();
        let table = Labelled::new(appended, how, lengths, tables)?;
        let names =
            UniqueNames { frames: obs.iter(), names: None, number: 0, how, name: Vec::new() };
        self.output.compression = self.options.compression.unwrap_or_default();
        let (index, len) = (common_index(obs), table.len());
        write_table(&mut self.output, to, &index, len, Some(Box::new(names)), Some(&table))
    }

    /// Notes names of cells that occur more than once, as far as the memory allows.
    fn note_repeated_names(&mut self, obs: &[Arc<DataFrame>]) -> Result<()> {
        // Twice the size of a hash, as the table is not full.
        let most = usize::try_from(self.options.context.memory() / 64).unwrap_or(usize::MAX);
        let hasher = RandomState::new();
        let (mut seen, mut repeated, mut first) = (HashSet::new(), 0_u64, None);
        for frame in obs {
            let mut names = frame.names()?;
            while let Some(name) = names.next_string()? {
                if seen.len() < most && !seen.insert(hasher.hash_one(name)) {
                    first.get_or_insert_with(|| String::from_utf8_lossy(name).into_owned());
                    repeated += 1;
                }
            }
        }
        if let Some(first) = first {
            let cells =
                if repeated == 1 { "1 cell has" } else { &format!("{repeated} cells have") };
            self.report.notes.push(format!(
                "{cells} the name of an earlier cell, such as {first:?}; index_unique makes names unique"
            ));
        }
        Ok(())
    }
}

/// A table with the index of the file in a column. Categories that differ between files are in
/// natural order.
struct Labelled<'a> {
    inner: Appended<'a>,
    tables: &'a [Arc<DataFrame>],
    columns: Vec<ColumnInfo>,
    /// The number of rows of each file.
    lengths: Vec<u64>,
    how: &'a ConcatFilesOptions<'a>,
}

impl<'a> Labelled<'a> {
    fn new(
        inner: Appended<'a>,
        how: &'a ConcatFilesOptions<'a>,
        lengths: Vec<u64>,
        tables: &'a [Arc<DataFrame>],
    ) -> Result<Self> {
        let mut columns = inner.columns().to_vec();
        if let Some(label) = how.label {
            if label == "_index" {
                let what =
                    "the column cannot be named _index, which AnnData uses for the names of cells";
                return Err(Error::argument(what).with_hint("label", "sets another name"));
            }
            if columns.iter().any(|column| column.name == label) {
                let what = format!("obs has a column {label:?} already");
                return Err(Error::argument(what).with_hint("label", "sets another name"));
            }
            let column_type = ColumnType::Categorical { ordered: false };
            columns.push(ColumnInfo::new(label, column_type));
        }
        Ok(Self { inner, tables, columns, lengths, how })
    }

    /// Returns whether all tables have these categories, in this order.
    fn all_have(&self, name: &str, categories: &Categories, memory: u64) -> Result<bool> {
        for table in self.tables {
            let at = table.columns().iter().position(|info| info.name == name);
            let Some(at) = at else { return Ok(false) };
            match table.read_column(at, memory)?.values {
                ColumnValues::Categorical(own) if own.categories == *categories => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn label(&self) -> Result<Column> {
        let mut codes = Vec::new();
        for (file, rows) in (0_i32..).zip(&self.lengths) {
            let rows = usize::try_from(*rows).map_err(|_| Error::argument("too many cells"))?;
            codes.extend(std::iter::repeat_n(file, rows));
        }
        let names = (0..self.lengths.len()).map(|file| self.how.key(file));
        let categories = Categories::Strings(names.collect());
        let values = Categorical { codes, categories, ordered: false };
        Ok(Column { values: ColumnValues::Categorical(values), missing: None })
    }
}

impl Annotations for Labelled<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let Some(info) = self.inner.columns().get(column) else { return self.label() };
        let mut read = self.inner.read_column(column, memory)?;
        if let ColumnValues::Categorical(categorical) = &mut read.values
            && !categorical.ordered
            && !self.all_have(&info.name, &categorical.categories, memory)?
        {
            sort_naturally(categorical);
        }
        Ok(read)
    }
}

/// Sorts categories in natural order.
fn sort_naturally(categorical: &mut Categorical) {
    let (order, sorted): (Vec<i32>, Categories) = match &categorical.categories {
        Categories::Strings(list) => {
            let mut sorted: Vec<(i32, &[u8])> = (0..).zip(list.iter()).collect();
            sorted.sort_by(|(_, a), (_, b)| natural(a, b));
            let names = sorted.iter().map(|(_, name)| *name).collect();
            (sorted.iter().map(|(old, _)| *old).collect(), Categories::Strings(names))
        }
        Categories::Numbers(values) => {
            let all = (0..values.len().unwrap_or(0)).filter_map(|at| values.get(at));
            let mut sorted: Vec<(i32, Scalar)> = (0..).zip(all).collect();
            sorted.sort_by(|(_, a), (_, b)| compare(*a, *b));
            let mut numbers = Values::new(values.value_type());
            for (_, value) in &sorted {
                numbers.push(*value);
            }
            (sorted.iter().map(|(old, _)| *old).collect(), Categories::Numbers(numbers))
        }
    };
    let mut moved = vec![-1; order.len()];
    for (new, old) in (0..).zip(order) {
        if let Some(slot) = usize::try_from(old).ok().and_then(|old| moved.get_mut(old)) {
            *slot = new;
        }
    }
    for code in &mut categorical.codes {
        *code = usize::try_from(*code).ok().and_then(|old| moved.get(old)).copied().unwrap_or(-1);
    }
    categorical.categories = sorted;
}

/// Compares numbers of one type; those without an order are equal.
fn compare(a: Scalar, b: Scalar) -> Ordering {
    match (a, b) {
        (Scalar::U64(a), Scalar::U64(b)) => a.cmp(&b),
        (Scalar::I64(a), Scalar::I64(b)) => a.cmp(&b),
        (a, b) => {
            let float = |value: Scalar| match value.cast(ValueType::F64, Rounding::Nearest) {
                Ok(Scalar::F64(value)) => value,
                _ => f64::NAN,
            };
            float(a).partial_cmp(&float(b)).unwrap_or(Ordering::Equal)
        }
    }
}

/// Compares strings by the numbers in them: `s2` is before `s10`.
fn natural(a: &[u8], b: &[u8]) -> Ordering {
    let (mut left, mut right) = (pieces(a), pieces(b));
    loop {
        let ordering = match (left.next(), right.next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) if is_number(a) && is_number(b) => {
                let [a, b] = [a, b].map(significant);
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
            // No text is before any text.
            (Some(a), Some(_)) if is_number(a) => Ordering::Less,
            (Some(_), Some(b)) if is_number(b) => Ordering::Greater,
            (Some(a), Some(b)) => a.cmp(b),
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
}

/// Splits a string into digits and other characters.
fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
}

fn is_number(piece: &[u8]) -> bool {
    piece.first().is_some_and(u8::is_ascii_digit)
}

fn significant(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

/// The names of cells of several files, optionally made unique.
struct UniqueNames<'a> {
    frames: std::slice::Iter<'a, Arc<DataFrame>>,
    names: Option<Names<'a>>,
    /// The index of the next file.
    number: usize,
    how: &'a ConcatFilesOptions<'a>,
    name: Vec<u8>,
}

impl StringReader for UniqueNames<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        loop {
            if let Some(names) = &mut self.names
                && let Some(name) = names.next_string()?
            {
                self.name.clear();
                self.name.extend_from_slice(name);
                if let Some(separator) = self.how.index_unique {
                    let suffix = format!("{separator}{}", self.how.key(self.number - 1));
                    self.name.extend_from_slice(suffix.as_bytes());
                }
                return Ok(Some(&self.name));
            }
            let Some(frame) = self.frames.next() else { return Ok(None) };
            self.names = Some(frame.names()?);
            self.number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_sorted_in_natural_order() {
        let names = ["s10", "s2", "B", "a", "", "10", "9", "s2b"];
        let codes = (0..).take(names.len()).chain([-1]).collect();
        let categories = Categories::Strings(names.into_iter().collect());
        let mut categorical = Categorical { codes, categories, ordered: false };
        sort_naturally(&mut categorical);
        let Categories::Strings(list) = &categorical.categories else { panic!("strings") };
        let sorted: Vec<&str> =
            list.iter().map(|name| std::str::from_utf8(name).unwrap()).collect();
        assert_eq!(sorted, ["", "9", "10", "B", "a", "s2", "s2b", "s10"]);
        assert_eq!(categorical.codes, [7, 5, 3, 4, 0, 2, 1, 6, -1]);
    }
}
