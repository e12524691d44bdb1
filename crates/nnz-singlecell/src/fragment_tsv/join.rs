//! Joining parsed pieces in order.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use nnz_core::{BYTE_ORDER_MARK, Error, Result, StringList, not_text};

use super::block::{OWN, Run, TsvBlock, push_bounded};
use super::fault::{ASCEND, Fault, TOGETHER, shown};
use super::names::Names;
use super::scan::Shared;

/// Joins the pieces of a text in order: completes lines that were split, counts lines, and assigns
/// indices to chromosomes and cells.
#[derive(Debug)]
pub struct Joiner {
    path: PathBuf,
    shared: Arc<Shared>,
    /// The number of the line in which the next block begins.
    line: u64,
    /// The beginning of that line.
    partial: Vec<u8>,
    /// The line that is shared by two blocks.
    cut: TsvBlock,
    /// The number of columns, known after the first line.
    columns: Option<u64>,
    /// Chromosomes in the order of first occurrence, unless there is a list.
    names: Names,
    /// Which chromosomes have occurred.
    seen: Vec<bool>,
    current: Option<u32>,
    last_start: u32,
    fragments: u64,
    unselected: u64,
    ended: bool,
}

/// Data that joining adds to a block, for [`TsvBlock::resolve`].
#[derive(Debug, Default)]
pub struct Joint {
    /// The fragment of the line that the block completes.
    pub(super) first: Option<FirstFragment>,
    /// The chromosome of each run.
    pub(super) chromosomes: Vec<u32>,
    /// The cell of each new name.
    pub(super) cells: Vec<u32>,
}

/// A fragment before the fragments of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstFragment {
    pub(super) chromosome: u32,
    pub(super) cell: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The totals of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTotals {
    /// Names of chromosomes: as in the list, or in the order of first occurrence.
    pub chromosomes: StringList,
    /// Names of cells, in the order of first occurrence.
    pub cells: StringList,
    /// The number of fragments.
    pub fragments: u64,
    /// The number of fragments that were left out because their cells are not selected.
    pub unselected: u64,
    /// How many of the selected cells did not occur, and how many are selected; `None` without a
    /// list.
    pub unmet: Option<[u64; 2]>,
    /// The number of columns; `None` if there are no fragments.
    pub columns: Option<u64>,
}

impl Joiner {
    pub(super) fn new(path: &Path, shared: Arc<Shared>) -> Self {
        Self {
            path: path.to_path_buf(),
            shared,
            line: 1,
            partial: Vec::new(),
            cut: TsvBlock::default(),
            columns: None,
            names: Names::default(),
            seen: Vec::new(),
            current: None,
            last_start: 0,
            fragments: 0,
            unselected: 0,
            ended: false,
        }
    }

    /// Joins the next block to those before it.
    ///
    /// # Errors
    ///
    /// Fails if a line is not a fragment, if fragments are not in order, if a name is not in its
    /// list, or if there are too many. The message has line and column.
    pub fn join(&mut self, block: &TsvBlock) -> Result<Joint> {
        let mut joint = Joint::default();
        push_bounded(&mut self.partial, &block.head);
        let ended = block.headed || block.last && !self.partial.is_empty();
        if ended {
            joint.first = self.join_cut()?;
            self.line += 1;
            self.partial.clear();
        }
        if block.headed {
            self.join_lines(block, &mut joint)?;
            self.line += block.lines;
            self.partial.extend_from_slice(&block.tail);
        }
        self.ended |= block.last;
        Ok(joint)
    }

    /// Parses the line that was split.
    fn join_cut(&mut self) -> Result<Option<FirstFragment>> {
        if self.line == 1 {
            self.check_start()?;
        }
        self.partial.push(b'\n');
        let mut cut = std::mem::take(&mut self.cut);
        cut.clear();
        self.shared.scan(&self.partial, &mut cut);
        let mut joint = Joint::default();
        self.join_lines(&cut, &mut joint)?;
        let chromosome = joint.chromosomes.first().copied();
        let fragment = match (&cut.cells[..], &cut.starts[..], &cut.ends[..]) {
            (&[cell], &[start], &[end]) => {
                let own = (cell & !OWN) as usize;
                let own = if cell & OWN == 0 { None } else { joint.cells.get(own).copied() };
                let cell = own.unwrap_or(cell);
                chromosome.map(|chromosome| FirstFragment { chromosome, cell, start, end })
            }
            _ => None,
        };
        self.cut = cut;
        Ok(fragment)
    }

