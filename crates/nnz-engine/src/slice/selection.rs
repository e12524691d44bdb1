//! Selections: ranges, positions, names, conditions.

pub(crate) mod comparison;
mod condition;
mod name_cache;
mod name_index;
mod named;
mod nothing;
mod pattern;
mod sample;
mod similar;

use std::collections::HashSet;
use std::io::{BufRead, Read};
use std::ops::Range;
use std::str::FromStr;

use nnz_core::{
    Axis, AxisKind, BYTE_ORDER_MARK, Error, ErrorKind, MatrixSource, Place, Result, not_text,
};

use super::position_map::{PositionMap, Stretch, past_the_end};
use condition::Condition;
pub use name_cache::NameCache;
pub use name_index::NameIndex;
use named::{Word, WordPositions};
pub(crate) use nothing::{error as nothing_selected, message as describe_nothing};
pub(crate) use pattern::Pattern;
pub use pattern::matching;
use sample::Sample;

/// Maximum length of a line of a list in bytes, as for names in lines.
const LONGEST: u64 = 1 << 20;

/// A selection of rows or columns, and their order.
///
/// As text, it is a list or a condition. A list has ranges `A:B` (`A` inclusive, `B` exclusive; either may be
/// omitted), positions counted from 0, and names, separated by commas. A number is a position unless it is a name,
/// and is refused if it could be either, or if only some numbers of a list are names; a word like `3:5` that is a name selects the name. Repeated selections are
/// refused. Words that are not names are looked up in the text columns of the
/// [annotations](MatrixSource::annotations), such as symbols of genes, and are refused if several rows or columns
/// match.
///
/// A condition is a column of the annotations and its values: `feature_type=Gene Expression`, `cell_type=B,T` (one of
/// them), `cell_type!=B`, `n_counts>=500`, and also `<=`, `<` and `>`. Missing values and NaN never match. A
/// condition selects in the order of the matrix. `~REGEX` selects the names that match a regular expression, such as `~^MT-`, or, if
/// none does, those for which a text column matches; `!~REGEX` selects all others. A text that could be a condition is a list if all
/// its words are names.
///
/// A selection that selects nothing is an error where it is used, unless [`allow_empty`](Self::allow_empty) is set or it
/// is [`all`](Self::all) of an empty axis.
///
/// ```
/// use nnz_engine::Selection;
/// let selection: Result<Selection, _> = "5:9,2,ENSG00000141510".parse();
/// assert!(selection.is_ok());
/// assert!("9:5".parse::<Selection>().is_err());
/// let both = "n_counts>=500".parse::<Selection>()?.and("cell_type=B".parse()?);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Terms that all have to match; at least one.
    terms: Vec<Term>,
    /// Whether nothing may be selected.
    allow_empty: bool,
}

/// A list, a condition, a text that can be either, or a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Term {
    list: Option<Vec<Item>>,
    condition: Option<Condition>,
    pattern: Option<NamePattern>,
    sample: Option<Sample>,
    /// The file that the list was read from.
    file: Option<String>,
    /// The kind of the axis, for messages.
    kind: AxisKind,
}

/// A regular expression for names, or for all others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamePattern {
    text: String,
    others: bool,
}

impl NamePattern {
    /// Parses a text; `None` if it is not a pattern.
    fn parse(text: &str) -> Option<Result<Self, String>> {
        let (text, others) = match text.strip_prefix('~') {
            Some(text) => (text, false),
            None => (text.strip_prefix("!~")?, true),
        };
        Some(Pattern::new(text).map(|_| Self { text: text.to_owned(), others }))
    }

    /// Returns the positions of an axis, and a note for the user.
    fn ranges(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
    ) -> Result<(Vec<Range<u64>>, Option<String>)> {
        let (found, note) =
            Pattern::new(&self.text).map_err(Error::argument)?.find(source, axis)?;
        if !self.others {
            return Ok((found, note));
        }
        let mut start = 0;
        let mut others = Vec::with_capacity(found.len() + 1);
        for range in found {
            others.push(start..range.start);
            start = range.end;
        }
        others.push(start..source.header().shape.len(axis));
        others.retain(|range| !range.is_empty());
        Ok((others, note))
    }
}

impl std::fmt::Display for NamePattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}~{}", if self.others { "!" } else { "" }, self.text)
    }
}

