//! What a caller selects of an axis: ranges, positions, names.

use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::ops::Range;
use std::str::FromStr;

use nnz_core::{Axis, Error, ErrorKind, MatrixSource, Place, Result};

use super::picked::{Picked, Stretch, absent, one_of};

/// Bytes of a line of a list at the most, as of names that are stored in lines.
const LONGEST: u64 = 1 << 20;

/// Says which rows or columns are selected, and in which order.
///
/// As text it is a list with commas between: ranges `A:B` (from A up to, not including, B; either
/// may be left out), positions counted from 0, and names. A word of digits is a position unless it
/// is a name, and is refused where it could be either. Nothing may be selected twice. Words that are no
/// names are looked up in [other names](MatrixSource::read_other_names), such as the symbols of genes in
/// a 10x folder, and are refused where several rows or columns share them.
///
/// ```
/// use nnz_engine::Selection;
/// let selection: Result<Selection, _> = "5:9,2,ENSG00000141510".parse();
/// assert!(selection.is_ok());
/// assert!("9:5".parse::<Selection>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection(Vec<Item>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    /// The end is `None` where it is that of the axis.
    Range(u64, Option<u64>),
    /// A name, or a position.
    Word(Vec<u8>),
}

impl Selection {
    /// Selects everything.
    #[must_use]
    pub fn all() -> Self {
        Self(vec![Item::Range(0, None)])
    }

    /// Selects ranges, in this order.
    #[must_use]
    pub fn ranges(ranges: impl IntoIterator<Item = Range<u64>>) -> Self {
        Self(ranges.into_iter().map(|range| Item::Range(range.start, Some(range.end))).collect())
    }

    /// Selects names, or positions in digits, in this order.
    #[must_use]
    pub fn words<T: Into<Vec<u8>>>(words: impl IntoIterator<Item = T>) -> Self {
        Self(words.into_iter().map(|word| Item::Word(word.into())).collect())
    }

    /// Returns whether nothing is listed, as in a file without lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads names or positions, one a line, from what messages call `place`.
    ///
    /// ```
    /// use nnz_core::Place;
    /// use nnz_engine::Selection;
    ///
    /// let selection = Selection::read_lines(&b"CD3E\nCD8A\n"[..], &Place::default())?;
    /// assert_eq!(selection, Selection::words(["CD3E", "CD8A"]));
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails where the lines cannot be read.
    pub fn read_lines(mut lines: impl BufRead, place: &Place) -> Result<Self> {
        let io = |error| Error::new(ErrorKind::Io(error), place.clone());
        let mut items = Vec::new();
        loop {
            let mut line = Vec::new();
            let mut bounded = lines.by_ref().take(LONGEST + 1);
            if bounded.read_until(b'\n', &mut line).map_err(io)? == 0 {
                return Ok(Self(items));
            }
            if line.len() as u64 > LONGEST {
                let found = "a line of over a mebibyte";
                return Err(Error::mismatch(place.clone(), found, "names"));
            }
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            items.push(Item::Word(line));
        }
    }

    /// Finds what is selected of an axis of a matrix.
    pub(super) fn resolve(&self, source: &dyn MatrixSource, axis: Axis) -> Result<Picked> {
        let len = source.header().shape.len(axis);
        let named = self.named(source, axis)?;
        let mut ranges = Vec::with_capacity(self.0.len());
        for item in &self.0 {
            ranges.push(match item {
                Item::Range(start, end) => *start..end.unwrap_or(len),
                Item::Word(word) => {
                    let at = find(word, &named, axis, len)?;
                    at..at.saturating_add(1)
                }
            });
        }
        Picked::new(ranges, len, axis)
    }

    /// Finds what is selected of an axis of a matrix, in the order of the matrix. Ranges may go past
    /// the end.
    pub(crate) fn sorted(&self, source: &dyn MatrixSource, axis: Axis) -> Result<Vec<Range<u64>>> {
        let len = source.header().shape.len(axis);
        let clip = |item: &Item| match item {
            Item::Range(start, end) => Item::Range(*start.min(&len), end.map(|end| end.min(len))),
            word => word.clone(),
        };
        let picked = Self(self.0.iter().map(clip).collect()).resolve(source, axis)?;
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for range in picked.sorted().iter().map(Stretch::old) {
            match ranges.last_mut().filter(|last| last.end == range.start) {
                Some(last) => last.end = range.end,
                None => ranges.push(range),
            }
        }
        Ok(ranges)
    }

    /// Returns the range that is selected, if it is a single one.
    #[must_use]
    pub fn as_range(&self) -> Option<Range<u64>> {
        match self.0[..] {
            [Item::Range(start, end)] => Some(start..end.unwrap_or(u64::MAX)),
            _ => None,
        }
    }

    /// Finds the places of all words that are names.
    fn named(&self, source: &dyn MatrixSource, axis: Axis) -> Result<Named<'_>> {
        let mut named = Named { has_names: false, places: HashMap::new(), others: HashMap::new() };
        for item in &self.0 {
            if let Item::Word(word) = item {
                named.places.insert(word, [None, None]);
            }
        }
        if named.places.is_empty() {
            return Ok(named);
        }
        let Some(mut names) = source.read_names(axis)? else { return Ok(named) };
        named.has_names = true;
        let mut at = 0;
        while let Some(name) = names.next_string()? {
            match named.places.get_mut(name) {
                Some([first @ None, _]) => *first = Some(at),
                Some([_, second @ None]) => *second = Some(at),
                _ => {}
            }
            at += 1;
        }
        drop(names);
        named.find_others(source, axis)?;
        Ok(named)
    }
}

