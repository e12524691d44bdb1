//! How the lines of a file are written, as far as its first lines show it.

use std::str::FromStr;

use nnz_core::{At, Error, Place, Result};
use nnz_lines::number::{Invalid, number};

use super::counts::{HeaderCounts, konect_kind};
use super::parse::{Fields, fields};
use super::source::ReadOptions;
use crate::blocks::Blocks;
use crate::fault::{is_line_end, next_line, skip_blanks};
use crate::text::Text;

/// How nodes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// Numbers.
    Ids,
    /// Names, numbered in the order in which they first appear.
    Names,
}

impl FromStr for Nodes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "ids" => Ok(Self::Ids),
            "names" => Ok(Self::Names),
            _ => Err("expected ids or names".to_owned()),
        }
    }
}

/// The field with the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// None: each edge has the value 1.
    None,
    /// The field with this number, counted from 1.
    Field(usize),
}

impl FromStr for Weight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(field @ 3..=64) => Ok(Self::Field(field)),
            _ if text == "none" => Ok(Self::None),
            _ => Err("expected the number of a field from 3 on, or none".to_owned()),
        }
    }
}

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) comma: bool,
    pub(super) nodes: Nodes,
    /// Whether the first line with content names the fields.
    pub(super) header: bool,
    /// The number of fields in each line.
    pub(super) fields: usize,
    /// The field with the weight, counted from 0.
    pub(super) weight: Option<usize>,
    /// Whether the third field of each edge is `{}`.
    pub(super) empty: bool,
    pub(super) base: u64,
    pub(super) undirected: bool,
    pub(super) bipartite: bool,
    /// The numbers according to a header.
    pub(super) stated: Option<HeaderCounts>,
}

impl Form {
    /// Decides from the first lines, and from what is given.
    pub(super) fn of(text: &Text, options: &ReadOptions) -> Result<Self> {
        let block = Blocks::new(text, b'#')?.next_block()?;
        let start = block.as_ref().map_or(&[][..], |block| block.text());
        if start.get(..14).is_some_and(|word| word.eq_ignore_ascii_case(b"%%MatrixMarket")) {
            let place = Place::path(text.path()).at(At::Line { line: 1, column: 1 });
            return Err(Error::mismatch(place, "Matrix Market text", "an edge list"));
        }
        let kind = konect_kind(start);
        let lines = first_lines(start);
        let line =
            |at: usize| lines.get(at).map(|start| next_fields(text_from(block.as_ref(), *start)));
        let (first, second) = (line(0), line(1));
        let header = options.nodes != Some(Nodes::Names)
            && matches!((&first, &second), (Some(first), Some(second)) if names_fields(first, second));
        let sample = if header { second } else { first };
        let sample = sample.unwrap_or_default();
        let looks_like_name = sample.words.first().is_some_and(|word| is_name(word));
        let nodes = match options.nodes {
            Some(nodes) => nodes,
            None if looks_like_name => Nodes::Names,
            None => Nodes::Ids,
        };
        let count = sample.words.len().max(2);
        let weight = match options.weight {
            Some(Weight::None) => None,
            Some(Weight::Field(field)) if field > count && !lines.is_empty() => {
                let found = format!("{count} fields");
                let expected = format!("the weights in field {field}");
                return Err(Error::mismatch(text.place(), found, expected));
            }
            Some(Weight::Field(field)) => Some(field - 1),
            None if count > 3 => {
                let at = lines.get(usize::from(header)).copied().unwrap_or(0);
                let at = at + sample.starts.get(3).copied().unwrap_or(0);
                let at = block
                    .as_ref()
                    .map_or(At::Line { line: 1, column: 1 }, |block| block.position(at));
                let place = Place::path(text.path()).at(at);
                let error = Error::mismatch(place, "a fourth field", "two nodes and a weight");
                return Err(error.with_hint(
                    "weight",
                    "selects the field of the weights and ignores the others",
                ));
            }
            None => (count == 3 && !sample.is_empty_dict).then_some(2),
        };
        let base = match (options.base, kind) {
            (Some(base), _) => base.number(),
            (None, Some(_)) => 1,
            (None, None) => 0,
        };
        Ok(Self {
            comma: sample.comma,
            nodes,
            header,
            fields: count,
            weight,
            empty: options.weight.is_none() && sample.is_empty_dict,
            base,
            undirected: options.undirected || kind == Some(b"sym"),
            bipartite: options.bipartite || kind == Some(b"bip"),
            stated: match kind {
                Some(_) => HeaderCounts::of_konect(start),
                None => HeaderCounts::of_snap(start),
            },
        })
    }
}

fn text_from(block: Option<&crate::blocks::Block>, start: usize) -> &[u8] {
    block.and_then(|block| block.text().get(start..)).unwrap_or_default()
}

/// Returns the starts of the first two lines with content.
fn first_lines(text: &[u8]) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() && found.len() < 2 {
        let first = skip_blanks(text, at);
        match text.get(first) {
            Some(b'#' | b'%') => {}
            _ if is_line_end(text, first) => {}
            _ => found.push(first),
        }
        at = next_line(text, first);
    }
    found
}

fn next_fields(line: &[u8]) -> Fields<'_> {
    fields(line.get(..next_line(line, 0)).unwrap_or_default())
}

/// Returns whether a word is a name: no number, nor something that looks like a broken one.
fn is_name(word: &[u8]) -> bool {
    let signless = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    let digit = signless.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.');
    !digit
        || !is_number(word) && !signless.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Returns whether a word is a number, also one that no type holds.
fn is_number(word: &[u8]) -> bool {
    match number(word, 0) {
        Ok((_, end)) => end == word.len(),
        Err(why) => why != Invalid::Malformed,
    }
}

/// Returns whether the first line has names of fields, and the second their values.
fn names_fields(first: &Fields<'_>, second: &Fields<'_>) -> bool {
    let ids = |line: &Fields<'_>| {
        line.words.len() > 1 && line.words.iter().take(2).all(|word| is_number(word))
    };
    let weight = |line: &Fields<'_>| line.words.get(2).map(|word| is_number(word));
    let nodes = |line: &Fields<'_>| {
        line.words.len() > 1 && line.words.iter().take(2).all(|word| is_name(word))
    };
    nodes(first)
        && first.words.len() == second.words.len()
        && (ids(second) || weight(first) == Some(false) && weight(second) == Some(true))
}
