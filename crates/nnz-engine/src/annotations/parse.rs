//! Reading tables of comma- or tab-separated values with inferred types.

use std::collections::HashSet;
use std::io::{self, Read};

use csv::{ByteRecord, ReaderBuilder};
use nnz_core::{
    At, Bint8, Categorical, Categories, Column, ColumnValues, Error, ErrorKind, Place, Result,
    StringList, Values,
};

use super::quotes::Quotes;
use super::table::AnnotationTable;

impl AnnotationTable {
    /// Reads a table from text with a header: the first column has the names of the rows, the others are columns
    /// of the table. `separator` is a comma or a tab. Values with the separator, a quote or a line break are in
    /// double quotes, which are doubled inside. The header may lack the first column, as written by R.
    ///
    /// A column has 64-bit integers, 64-bit floats or booleans (`true`, `True` or `TRUE`) if all of its values
    /// do; any other column is text. Empty values and `NA` are missing; in quotes, as R writes text, `"NA"` is a text in a
    /// column of texts. If texts are repeated, they are categories in alphabetical order.
    ///
    /// # Errors
    ///
    /// Fails if lines have different numbers of values, if quotes are not closed, if two columns have the same name, if
    /// text is not UTF-8, if the table takes more than `memory` bytes, or if reading fails. The error has the line.
    pub fn from_text(text: impl Read, separator: u8, memory: u64) -> Result<Self> {
        let mut lines = Lines::new(text, separator);
        let mut header = Vec::new();
        if lines.next()? {
            header = lines.fields()?;
        }
        if let Some(first) = header.first_mut()
            && let Some(rest) = first.strip_prefix('\u{feff}')
        {
            *first = rest.to_owned();
        }
        let (mut names, mut corner) = (StringList::new(), None);
        let mut texts: Vec<StringList> = Vec::new();
        // The row and the column of each `NA` in quotes.
        let mut quoted: HashSet<(u64, usize)> = HashSet::new();
        let mut left = memory;
        while lines.next()? {
            let fields = lines.record.len();
            if names.is_empty() {
                // R writes no name for the column of names.
                let lacks_first = fields == header.len().saturating_add(1);
                if !lacks_first && !header.is_empty() {
                    corner = Some(header.remove(0));
                }
                texts = header.iter().map(|_| StringList::new()).collect();
            }
            if fields != header.len() + 1 {
                let expected = format!("{}, as in the lines before", header.len() + 1);
                return Err(Error::mismatch(lines.place(), format!("{fields} values"), expected));
            }
            let taken = lines.record.as_slice().len() as u64 + fields as u64;
            left = left.checked_sub(taken).ok_or_else(|| {
                let kind = ErrorKind::Memory { needed: memory.saturating_add(1), allowed: memory };
                Error::new(kind, lines.place())
            })?;
            let row = names.len();
            quoted.extend(lines.quoted.iter().filter_map(|at| Some((row, at.checked_sub(1)?))));
            let mut fields = lines.record.iter();
            names.try_push(fields.next().unwrap_or_default())?;
            for (list, field) in texts.iter_mut().zip(fields) {
                if let Err(error) = std::str::from_utf8(field) {
                    let found = format!("the text {:?}", String::from_utf8_lossy(field));
                    return Err(Error::mismatch(lines.place(), found, "UTF-8").with_source(error));
                }
                list.try_push(field)?;
            }
        }
        if texts.is_empty() && !header.is_empty() {
            header.remove(0);
            texts = header.iter().map(|_| StringList::new()).collect();
        }
        let mut columns = Vec::with_capacity(header.len());
        let mut missing_texts = Vec::new();
        for (number, (name, list)) in header.into_iter().zip(texts).enumerate() {
            let column = typed(&list, |row| quoted.contains(&(row, number)));
            if !matches!(column.values, ColumnValues::Numbers(_)) {
                let rows = list.iter().zip(0..).filter(|(text, _)| *text == NA);
                let count = rows.filter(|(_, row)| column.is_missing(*row)).count();
                missing_texts.extend((count > 0).then(|| (name.clone(), count)));
            }
            columns.push((name, column));
        }
        Self::new(names, columns)
            .map(|table| table.with_corner(corner).with_missing_texts(missing_texts))
    }
}

