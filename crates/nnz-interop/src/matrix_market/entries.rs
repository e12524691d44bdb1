//! The lines of a coordinate file, a block at a time.

use nnz_core::{Batch, Order, Shape};

use super::banner::{Field, Symmetry};
use super::fault::{Expected, Fault};
use super::line::{Content, content, end_of_line};
use super::number::{byte, index, skip_separator};
use super::value::{Present, Value};
use crate::lines::LONGEST_LINE;

/// What the preamble says of every entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) shape: Shape,
    pub(crate) field: Field,
    pub(crate) symmetry: Symmetry,
    /// The axis that entries are put into runs by.
    pub(crate) order: Order,
}

/// Entries above the diagonal of a file that stores the triangle below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Above {
    pub(crate) count: u64,
    /// Position of the first one.
    pub(crate) first: Option<usize>,
}

/// Puts the entries of whole lines into a batch.
///
/// It depends on nothing but its arguments, so blocks can be parsed in any order or at once. More
/// than `limit` entries are a fault.
pub(crate) fn parse_block(
    block: &[u8],
    rules: &Rules,
    limit: u64,
    batch: &mut Batch,
) -> Result<Above, Fault> {
    match rules.field {
        Field::Integer => parse_values::<i64>(block, rules, limit, batch),
        Field::Unsigned => parse_values::<u64>(block, rules, limit, batch),
        Field::Real => parse_values::<f64>(block, rules, limit, batch),
        Field::Complex => parse_values::<[f64; 2]>(block, rules, limit, batch),
        Field::Pattern => parse_values::<Present>(block, rules, limit, batch),
    }
}

fn parse_values<V: Value>(
    block: &[u8],
    rules: &Rules,
    limit: u64,
    batch: &mut Batch,
) -> Result<Above, Fault> {
    batch.order = rules.order;
    let majors = batch.majors.listed_mut();
    let offsets = &mut batch.offsets;
    V::fill(&mut batch.values, |values| {
        let narrow = rules.shape.minor(rules.order) <= 1 << 32;
        if narrow {
            let minors = batch.minors.u32_mut();
            let runs = Runs { majors, offsets, minors, values };
            by_symmetry(block, rules, limit, runs)
        } else {
            let minors = batch.minors.u64_mut();
            let runs = Runs { majors, offsets, minors, values };
            by_symmetry(block, rules, limit, runs)
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

/// A minor index as a batch keeps it.
trait Minor: Copy {
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
) -> Result<Above, Fault> {
    match rules.symmetry {
        Symmetry::General => parse_lines::<V, M, false>(block, rules, limit, runs),
        _ => parse_lines::<V, M, true>(block, rules, limit, runs),
    }
}

/// Parses line after line. Files without a symmetry skip all that concerns the diagonal.
fn parse_lines<V: Value, M: Minor, const TRIANGLE: bool>(
    block: &[u8],
    rules: &Rules,
    limit: u64,
    runs: Runs<'_, V, M>,
) -> Result<Above, Fault> {
    let Runs { majors, offsets, minors, values } = runs;
    let Shape { rows, cols } = rules.shape;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut above = Above::default();
    // No index: sizes end below it.
    let mut current = u64::MAX;
    offsets.clear();

    let mut at = 0;
    while at < block.len() {
        let start = at;
        let first = match byte(block, at) {
            b'0'..=b'9' => at,
            _ => match content(block, at) {
                Content::None(next) => {
                    at = next;
                    continue;
                }
                Content::At(first) => first,
            },
        };
        if minors.len() == limit {
            let expected = Expected::NoMoreThan(limit as u64);
            return Err(Fault { at: first, expected });
        }
        let (row, end) = index(block, first, rows, Expected::Row(rows))?;
        let next = skip_separator(block, end);
        let (col, mut end) = index(block, next, cols, Expected::Col(cols))?;
        let value_at = if V::WRITTEN { skip_separator(block, end) } else { end };
        let value;
        (value, end) = V::parse(block, value_at)?;
        at = end_of_line(block, end)?;
        if at - start > LONGEST_LINE {
            let at = start + LONGEST_LINE;
            let expected = Expected::ShorterLine;
            return Err(Fault { at, expected });
        }
        if TRIANGLE && row <= col {
            if row < col {
                above.count += 1;
                above.first.get_or_insert(first);
            } else {
                check_diagonal(rules.symmetry, value, block, [first, value_at])?;
            }
        }

        let (major, minor) = rules.order.major_minor(row, col);
        if major != current {
            current = major;
            majors.push(major);
            offsets.push(minors.len());
        }
        minors.push(M::narrow(minor));
        values.push(value);
    }
    offsets.push(minors.len());
    Ok(above)
}

/// Checks that a value may lie on the diagonal; `places` are those of its line and of itself.
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
