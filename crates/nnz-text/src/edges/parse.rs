//! Parsing the lines of a block.

use nnz_lines::digits::{byte, digits};

use super::form::{Form, Nodes};
use crate::blocks::{Block, Start};
use crate::fault::{Fault, is_line_end, next_line, skip_blanks};

/// The largest id.
const LARGEST: u64 = i64::MAX.unsigned_abs();

const NODE: &str = "a node, an integer from 0 to 2^63 - 1";

/// A node of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'a> {
    Id(u64),
    Name(&'a [u8]),
}

/// A visitor of edges.
pub(super) trait Visit {
    /// An edge: its nodes and their positions.
    fn edge(&mut self, nodes: [Node<'_>; 2], at: [usize; 2]) -> Result<(), Fault>;

    /// The weight of the edge, at `at`; returns the position after it.
    fn weight(&mut self, text: &[u8], at: usize) -> Result<usize, Fault>;
}

/// Parses a block.
pub(super) fn parse(block: &Block, form: &Form, visit: &mut impl Visit) -> Result<(), Fault> {
    let text = block.text();
    let mut header = form.header && block.index == 0;
    let mut at = match block.start {
        Start::Line => 0,
        Start::Word => return Err(Fault::new(0, "a shorter line")),
        Start::Comment => next_line(text, 0),
    };
    while at < text.len() {
        let first = skip_blanks(text, at);
        at = match byte(text, first) {
            b'#' | b'%' => next_line(text, first),
            _ if is_line_end(text, first) => next_line(text, first),
            _ if header => {
                header = false;
                next_line(text, first)
            }
            _ => edge(text, first, form, visit)?,
        };
    }
    Ok(())
}

#[inline]
fn edge(text: &[u8], at: usize, form: &Form, visit: &mut impl Visit) -> Result<usize, Fault> {
    let (from, end) = node(text, at, form)?;
    let second = separator(text, end, form).ok_or_else(|| Fault::new(end, "a second node"))?;
    let (to, mut end) = node(text, second, form)?;
    visit.edge([from, to], [at, second])?;
    for field in 2..form.fields {
        let expected = if field == 2 {
            "a weight, as in the first edge"
        } else {
            "as many fields as in the first edge"
        };
        let start = separator(text, end, form).ok_or_else(|| Fault::new(end, expected))?;
        end = match form.weight {
            Some(weight) if weight == field => weight_at(text, start, form, visit)?,
            None if form.empty => match text.get(start..start + 2) {
                Some(b"{}") => start + 2,
                _ => return Err(Fault::new(start, "{} for no attributes, as in the first edge")),
            },
            _ => field_end(text, start, form),
        };
    }
    let end = skip_blanks(text, end);
    match byte(text, end) {
        b'#' => Ok(next_line(text, end)),
        _ if is_line_end(text, end) => Ok(next_line(text, end)),
        _ => Err(Fault::new(end, "the end of the line, as in the first edge")),
    }
}

/// Returns the start of the next field, if there is one.
#[inline]
fn separator(text: &[u8], end: usize, form: &Form) -> Option<usize> {
    let mut at = skip_blanks(text, end);
    if form.comma {
        if byte(text, at) != b',' {
            return None;
        }
        at = skip_blanks(text, at + 1);
    }
    let separated = form.comma || at > end;
    (separated && byte(text, at) != b'#' && !is_line_end(text, at)).then_some(at)
}

#[inline]
fn node<'a>(text: &'a [u8], at: usize, form: &Form) -> Result<(Node<'a>, usize), Fault> {
    if form.nodes == Nodes::Ids {
        return match digits(text, at) {
            Some((id, end)) if id <= LARGEST && is_field_end(text, end, form) => {
                Ok((Node::Id(id), end))
            }
            _ => {
                let (fault, field) =
                    (Fault::new(at, NODE), text.get(at..field_end(text, at, form)));
                // Ids of some services have more digits; as names they are kept.
                Err(match field {
                    Some([field @ .., last])
                        if last.is_ascii_digit() && field.iter().all(u8::is_ascii_digit) =>
                    {
                        fault.with_hint("nodes", "names reads larger ids as names")
                    }
                    _ => fault,
                })
            }
        };
    }
    let end = field_end(text, at, form);
    let name = text.get(at..end).unwrap_or_default();
    if name.is_empty() || name.contains(&b'"') {
        return Err(Fault::new(at, "the name of a node, without quotes"));
    }
    if std::str::from_utf8(name).is_err() {
        return Err(Fault::new(at, "a name in UTF-8"));
    }
    Ok((Node::Name(name), end))
}

#[inline]
fn is_field_end(text: &[u8], at: usize, form: &Form) -> bool {
    match byte(text, at) {
        b' ' | b'\t' | b'\n' | b'#' => true,
        b',' => form.comma,
        _ => is_line_end(text, at),
    }
}

fn field_end(text: &[u8], at: usize, form: &Form) -> usize {
    let mut end = at;
    // A dictionary has blanks.
    if byte(text, at) == b'{' {
        let rest = text.get(at..next_line(text, at)).unwrap_or_default();
        return memchr::memchr(b'}', rest).map_or(at, |len| at + len + 1);
    }
    while !is_field_end(text, end, form) {
        end += 1;
    }
    end
}

/// Parses a weight: a number, or a dictionary as networkx writes it.
fn weight_at(text: &[u8], at: usize, form: &Form, visit: &mut impl Visit) -> Result<usize, Fault> {
    if byte(text, at) == b'{' {
        return dictionary(text, at, visit);
    }
    let end = visit.weight(text, at)?;
    match is_field_end(text, end, form) {
        true => Ok(end),
        false => Err(Fault::new(at, "a weight, a number")),
    }
}

/// Parses `{'weight': 1.5}`.
fn dictionary(text: &[u8], at: usize, visit: &mut impl Visit) -> Result<usize, Fault> {
    let rest = text.get(at..).unwrap_or_default();
    let key = [&b"{'weight':"[..], b"{\"weight\":"].into_iter().find(|key| rest.starts_with(key));
    let Some(key) = key else {
        return Err(Fault::new(at, "{'weight': NUMBER}, the only attribute that is read"));
    };
    let start = skip_blanks(text, at + key.len());
    let end = skip_blanks(text, visit.weight(text, start)?);
    match byte(text, end) {
        b'}' => Ok(end + 1),
        _ => Err(Fault::new(end, "} after the weight, the only attribute that is read")),
    }
}

/// The fields of a line.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    pub(super) words: Vec<&'a [u8]>,
    /// Their positions in the line.
    pub(super) starts: Vec<usize>,
    pub(super) comma: bool,
    /// Whether the third is `{}`: an edge without attributes.
    pub(super) is_empty_dict: bool,
}

/// Divides a line into fields.
pub(super) fn fields(line: &[u8]) -> Fields<'_> {
    let before = line.split(|byte| matches!(byte, b'{' | b'#')).next().unwrap_or_default();
    let comma = before.contains(&b',');
    let form = Form {
        comma,
        nodes: Nodes::Names,
        header: false,
        fields: 0,
        weight: None,
        empty: false,
        base: 0,
        undirected: false,
        bipartite: false,
        stated: None,
    };
    let mut found = Fields { comma, ..Fields::default() };
    let mut next = Some(0);
    while let Some(at) = next {
        let end = field_end(line, at, &form);
        found.words.push(line.get(at..end).unwrap_or_default());
        found.starts.push(at);
        next = separator(line, end, &form).filter(|next| *next > at && found.words.len() < 64);
    }
    found.is_empty_dict = found.words.get(2) == Some(&&b"{}"[..]);
    found
}