/// The lines of a text, split into values.
pub(super) struct Lines<R> {
    reader: csv::Reader<Quotes<R>>,
    record: ByteRecord,
    /// The numbers of the values `NA` of the line that are in quotes.
    quoted: Vec<usize>,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(text: R, separator: u8) -> Self {
        let mut builder = ReaderBuilder::new();
        builder.delimiter(separator).has_headers(false).flexible(true);
        Self {
            reader: builder.from_reader(Quotes::new(text, separator)),
            record: ByteRecord::new(),
            quoted: Vec::new(),
        }
    }

    /// Reads the next line; `false` at the end.
    pub(super) fn next(&mut self) -> Result<bool> {
        let found = self.reader.read_byte_record(&mut self.record).map_err(|error| {
            let place = self.place();
            match error.into_kind() {
                // No text in UTF-8, or damaged gzip.
                csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
                    Error::mismatch(place, &error, "text").with_source(error)
                }
                csv::ErrorKind::Io(error) => Error::new(ErrorKind::Io(error), place),
                other => Error::mismatch(place, format!("{other:?}"), "separated values"),
            }
        })?;
        let end = self.reader.position().byte();
        self.quoted.clear();
        self.quoted.extend(self.reader.get_mut().take_quoted(end));
        Ok(found)
    }

    /// Returns the number of values of the line.
    pub(super) fn len(&self) -> usize {
        self.record.len()
    }

    /// Returns the first value of the line.
    pub(super) fn first(&self) -> &[u8] {
        self.record.get(0).unwrap_or_default()
    }

    /// Returns the values of the line, which must be UTF-8.
    fn fields(&self) -> Result<Vec<String>> {
        let one = |field: &[u8]| match std::str::from_utf8(field) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => {
                let found = format!("the column name {:?}", String::from_utf8_lossy(field));
                Err(Error::mismatch(self.place(), found, "UTF-8").with_source(error))
            }
        };
        self.record.iter().map(one).collect()
    }

    pub(super) fn place(&self) -> Place {
        let line = self
            .record
            .position()
            .map_or_else(|| self.reader.position().line(), csv::Position::line);
        Place::default().at(At::Line { line, column: 1 })
    }
}

/// A missing value, as R writes it.
const NA: &[u8] = b"NA";

/// Creates a column of the narrowest type of all values. `is_quoted` returns whether the `NA` of a row is in quotes.
fn typed(list: &StringList, is_quoted: impl Fn(u64) -> bool) -> Column {
    let missing = list.iter().map(|text| text.is_empty() || text == NA);
    let missing: Vec<bool> = missing.collect();
    let is_number = list.iter().zip(&missing).any(|(_, missing)| !missing);
    // A column without values is text.
    let numbers = is_number.then(|| {
        of_numbers(list, &missing, boolean)
            .map(Values::Bint8)
            .or_else(|| of_numbers(list, &missing, integer).map(Values::I64))
            .or_else(|| of_numbers(list, &missing, float).map(Values::F64))
    });
    match numbers.flatten() {
        Some(values) => {
            let missing = Some(missing).filter(|missing| missing.contains(&true));
            Column { values: ColumnValues::Numbers(values), missing }
        }
        None => {
            let text = list.iter().zip(0..);
            let missing = text.map(|(text, row)| text.is_empty() || text == NA && !is_quoted(row));
            of_text(list, missing.collect())
        }
    }
}

/// Parses all values as numbers, if possible.
fn of_numbers<T: Default>(
    list: &StringList,
    missing: &[bool],
    read: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let one = |(text, missing): (&[u8], &bool)| match missing {
        true => Some(T::default()),
        false => read(std::str::from_utf8(text).ok()?),
    };
    list.iter().zip(missing).map(one).collect()
}