impl<'a> Named<'a> {
    /// Finds the places of words that are no names among what else rows or columns are called.
    fn find_others(&mut self, source: &dyn MatrixSource, axis: Axis) -> Result<()> {
        // Digits are a position then.
        let unknown =
            self.places.iter().filter(|(word, places)| places[0].is_none() && !is_digits(word));
        self.others = unknown.map(|(word, _)| (*word, Others::default())).collect();
        if self.others.is_empty() {
            return Ok(());
        }
        let Some(mut others) = source.read_other_names(axis)? else { return Ok(()) };
        let Some(mut names) = source.read_names(axis)? else { return Ok(()) };
        let mut at = 0;
        while let Some(line) = others.next_string()?
            && let Some(name) = names.next_string()?
        {
            for word in line.split(|byte| *byte == b'\t') {
                if let Some(found) = self.others.get_mut(word) {
                    found.add(at, name);
                }
            }
            at += 1;
        }
        Ok(())
    }
}

/// The rows or columns that are also called by a word.
#[derive(Default)]
struct Others {
    count: u64,
    last: Option<u64>,
    /// The names of the first of them.
    names: Vec<String>,
}

impl Others {
    fn add(&mut self, at: u64, name: &[u8]) {
        const MOST: usize = 20;
        // Two columns may have the same word.
        if self.last == Some(at) {
            return;
        }
        self.last = Some(at);
        self.count += 1;
        if self.names.len() < MOST {
            self.names.push(String::from_utf8_lossy(name).into_owned());
        }
    }

    /// Says that there are several.
    fn ambiguous(&self, word: &str, one: &str) -> String {
        let names = self.names.join(", ");
        let more = self.count.saturating_sub(self.names.len() as u64);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!(
            "{word:?} is the name of {} {one}s; select one of them by {names}{more}",
            self.count
        )
    }
}

impl Default for Selection {
    fn default() -> Self {
        Self::all()
    }
}

/// The first two places that each word is the name of.
struct Named<'a> {
    has_names: bool,
    places: HashMap<&'a [u8], [Option<u64>; 2]>,
    others: HashMap<&'a [u8], Others>,
}

fn is_digits(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

/// Finds the place of a word on an axis that is `len` long.
fn find(word: &[u8], named: &Named<'_>, axis: Axis, len: u64) -> Result<u64> {
    let one = one_of(axis);
    let text = || String::from_utf8_lossy(word);
    let digits = is_digits(word);
    let position: Option<u64> = if digits { text().parse().ok() } else { None };
    let others = named.others.get(word).filter(|others| others.count > 0);
    if let Some(others) = others {
        return match others.last.filter(|_| others.count == 1) {
            Some(at) => Ok(at),
            None => Err(Error::argument(others.ambiguous(&text(), one))),
        };
    }
    let what = match (named.places.get(word), position) {
        (Some([Some(first), Some(second)]), _) => {
            format!("{:?} is the name of {one} {first} and of {one} {second}", text())
        }
        (Some([Some(at), None]), Some(position)) if *at != position && position < len => {
            let next = position.saturating_add(1);
            format!(
                "{position} is a position, and the name of {one} {at}; \
                 say {position}:{next} or {at}:{}",
                at.saturating_add(1)
            )
        }
        (Some([Some(at), None]), _) => return Ok(*at),
        (_, Some(position)) => return Ok(position),
        (_, None) if digits => return Err(absent(axis, text(), len)),
        (_, None) if named.has_names => format!("there is no {one} with the name {:?}", text()),
        (_, None) => format!("there is no {one} with the name {:?}: {one}s have none", text()),
    };
    Err(Error::argument(what))
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err("expected A:B, positions or names; 0:0 selects none".to_owned());
        }
        text.split(',').map(item).collect::<Result<_, _>>().map(Self)
    }
}

fn item(text: &str) -> Result<Item, String> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once(':') {
        Some((start, end)) if digits(start) && digits(end) => {
            let number = |text: &str| {
                let parsed = text.parse::<u64>();
                parsed.map_err(|_| format!("{text} is more than any matrix has"))
            };
            let start = if start.is_empty() { 0 } else { number(start)? };
            let end = if end.is_empty() { None } else { Some(number(end)?) };
            match end {
                Some(end) if end < start => Err(format!("{start} comes after {end}")),
                _ => Ok(Item::Range(start, end)),
            }
        }
        _ if text.is_empty() => Err("expected something between the commas".to_owned()),
        _ => Ok(Item::Word(text.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_ranges_positions_and_names() {
        let parsed = |text: &str| text.parse::<Selection>();
        let word = |text: &str| Item::Word(text.into());
        let expected = [
            Item::Range(2, Some(5)),
            word("7"),
            word("gene:1"),
            Item::Range(9, None),
            Item::Range(0, Some(1)),
            word("chr1:10-20"),
        ];
        assert_eq!(parsed("2:5,7,gene:1,9:,:1,chr1:10-20").unwrap().0, expected);
        assert_eq!(parsed(":").unwrap(), Selection::all());
        for text in ["", "1,,2", "5:2", "99999999999999999999:", "1,"] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }
}
