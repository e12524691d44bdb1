//! The first reading of a file, which finds what the format does not state.

use nnz_core::{Order, Result};

use super::form::{Form, Nodes};
use super::names::NodeNames;
use super::parse::{Node, Visit, parse};
use crate::fault::Fault;
use crate::scan::scan;
use crate::text::Text;
use crate::values::{ValueProperties, skip};

/// Summary of the content of a file.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) edges: u64,
    /// The number of edges from a node to itself.
    pub(super) loops: u64,
    /// The number of rows and columns that the ids require, counted from the base.
    pub(super) needed: [u64; 2],
    pub(super) weights: ValueProperties,
    /// Whether rows do not descend.
    by_row: Ascent,
    by_col: Ascent,
    /// Names of the rows, and of the columns if they are numbered separately.
    pub(super) names: [NodeNames; 2],
}

/// Whether a sequence never descends.
#[derive(Clone, Copy, Debug, Default)]
struct Ascent {
    ends: Option<(u64, u64)>,
    descends: bool,
}

impl Ascent {
    #[inline]
    fn add(&mut self, value: u64) {
        self.join(Self { ends: Some((value, value)), descends: false });
    }

    #[inline]
    fn join(&mut self, next: Self) {
        self.descends |= next.descends;
        self.ends = match (self.ends, next.ends) {
            (Some((first, last)), Some((start, end))) => {
                self.descends |= start < last;
                Some((first, end))
            }
            (known, None) => known,
            (None, known) => known,
        };
    }
}

/// Returns row and column of an edge: in the lower triangle if edges have no direction.
#[inline]
pub(super) fn row_col(form: &Form, [from, to]: [u64; 2]) -> (u64, u64) {
    match form.undirected && from < to {
        true => (to, from),
        false => (from, to),
    }
}

impl Survey {
    /// Reads a file.
    pub(super) fn of(text: &Text, form: &Form) -> Result<Self> {
        let mut all = Self::default();
        let (place, memory) = (text.place(), text.context().memory());
        scan(
            text,
            b'#',
            |block| {
                let mut visit = Visitor { form, found: BlockSummary::default() };
                match parse(block, form, &mut visit) {
                    Ok(()) => Ok(visit.found),
                    Err(fault) => Err(fault.report(text, block)),
                }
            },
            |found| {
                all.edges += found.edges;
                all.loops += found.loops;
                all.weights.join(found.weights);
                all.by_row.join(found.by_row);
                all.by_col.join(found.by_col);
                for (needed, more) in all.needed.iter_mut().zip(found.needed) {
                    *needed = (*needed).max(more);
                }
                let mut start = 0;
                for (at, end) in found.ends.iter().enumerate() {
                    let name = found.names.get(start..*end).unwrap_or_default();
                    let side = usize::from(form.bipartite && at % 2 == 1);
                    if let Some(names) = all.names.get_mut(side) {
                        names.add(name, memory, &place)?;
                    }
                    start = *end;
                }
                Ok(())
            },
        )?;
        if form.nodes == Nodes::Names {
            let [rows, cols] = [all.names[0].len(), all.names[1].len()];
            all.needed = if form.bipartite { [rows, cols] } else { [rows, rows] };
        }
        Ok(all)
    }

    /// Returns the order in which edges are sorted, if they are.
    pub(super) fn order(&self, form: &Form) -> Option<Order> {
        match form.nodes {
            // Numbers of names are not known before the whole file was read.
            Nodes::Names => None,
            Nodes::Ids if !self.by_row.descends => Some(Order::Row),
            Nodes::Ids if !self.by_col.descends => Some(Order::Col),
            Nodes::Ids => None,
        }
    }
}

/// Summary of the content of a block.
#[derive(Default)]
struct BlockSummary {
    edges: u64,
    loops: u64,
    needed: [u64; 2],
    weights: ValueProperties,
    by_row: Ascent,
    by_col: Ascent,
    /// Both names of each edge, and where each ends.
    names: Vec<u8>,
    ends: Vec<usize>,
}

struct Visitor<'a> {
    form: &'a Form,
    found: BlockSummary,
}

impl Visit for Visitor<'_> {
    #[inline]
    fn edge(&mut self, nodes: [Node<'_>; 2], at: [usize; 2]) -> Result<(), Fault> {
        let found = &mut self.found;
        found.edges += 1;
        match nodes {
            [Node::Id(from), Node::Id(to)] => {
                let base = self.form.base;
                found.loops += u64::from(from == to);
                for (node, at) in [from, to].into_iter().zip(at) {
                    if node < base {
                        return Err(Fault::new(at, format!("a node from {base} to 2^63 - 1")));
                    }
                }
                let (row, col) = row_col(self.form, [from - base, to - base]);
                found.by_row.add(row);
                found.by_col.add(col);
                let [rows, cols] = &mut found.needed;
                (*rows, *cols) = ((*rows).max(row + 1), (*cols).max(col + 1));
            }
            _ => {
                for node in nodes {
                    if let Node::Name(name) = node {
                        found.names.extend_from_slice(name);
                        found.ends.push(found.names.len());
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn weight(&mut self, text: &[u8], at: usize) -> Result<usize, Fault> {
        skip(text, at, &mut self.found.weights)
            .map_err(|why| Fault::number(at, why, "a weight, a number"))
    }
}