impl Term {
    fn list(items: Vec<Item>) -> Self {
        Self { list: Some(items), ..Self::default() }
    }

    /// Returns the name of one position of an axis for messages.
    fn one(&self, axis: Axis) -> &'static str {
        one_of_kind(self.kind, axis)
    }
}

/// Returns the name of one position of an axis of a kind for messages.
pub(crate) fn one_of_kind(kind: AxisKind, axis: Axis) -> &'static str {
    match kind {
        AxisKind::Cells => "cell",
        AxisKind::Features => "feature",
        _ => axis.singular(),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    /// A range, with `None` for the end of the axis. The text may be a name.
    Range(u64, Option<u64>, Option<Vec<u8>>),
    /// A name or a position.
    Word(Vec<u8>),
    /// A name.
    Name(Vec<u8>),
}

impl Item {
    fn text(&self) -> String {
        match self {
            Self::Word(text) | Self::Name(text) | Self::Range(_, _, Some(text)) => {
                String::from_utf8_lossy(text).into_owned()
            }
            Self::Range(start, Some(end), None) => format!("{start}:{end}"),
            Self::Range(start, None, None) => format!("{start}:"),
        }
    }
}

/// A resolved selection, with notes for the user.
pub(super) struct ResolvedSelection {
    pub(super) picked: PositionMap,
    pub(super) notes: Vec<String>,
}

impl Selection {
    fn list(items: Vec<Item>) -> Self {
        Self::of(Term::list(items))
    }

    fn of(term: Term) -> Self {
        Self { terms: vec![term], allow_empty: false }
    }

    /// Selects everything.
    #[must_use]
    pub fn all() -> Self {
        Self::list(vec![Item::Range(0, None, None)])
    }

    /// Selects ranges, in this order.
    #[must_use]
    pub fn ranges(ranges: impl IntoIterator<Item = Range<u64>>) -> Self {
        let item = |range: Range<u64>| Item::Range(range.start, Some(range.end), None);
        Self::list(ranges.into_iter().map(item).collect())
    }

    /// Selects by name, or by position in digits, in this order.
    #[must_use]
    pub fn names<T: Into<Vec<u8>>>(names: impl IntoIterator<Item = T>) -> Self {
        Self::list(names.into_iter().map(|name| Item::Word(name.into())).collect())
    }

    /// Selects by name, in this order. A name of digits is not a position.
    ///
    /// ```
    /// use nnz_core::{Axis, Order, Shape};
    /// use nnz_engine::{CsMatrix, Selection, Slice};
    ///
    /// let open = || CsMatrix::from_parts(
    ///     Shape { rows: 2, cols: 1 }, Order::Row, vec![0, 1, 1], vec![0_u32], vec![1.0],
    /// )?.with_names(Axis::Rows, ["1", "0"])?.into_source();
    /// let (named, cols) = (Selection::exact_names(["1"]), Selection::all());
    /// assert_eq!(Slice::new(open()?, &named, &cols)?.origin(Axis::Rows, 0), Some(0));
    /// assert!(Slice::new(open()?, &Selection::names(["1"]), &cols).is_err());
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    #[must_use]
    pub fn exact_names<T: Into<Vec<u8>>>(names: impl IntoIterator<Item = T>) -> Self {
        Self::list(names.into_iter().map(|name| Item::Name(name.into())).collect())
    }

