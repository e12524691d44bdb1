//! Rows or columns selected by words.

use std::collections::{BTreeMap, HashMap, HashSet};

use nnz_core::{
    Axis, Categories, Column, ColumnType, ColumnValues, Error, ErrorKind, MatrixSource, Place,
    Result, ValueType,
};

use super::super::position_map::absent;
use super::condition::Condition;
use super::similar::similar;

/// Maximum number of names in a message.
const LISTED: usize = 20;
/// The same of names that do not exist, besides the first.
const SHOWN: usize = 5;

/// A word of a selection.
#[derive(Clone, Copy)]
pub(super) enum Word<'a> {
    /// A name, or a position in digits.
    Any(&'a [u8]),
    /// A name.
    Name(&'a [u8]),
}

impl<'a> Word<'a> {
    pub(super) fn text(&self) -> &'a [u8] {
        match self {
            Self::Any(text) | Self::Name(text) => text,
        }
    }

    /// Returns whether it is a position, unless it is a name.
    fn is_position(&self) -> bool {
        matches!(self, Self::Any(text) if is_digits(text) || is_negative(text))
    }
}

/// The positions of words: rows or columns by name, otherwise by a column of annotations.
pub(super) struct WordPositions<'a> {
    /// The name of one position in messages.
    one: &'static str,
    has_names: bool,
    /// The first two positions of each word that is a name.
    places: HashMap<&'a [u8], [Option<u64>; 2]>,
    /// The positions of words that are not names, by annotation.
    others: HashMap<&'a [u8], AnnotationMatches>,
}

/// The rows or columns with a word in their annotations.
#[derive(Default)]
struct AnnotationMatches {
    count: u64,
    /// The first position.
    places: Vec<u64>,
    /// The names of these.
    names: Vec<String>,
    /// The column of the first.
    column: String,
}

