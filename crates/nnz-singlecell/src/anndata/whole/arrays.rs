//! Copying parts of arrays along their first axes.

use std::ops::Range;

use nnz_container::tree::{ArraySpec, ElementType, NdArray, NodeId};
use nnz_core::{Error, ErrorKind, Names, Result, StringList, StringReader};

use super::elements::Transfer;
use super::picks::{ALL, Pick, Picks};
use crate::anndata::output::Group;
use crate::covers::Covers;

/// The smallest and largest number of bytes of rows in a block.
const LEAST: u64 = 64 << 10;
const MOST: u64 = 64 << 20;

/// Consecutive rows of an array, and the position they are copied to.
#[derive(Clone, Copy)]
struct Run {
    start: u64,
    len: u64,
    to: u64,
}

impl Transfer<'_> {
    /// Writes some rows and columns of an array of numbers.
    pub(super) fn numbers(
        &mut self,
        from: &dyn NdArray,
        to: (Group, &str),
        path: &str,
        picks: Picks<'_>,
    ) -> Result<()> {
        let [rows, cols] = picks;
        let (Some(&height), inner) = (from.shape().first(), from.shape().get(2..).unwrap_or(&[]))
        else {
            return Ok(());
        };
        let array = self.picked_array(from, to, path, picks)?;
        let size = from.value_type()?.size() as u64;
        let product = |lengths: &[u64]| lengths.iter().fold(1, |a: u64, b| a.saturating_mul(*b));
        let chunk = from.storage().chunk_shape;
        let columns = Columns::new(from, cols, chunk.as_deref());
        // Bytes of a row, and of one column in a row.
        let cell = product(inner).saturating_mul(size);
        let width = match &columns.covers {
            Some(covers) => covers.len().saturating_mul(cell),
            None => product(&from.shape()[1..]).saturating_mul(size),
        };
        let cols = columns.picked(cols);
        let block = (self.options.context.memory() / 4).clamp(LEAST, MOST) / width.max(1);
        let block = block.max(1);
        let chunk = chunk.and_then(|chunk| chunk.first().copied());
        let all = 0..height;
        let ranges = rows.map_or(std::slice::from_ref(&all), |rows| &rows.ranges);
        let refused = |needed| {
            let kind = ErrorKind::Memory { needed, allowed: self.options.context.memory() };
            Err(Error::new(kind, from.place()))
        };
        if width > self.options.context.memory().max(MOST) {
            return refused(width);
        }
        let mut kept = Vec::new();
        for runs in blocks(ranges, block) {
            self.options.context.check()?;
            let count: u64 = runs.iter().map(|run| run.len).sum();
            let Ok(bytes) = usize::try_from(count.saturating_mul(width)) else {
                return refused(count.saturating_mul(width));
            };
            let mut gathered = vec![0; bytes];
            gather(&columns, runs, chunk.unwrap_or(1), block, width, &mut gathered)?;
            match &cols {
                None => self.output.tree.append_bytes(array, &gathered)?,
                Some(cols) => {
                    kept.clear();
                    pick_columns(&gathered, cols, [width, cell], &mut kept);
                    self.output.tree.append_bytes(array, &kept)?;
                }
            }
        }
        self.output.tree.finish_array(array)
    }

    /// Writes some rows of an array of strings, as variable-length strings.
    pub(super) fn strings(
        &mut self,
        from: &dyn NdArray,
        to: (Group, &str),
        path: &str,
        rows: Option<&Pick>,
    ) -> Result<()> {
        let array = self.picked_array(from, to, path, [rows, None])?;
        let Some(rows) = rows else {
            self.output.tree.append_strings(array, &mut *from.read_strings(&from.all())?)?;
            return self.output.tree.finish_array(array);
        };
        let width = from.shape().iter().skip(1).fold(1, |a: u64, b| a.saturating_mul(*b));
        let ranges = rows.ranges.iter();
        let ranges =
            ranges.map(|rows| rows.start.saturating_mul(width)..rows.end.saturating_mul(width));
        let all = from.all();
        if rows.ascends {
            let strings = from.read_strings(&all)?;
            let mut filtered = Filtered { strings, ranges: ranges.collect(), next: 0, range: 0 };
            self.output.tree.append_strings(array, &mut filtered)?;
        } else {
            let list = from.strings(&all, self.options.context.memory())?;
            let mut moved = PermutedStrings { list: &list, positions: Box::new(ranges.flatten()) };
            self.output.tree.append_strings(array, &mut moved)?;
        }
        self.output.tree.finish_array(array)
    }

    /// Writes an array of one string as a single string.
    pub(super) fn one_string(
        &mut self,
        from: &dyn NdArray,
        (parent, name): (Group, &str),
        path: &str,
    ) -> Result<()> {
        let spec = ArraySpec::scalar(ElementType::String);
        let array = self.output.tree.create_array(parent.0, name, &spec)?;
        self.attributes_of_array(from, array, path, ALL)?;
        self.output.encode_node(array, "string", "0.2.0")?;
        self.output.tree.append_strings(array, &mut *from.read_strings(&from.all())?)?;
        self.output.tree.finish_array(array)
    }

    /// Creates an array for a part of another, with its attributes.
    fn picked_array(
        &mut self,
        from: &dyn NdArray,
        (parent, name): (Group, &str),
        path: &str,
        picks: Picks<'_>,
    ) -> Result<NodeId> {
        let mut shape = from.shape().to_vec();
        for (len, pick) in shape.iter_mut().zip(picks) {
            *len = pick.map_or(*len, |pick| pick.len);
        }
        let element = match from.element_type() {
            ElementType::FixedString { .. } => ElementType::String,
            found if self.output.tree.supports(found) => found.clone(),
            _ => ElementType::Number(from.value_type()?),
        };
        let mut spec = ArraySpec::new(element, &shape).compress(self.compression(from));
        let chunk = from.storage().chunk_shape.filter(|chunk| chunk.len() == shape.len());
        if let Some(chunk) = chunk.filter(|chunk| !chunk.contains(&0)) {
            spec = spec.chunk(&chunk);
        }
        let array = self.output.tree.create_array(parent.0, name, &spec)?;
        self.attributes_of_array(from, array, path, picks)?;
        self.set_unit(from, array)?;
        self.encode_array(from, array)?;
        Ok(array)
    }
}

