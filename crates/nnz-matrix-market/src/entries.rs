//! Parsing the lines of a coordinate file, block by block.

use nnz_core::{Batch, Minors, Order, Shape};

use super::banner::{Field, Symmetry};
use super::fault::{Expected, Fault};
use super::line::{Content, content, end_of_line};
use super::number::{index, skip_blanks, skip_separator};
use super::value::{PatternValue, Value};
use super::window::Window;
use nnz_lines::{LONGEST_LINE, newlines};

/// Properties of the file that entries are checked against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) shape: Shape,
    pub(crate) field: Field,
    pub(crate) symmetry: Symmetry,
    /// The axis by which entries are grouped into runs.
    pub(crate) order: Order,
}

/// Entries above the diagonal of a file that stores the triangle below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AboveDiagonal {
    pub(crate) count: u64,
    /// Position of the first one.
    pub(crate) first: Option<usize>,
}

/// Parses the entries of complete lines into a batch.
///
/// The result depends only on the arguments, so blocks can be parsed in any order or in parallel.
/// More than `limit` entries are a fault.
pub(crate) fn parse_block(
    block: &[u8],
    rules: &Rules,
    limit: u64,
    batch: &mut Batch,
) -> Result<AboveDiagonal, Fault> {
    match rules.field {
        Field::Integer => parse_values::<i64>(block, rules, limit, batch),
        Field::Unsigned => parse_values::<u64>(block, rules, limit, batch),
        Field::Real => parse_values::<f64>(block, rules, limit, batch),
        Field::Complex => parse_values::<[f64; 2]>(block, rules, limit, batch),
        Field::Pattern => parse_values::<PatternValue>(block, rules, limit, batch),
    }
}

fn parse_values<V: Value>(
    block: &[u8],
    rules: &Rules,
    limit: u64,
    batch: &mut Batch,
) -> Result<AboveDiagonal, Fault> {
    batch.order = rules.order;
    let Batch { majors, offsets, minors, .. } = batch;
    let majors = majors.listed_mut();
    V::fill(&mut batch.values, |values| {
        if rules.shape.minor(rules.order) <= 1 << 32 {
            let minors = match minors {
                Minors::U32(minors) => minors,
                other => other.u32_mut(),
            };
            by_symmetry(block, rules, limit, Runs { majors, offsets, minors, values })
        } else {
            let minors = match minors {
                Minors::U64(minors) => minors,
                other => other.u64_mut(),
            };
            by_symmetry(block, rules, limit, Runs { majors, offsets, minors, values })
        }
    })
}

/// The parts of a batch that are filled.
struct Runs<'a, V, M> {
    majors: &'a mut Vec<u64>,
    offsets: &'a mut Vec<usize>,
    minors: &'a mut Vec<M>,
    values: &'a mut Vec<V>,
}

/// A minor index in a batch.
trait Minor: Copy + Default {
    fn narrow(minor: u64) -> Self;
}

impl Minor for u32 {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "chosen only for axes up to 2^32 long")]
    fn narrow(minor: u64) -> Self {
        minor as Self
    }
}

impl Minor for u64 {
    #[inline]
    fn narrow(minor: u64) -> Self {
        minor
    }
}

fn by_symmetry<V: Value, M: Minor>(
    block: &[u8],
    rules: &Rules,
    limit: u64,
    runs: Runs<'_, V, M>,
) -> Result<AboveDiagonal, Fault> {
    match rules.symmetry {
        Symmetry::General => parse_lines::<V, M, false>(block, rules, limit, runs),
        _ => parse_lines::<V, M, true>(block, rules, limit, runs),
    }
}

/// Parses line after line. Files without a symmetry skip all checks of the diagonal.
fn parse_lines<V: Value, M: Minor, const TRIANGLE: bool>(
    block: &[u8],
    rules: &Rules,
    limit: u64,
    runs: Runs<'_, V, M>,
) -> Result<AboveDiagonal, Fault> {
    let Runs { majors, offsets, minors, values } = runs;
    // Allocated for the largest possible number of entries, to avoid reallocation.
    let most = usize::try_from(limit.min(newlines(block))).unwrap_or(usize::MAX);
    minors.resize(most, M::default());
    values.resize(most, V::EMPTY);
    let mut places = minors.iter_mut().zip(values.iter_mut()).enumerate();
    let mut above = AboveDiagonal::default();
    // Not a valid index, because sizes are smaller.
    let mut current = u64::MAX;
    offsets.clear();

    let mut at = 0;
    while at < block.len() {
        let (line, next) = match quick_line::<V>(block, at, rules.shape) {
            Some(line) => line,
            None => match content(block, at) {
                Content::None(next) => {
                    at = next;
                    continue;
                }
                Content::At(_) if places.len() == 0 => break,
                Content::At(first) => any_line::<V>(block, at, first, rules.shape)?,
            },
        };
        let Some((entry, (minor_place, value_place))) = places.next() else { break };
        let Line { row, col, value, .. } = line;
        if TRIANGLE && row <= col {
            if row < col {
                above.count += 1;
                above.first.get_or_insert(line.first);
            } else {
                check_diagonal(rules.symmetry, value, block, [line.first, line.value_at])?;
            }
        }
        let (major, minor) = rules.order.major_minor(row, col);
        if major != current {
            current = major;
            majors.push(major);
            offsets.push(entry);
        }
        *minor_place = M::narrow(minor);
        *value_place = value;
        at = next;
    }
    let read = most - places.len();
    // The loop ends early only if there is no space for an entry.
    if at < block.len() {
        let at = skip_blanks(block, at);
        return Err(Fault { at, expected: Expected::NoMoreThan(limit) });
    }
    minors.truncate(read);
    values.truncate(read);
    offsets.push(read);
    Ok(above)
}