    /// Selects what both select, in the order of the first list.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.terms.extend(other.terms);
        self.allow_empty |= other.allow_empty;
        self
    }

    /// Sets whether the selection may select nothing, which is an error otherwise.
    ///
    /// ```
    /// use nnz_core::{Place, Shape};
    /// use nnz_engine::{CsMatrix, Selection, Slice};
    ///
    /// let open = || CsMatrix::from_parts(
    ///     Shape { rows: 2, cols: 1 }, nnz_core::Order::Row, vec![0, 1, 1], vec![0_u32], vec![1.0],
    /// )?.into_source();
    /// let (none, all) = (Selection::ranges([1..1]), Selection::all());
    /// assert!(Slice::new(open()?, &none, &all).is_err());
    /// assert!(Slice::new(open()?, &none.allow_empty(true), &all).is_ok());
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    #[must_use]
    pub fn allow_empty(mut self, allow: bool) -> Self {
        self.allow_empty = allow;
        self
    }

    /// Sets that cells or features are selected, on either axis: messages mention them instead of rows or
    /// columns.
    #[must_use]
    pub fn of_kind(mut self, kind: AxisKind) -> Self {
        self.terms.iter_mut().for_each(|term| term.kind = kind);
        self
    }

    /// Parses a condition on a column of annotations; `None` if a text is not one.
    pub(crate) fn condition(text: &str) -> Option<Self> {
        let condition = Some(Condition::parse(text)?);
        Some(Self::of(Term { condition, ..Term::default() }))
    }

    /// Selects `count` rows or columns at random, in the order of the matrix. The seed determines which. If both axes of a
    /// matrix are sampled with one seed, these are independent samples.
    #[must_use]
    pub fn sample(count: u64, seed: u64) -> Self {
        let sample = Some(Sample { count, seed, is_second: false });
        Self::of(Term { sample, ..Term::default() })
    }

    /// Returns selections whose samples of rows and of columns with one seed are independent; `None` if not both axes
    /// are sampled. The sample of cells, or otherwise of rows, stays the same as without the other.
    pub(super) fn independent([rows, cols]: [&Self; 2]) -> Option<[Self; 2]> {
        let sampled = |one: &Self| one.terms.iter().any(|term| term.sample.is_some());
        if !sampled(rows) || !sampled(cols) {
            return None;
        }
        let has = |one: &Self, kind| one.terms.iter().any(|term| term.kind == kind);
        let (mut rows, mut cols) = (rows.clone(), cols.clone());
        let features_first = has(&rows, AxisKind::Features) || has(&cols, AxisKind::Cells);
        let second = if features_first { &mut rows } else { &mut cols };
        let samples = second.terms.iter_mut().filter_map(|term| term.sample.as_mut());
        samples.for_each(|sample| sample.is_second = true);
        Some([rows, cols])
    }

    /// Returns whether the list is empty, as in a file without lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.iter().any(|term| term.list.as_ref().is_some_and(Vec::is_empty))
    }

    /// Returns whether it is [`all`](Self::all).
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.as_range() == Some(0..u64::MAX)
    }

    /// Returns whether rows or columns are listed, not described by a condition.
    pub(crate) fn is_list(&self) -> bool {
        self.terms
            .iter()
            .all(|term| term.list.is_some() && term.condition.is_none() && term.pattern.is_none())
    }

    /// Reads names or positions, one per line. `place` is the name in messages. A leading byte order mark and empty lines are
    /// skipped.
    ///
    /// ```
    /// use nnz_core::Place;
    /// use nnz_engine::Selection;
    ///
    /// let selection = Selection::read_lines(&b"CD3E\nCD8A\n"[..], &Place::default())?;
    /// assert_eq!(selection, Selection::names(["CD3E", "CD8A"]));
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the lines cannot be read.
    pub fn read_lines(mut lines: impl BufRead, place: &Place) -> Result<Self> {
        let io = |error| Error::new(ErrorKind::Io(error), place.clone());
        let mut items = Vec::new();
        loop {
            let mut line = Vec::new();
            let mut bounded = lines.by_ref().take(LONGEST + 1);
            if bounded.read_until(b'\n', &mut line).map_err(io)? == 0 {
                let file = place.path.as_ref().map(|path| path.display().to_string());
                return Ok(Self::of(Term { file, ..Term::list(items) }));
            }
            if line.len() as u64 > LONGEST {
                let found = "a line longer than 1 MiB";
                return Err(Error::mismatch(place.clone(), found, "names"));
            }
            if let Some([found, expected]) = not_text(&line).filter(|_| items.is_empty()) {
                return Err(Error::mismatch(place.clone(), found, expected));
            }
            if items.is_empty() && line.starts_with(BYTE_ORDER_MARK) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if !line.is_empty() {
                items.push(Item::Word(line));
            }
        }
    }

    /// Resolves the selection for an axis of a matrix.
    pub(super) fn resolve(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
    ) -> Result<ResolvedSelection> {
        self.found(source, axis, false, self.allow_empty)
    }

    /// Resolves the selection for an axis of a matrix, in the order of the matrix. Ranges may extend
    /// past the end.
    pub(super) fn resolve_sorted(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
    ) -> Result<ResolvedSelection> {
        let ResolvedSelection { picked, notes } =
            self.found(source, axis, true, self.allow_empty)?;
        let ranges = picked.sorted().iter().map(Stretch::old).collect();
        Ok(ResolvedSelection {
            picked: PositionMap::new(ranges, source.header().shape.len(axis), axis.singular())?,
            notes,
        })
    }

    /// Returns the selected ranges of an axis of a matrix, sorted and merged. Ranges may extend past the
    /// end.
    pub(crate) fn sorted(&self, source: &dyn MatrixSource, axis: Axis) -> Result<Vec<Range<u64>>> {
        let picked = self.resolve_sorted(source, axis)?.picked;
        Ok(picked.stretches().iter().map(Stretch::old).collect())
    }

    /// Returns the selected ranges of an axis of a matrix in its order, if any, and notes for the user.
    pub(crate) fn ranges_of(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
    ) -> Result<(Vec<Range<u64>>, Vec<String>)> {
        let ResolvedSelection { picked, notes } = self.found(source, axis, false, true)?;
        let ranges = picked.sorted().iter().map(Stretch::old).collect();
        let merged = PositionMap::new(ranges, source.header().shape.len(axis), axis.singular())?;
        Ok((merged.stretches().iter().map(Stretch::old).collect(), notes))
    }

    /// Returns the selected ranges of an axis of a matrix, if any, in the order of the selection.
    pub(crate) fn listed_ranges(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
    ) -> Result<Vec<Range<u64>>> {
        let picked = self.found(source, axis, false, true)?.picked;
        Ok(picked.stretches().iter().map(Stretch::old).collect())
    }

    /// Returns the first selected position of an axis of a matrix.
    fn position(&self, source: &dyn MatrixSource, axis: Axis) -> Result<u64> {
        let found = self.listed_ranges(source, axis)?;
        let one = self.one(axis);
        let none = || Error::argument(format!("no {one} is selected"));
        found.first().map(|range| range.start).ok_or_else(none)
    }

    /// Returns the selected range, if it is a single one.
    #[must_use]
    pub fn as_range(&self) -> Option<Range<u64>> {
        match &self.terms[..] {
            [Term { list: Some(items), condition: None, pattern: None, sample: None, .. }] => {
                match &items[..] {
                    [Item::Range(start, end, _)] => Some(*start..end.unwrap_or(u64::MAX)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the part of a [range](Self::as_range) that is on an axis of length `len`.
    ///
    /// # Errors
    ///
    /// Fails if there is none, unless nothing may be selected.
    pub fn clipped(&self, range: &Range<u64>, axis: Axis, len: u64) -> Result<Range<u64>> {
        let clipped = range.start.min(len)..range.end.min(len);
        match self.terms.first() {
            Some(term) if clipped.is_empty() && !self.allow_empty && !term.is_everything() => {
                Err(nothing::error(nothing::message(&[term.text()], term.one(axis), false)))
            }
            _ => Ok(clipped),
        }
    }

    /// Returns the name of one of the selected positions for messages.
    pub(crate) fn one(&self, axis: Axis) -> &'static str {
        self.terms.first().map_or(axis.singular(), |term| term.one(axis))
    }

    /// Resolves all terms; with `clip`, ranges end at the end of the axis.
    fn found(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
        clip: bool,
        allow_empty: bool,
    ) -> Result<ResolvedSelection> {
        let len = source.header().shape.len(axis);
        let words: Vec<Word<'_>> = self.terms.iter().flat_map(Term::words).collect();
        let ranges = self.terms.iter().flat_map(Term::texts_of_ranges);
        let one = self.one(axis);
        let named = WordPositions::find(&words, ranges, source, (axis, one))?;
        let mut both: Option<(PositionMap, bool)> = None;
        let mut notes = Vec::new();
        for (term, before) in self.terms.iter().zip(0..) {
            let one = term.one(axis);
            let found = term.ranges(source, axis, &named, clip);
            let (ranges, is_list, found) = found.map_err(|error| {
                let words: Vec<Word<'_>> = term.words().collect();
                named.explained(error, &words, source, (axis, one))
            })?;
            notes.extend(found);
            let picked = PositionMap::new(ranges, len, one)?;
            let is_checked = !allow_empty && !term.is_everything();
            if is_checked && picked.len() == 0 {
                return Err(nothing::error(nothing::message(&[term.text()], one, false)));
            }
            let lists = is_list && both.as_ref().is_some_and(|(_, listed)| *listed);
            both = Some(match both {
                None => (picked, is_list),
                // The order of the first list is kept.
                Some((before, false)) if is_list => (picked.of_both(&before, len, one)?, true),
                Some((before, listed)) => (before.of_both(&picked, len, one)?, listed || is_list),
            });
            if is_checked && both.as_ref().is_some_and(|(picked, _)| picked.len() == 0) {
                let texts: Vec<String> =
                    self.terms.iter().take(before + 1).map(Term::text).collect();
                return Err(nothing::error(nothing::message(&texts, one, lists)));
            }
        }
        let picked = match both {
            Some((picked, _)) => picked,
            None => PositionMap::new(Vec::new(), len, one)?,
        };
        notes.extend(named.notes());
        Ok(ResolvedSelection { picked, notes })
    }
}

impl Term {
    /// Returns whether everything is selected, which may be nothing.
    fn is_everything(&self) -> bool {
        let from_start = |item: &Item| matches!(item, Item::Range(0, None, _));
        self.list.as_ref().is_some_and(|items| items.iter().any(from_start))
    }

    /// Returns the term as it can be written, for messages. Only the first items of a list are included.
    fn text(&self) -> String {
        /// Items of a list in a message.
        const SHOWN: usize = 5;
        if let Some(sample) = self.sample {
            return format!("a sample of {}", sample.count);
        }
        if let Some(pattern) = &self.pattern {
            return format!("{:?}", pattern.to_string());
        }
        if let Some(condition) = &self.condition {
            return format!("{:?}", condition.to_string());
        }
        let items = self.list.as_deref().unwrap_or_default();
        if items.is_empty() {
            return "an empty list".to_owned();
        }
        let mut text: Vec<String> = items.iter().take(SHOWN).map(Item::text).collect();
        if items.len() > SHOWN {
            text.push("...".to_owned());
        }
        format!("{:?}", text.join(","))
    }

    fn words(&self) -> impl Iterator<Item = Word<'_>> {
        self.list.iter().flatten().filter_map(|item| match item {
            Item::Word(word) => Some(Word::Any(word)),
            Item::Name(name) => Some(Word::Name(name)),
            Item::Range(..) => None,
        })
    }

    fn texts_of_ranges(&self) -> impl Iterator<Item = &[u8]> {
        self.list.iter().flatten().filter_map(|item| match item {
            Item::Range(_, _, text) => text.as_deref(),
            Item::Word(_) | Item::Name(_) => None,
        })
    }

    /// Returns the selected positions of an axis, whether they are in the order of a list, and notes for the user.
    fn ranges(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
        named: &WordPositions<'_>,
        clip: bool,
    ) -> Result<(Vec<Range<u64>>, bool, Vec<String>)> {
        let len = source.header().shape.len(axis);
        let one = self.one(axis);
        if let Some(sample) = self.sample {
            return Ok((sample.positions(len, one)?, false, Vec::new()));
        }
        let words = self.words().map(|word| word.text());
        let mut all = words.chain(self.texts_of_ranges());
        let is_list = self.list.is_some() && all.all(|word| named.is_name(word));
        if let Some(pattern) = &self.pattern
            && !is_list
        {
            let (ranges, note) = pattern.ranges(source, axis)?;
            return Ok((ranges, false, note.into_iter().collect()));
        }
        if let Some(condition) = &self.condition
            && !is_list
        {
            let table = source.annotations(axis)?;
            let Some(table) = table else { return Err(named::no_annotations(condition, one)) };
            let (ranges, notes) = condition.rows(&*table, one, crate::default_memory())?;
            return Ok((ranges, false, notes));
        }
        let notes = self.note_on_positions(named, one)?;
        let mut ranges = Vec::new();
        let mut words = HashSet::new();
        for item in self.list.iter().flatten() {
            ranges.push(match item {
                Item::Range(_, _, Some(name)) if named.is_name(name) => {
                    let at = named.find_one(name, one, len)?;
                    at..at.saturating_add(1)
                }
                Item::Range(start, end, _) if clip => *start.min(&len)..end.unwrap_or(len).min(len),
                Item::Range(_, Some(end), Some(text)) if *end > len => {
                    return Err(past_the_end(&String::from_utf8_lossy(text), one, len));
                }
                Item::Range(start, end, _) => *start..end.unwrap_or(len),
                Item::Word(word) | Item::Name(word) => {
                    let is_name = matches!(item, Item::Name(_));
                    let at = match is_name {
                        true => named.find_name(word, one)?,
                        false => named.find_one(word, one, len)?,
                    };
                    let is_text = is_name || word.iter().any(|byte| !byte.is_ascii_digit());
                    if !clip && !words.insert(word) && is_text {
                        let word = String::from_utf8_lossy(word);
                        let what = format!("{one} {word:?} ({at}) is selected twice");
                        return Err(Error::argument(what));
                    }
                    at..at.saturating_add(1)
                }
            });
        }
        Ok((ranges, true, notes.into_iter().collect()))
    }

    /// Notes numbers in a file that are positions, as they could be names of something else, such as ids of genes. Numbers of which only
    /// some are names are refused.
    fn note_on_positions(&self, named: &WordPositions<'_>, one: &str) -> Result<Option<String>> {
        let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
        let words = || {
            self.list.iter().flatten().filter_map(|item| match item {
                Item::Word(word) => Some(&**word),
                Item::Name(_) | Item::Range(..) => None,
            })
        };
        let digits = |word: &&[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
        let mut positions = words().filter(digits).filter(|word| !named.is_name(word));
        let Some(position) = positions.next() else { return Ok(None) };
        let count = 1 + positions.count();
        if let Some(name) = words().filter(digits).find(|word| named.is_name(word)) {
            let (name, position) = (text(name), text(position));
            let next = position.parse::<u64>().map_or(1, |at| at.saturating_add(1));
            let what = format!(
                "names and positions are mixed: {name:?} is the name of a {one}, and {position} is not; {position}:{next} selects the position"
            );
            return Err(Error::argument(what));
        }
        Ok(self.file.as_ref().map(|file| {
            let (lines, are) =
                if count == 1 { ("line", "is") } else { ("lines", "are") };
            format!("{count} {lines} of {file} {are} read as positions, from 0; none is the name of a {one}")
        }))
    }
}

impl Default for Selection {
    fn default() -> Self {
        Self::all()
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err("expected A:B, positions, names or COLUMN=VALUE".to_owned());
        }
        let list: Result<Vec<Item>, _> = text.split(',').map(item).collect();
        if let Some(pattern) = NamePattern::parse(text) {
            let pattern = Some(pattern?);
            return Ok(Self::of(Term { list: list.ok(), pattern, ..Term::default() }));
        }
        let condition = Condition::parse(text);
        match (list, condition) {
            (Err(error), None) => Err(error),
            (list, condition) => {
                Ok(Self::of(Term { list: list.ok(), condition, ..Term::default() }))
            }
        }
    }
}

fn item(text: &str) -> Result<Item, String> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once(':') {
        Some((start, end)) if digits(start) && digits(end) => {
            let number = |text: &str| {
                let parsed = text.parse::<u64>();
                parsed.map_err(|_| format!("{text} is too large"))
            };
            let start = if start.is_empty() { 0 } else { number(start)? };
            let end = if end.is_empty() { None } else { Some(number(end)?) };
            match end {
                Some(end) if end < start => Err(format!("{start} is larger than {end}")),
                _ => Ok(Item::Range(start, end, Some(text.into()))),
            }
        }
        _ if text.is_empty() => Err("empty item in list".to_owned()),
        _ => Ok(Item::Word(text.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_ranges_positions_and_names() {
        let parsed = |text: &str| text.parse::<Selection>();
        let word = |text: &str| Item::Word(text.into());
        let expected = [
            Item::Range(2, Some(5), Some("2:5".into())),
            word("7"),
            word("gene:1"),
            Item::Range(9, None, Some("9:".into())),
            Item::Range(0, Some(1), Some(":1".into())),
            word("chr1:10-20"),
        ];
        assert_eq!(
            parsed("2:5,7,gene:1,9:,:1,chr1:10-20").unwrap(),
            Selection::list(expected.into())
        );
        let all = Item::Range(0, None, Some(":".into()));
        assert_eq!(parsed(":").unwrap(), Selection::list(vec![all]));
        for text in ["", "1,,2", "5:2", "99999999999999999999:", "1,"] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }
}
