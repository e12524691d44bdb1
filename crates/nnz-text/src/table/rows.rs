//! Parsing rows: names, and numbers of the narrowest type that holds all of them.

use nnz_core::{Element, StringList, ValueType, Values};
use nnz_lines::digits::{byte, up_to_eight_digits};

use super::fault::{Expected, Fault};
use super::field::{Delimiter, any_field, line_end, with_delimiter};
use super::layout::Layout;
use super::number::{Number, NumberError, Token, Words, classify, exact_float};

/// The rows of a block.
pub(super) struct BlockRows {
    /// A list of the values of each column of names.
    pub(super) ids: Vec<StringList>,
    /// The cells by row: int64, or else uint64 or float64.
    pub(super) values: Values,
    pub(super) rows: u64,
    /// The position of the first blank line; only blank lines follow.
    pub(super) blank: Option<usize>,
}

/// Parses whole records into values of the narrowest type.
pub(super) fn parse(text: &[u8], layout: &Layout) -> Result<BlockRows, Fault> {
    with_delimiter!(layout.separator, delimiter => parse_with(text, layout, delimiter))
}

/// Parses the cells of whole records as values of a type, and returns the number of rows.
pub(super) fn parse_as<T: Number>(
    text: &[u8],
    layout: &Layout,
    values: &mut Values,
) -> Result<u64, Fault> {
    with_delimiter!(layout.separator, delimiter => {
        let mut rows = Rows::new(text, layout, delimiter);
        let values = T::vec_mut(values);
        values.clear();
        while let Some(start) = rows.next(&mut [])? {
            match rows.cells(values, start, rows.cols) {
                Ok(end) => rows.end(end),
                Err(stop) => return Err(stop.fault(rows.delimiter)),
            }
        }
        Ok(rows.count)
    })
}

fn parse_with<D: Delimiter>(
    text: &[u8],
    layout: &Layout,
    delimiter: D,
) -> Result<BlockRows, Fault> {
    let mut ids: Vec<StringList> = (0..layout.ids).map(|_| StringList::new()).collect();
    let mut values = Values::new(ValueType::I64);
    let mut rows = Rows::new(text, layout, delimiter);
    while let Some(start) = rows.next(&mut ids)? {
        let (mut at, mut left) = (start, rows.cols);
        loop {
            let parsed = match &mut values {
                Values::U64(values) => rows.cells(values, at, left),
                Values::F64(values) => rows.cells(values, at, left),
                other => rows.cells(i64::vec_mut(other), at, left),
            };
            match parsed {
                Ok(end) => break rows.end(end),
                Err(Stop { at: stopped, left: rest, refused: NumberError::OtherType }) => {
                    let token = rows.token(stopped)?;
                    if let Err(index) = widen(&mut values, token) {
                        let at = nth_cell(text, layout, index).unwrap_or(stopped);
                        return Err(Fault::new(at, Expected::ExactInteger));
                    }
                    (at, left) = (stopped, rest);
                }
                Err(stop) => return Err(stop.fault(delimiter)),
            }
        }
    }
    Ok(BlockRows { ids, values, rows: rows.count, blank: rows.blank })
}

/// Changes the type of values so that they, and one more, have it; or else returns the index of an integer
/// that float64 does not hold.
fn widen(values: &mut Values, token: Token) -> Result<(), usize> {
    let converted = match (&*values, token) {
        (Values::I64(list), Token::Integer { negative: false, .. })
            if list.iter().all(|value| *value >= 0) =>
        {
            Values::U64(list.iter().map(|value| value.unsigned_abs()).collect())
        }
        (Values::I64(list), _) => {
            let float = |&value: &i64| {
                exact_float(value.unsigned_abs()).map(|size| if value < 0 { -size } else { size })
            };
            floats(list, float)?
        }
        (Values::U64(list), _) => floats(list, |&value| exact_float(value))?,
        _ => return Ok(()),
    };
    *values = converted;
    Ok(())
}

