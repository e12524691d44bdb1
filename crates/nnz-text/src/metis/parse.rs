//! Parsing the lines of the vertices of a block.

use nnz_lines::digits::{byte, digits};

use super::header::GraphHeader;
use crate::blocks::{Block, Start};
use crate::fault::{Fault, is_line_end, next_line, skip_blanks};

/// A visitor of the parts of a line.
pub(super) trait Visit {
    /// A vertex starts.
    fn vertex(&mut self, block: &Block, at: usize) -> Result<(), Fault>;

    /// A size or weight of the vertex, counted from 0.
    fn leading(&mut self, number: u64, value: u64) -> Result<(), Fault> {
        let _ = (number, value);
        Ok(())
    }

    /// A neighbour, counted from 1, with the weight of the edge.
    fn neighbour(
        &mut self,
        block: &Block,
        neighbour: u64,
        weight: u64,
        at: usize,
    ) -> Result<(), Fault>;
}

/// Counts the lines of vertices that begin in a block.
pub(super) fn count_lines(block: &Block, header: &GraphHeader) -> u64 {
    let text = block.text();
    let Some(mut at) = start(block, header) else { return 0 };
    if block.start != Start::Line {
        at = at.max(next_line(text, 0));
    }
    let mut count = 0;
    while at < text.len() {
        let first = skip_blanks(text, at);
        count += u64::from(first < text.len() && byte(text, first) != b'%');
        at = next_line(text, first);
    }
    count
}

/// Returns where the vertices of a block begin, if there are any.
fn start(block: &Block, header: &GraphHeader) -> Option<usize> {
    match block.index.cmp(&header.block) {
        std::cmp::Ordering::Less => None,
        std::cmp::Ordering::Equal => Some(header.at),
        std::cmp::Ordering::Greater => Some(0),
    }
}

/// Parses a block. The weight of an edge is 1 if edges have none.
///
/// A line that began in an earlier block has `block.words` words before.
pub(super) fn parse(
    block: &Block,
    header: &GraphHeader,
    visit: &mut impl Visit,
) -> Result<(), Fault> {
    let text = block.text();
    let Some(mut at) = start(block, header) else { return Ok(()) };
    match block.start {
        Start::Line => {}
        Start::Comment => at = at.max(next_line(text, 0)),
        Start::Word => at = words(block, 0, block.words, header, visit)?,
    }
    while at < text.len() {
        let first = skip_blanks(text, at);
        if first >= text.len() {
            break;
        }
        at = match byte(text, first) {
            b'%' => next_line(text, first),
            _ => {
                visit.vertex(block, first)?;
                words(block, first, 0, header, visit)?
            }
        };
    }
    Ok(())
}

/// Parses the words of a line up to its end, or up to the end of the block.
fn words(
    block: &Block,
    mut at: usize,
    before: u64,
    header: &GraphHeader,
    visit: &mut impl Visit,
) -> Result<usize, Fault> {
    let text = block.text();
    let leading = header.leading();
    let mut number = before;
    let mut pending: Option<(u64, usize)> = None;
    loop {
        at = skip_blanks(text, at);
        if at >= text.len() {
            // The block ends in the middle of a line, after an edge and its weight.
            return match pending {
                None => Ok(at),
                Some((_, at)) => Err(Fault::new(at, "a weight of the edge after the neighbour")),
            };
        }
        if is_line_end(text, at) {
            return match (pending, number < leading) {
                (Some(_), _) => Err(Fault::new(at, "the weight of the edge, a positive integer")),
                (None, true) => Err(Fault::new(at, "the sizes and weights of the vertex")),
                (None, false) => Ok(next_line(text, at)),
            };
        }
        let Some((value, end)) = word(text, at) else {
            return Err(Fault::new(
                at,
                match pending {
                    Some(_) => "the weight of the edge, an integer from 1 to 2^63 - 1",
                    None => "an integer from 0 to 2^63 - 1",
                },
            ));
        };
        if number < leading {
            visit.leading(number, value)?;
        } else if !header.edge_weights {
            visit.neighbour(block, value, 1, at)?;
        } else if let Some((neighbour, start)) = pending.take() {
            if value == 0 {
                return Err(Fault::new(at, "the weight of the edge, a positive integer"));
            }
            visit.neighbour(block, neighbour, value, start)?;
        } else {
            pending = Some((value, at));
        }
        number += 1;
        at = end;
    }
}

#[inline]
fn word(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let (value, end) = digits(text, at)?;
    let ends = matches!(byte(text, end), b' ' | b'\t' | b'\n') || is_line_end(text, end);
    (ends && value <= i64::MAX.unsigned_abs()).then_some((value, end))
}