/// An entry, and its position in the text.
struct Line<V> {
    row: u64,
    col: u64,
    value: V,
    first: usize,
    value_at: usize,
}

/// Parses a line in the most common form: two short numbers and the value, with single blanks
/// between them. Returns it with the position after it.
#[inline(always)]
fn quick_line<V: Value>(block: &[u8], at: usize, shape: Shape) -> Option<(Line<V>, usize)> {
    let mut window = Window::at(block, at, V::LONG)?;
    let (row, col, col_end) = window.places()?;
    let (row, col) = (row.wrapping_sub(1), col.wrapping_sub(1));
    let inside = (row < shape.rows) & (col < shape.cols);
    let (value, next) = V::quick(window, col_end)?;
    let value_at = at + col_end + usize::from(V::WRITTEN);
    inside.then_some((Line { row, col, value, first: at, value_at }, at + next))
}

/// Parses any line, or returns its fault; `first` is the position of the first word.
#[inline(never)]
fn any_line<V: Value>(
    block: &[u8],
    start: usize,
    first: usize,
    Shape { rows, cols }: Shape,
) -> Result<(Line<V>, usize), Fault> {
    let (row, end) = index(block, first, rows, Expected::Row(rows))?;
    let next = skip_separator(block, end);
    let (col, end) = index(block, next, cols, Expected::Col(cols))?;
    let value_at = if V::WRITTEN { skip_separator(block, end) } else { end };
    let (value, end) = V::parse(block, value_at)?;
    let next = end_of_line(block, end)?;
    if next - start > LONGEST_LINE {
        let at = start + LONGEST_LINE;
        let expected = Expected::ShorterLine;
        return Err(Fault { at, expected });
    }
    Ok((Line { row, col, value, first, value_at }, next))
}

/// Checks that a value may be on the diagonal; `places` are the positions of its line and of the
/// value.
pub(super) fn check_diagonal<V: Value>(
    symmetry: Symmetry,
    value: V,
    text: &[u8],
    places: [usize; 2],
) -> Result<(), Fault> {
    let fault = |at, expected| Err(Fault { at, expected });
    match symmetry {
        Symmetry::General | Symmetry::Symmetric => Ok(()),
        Symmetry::SkewSymmetric => fault(places[0], Expected::OffDiagonal),
        Symmetry::Hermitian => match value.imaginary(text, places[1]) {
            Some(at) => fault(at, Expected::RealDiagonal),
            None => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    /// Compares the two ways to parse a line, if the quick one succeeds.
    fn compare<V: Value + std::fmt::Debug>(text: &[u8]) -> bool {
        let shape = Shape { rows: 5000, cols: 99_999_999 };
        let Some((quick, next)) = quick_line::<V>(text, 0, shape) else {
            return false;
        };
        let (any, any_next) = any_line::<V>(text, 0, 0, shape).unwrap();
        let show = |line: Line<V>| {
            // As text, so that NaN is equal and zeros have a sign.
            (line.row, line.col, format!("{:?}", line.value), line.first, line.value_at)
        };
        assert_eq!((show(quick), next), (show(any), any_next), "{}", text.escape_ascii());
        true
    }

    #[test]
    fn quick_line_agrees_with_any_line() {
        let lines: [&[u8]; 12] = [
            b"1 2 3\n",
            b"4999 12345678 -87654321\n",
            b"12 7\t99\r\n",
            b"1\t1\n",
            b"5 5 0.5\n",
            b"5 5 -0.012345678901234567\n",
            b"1234 1234 -2.5364733500568803e+01\n",
            b"77 4567 1.7976931348623157E-12\n",
            b"1 1 0.1000000000000000055511151231257827\n",
            b"12345678 99999998 1234567.891e12\n",
            b"1 1 12345678.12345678901\n",
            b"3 3 5.\n",
        ];
        let alphabet = b"0123456789012345678901234567890 \t\r\n%+-.eEdDinfa\0\xff";
        let mut random = Random::new(67);
        let mut quick = 0;
        for _ in 0..60_000 {
            let mut line = random.pick(&lines).to_vec();
            for _ in 0..random.below(4) {
                let at = random.below(line.len());
                let byte = *random.pick(alphabet);
                match random.below(3) {
                    0 => line[at] = byte,
                    1 => line.insert(at, byte),
                    _ if line.len() > 1 => drop(line.remove(at)),
                    _ => {}
                }
            }
            line.push(b'\n');
            // More lines follow; whether the quick way is possible depends on the number of bytes.
            line.extend_from_slice(&b"1 1 1\n".repeat(random.below(20)));
            quick += u32::from(compare::<i64>(&line));
            quick += u32::from(compare::<u64>(&line));
            quick += u32::from(compare::<f64>(&line));
            quick += u32::from(compare::<PatternValue>(&line));
        }
        assert!(quick > 20_000, "{quick}");
    }
}