impl<'a> WordPositions<'a> {
    /// Finds the positions of words, which are names, positions or annotations, of names, and of ranges, which can
    /// be names.
    pub(super) fn find(
        words: &[Word<'a>],
        ranges: impl Iterator<Item = &'a [u8]>,
        source: &dyn MatrixSource,
        (axis, one): (Axis, &'static str),
    ) -> Result<Self> {
        let texts = words.iter().map(Word::text).chain(ranges);
        let places = texts.map(|word| (word, [None, None])).collect();
        let mut named = Self { one, has_names: false, places, others: HashMap::new() };
        if named.places.is_empty() {
            return Ok(named);
        }
        if let Some(mut names) = source.read_names(axis)? {
            named.has_names = true;
            let mut at = 0;
            // Names of other lengths need not be looked up.
            let length = |word: &[u8]| 1_u64 << word.len().min(63);
            let lengths = named.places.keys().fold(0, |all, word| all | length(word));
            while let Some(name) = names.next_string()? {
                if lengths & length(name) == 0 {
                    at += 1;
                    continue;
                }
                match named.places.get_mut(name) {
                    Some([first @ None, _]) => *first = Some(at),
                    Some([_, second @ None]) => *second = Some(at),
                    _ => {}
                }
                at += 1;
            }
        }
        named.find_others(words, source, axis)?;
        Ok(named)
    }

    /// Finds the positions of words that are not names in the text columns of the annotations.
    fn find_others(
        &mut self,
        words: &[Word<'a>],
        source: &dyn MatrixSource,
        axis: Axis,
    ) -> Result<()> {
        // Numbers are positions then, unless they are given as names, and empty lines are not looked up.
        let looked_up = |word: &Word<'_>| match word {
            Word::Any(text) => !text.is_empty() && !is_digits(text),
            Word::Name(text) => !text.is_empty(),
        };
        let unknown = words.iter().filter(|word| !self.is_name(word.text()) && looked_up(word));
        let others = unknown.map(|word| (word.text(), AnnotationMatches::default())).collect();
        self.others = others;
        if self.others.is_empty() {
            return Ok(());
        }
        each_text(source, axis, |text, at, column| {
            if let Some(found) = self.others.get_mut(text) {
                found.add(at, column);
            }
        })?;
        self.name_several(source, axis)
    }

    /// Finds the names of positions that share a word, for the message.
    fn name_several(&mut self, source: &dyn MatrixSource, axis: Axis) -> Result<()> {
        let mut wanted: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for others in self.others.values().filter(|others| others.count > 1) {
            wanted.extend(others.places.iter().map(|&at| (at, Vec::new())));
        }
        let Some(&last) = wanted.keys().next_back() else { return Ok(()) };
        let Some(mut names) = source.read_names(axis)? else { return Ok(()) };
        let mut at = 0;
        while at <= last
            && let Some(name) = names.next_string()?
        {
            if let Some(found) = wanted.get_mut(&at) {
                found.push(String::from_utf8_lossy(name).into_owned());
            }
            at += 1;
        }
        for others in self.others.values_mut() {
            let names = others.places.iter().filter_map(|at| wanted.get(at));
            others.names = names.flatten().cloned().collect();
        }
        Ok(())
    }

    /// Returns whether a word is the name of a row or column.
    pub(super) fn is_name(&self, word: &[u8]) -> bool {
        self.places.get(word).is_some_and(|places| places[0].is_some())
    }

    /// Describes words that were found in annotations.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut by_column: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (word, others) in self.others.iter().filter(|(_, others)| others.count == 1) {
            let word = String::from_utf8_lossy(word).into_owned();
            by_column.entry(&others.column).or_default().push(word);
        }
        let note = |(column, mut words): (&str, Vec<String>)| {
            words.sort_unstable();
            let more = words.len().saturating_sub(LISTED);
            words.truncate(LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let one = self.one;
            format!("selected {one}s by the annotation {column:?}: {}{more}", words.join(", "))
        };
        by_column.into_iter().map(note).collect()
    }

    /// Finds the position of a word on an axis of length `len`. `one` is the name of one position in
    /// messages.
    pub(super) fn find_one(&self, word: &[u8], one: &str, len: u64) -> Result<u64> {
        let text = || String::from_utf8_lossy(word);
        let digits = is_digits(word);
        let position: Option<u64> = if digits { text().parse().ok() } else { None };
        if let Some(found) = self.annotated(word, one) {
            return found;
        }
        let what = match (self.places.get(word), position) {
            (Some([Some(first), Some(second)]), _) => {
                return Err(repeated(word, one, [*first, *second]));
            }
            (Some([Some(at), None]), Some(position)) if *at != position && position < len => {
                let next = position.saturating_add(1);
                format!(
                    "{position} is both a position and the name of {one} {at}; \
                     use {position}:{next} or {at}:{}",
                    at.saturating_add(1)
                )
            }
            (Some([Some(at), None]), _) => return Ok(*at),
            (_, Some(position)) => return Ok(position),
            (_, None) if digits => return Err(absent(one, text(), len)),
            (_, None) if is_negative(word) => {
                format!("no {one} {}: positions are counted from 0 and not negative", text())
            }
            (_, None) => return Err(self.unknown(word, one)),
        };
        Err(Error::argument(what))
    }

    /// Finds the position of a name, which is not a position even if it consists of digits.
    pub(super) fn find_name(&self, name: &[u8], one: &str) -> Result<u64> {
        if let Some(found) = self.annotated(name, one) {
            return found;
        }
        match self.places.get(name) {
            Some([Some(first), Some(second)]) => Err(repeated(name, one, [*first, *second])),
            Some([Some(at), None]) => Ok(*at),
            _ => Err(self.unknown(name, one)),
        }
    }

    /// Returns the position of a word that is not a name, if the annotations have it.
    fn annotated(&self, word: &[u8], one: &str) -> Option<Result<u64>> {
        let others = self.others.get(word).filter(|others| others.count > 0)?;
        Some(match others.places[..] {
            [at] if others.count == 1 => Ok(at),
            _ => Err(Error::argument(others.ambiguous(&String::from_utf8_lossy(word), one))),
        })
    }

    /// The error for a name that does not exist.
    fn unknown(&self, name: &[u8], one: &str) -> Error {
        let text = String::from_utf8_lossy(name);
        let what = if self.has_names {
            format!("no {one} is named {text:?}")
        } else {
            format!("no {one} is named {text:?}: {one}s have no names")
        };
        Error::new(ErrorKind::UnknownName(what), Place::default())
    }

    /// Adds to the error for a name that does not exist the others of `words` that do not, and names like the first.
    pub(super) fn explained(
        &self,
        error: Error,
        words: &[Word<'_>],
        source: &dyn MatrixSource,
        (axis, one): (Axis, &str),
    ) -> Error {
        if !matches!(error.kind(), ErrorKind::UnknownName(_)) || !self.has_names {
            return error;
        }
        let is_missing = |word: &&[u8]| {
            !self.is_name(word) && self.others.get(word).is_none_or(|others| others.count == 0)
        };
        let mut missing: Vec<&[u8]> = words
            .iter()
            .filter(|word| !word.is_position())
            .map(Word::text)
            .filter(is_missing)
            .collect();
        let mut known = HashSet::new();
        missing.retain(|word| known.insert(*word));
        let Some((first, others)) = missing.split_first() else { return error };
        let quoted = |word: &&[u8]| format!("{:?}", String::from_utf8_lossy(word));
        let mut what = format!("no {one} is named {}", quoted(first));
        if !others.is_empty() {
            let listed: Vec<String> = others.iter().take(SHOWN).map(quoted).collect();
            let more = others.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            what.push_str(&format!(", nor {}{more}", listed.join(", ")));
        }
        // The names were read before.
        let similar = similar(first, source, axis).unwrap_or_default();
        let similar: Vec<String> = similar.iter().map(|name| format!("{name:?}")).collect();
        if !similar.is_empty() {
            what.push_str(&format!("; did you mean {}?", similar.join(" or ")));
        }
        if is_name_of(source, axis.other(), first) {
            what.push_str(&format!("; a {} has this name", axis.other().singular()));
        }
        let text = String::from_utf8_lossy(first);
        let column_type = source.annotations(axis).ok().flatten().and_then(|table| {
            let column = table.columns().iter().find(|column| column.name.as_bytes() == *first);
            column.map(|column| column.column_type)
        });
        match column_type {
            Some(ColumnType::Number(ValueType::Bint8)) => {
                what.push_str(&format!("; {text}=True selects {one}s by this annotation"));
            }
            Some(_) => {
                what.push_str(&format!("; {text}=VALUE selects {one}s by this annotation"));
            }
            None if text.starts_with('^') || text.ends_with('$') || text.contains(".*") => {
                what.push_str(&format!("; ~{text} selects names by a pattern"));
            }
            None => {}
        }
        Error::new(ErrorKind::UnknownName(what), error.place().clone())
    }
}

/// Returns whether an axis has a name.
fn is_name_of(source: &dyn MatrixSource, axis: Axis, wanted: &[u8]) -> bool {
    let Ok(Some(mut names)) = source.read_names(axis) else { return false };
    while let Ok(Some(name)) = names.next_string() {
        if name == wanted {
            return true;
        }
    }
    false
}

/// The error for a name of two rows or columns.
fn repeated(name: &[u8], one: &str, [first, second]: [u64; 2]) -> Error {
    let text = String::from_utf8_lossy(name);
    Error::argument(format!("{text:?} is the name of {one} {first} and of {one} {second}"))
}

/// Calls a function with each text in the annotations of an axis, its position and the name of its column.
pub(super) fn each_text(
    source: &dyn MatrixSource,
    axis: Axis,
    mut each: impl FnMut(&[u8], u64, &str),
) -> Result<()> {
    let Some(table) = source.annotations(axis)? else { return Ok(()) };
    for (number, info) in table.columns().iter().enumerate() {
        if !matches!(info.column_type, ColumnType::Number(_)) {
            let column = table.read_column(number, crate::default_memory())?;
            each_text_of(&column, |text, at| each(text, at, &info.name));
        }
    }
    Ok(())
}

fn each_text_of(column: &Column, mut each: impl FnMut(&[u8], u64)) {
    match &column.values {
        ColumnValues::Strings(list) => {
            for (text, at) in list.iter().zip(0..) {
                if !column.is_missing(at) {
                    each(text, at);
                }
            }
        }
        ColumnValues::Categorical(categorical) => {
            let Categories::Strings(list) = &categorical.categories else { return };
            for (&code, at) in categorical.codes.iter().zip(0..) {
                if let Some(text) = u64::try_from(code).ok().and_then(|code| list.get(code)) {
                    each(text, at);
                }
            }
        }
        ColumnValues::Numbers(_) => {}
    }
}

impl AnnotationMatches {
    fn add(&mut self, at: u64, column: &str) {
        // Two columns can have the same word.
        if self.places.contains(&at) {
            return;
        }
        if self.count == 0 {
            column.clone_into(&mut self.column);
        }
        self.count += 1;
        if self.places.len() < LISTED {
            self.places.push(at);
        }
    }

    /// The error for an ambiguous word.
    fn ambiguous(&self, word: &str, one: &str) -> String {
        let Self { count, names, column, .. } = self;
        let more = count.saturating_sub(names.len() as u64);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        let names = names.join(", ");
        format!(
            "{word:?} matches {count} {one}s; select one of them by {names}{more}, or all by \
             {column}={word}"
        )
    }
}

fn is_negative(word: &[u8]) -> bool {
    word.strip_prefix(b"-").is_some_and(is_digits)
}

fn is_digits(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

/// The error for a condition without annotations.
pub(super) fn no_annotations(condition: &Condition, one: &str) -> Error {
    let what = format!("{condition}: no {one} has that name, and {one}s have no annotations");
    condition.refused(what)
}
