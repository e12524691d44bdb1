//! Names that match a regular expression.

use std::ops::Range;

use nnz_core::{Axis, Categories, Column, ColumnType, ColumnValues, Error, MatrixSource, Result};
use regex_lite::{Regex, RegexBuilder};

use super::Selection;

/// A regular expression that is searched in names.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    regex: Regex,
}

/// Positions, in order.
#[derive(Default)]
struct Positions(Vec<Range<u64>>);

impl Positions {
    fn add(&mut self, at: u64) {
        match self.0.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = at + 1,
            None => self.0.push(at..at + 1),
        }
    }
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        match Regex::new(text) {
            Ok(regex) => Ok(Self { regex }),
            Err(error) => Err(format!("the regular expression {text:?}: {error}")),
        }
    }

    pub(crate) fn text(&self) -> &str {
        self.regex.as_str()
    }

    /// Returns the rows or columns whose name matches. If there are none, those for which a text column of the
    /// annotations matches, and a note for the user.
    pub(crate) fn find(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
    ) -> Result<(Vec<Range<u64>>, Option<String>)> {
        let (ranges, column) = find(&self.regex, source, axis)?;
        let one = axis.singular();
        if ranges.is_empty() {
            let text = self.text();
            let mut what = format!("no {one} has a name that matches {text:?}");
            let ignoring = RegexBuilder::new(text).case_insensitive(true).build();
            if let Ok(ignoring) = ignoring
                && !find(&ignoring, source, axis)?.0.is_empty()
            {
                what += &format!("; (?i){text} ignores case");
            }
            return Err(Error::argument(what));
        }
        let note = column
            .map(|column| format!("{one}s matched {:?} by the annotation {column:?}", self.text()));
        Ok((ranges, note))
    }
}

/// Selects the rows or columns whose names match a regular expression; if there are none, those for which a text column of the
/// annotations matches, with a note for the user.
///
/// # Errors
///
/// Fails if the regular expression is invalid, if nothing matches, and if names or annotations cannot be read.
pub fn matching(
    source: &dyn MatrixSource,
    axis: Axis,
    text: &str,
) -> Result<(Selection, Option<String>)> {
    let (ranges, note) = Pattern::new(text).map_err(Error::argument)?.find(source, axis)?;
    Ok((Selection::ranges(ranges), note))
}

/// Finds the names that match, else the texts of annotations; returns their column.
fn find(
    regex: &Regex,
    source: &dyn MatrixSource,
    axis: Axis,
) -> Result<(Vec<Range<u64>>, Option<String>)> {
    let matches = |text: &[u8]| regex.is_match(&String::from_utf8_lossy(text));
    let mut found = Positions::default();
    if let Some(mut names) = source.read_names(axis)? {
        let mut at = 0;
        while let Some(name) = names.next_string()? {
            if matches(name) {
                found.add(at);
            }
            at += 1;
        }
    }
    if !found.0.is_empty() {
        return Ok((found.0, None));
    }
    let Some(table) = source.annotations(axis)? else { return Ok((found.0, None)) };
    for (number, info) in table.columns().iter().enumerate() {
        if matches!(info.column_type, ColumnType::Number(_)) {
            continue;
        }
        let column = table.read_column(number, crate::default_memory())?;
        let found = matching_rows(&column, &matches);
        if !found.0.is_empty() {
            return Ok((found.0, Some(info.name.clone())));
        }
    }
    Ok((found.0, None))
}

fn matching_rows(column: &Column, matches: &dyn Fn(&[u8]) -> bool) -> Positions {
    let mut found = Positions::default();
    match &column.values {
        ColumnValues::Strings(list) => {
            for (text, at) in list.iter().zip(0..) {
                if !column.is_missing(at) && matches(text) {
                    found.add(at);
                }
            }
        }
        ColumnValues::Categorical(categorical) => {
            let Categories::Strings(list) = &categorical.categories else { return found };
            let met: Vec<bool> = list.iter().map(matches).collect();
            for (&code, at) in categorical.codes.iter().zip(0..) {
                if usize::try_from(code).ok().and_then(|code| met.get(code)) == Some(&true) {
                    found.add(at);
                }
            }
        }
        ColumnValues::Numbers(_) => {}
    }
    found
}
