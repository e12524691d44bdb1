//! The first reading of a file, which finds what the format does not state.

use std::sync::atomic::{AtomicBool, Ordering};

use nnz_core::{At, ColumnType, Error, Place, Result, ValueType};
use nnz_lines::number::{Number, number};

use super::first::FirstWords;
use super::kept::{BlockEntries, Entries};
use super::parse::{Visit, parse};
use crate::blocks::Block;
use crate::fault::Fault;
use crate::scan::scan;
use crate::text::Text;
use crate::values::ValueProperties;

/// Summary of the content of a file, or of a block of it.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) rows: u64,
    pub(super) entries: u64,
    pub(super) smallest: Option<u64>,
    pub(super) largest: Option<u64>,
    pub(super) values: ValueProperties,
    /// Whether the indices of a row descend, or one is repeated.
    pub(super) unsorted: bool,
    /// How the first words of rows are read.
    pub(super) first_words: FirstWords,
    pub(super) labels: Labels,
    pub(super) weights: Weights,
    /// The number of rows with a query.
    pub(super) queries: u64,
    /// The base according to a comment, as scikit-learn writes it.
    pub(super) stated_base: Option<u64>,
    /// The number of rows before each block.
    pub(super) rows_before: Vec<u64>,
    /// All entries, if they are kept.
    pub(super) kept: Option<Entries>,
}

/// Properties of the weights of rows.
#[derive(Debug, Default)]
pub(super) struct Weights {
    values: ValueProperties,
    /// The number of rows that have one.
    pub(super) rows: u64,
}

/// Properties of the labels.
#[derive(Debug, Default)]
pub(super) struct Labels {
    values: ValueProperties,
    /// The number of rows that have any.
    pub(super) rows: u64,
    /// The first row with several.
    several: Option<At>,
}

impl Survey {
    /// Reads a file. Its entries are kept if they take at most so many bytes.
    pub(super) fn of(text: &Text, first_words: FirstWords, keep: usize) -> Result<Self> {
        let mut all = Self { first_words, kept: Some(Entries::new(keep)), ..Self::default() };
        let keeps = AtomicBool::new(keep > 0);
        let of_block = |block: &Block| {
            let kept = keeps.load(Ordering::Relaxed).then(|| BlockEntries::new(block));
            let mut visit = Visitor { block, found: Self::default(), previous: None, kept };
            match parse(block, first_words, &mut visit) {
                Ok(()) => Ok((visit.found, visit.kept.map(BlockEntries::end))),
                Err(fault) => Err(fault.report(text, block)),
            }
        };
        scan(text, b'#', of_block, |(block, kept)| {
            all.join(block);
            all.keep(kept);
            keeps.store(all.kept.is_some(), Ordering::Relaxed);
            Ok(())
        })?;
        if let (Some(at), 0) = (&all.labels.several, all.entries) {
            // A table of numbers looks like rows that have only labels.
            let place = Place::path(text.path()).at(at.clone());
            return Err(Error::mismatch(place, "several numbers", "a label and index:value"));
        }
        Ok(all)
    }

    fn join(&mut self, block: Self) {
        self.rows_before.push(self.rows);
        self.rows += block.rows;
        self.entries += block.entries;
        self.smallest = self.smallest.into_iter().chain(block.smallest).min();
        self.largest = self.largest.max(block.largest);
        self.values.join(block.values);
        self.unsorted |= block.unsorted;
        self.labels.values.join(block.labels.values);
        self.labels.rows += block.labels.rows;
        self.labels.several = self.labels.several.take().or(block.labels.several);
        self.weights.values.join(block.weights.values);
        self.weights.rows += block.weights.rows;
        self.queries += block.queries;
        self.stated_base = self.stated_base.or(block.stated_base);
    }

    /// Keeps the entries of the next block; all entries are freed if it has none, or too many.
    fn keep(&mut self, block: Option<BlockEntries>) {
        let exact = self.values.fits_floats();
        self.kept = self.kept.take().zip(block.filter(|_| exact)).and_then(|(mut kept, block)| {
            let fits = kept.push(block);
            fits.then_some(kept)
        });
    }
}

impl Labels {
    /// Returns the type of the column of labels.
    pub(super) fn column_type(&self) -> ColumnType {
        match &self.several {
            Some(_) => ColumnType::String,
            None => column_type(self.values),
        }
    }
}

impl Weights {
    /// Returns the type of the column of weights.
    pub(super) fn column_type(&self) -> ColumnType {
        column_type(self.values)
    }
}

fn column_type(values: ValueProperties) -> ColumnType {
    match values.value_type() {
        // As they are written.
        ValueType::U64 | ValueType::F64 if !values.fits_floats() => ColumnType::String,
        ValueType::U64 => ColumnType::Number(ValueType::F64),
        value_type => ColumnType::Number(value_type),
    }
}

/// Parses a word that is a number.
fn whole_number(word: &[u8], at: usize, expected: &'static str) -> Result<Number, Fault> {
    match number(word, 0) {
        Ok((value, end)) if end == word.len() => Ok(value),
        Ok(_) => Err(Fault::new(at, expected)),
        Err(why) => Err(Fault::number(at, why, expected)),
    }
}

struct Visitor<'a> {
    block: &'a Block,
    found: Survey,
    /// The index before, in the same row.
    previous: Option<u64>,
    kept: Option<BlockEntries>,
}

impl Visit for Visitor<'_> {
    fn row(&mut self, labels: &[u8], at: usize) -> Result<(), Fault> {
        self.found.rows += 1;
        self.previous = None;
        if let Some(kept) = &mut self.kept {
            kept.row();
        }
        if labels.is_empty() {
            return Ok(());
        }
        let known = &mut self.found.labels;
        known.rows += 1;
        let mut start = 0;
        for label in labels.split(|byte| *byte == b',') {
            known.values.add(whole_number(label, at + start, "a label, a number")?);
            start += label.len() + 1;
        }
        if memchr::memchr(b',', labels).is_some() {
            known.several.get_or_insert_with(|| self.block.position(at));
        }
        Ok(())
    }

    fn weight(&mut self, weight: &[u8], at: usize) -> Result<(), Fault> {
        let known = &mut self.found.weights;
        known.rows += 1;
        known.values.add(whole_number(weight, at, "the weight of the row, a number")?);
        Ok(())
    }

    fn query(&mut self, _: i64) -> Result<(), Fault> {
        self.found.queries += 1;
        Ok(())
    }

    #[inline]
    fn entry(&mut self, text: &[u8], index: u64, _: usize, at: usize) -> Result<usize, Fault> {
        let found = &mut self.found;
        found.entries += 1;
        found.smallest = Some(found.smallest.map_or(index, |smallest| smallest.min(index)));
        found.largest = found.largest.max(Some(index));
        found.unsorted |= self.previous.replace(index) >= Some(index);
        let parsed = number(text, at).map_err(|why| Fault::number(at, why, "a number"));
        let (value, end) = parsed?;
        found.values.add(value);
        if self.kept.as_mut().is_some_and(|kept| !kept.entry(index, value)) {
            self.kept = None;
        }
        Ok(end)
    }

    fn comment(&mut self, comment: &[u8]) {
        // The second line of what scikit-learn writes.
        if self.block.index == 0 && self.found.rows == 0 {
            self.found.stated_base = self.found.stated_base.or(match comment.trim_ascii_end() {
                b"# Column indices are zero-based" => Some(0),
                b"# Column indices are one-based" => Some(1),
                _ => None,
            });
        }
    }
}