    /// Removes a byte order mark at the start of the text, and refuses what is not text.
    fn check_start(&mut self) -> Result<()> {
        if self.partial.starts_with(BYTE_ORDER_MARK) {
            self.partial.drain(..BYTE_ORDER_MARK.len());
        }
        match not_text(&self.partial).map(|texts| texts.map(str::to_owned)) {
            Some([found, expected]) => {
                Err(self.refuse(Fault { line: 0, column: 1, found, expected }))
            }
            None => Ok(()),
        }
    }

    /// Joins the complete lines of a block.
    fn join_lines(&mut self, block: &TsvBlock, joint: &mut Joint) -> Result<()> {
        if let Some((columns, line)) = block.columns {
            let expected = *self.columns.get_or_insert(columns);
            if columns != expected {
                let found = format!("{columns} columns");
                let expected = format!("{expected}, like in the lines before");
                return Err(self.refuse(Fault { line, column: 1, found, expected }));
            }
        }
        joint.chromosomes.reserve(block.runs.len());
        for run in &block.runs {
            joint.chromosomes.push(self.join_run(run, block)?);
        }
        if let Some(fault) = &block.fault {
            return Err(self.refuse(fault.clone()));
        }
        if block.new_cells.len() > 0 {
            let mut cells = self.shared.cells.write().unwrap_or_else(PoisonError::into_inner);
            joint.cells.reserve(block.new_cells.len());
            for name in block.new_cells.iter() {
                let number = cells.number(name).filter(|&number| number & OWN == 0);
                joint.cells.push(number.ok_or_else(|| {
                    let what = format!("more than {OWN} cells");
                    Error::unsupported(nnz_core::Place::path(&self.path), what)
                })?);
            }
        }
        self.fragments += block.cells.len() as u64;
        self.unselected += block.unselected;
        Ok(())
    }

    /// Assigns an index to the chromosome of a run, and checks its order.
    fn join_run(&mut self, run: &Run, block: &TsvBlock) -> Result<u32> {
        let name = block.chromosomes.name(run.chromosome);
        let known = match &self.shared.rules.chromosomes {
            Some(listed) => listed.find(name),
            None => self.names.find_or_insert(name),
        };
        let chromosome = known.ok_or_else(|| {
            let what = format!("more than {OWN} chromosomes");
            Error::unsupported(nnz_core::Place::path(&self.path), what)
        })?;
        let line = run.line;
        if self.current == Some(chromosome) {
            if run.first_start < self.last_start && self.shared.rules.sorted {
                let found = format!("start {} after {}", run.first_start, self.last_start);
                let column = name.len() as u64 + 2;
                let expected = ASCEND.to_owned();
                return Err(self.refuse(Fault { line, column, found, expected }));
            }
        } else {
            let at = chromosome as usize;
            if self.seen.len() <= at {
                self.seen.resize(at + 1, false);
            }
            if std::mem::replace(&mut self.seen[at], true) && self.shared.rules.sorted {
                let found = format!("{} again, after other chromosomes", shown(name));
                let expected = TOGETHER.to_owned();
                return Err(self.refuse(Fault { line, column: 1, found, expected }));
            }
            self.current = Some(chromosome);
        }
        self.last_start = run.last_start;
        Ok(chromosome)
    }

    #[cold]
    fn refuse(&self, fault: Fault) -> Error {
        fault.report(&self.path, self.line)
    }

    /// Returns the number of fragments so far.
    #[must_use]
    pub fn fragments(&self) -> u64 {
        self.fragments
    }

    /// Returns the totals of the text, after its last block.
    ///
    /// # Errors
    ///
    /// Fails if the last block was not joined.
    pub fn finish(self) -> Result<TextTotals> {
        if !self.ended {
            return Err(Error::argument("the last block of the text was not joined"));
        }
        let chromosomes = match &self.shared.rules.chromosomes {
            Some(listed) => listed.names(),
            None => self.names.list(),
        };
        let cells = self.shared.cells.read().unwrap_or_else(PoisonError::into_inner);
        let (cells, unmet) = (cells.list(), cells.unmet());
        Ok(TextTotals {
            chromosomes,
            cells,
            fragments: self.fragments,
            unselected: self.unselected,
            unmet,
            columns: self.columns,
        })
    }
}
