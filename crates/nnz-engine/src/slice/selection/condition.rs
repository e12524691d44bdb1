//! Conditions on a column of annotations.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use nnz_core::{
    Annotations, Categorical, Categories, Column, ColumnInfo, ColumnValues, Error, Result,
    ValueType, Values, suggest_prefixed,
};

use super::comparison::{Comparison, compare, of_scalar, parse};
use crate::Number;

/// Maximum number of words between commas in a text.
const MOST_WORDS: usize = 64;

/// Maximum number of values in a message.
const LISTED: usize = 20;

/// A condition on a column of annotations: `cell_type=B,T`, `n_counts>=500`. Texts may have commas.
///
/// Missing values and NaN never match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    column: String,
    comparison: Comparison,
    /// One value for comparisons other than `=` and `!=`.
    values: Vec<String>,
}

impl Condition {
    /// Parses a condition; `None` if a text is not one. The column ends at the first operator.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut starts = text.char_indices().map(|(at, _)| at).filter(|at| *at > 0);
        starts.find_map(|at| Self::split(text, at))
    }

    /// Parses a condition whose column ends at a position.
    fn split(text: &str, at: usize) -> Option<Self> {
        let (column, rest) = text.split_at_checked(at)?;
        // Blanks around the operator, as in Python.
        let operator = rest.trim_start();
        let (comparison, value) = Comparison::split(operator)?;
        let rest = if operator.len() < rest.len() { value.trim_start() } else { value };
        let values: Vec<String> = match comparison.is_by_order() {
            true => vec![rest.to_owned()],
            false => rest.split(',').map(str::to_owned).collect(),
        };
        Some(Self { column: column.to_owned(), comparison, values })
    }

    /// Returns the condition for a table whose column names can contain operators, and the position of its
    /// column: the longest name that is a prefix of the text. `None` if there is no such column.
    fn of_table(&self, table: &dyn Annotations) -> Option<(Self, usize)> {
        let text = self.to_string();
        let names = table.columns().iter().map(|column| &*column.name);
        let found = names.enumerate().filter(|(_, name)| text.starts_with(name));
        let conditions =
            found.filter_map(|(number, name)| Some((Self::split(&text, name.len())?, number)));
        conditions.max_by_key(|(condition, _)| condition.column.len())
    }

    /// Returns the rows of a table that match, in `memory` bytes, and notes: on integers that no row has, and on rows that the
    /// column does not cover. `one` is the name of one row in messages.
    pub(super) fn rows(
        &self,
        table: &dyn Annotations,
        one: &str,
        memory: u64,
    ) -> Result<(Vec<Range<u64>>, Vec<String>)> {
        let Some((condition, number)) = self.of_table(table) else {
            return Err(self.no_column(table, one));
        };
        let column = table.read_column(number, memory)?;
        let holds = condition.test(&column, one)?;
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for row in 0..column.len() {
            if column.is_missing(row) || !holds(row) {
                continue;
            }
            match ranges.last_mut().filter(|last| last.end == row) {
                Some(last) => last.end = row + 1,
                None => ranges.push(row..row + 1),
            }
        }
        let absent = condition.absent_integers(&column, one)?;
        Ok((ranges, absent.into_iter().chain(table.uncovered(number, memory)?).collect()))
    }

    /// Describes integers that are compared for equality, and that no row has. A text that no row has is an error instead: it is
    /// probably misspelt.
    fn absent_integers(&self, column: &Column, one: &str) -> Result<Option<String>> {
        let values = match &column.values {
            ColumnValues::Numbers(values) => values,
            ColumnValues::Categorical(Categorical {
                categories: Categories::Numbers(values),
                ..
            }) => values,
            _ => return Ok(None),
        };
        let is_number = |row| match column.values {
            ColumnValues::Numbers(_) => !column.is_missing(row),
            _ => true,
        };
        if self.comparison.is_by_order() || !values.value_type().is_integer() {
            return Ok(None);
        }
        let mut wanted: Vec<_> =
            self.values.iter().zip(self.numbers(values.value_type())?).collect();
        for (at, row) in (0..values.len().unwrap_or(0)).zip(0..) {
            if wanted.is_empty() {
                return Ok(None);
            }
            let value = values.get(at).and_then(of_scalar).filter(|_| is_number(row));
            let Some(value) = value else { continue };
            wanted.retain(|(_, number)| compare(value, *number) != Some(Ordering::Equal));
        }
        let texts: Vec<&str> = wanted.iter().map(|(text, _)| text.trim()).collect();
        let column = self.column.escape_debug();
        Ok((!texts.is_empty()).then(|| format!("no {one} has {column} {}", texts.join(" or "))))
    }

    /// Returns a predicate on the rows of a column.
    fn test<'a>(&self, column: &'a Column, one: &str) -> Result<Box<dyn Fn(u64) -> bool + 'a>> {
        let comparison = self.comparison;
        match &column.values {
            ColumnValues::Numbers(values) => {
                let wanted = self.numbers(values.value_type())?;
                Ok(Box::new(move |row| meets(comparison, values, row, &wanted)))
            }
            ColumnValues::Strings(list) => {
                self.check_text()?;
                let wanted = self.texts(|| list.iter());
                check_found(&self.column, &wanted, one, &mut list.iter())?;
                let equal = comparison == Comparison::Equal;
                Ok(Box::new(move |row| {
                    let value = list.get(row).unwrap_or_default();
                    wanted.iter().any(|wanted| wanted.as_bytes() == value) == equal
                }))
            }
            ColumnValues::Categorical(categorical) => {
                let met: Vec<bool> = match &categorical.categories {
                    Categories::Numbers(values) => {
                        let wanted = self.numbers(values.value_type())?;
                        let len = values.len().unwrap_or(0) as u64;
                        (0..len).map(|code| meets(comparison, values, code, &wanted)).collect()
                    }
                    Categories::Strings(list) => {
                        self.check_text()?;
                        let texts = self.texts(|| list.iter());
                        check_found(&self.column, &texts, one, &mut list.iter())?;
                        let equal = comparison == Comparison::Equal;
                        let wanted =
                            |value: &[u8]| texts.iter().any(|wanted| wanted.as_bytes() == value);
                        list.iter().map(|value| wanted(value) == equal).collect()
                    }
                };
                Ok(Box::new(move |row| {
                    let code = usize::try_from(row).ok().and_then(|row| categorical.codes.get(row));
                    let code = code.and_then(|&code| usize::try_from(code).ok());
                    code.and_then(|code| met.get(code)).copied().unwrap_or(false)
                }))
            }
        }
    }

    fn numbers(&self, value_type: ValueType) -> Result<Vec<Number>> {
        let parse = |text: &String| {
            let what = || format!("{self}: column {:?} has numbers, not {text:?}", self.column);
            parse(text, value_type).ok_or_else(|| Error::argument(what()))
        };
        self.values.iter().map(parse).collect()
    }

    /// Refuses to compare text by order.
    fn check_text(&self) -> Result<()> {
        if !self.comparison.is_by_order() {
            return Ok(());
        }
        let what = format!("{self}: annotation {:?} is not numeric; use = or !=", self.column);
        Err(Error::argument(what))
    }

    /// Returns the texts that are compared with those of a column. A text of the column may have commas: as many words as
    /// possible are one of its texts.
    fn texts<'t, T: Iterator<Item = &'t [u8]>>(&self, all: impl Fn() -> T) -> Vec<String> {
        if self.values.len() < 2 {
            return self.values.clone();
        }
        let with_commas: HashSet<&[u8]> = all().filter(|text| text.contains(&b',')).collect();
        let (mut texts, mut rest) = (Vec::new(), &self.values[..]);
        while !rest.is_empty() {
            let is_text = |len: &usize| with_commas.contains(rest[..*len].join(",").as_bytes());
            let len = (2..=rest.len().min(MOST_WORDS)).rev().find(is_text).unwrap_or(1);
            texts.push(rest[..len].join(","));
            rest = &rest[len..];
        }
        texts
    }

    fn no_column(&self, table: &dyn Annotations, one: &str) -> Error {
        let quoted = |column: &ColumnInfo| format!("{:?}", column.name);
        let names: Vec<String> = table.columns().iter().map(quoted).collect();
        let column = &self.column;
        let what = match names.len() {
            0 => format!("{self}: the {one}s have no annotations"),
            _ => {
                let names = names.join(", ");
                let meant = suggest_prefixed(table.columns(), column);
                format!(
                    "{self}: the {one}s have no annotation {column:?}; annotations are {names}{meant}"
                )
            }
        };
        self.refused(what)
    }

    /// Makes an error of a message, with a hint if the condition is one of a filter.
    pub(super) fn refused(&self, what: String) -> Error {
        let error = Error::argument(what);
        match crate::filter::is_measure(&self.column) {
            true => {
                error.with_hint("filter", format!("selects by {}, which it computes", self.column))
            }
            false => error,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.column, self.comparison, self.values.join(","))
    }
}

