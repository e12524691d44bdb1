//! The first line: `n m [fmt [ncon]]`.

use nnz_core::{At, Error, Place, Result};
use nnz_lines::digits::digits;

use super::MOST_WEIGHTS;
use crate::blocks::{Block, Blocks, Layout};
use crate::fault::{Fault, is_line_end, next_line, skip_blanks};
use crate::text::Text;

/// The content of the header, and the offset of the first vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GraphHeader {
    pub(super) vertices: u64,
    pub(super) edges: u64,
    pub(super) sizes: bool,
    /// The number of weights of each vertex.
    pub(super) weights: u64,
    pub(super) edge_weights: bool,
    /// The block after whose byte `at` the vertices begin.
    pub(super) block: u64,
    pub(super) at: usize,
}

impl GraphHeader {
    /// Reads it.
    pub(super) fn of(text: &Text) -> Result<Self> {
        let mut blocks = Blocks::new(text, b'%')?;
        while let Some(block) = blocks.next_block()? {
            match parse(&block) {
                Ok(Some(header)) => return Ok(header),
                Ok(None) => {}
                Err(fault) => return Err(fault.report(text, &block)),
            }
        }
        let place = Place::path(text.path()).at(At::Line { line: 1, column: 1 });
        Err(Error::mismatch(place, "no line", "numbers of vertices and edges"))
    }

    /// Returns the layout of lines: a neighbour and its weight are in one block.
    pub(super) fn layout(&self) -> Layout {
        let group = if self.edge_weights { 2 } else { 1 };
        Layout { comment: b'%', leading: self.leading(), group }
    }

    /// Returns the number of words before the neighbours of a vertex.
    pub(super) fn leading(&self) -> u64 {
        u64::from(self.sizes) + self.weights
    }
}

fn parse(block: &Block) -> Result<Option<GraphHeader>, Fault> {
    let (text, mut line) = (block.text(), 0);
    let first = loop {
        if line >= text.len() {
            return Ok(None);
        }
        let first = skip_blanks(text, line);
        if text.get(first) != Some(&b'%') && !is_line_end(text, first) {
            break first;
        }
        line = next_line(text, first);
    };
    let mut at = first;
    let mut word = |what: &'static str| {
        at = skip_blanks(text, at);
        if is_line_end(text, at) {
            return Ok(None);
        }
        let start = at;
        match digits(text, at) {
            Some((value, end))
                if value <= i64::MAX.unsigned_abs()
                    && (matches!(text.get(end), Some(b' ' | b'\t')) || is_line_end(text, end)) =>
            {
                at = end;
                Ok(Some((value, start)))
            }
            _ => Err(Fault::new(start, what)),
        }
    };
    let Some((vertices, _)) = word("the number of vertices")? else { return Ok(None) };
    let Some((edges, _)) = word("the number of edges")? else {
        return Err(Fault::new(at, "the number of edges"));
    };
    let fmt = word("the format: three digits 0 or 1")?;
    let [sizes, weighted, edge_weights] = match fmt {
        None => [false; 3],
        Some((fmt, _)) if fmt <= 111 && fmt % 10 <= 1 && fmt / 10 % 10 <= 1 => {
            [fmt >= 100, fmt / 10 % 10 == 1, fmt % 10 == 1]
        }
        Some((_, start)) => return Err(Fault::new(start, "the format: three digits 0 or 1")),
    };
    let count = word("the number of weights of each vertex")?;
    let weights = match (weighted, count) {
        (true, None) => 1,
        (true, Some((count @ 1..=MOST_WEIGHTS, _))) => count,
        // METIS ignores it.
        (false, None | Some((0 | 1, _))) => 0,
        (_, Some((_, start))) => {
            return Err(Fault::new(start, "the number of weights of each vertex, from 1 to 1024"));
        }
    };
    if let Some((_, start)) = word("the end of the line")? {
        return Err(Fault::new(start, "the end of the line"));
    }
    let at = next_line(text, at);
    Ok(Some(GraphHeader { vertices, edges, sizes, weights, edge_weights, block: block.index, at }))
}