/// Converts integers to floats, or returns the index of the first that cannot be.
fn floats<T>(list: &[T], float: impl Fn(&T) -> Option<f64>) -> Result<Values, usize> {
    let convert = |(index, value): (usize, &T)| float(value).ok_or(index);
    list.iter().enumerate().map(convert).collect::<Result<Vec<f64>, usize>>().map(Values::F64)
}

/// Returns the index of the first integer that float64 does not hold.
pub(super) fn first_inexact(values: &Values) -> Option<usize> {
    const LARGE: u64 = 1 << 53;
    match values {
        // Nearly always there is none, which is checked many values at a time.
        Values::I64(list) if list.iter().any(|value| value.unsigned_abs() > LARGE) => {
            list.iter().position(|value| exact_float(value.unsigned_abs()).is_none())
        }
        Values::U64(list) => list.iter().position(|value| exact_float(*value).is_none()),
        _ => None,
    }
}

/// Returns the position of a cell of valid records.
pub(super) fn nth_cell(text: &[u8], layout: &Layout, nth: usize) -> Option<usize> {
    let (row, col) = (nth as u64 / layout.cols.max(1), nth as u64 % layout.cols.max(1));
    let mut at = 0;
    for _ in 0..row {
        (_, at) = super::field::record(text, at, layout.separator).ok()?;
    }
    let (fields, _) = super::field::record(text, at, layout.separator).ok()?;
    let field = usize::try_from(col).ok()?.checked_add(layout.ids)?;
    fields.get(field).map(|field| field.at)
}

/// Where and why the cells of a row are not of a type.
struct Stop {
    at: usize,
    /// The number of cells of the row from there on.
    left: u64,
    refused: NumberError,
}

impl Stop {
    #[cold]
    fn fault(self, delimiter: impl Delimiter) -> Fault {
        match self.refused {
            NumberError::OtherType => Fault::new(self.at, Expected::Number),
            // A comma that separates fields is no decimal comma.
            NumberError::Never(Expected::Point) if delimiter.byte() == b',' => {
                Fault::new(self.at, Expected::Number)
            }
            NumberError::Never(expected) => Fault::new(self.at, expected),
        }
    }
}

/// The rows of a text, one after the other.
struct Rows<'a, D> {
    text: &'a [u8],
    words: Words<'a>,
    quick: bool,
    delimiter: D,
    ids: usize,
    cols: u64,
    at: usize,
    count: u64,
    blank: Option<usize>,
}

impl<'a, D: Delimiter> Rows<'a, D> {
    fn new(text: &'a [u8], layout: &'a Layout, delimiter: D) -> Self {
        let words = layout.words();
        Self {
            text,
            words,
            quick: words.digits_are_numbers(),
            delimiter,
            ids: layout.ids,
            cols: layout.cols,
            at: 0,
            count: 0,
            blank: None,
        }
    }

    /// Appends the names of the next row to the lists, and returns the position of its first cell.
    fn next(&mut self, lists: &mut [StringList]) -> Result<Option<usize>, Fault> {
        loop {
            if self.at >= self.text.len() {
                return Ok(None);
            }
            let start = self.delimiter.start(self.text, self.at);
            match line_end(self.text, start) {
                Some(next) => {
                    self.blank.get_or_insert(self.at);
                    self.at = next;
                }
                None if self.blank.is_some() => {
                    return Err(Fault::new(self.blank.unwrap_or(self.at), Expected::Row));
                }
                None => return self.names(lists, start).map(Some),
            }
        }
    }

    fn names(&self, lists: &mut [StringList], mut at: usize) -> Result<usize, Fault> {
        for id in 0..self.ids {
            let (name, end) = any_field(self.text, at, self.delimiter)?;
            if let Some(list) = lists.get_mut(id) {
                list.push(&name);
            }
            if line_end(self.text, end).is_some() {
                return Err(self.too_few(end, id as u64 + 1));
            }
            at = self.delimiter.pass(self.text, end);
        }
        Ok(at)
    }

    /// Ends a row at the start of the next one.
    fn end(&mut self, next: usize) {
        self.at = next;
        self.count += 1;
    }

    fn too_few(&self, at: usize, found: u64) -> Fault {
        let expected = self.cols.saturating_add(self.ids as u64);
        Fault::new(at, Expected::Fields { found, expected })
    }