fn boolean(text: &str) -> Option<Bint8> {
    match text {
        "true" | "True" | "TRUE" => Some(Bint8(1)),
        "false" | "False" | "FALSE" => Some(Bint8(0)),
        _ => None,
    }
}

/// Parses an integer without leading zeros: 007 is text.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = digits == "0" || !digits.starts_with(['0', '+', '-']);
    text.parse().ok().filter(|_| plain)
}

/// Parses a number that a float holds. Integers have to be exact.
fn float(text: &str) -> Option<f64> {
    const EXACT: u64 = 1 << 53;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let leads = digits.len() > 1 && digits.starts_with('0');
        let exact = digits.parse::<u64>().is_ok_and(|integer| integer <= EXACT);
        return text.parse().ok().filter(|_| exact && !leads);
    }
    let value: f64 = text.parse().ok()?;
    // A finite number that is too large is not infinite.
    let written_so = !text.bytes().any(|byte| byte.is_ascii_digit());
    (value.is_finite() || written_so).then_some(value)
}

/// Creates a column of text, or of categories if texts are repeated.
fn of_text(list: &StringList, missing: Vec<bool>) -> Column {
    let present = || list.iter().zip(&missing).filter(|(_, missing)| !**missing);
    let mut sorted: Vec<&[u8]> = present().map(|(text, _)| text).collect();
    let count = sorted.len();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() == count {
        let text = |(text, missing): (_, &bool)| if *missing { &b""[..] } else { text };
        let texts = list.iter().zip(&missing).map(text).collect();
        let missing = Some(missing).filter(|missing| missing.contains(&true));
        return Column { values: ColumnValues::Strings(texts), missing };
    }
    let code = |(text, missing): (&[u8], &bool)| {
        let found = sorted.binary_search(&text).ok().filter(|_| !missing);
        found.and_then(|code| i32::try_from(code).ok()).unwrap_or(-1)
    };
    let codes = list.iter().zip(&missing).map(code).collect();
    let categories = Categories::Strings(sorted.into_iter().collect());
    let categorical = Categorical { codes, categories, ordered: false };
    Column { values: ColumnValues::Categorical(categorical), missing: None }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use nnz_core::{Annotations as _, ColumnType, ValueType};

    use super::*;

    fn parse(text: &str) -> Result<AnnotationTable> {
        AnnotationTable::from_text(text.as_bytes(), b',', 1 << 20)
    }

    fn types(table: &AnnotationTable) -> Vec<String> {
        table.columns().iter().map(|column| column.column_type.to_string()).collect()
    }

    #[test]
    fn types_are_inferred_from_all_values() {
        let table = parse(
            "id,n,x,flag,type,note,code,large,none\n\
             a,1,0.5,True,T,x,007,1,\n\
             b,,2,,B,\"y, \"\"z\"\"\",010,9007199254740993,\n\
             c,-3,NA,FALSE,T,,1e3,0.5,\n",
        )
        .unwrap();
        let names: Vec<&[u8]> = table.names().iter().collect();
        assert_eq!(names, [b"a", b"b", b"c"]);
        assert_eq!(
            types(&table),
            ["int64", "float64", "bool", "categorical", "string", "string", "string", "string"]
        );
        let text = |column: usize| -> Vec<String> {
            let column = table.column(column).unwrap();
            let one = |row| {
                let mut out = Vec::new();
                column.write_text(row, &mut out);
                String::from_utf8(out).unwrap()
            };
            (0..3).map(one).collect()
        };
        assert_eq!(text(0), ["1", "", "-3"]);
        assert_eq!(text(1), ["0.5", "2.0", ""]);
        assert_eq!(text(2), ["true", "", "false"]);
        assert_eq!(text(3), ["T", "B", "T"]);
        assert_eq!(text(4), ["x", "y, \"z\"", ""]);
        assert_eq!(text(5), ["007", "010", "1e3"]);
        assert_eq!(text(6), ["1", "9007199254740993", "0.5"]);
        assert_eq!(text(7), ["", "", ""]);
        assert!(table.column(7).unwrap().is_missing(2));
    }

    /// R writes a missing text as NA without quotes, which was a group of its own.
    #[test]
    fn na_without_quotes_is_missing_in_text() {
        let text = "\"\",\"type\",\"note\",\"n\",\"all\"\n\
                    \"NA\",\"T\",NA,\"NA\",NA\n\
                    \"b\",NA,\"x, \"\"y\"\"\nNA\",2,\n\
                    \"c\",\"NA\",\"NA\",3,NA\n\
                    \"d\",\"T\",\"z\",4,\"NA\"";
        for text in [text.to_owned(), text.replace('\n', "\r\n"), format!("\u{feff}{text}\n")] {
            let table = parse(&text).unwrap();
            assert_eq!(table.names().get(0), Some(&b"NA"[..]), "names stay");
            assert_eq!(types(&table), ["categorical", "string", "int64", "string"]);
            let missing = |column: usize| -> Vec<u64> {
                let column = table.column(column).unwrap();
                (0..4).filter(|row| column.is_missing(*row)).collect()
            };
            assert_eq!([0, 1, 2, 3].map(missing), [vec![1], vec![0], vec![0], vec![0, 1, 2]]);
            let mut shown = Vec::new();
            table.column(0).unwrap().write_text(2, &mut shown);
            assert_eq!(shown, b"NA", "in quotes it is text");
            let noted = [("type", 1), ("note", 1), ("all", 2)].map(|(name, n)| (name.into(), n));
            assert_eq!(table.missing_texts(), noted);
        }
    }

    #[test]
    fn numbers_that_floats_do_not_hold_are_not_rounded() {
        let table = parse(
            "id,plus,wide,large,words,below\n\
             a,+9007199254740993,+18446744073709551617,1e400,inf,-1e999\n\
             b,-1,0.5,1,-Infinity,1\n",
        )
        .unwrap();
        assert_eq!(types(&table), ["int64", "string", "string", "float64", "string"]);
        let mut first = Vec::new();
        table.column(0).unwrap().write_text(0, &mut first);
        assert_eq!(first, b"9007199254740993");
        assert_eq!(types(&parse("id,x\na,+9007199254740993\nb,0.5\n").unwrap()), ["string"]);
    }

    #[test]
    fn headers_may_lack_the_first_column_or_start_with_a_byte_order_mark() {
        let table = parse("n,m\na,1,2\nb,3,4\n").unwrap();
        assert_eq!(types(&table), ["int64", "int64"]);
        let table = parse("\u{feff}n,m\na,1\n").unwrap();
        assert_eq!(table.columns()[0].name, "m");
        assert_eq!(table.columns()[0].column_type, ColumnType::Number(ValueType::I64));
    }

    #[test]
    fn empty_tables_are_read() {
        for text in ["", "id\n", "id,n\n"] {
            let table = parse(text).unwrap();
            assert_eq!(table.len(), 0, "{text:?}");
            assert_eq!(table.columns().len(), usize::from(text.contains(',')), "{text:?}");
        }
    }

    #[test]
    fn errors_in_tables_have_the_line() {
        for (text, says) in [
            (
                "id,n\na,1\nb\n",
                "line 3, column 1: found 1 values, expected 2, as in the lines before",
            ),
            (
                "id,n\na,1\nb,2,3\n",
                "line 3, column 1: found 3 values, expected 2, as in the lines before",
            ),
            ("id,n,n\na,1,2\n", "two columns are named \"n\""),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), says, "{text:?}");
        }
        let error = parse("id,n\na,\"x\nb,\"\"y\n").unwrap_err().to_string();
        assert!(error.contains("quotes opened in line 2 are not closed"), "{error}");
        let bytes = b"id,n\na,\xff\n";
        let error = AnnotationTable::from_text(&bytes[..], b',', 1 << 20).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
        let error = AnnotationTable::from_text(&b"id,n\na,1\nb,2\n"[..], b',', 5).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
    }
}