/// The columns of an array that are read: of chunks, those near selected columns.
struct Columns<'a> {
    array: &'a dyn NdArray,
    covers: Option<Covers>,
}

impl<'a> Columns<'a> {
    fn new(array: &'a dyn NdArray, cols: Option<&Pick>, chunk: Option<&[u64]>) -> Self {
        let across = chunk.and_then(|chunk| chunk.get(1));
        let covers = cols.zip(across).map(|(cols, across)| Covers::new(&cols.ranges, *across));
        Self { array, covers }
    }

    /// Returns the positions of selected columns among those that are read.
    fn picked(&self, cols: Option<&Pick>) -> Option<Vec<Range<u64>>> {
        let ranges = &cols?.ranges;
        let Some(covers) = &self.covers else { return Some(ranges.clone()) };
        let moved = ranges.iter().filter(|range| !range.is_empty()).map(|range| {
            let start = covers.number(range.start);
            start..start + (range.end - range.start)
        });
        Some(moved.collect())
    }

    /// Reads rows, which are no more than a block.
    fn read(&self, rows: Range<u64>, width: u64) -> Result<Vec<u8>> {
        let selection = self.array.rows(rows.clone())?;
        let bytes = width.saturating_mul(rows.end - rows.start);
        let mut out = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
        let Some(covers) = &self.covers else {
            self.array.read_bytes(&selection, &mut out)?;
            return Ok(out);
        };
        // Bytes of a column.
        let cell = usize::try_from(width / covers.len().max(1)).unwrap_or(usize::MAX);
        covers.read(cell, &mut out, |columns, part| {
            let mut selection = selection.clone();
            if let Some(all) = selection.get_mut(1) {
                *all = columns;
            }
            self.array.read_bytes(&selection, part)
        })?;
        Ok(out)
    }
}