/// Refuses a text that no row has, which is probably misspelt.
fn check_found(
    column: &str,
    wanted: &[String],
    one: &str,
    all: &mut dyn Iterator<Item = &[u8]>,
) -> Result<()> {
    let mut missing: Vec<&String> = wanted.iter().collect();
    let mut there: Vec<&[u8]> = Vec::new();
    for value in all {
        missing.retain(|wanted| wanted.as_bytes() != value);
        if missing.is_empty() {
            return Ok(());
        }
        if there.len() <= LISTED && !there.contains(&value) {
            there.push(value);
        }
    }
    let Some(first) = missing.first() else { return Ok(()) };
    let quoted = |value: &&[u8]| format!("{:?}", String::from_utf8_lossy(value));
    let listed: Vec<_> = there.iter().take(LISTED).map(quoted).collect();
    let more = if there.len() > LISTED { ", ..." } else { "" };
    let listed = listed.join(", ");
    let what =
        format!("no {one} has {} {first:?}; values are {listed}{more}", column.escape_debug());
    Err(Error::argument(what))
}

/// Returns whether a number equals one of several, differs from all, or compares with the only one.
fn meets(comparison: Comparison, values: &Values, row: u64, wanted: &[Number]) -> bool {
    let value = usize::try_from(row).ok().and_then(|row| values.get(row)).and_then(of_scalar);
    let Some(value) = value else { return false };
    let mut orderings = wanted.iter().map(|wanted| compare(value, *wanted));
    match comparison {
        Comparison::NotEqual => orderings.all(|ordering| ordering.is_some_and(Ordering::is_ne)),
        _ => orderings.any(|ordering| ordering.is_some_and(|ordering| comparison.holds(ordering))),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use nnz_core::StringList;

    use super::*;

    struct Table(Vec<ColumnInfo>, Vec<Column>);

    impl Annotations for Table {
        fn columns(&self) -> &[ColumnInfo] {
            &self.0
        }

        fn len(&self) -> u64 {
            self.1[0].len()
        }

        fn read_column(&self, column: usize, _: u64) -> Result<Column> {
            Ok(self.1[column].clone())
        }
    }

    fn table() -> Table {
        let list =
            |texts: &[&str]| texts.iter().map(|text| text.as_bytes()).collect::<StringList>();
        let columns = [
            ("n", ColumnValues::Numbers(Values::U64(vec![1, 500, u64::MAX, 7, 0])), None),
            ("x", ColumnValues::Numbers(Values::F64(vec![0.5, f64::NAN, -1.0, 2.0, 1e300])), None),
            ("text", ColumnValues::Strings(list(&["a", "b", "a", "c d", ""])), Some(4)),
            ("comma", ColumnValues::Strings(list(&["a,b", "a", "b", "a, b,c", "x"])), None),
            (
                "type",
                ColumnValues::Categorical(Categorical {
                    codes: vec![0, 1, -1, 1, 0],
                    categories: Categories::Strings(list(&["B", "T", "never"])),
                    ordered: false,
                }),
                None,
            ),
            (
                "kind",
                ColumnValues::Categorical(Categorical {
                    codes: vec![0, 1, 2, 1, 0],
                    categories: Categories::Strings(list(&["CD4, alpha", "B", "CD4"])),
                    ordered: false,
                }),
                None,
            ),
            ("gone", ColumnValues::Numbers(Values::I32(vec![1, 2, 3, 4, 5])), Some(1)),
            ("n>=1", ColumnValues::Numbers(Values::I8(vec![1, 2, 3, 4, 5])), None),
            ("a=b", ColumnValues::Numbers(Values::I8(vec![5, 4, 3, 2, 1])), None),
            ("narrow", ColumnValues::Numbers(Values::F32(vec![0.1, 0.2, 0.3, 1.0, 0.1])), None),
        ];
        let (mut infos, mut all) = (Vec::new(), Vec::new());
        for (name, values, missing) in columns {
            let missing = missing.map(|at| (0..5).map(|row| row == at).collect());
            let column = Column { values, missing };
            infos.push(ColumnInfo::new(name, column.column_type()));
            all.push(column);
        }
        Table(infos, all)
    }

    fn rows(text: &str) -> Result<Vec<u64>> {
        let condition = Condition::parse(text).unwrap();
        let (ranges, _) = condition.rows(&table(), "row", u64::MAX)?;
        Ok(ranges.into_iter().flatten().collect())
    }

    #[test]
    fn conditions_select_matching_rows() {
        for (text, expected) in [
            ("n>=500", &[1, 2][..]),
            ("n>500", &[2]),
            ("n<7.5", &[0, 3, 4]),
            ("n<=-1", &[]),
            ("n=18446744073709551615", &[2]),
            ("n>=18446744073709551616", &[]),
            ("n=1,7,9", &[0, 3]),
            ("n!=1,7", &[1, 2, 4]),
            ("x>0", &[0, 3, 4]),
            ("x=0.5,2", &[0, 3]),
            // NaN never matches.
            ("x!=2", &[0, 2, 4]),
            ("x<=inf", &[0, 2, 3, 4]),
            ("text=a", &[0, 2]),
            ("text=c d,b", &[1, 3]),
            // Missing values never match.
            ("text!=a", &[1, 3]),
            ("text=", &[]),
            ("text == a", &[0, 2]),
            ("text==a", &[0, 2]),
            ("n >= 500", &[1, 2]),
            // Texts with commas.
            ("comma=a,b", &[0]),
            ("comma=b,a", &[1, 2]),
            ("comma=x,a, b,c,a", &[1, 3, 4]),
            ("comma!=a, b,c", &[0, 1, 2, 4]),
            ("kind=CD4, alpha", &[0, 4]),
            ("kind=CD4,CD4, alpha", &[0, 2, 4]),
            ("type=T", &[1, 3]),
            ("type!=T", &[0, 4]),
            ("type=never", &[]),
            ("gone>0", &[0, 2, 3, 4]),
            // The longest name of a column is used.
            ("n>=1=2", &[1]),
            ("n>=1>3", &[3, 4]),
            ("n>=1", &[0, 1, 2, 3]),
            ("a=b=4", &[1]),
            ("a=b!=4", &[0, 2, 3, 4]),
            // As they are displayed.
            ("narrow=0.1", &[0, 4]),
            ("narrow<=0.2", &[0, 1, 4]),
            ("narrow!=0.1", &[1, 2, 3]),
        ] {
            assert_eq!(rows(text).unwrap(), expected, "{text}");
        }
    }

    /// An integer that no row has was ignored without a word.
    #[test]
    fn integers_that_no_row_has_are_noted() {
        for (text, expected) in [
            ("n=1,7", None),
            ("n=1,8", Some("no row has n 8")),
            ("n!=8,1,9", Some("no row has n 8 or 9")),
            ("n>=8", None),
            // The value of a missing row, floats.
            ("gone=2,3", Some("no row has gone 2")),
            ("x=7,2", None),
        ] {
            let condition = Condition::parse(text).unwrap();
            let (_, notes) = condition.rows(&table(), "row", u64::MAX).unwrap();
            assert_eq!(notes.first().map(|note| &**note), expected, "{text}");
        }
    }

    #[test]
    fn invalid_conditions_are_refused() {
        for (text, says) in [
            (
                "nope=1",
                "the rows have no annotation \"nope\"; annotations are \"n\", \"x\", \"text\", \"comma\", \"type\", \"kind\", \"gone\", \"n>=1\", \"a=b\", \"narrow\"",
            ),
            ("n=many", "has numbers, not \"many\""),
            ("n>", "has numbers, not \"\""),
            ("n=1,,7", "has numbers, not \"\""),
            ("n=1,2:5", "has numbers, not \"2:5\""),
            ("type=T,", "no row has type \"\""),
            ("x<nan", "has numbers, not \"nan\""),
            ("text>a", "is not numeric; use = or !="),
            ("text=A", "no row has text \"A\"; values are \"a\", \"b\", \"c d\""),
            ("type!=b", "no row has type \"b\"; values are \"B\", \"T\", \"never\""),
        ] {
            let error = rows(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        assert_eq!(Condition::parse("=a"), None);
        assert_eq!(Condition::parse("a!b"), None);
        assert_eq!(Condition::parse("a!b=c"), Condition::split("a!b=c", 3));
        assert_eq!(Condition::parse("ENSG1,2:5"), None);
    }
}
