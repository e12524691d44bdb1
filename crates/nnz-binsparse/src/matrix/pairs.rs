//! Entries with explicit major and minor: COOR and COOC.

use std::cell::RefCell;
use std::ops::Range;

use nnz_container::matrix::Ahead;
use nnz_core::{Batch, Majors, Projection, Result, Unit, UnitReader};

use super::MatrixSource;
use super::ascending::read_minors;
use super::triangle::check_triangle;
use crate::store::{Index, Integers, PIECE};

thread_local! {
    /// Buffers for majors, reused by each thread.
    static NARROW: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    static WIDE: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Returns the first entry that is not after the previous one, if there is one.
pub(super) fn first_unsorted(majors: &Integers, minors: &Integers) -> Result<Option<u64>> {
    let mut last = None;
    let [mut rows, mut cols] = [Vec::<u64>::new(), Vec::new()];
    let mut start = 0;
    while start < majors.len().min(minors.len()) {
        let count = PIECE.min(majors.len() - start);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        for (array, out) in [(majors, &mut rows), (minors, &mut cols)] {
            out.resize(count, 0);
            array.read(start, out)?;
        }
        for (pair, entry) in rows.iter().zip(&cols).zip(start..) {
            if last.is_some_and(|last| (*pair.0, *pair.1) < last) {
                return Ok(Some(entry));
            }
            last = Some((*pair.0, *pair.1));
        }
        start += count as u64;
    }
    Ok(None)
}

/// Splits the entries of a range of majors into pieces.
pub(super) struct PairReader<'a> {
    source: &'a MatrixSource,
    along: &'a Integers,
    minors: &'a Integers,
    fields: Projection,
    /// The first entry of the range.
    first: u64,
    /// The entries left to read.
    entries: Range<u64>,
    /// The range of majors.
    majors: Range<u64>,
    /// Announces the chunks of a scan of all entries; `None` if a part is read, or without a latency.
    ahead: Option<Ahead>,
}

impl<'a> PairReader<'a> {
    pub(super) fn new(
        source: &'a MatrixSource,
        along: &'a Integers,
        minors: &'a Integers,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Self> {
        let all = along.len();
        let start = if majors.start == 0 { 0 } else { along.search(0..all, majors.start)? };
        let end =
            if majors.end == source.majors { all } else { along.search(start..all, majors.end)? };
        let is_whole = majors == (0..source.majors) && along.has_latency();
        let ahead = is_whole.then(Ahead::default);
        Ok(Self { source, along, minors, fields, first: start, entries: start..end, majors, ahead })
    }
}

impl<'a> UnitReader<'a> for PairReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        if self.entries.is_empty() {
            return Ok(None);
        }
        let start = self.entries.start;
        let end = (start / PIECE).saturating_add(1).saturating_mul(PIECE).min(self.entries.end);
        self.entries.start = end;
        if let Some(ahead) = &mut self.ahead {
            let minors = self.fields.minors.then_some(self.minors.vector());
            let values = self.source.values.vector().filter(|_| self.fields.values);
            ahead.announce([Some(self.along.vector()), minors, values], start, self.along.len());
        }
        Ok(Some(Box::new(PairUnit {
            source: self.source,
            along: self.along,
            minors: self.minors,
            fields: self.fields,
            continued: start > self.first,
            entries: start..end,
            majors: self.majors.clone(),
        })))
    }
}

/// Consecutive entries.
struct PairUnit<'a> {
    source: &'a MatrixSource,
    along: &'a Integers,
    minors: &'a Integers,
    fields: Projection,
    /// Whether the previous entry is in the range too.
    continued: bool,
    entries: Range<u64>,
    majors: Range<u64>,
}

impl Unit for PairUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let before = match self.entries.start.checked_sub(1).filter(|_| self.continued) {
            Some(before) => Some((before, self.along.get(before)?)),
            None => None,
        };
        let (majors, offsets) = self.cut(before.map(|(_, major)| major))?;
        let Self { source, minors, fields, entries, .. } = *self;
        if fields.minors {
            let goes_on = before.filter(|(_, major)| majors.first() == Some(major));
            let before = goes_on.map(|(entry, _)| minors.get(entry)).transpose()?;
            let axis = source.minors;
            let found = &mut batch.minors;
            let any = source.in_any_order;
            read_minors(minors, entries.clone(), axis, &offsets, before, found, any)?;
        }
        if fields.values {
            source.values.read(entries.clone(), &mut batch.values)?;
        }
        source.begin(batch, Majors::Listed(majors), offsets);
        check_triangle(source, minors, entries.start, fields, batch)
    }
}

impl PairUnit<'_> {
    /// Reads the majors of the entries, and splits them into runs of one major each.
    fn cut(&self, before: Option<u64>) -> Result<(Vec<u64>, Vec<usize>)> {
        if self.source.majors <= 1 << 32 {
            NARROW.with_borrow_mut(|along| self.cut_into(along, before))
        } else {
            WIDE.with_borrow_mut(|along| self.cut_into(along, before))
        }
    }

    fn cut_into<T: Index>(
        &self,
        along: &mut Vec<T>,
        before: Option<u64>,
    ) -> Result<(Vec<u64>, Vec<usize>)> {
        let first = self.entries.start;
        let count = usize::try_from(self.entries.end - first).unwrap_or(usize::MAX);
        along.resize(count, T::zeroed());
        self.along.read(first, along)?;
        let mut majors = Vec::new();
        let mut offsets = Vec::new();
        let mut least = before.unwrap_or(self.majors.start);
        let mut start = 0;
        while let Some(&major) = along.get(start) {
            let wide = major.into();
            if (wide < least && !self.source.in_any_order) || wide >= self.majors.end {
                let expected = format!("{least} to less than {}", self.majors.end);
                return Err(self.along.wrong(first + start as u64, wide, expected));
            }
            majors.push(wide);
            offsets.push(start);
            least = wide;
            let run = along[start..].iter().position(|&next| next != major);
            start = run.map_or(count, |run| start + run);
        }
        offsets.push(count);
        Ok((majors, offsets))
    }
}