/// Splits ranges into blocks of at most `most` rows.
fn blocks(ranges: &[Range<u64>], most: u64) -> impl Iterator<Item = Vec<Run>> {
    let mut rest = ranges.iter().cloned();
    let mut range = 0..0;
    std::iter::from_fn(move || {
        let (mut runs, mut to) = (Vec::new(), 0);
        while to < most {
            if range.is_empty() {
                match rest.next() {
                    Some(next) => range = next,
                    None => break,
                }
                continue;
            }
            let len = (range.end - range.start).min(most - to);
            runs.push(Run { start: range.start, len, to });
            range.start += len;
            to += len;
        }
        (!runs.is_empty()).then_some(runs)
    })
}

/// Reads runs of rows into their positions. Runs in adjacent chunks are read together.
fn gather(
    from: &Columns<'_>,
    mut runs: Vec<Run>,
    chunk: u64,
    most: u64,
    width: u64,
    out: &mut [u8],
) -> Result<()> {
    runs.sort_unstable_by_key(|run| run.start);
    let mut rest = &runs[..];
    while let Some(first) = rest.first() {
        let mut end = first.start + first.len;
        let mut count = 1;
        for next in &rest[1..] {
            let together = next.start - end < chunk && next.start + next.len - first.start <= most;
            if !together {
                break;
            }
            end = next.start + next.len;
            count += 1;
        }
        let (together, others) = rest.split_at(count);
        let bytes = from.read(first.start..end, width)?;
        for run in together {
            let at = |row: u64| usize::try_from(row.saturating_mul(width)).unwrap_or(usize::MAX);
            let source = at(run.start - first.start)..at(run.start + run.len - first.start);
            let target = at(run.to)..at(run.to + run.len);
            if let (Some(source), Some(target)) = (bytes.get(source), out.get_mut(target)) {
                target.copy_from_slice(source);
            }
        }
        rest = others;
    }
    Ok(())
}

/// Keeps some columns of rows, where a row has `width` bytes and a column `cell` bytes.
fn pick_columns(rows: &[u8], cols: &[Range<u64>], [width, cell]: [u64; 2], out: &mut Vec<u8>) {
    let bytes = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    if width == 0 {
        return;
    }
    for row in rows.chunks_exact(bytes(width)) {
        for range in cols {
            let range =
                bytes(range.start.saturating_mul(cell))..bytes(range.end.saturating_mul(cell));
            out.extend_from_slice(row.get(range).unwrap_or_default());
        }
    }
}

/// Strings at ascending positions.
struct Filtered<'a> {
    strings: Names<'a>,
    ranges: Vec<Range<u64>>,
    /// The position of the next string.
    next: u64,
    /// The index of the current range.
    range: usize,
}

impl StringReader for Filtered<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        while self.ranges.get(self.range).is_some_and(|range| range.end <= self.next) {
            self.range += 1;
        }
        let Some(range) = self.ranges.get(self.range) else {
            // Fails if there are too few strings after the last.
            self.strings.drain()?;
            return Ok(None);
        };
        while self.next < range.start && self.strings.next_string()?.is_some() {
            self.next += 1;
        }
        self.next += 1;
        self.strings.next_string()
    }
}

/// Strings at any positions.
struct PermutedStrings<'a> {
    list: &'a StringList,
    positions: Box<dyn Iterator<Item = u64> + 'a>,
}

impl StringReader for PermutedStrings<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        Ok(self.positions.next().and_then(|position| self.list.get(position)))
    }
}