    /// Returns what the text of a cell is.
    fn token(&self, at: usize) -> Result<Token, Fault> {
        let (token, _) = any_field(self.text, at, self.delimiter)?;
        classify(&token, self.words).map_err(|expected| Fault::new(at, expected))
    }

    /// Parses the last `left` cells of a row, and returns the start of the next row.
    #[inline(always)]
    fn cells<T: Number>(
        &self,
        values: &mut Vec<T>,
        mut at: usize,
        mut left: u64,
    ) -> Result<usize, Stop> {
        let never = |at, left, expected| Stop { at, left, refused: NumberError::Never(expected) };
        loop {
            // Counts are nearly all of one digit.
            if D::ONE_BYTE && self.quick {
                while left > DIGITS as u64
                    && let Some(digits) = one_digit_cells(self.text, at, self.delimiter.byte())
                {
                    values.extend_from_slice(&digits.map(T::digit));
                    at += 2 * DIGITS;
                    left -= DIGITS as u64;
                }
            }
            let (value, end) = match self.quick_cell(at) {
                Some(found) => found,
                None => self.any_cell(at).map_err(|(at, refused)| Stop { at, left, refused })?,
            };
            values.push(value);
            left -= 1;
            let separated = self.delimiter.is(byte(self.text, end));
            let next = if separated { self.delimiter.pass(self.text, end) } else { end };
            let ended = line_end(self.text, next).filter(|_| !D::ONE_BYTE || !separated);
            match (left, ended) {
                (0, Some(next)) => return Ok(next),
                (0, None) => {
                    let fields = self.cols.saturating_add(self.ids as u64);
                    return Err(never(next, left, Expected::EndOfRow { fields }));
                }
                (_, None) if separated => at = next,
                _ => {
                    let found = self.cols.saturating_sub(left).saturating_add(self.ids as u64);
                    let expected = self.cols.saturating_add(self.ids as u64);
                    return Err(never(end, left, Expected::Fields { found, expected }));
                }
            }
        }
    }

    /// Parses a number of few digits; `None` if it is not one.
    #[inline(always)]
    fn quick_cell<T: Number>(&self, at: usize) -> Option<(T, usize)> {
        if !self.quick {
            return None;
        }
        let negative = byte(self.text, at) == b'-';
        let first = at + usize::from(negative);
        let (size, count) = up_to_eight_digits(self.text, first);
        let end = first + count;
        if count > 0 && self.ends(end) {
            return Some((T::small(negative, size)?, end));
        }
        let (value, end) = T::fraction(self.text, at, self.words.point())?;
        self.ends(end).then_some((value, end))
    }

    #[inline(always)]
    fn ends(&self, at: usize) -> bool {
        self.delimiter.is(byte(self.text, at)) || line_end(self.text, at).is_some()
    }

    /// Parses a cell of any form.
    #[inline(never)]
    fn any_cell<T: Number>(&self, at: usize) -> Result<(T, usize), (usize, NumberError)> {
        let field = any_field(self.text, at, self.delimiter);
        let (token, end) = field.map_err(|fault| (fault.at, NumberError::Never(fault.expected)))?;
        let value = T::parse(&token, self.words).map_err(|refused| (at, refused))?;
        Ok((value, end))
    }
}

/// The cells that are parsed at once.
const DIGITS: usize = 8;

/// Returns the digits of the next cells if each is one digit with a separator after it.
#[inline(always)]
fn one_digit_cells(text: &[u8], at: usize, separator: u8) -> Option<[u8; DIGITS]> {
    let bytes = text.get(at..)?.first_chunk::<{ 2 * DIGITS }>()?;
    let mut digits = [0; DIGITS];
    let mut wrong = 0;
    for (digit, pair) in digits.iter_mut().zip(bytes.as_chunks::<2>().0) {
        let [first, second] = *pair;
        *digit = first.wrapping_sub(b'0');
        wrong |= u8::from(*digit > 9) | (second ^ separator);
    }
    (wrong == 0).then_some(digits)
}
