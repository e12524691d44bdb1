//! Parsing complete lines as fragments.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use super::LONGEST_LINE;
use super::block::{OWN, Run, TsvBlock};
use super::cells::{BarcodeLookup, Cells};
use super::fault::{ASCEND, Fault, field, shown};
use super::lists::Chromosomes;
use nnz_lines::digits::digits;

/// Lines that are parsed before their barcodes are looked up.
const TOGETHER: u64 = 512;

/// Rules that are the same for every line.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) end_inclusive: bool,
    /// Whether starts have to ascend.
    pub(super) sorted: bool,
    pub(super) chromosomes: Option<Chromosomes>,
}

/// State shared by all threads that parse a text.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) rules: Rules,
    pub(super) cells: RwLock<Cells>,
}

impl Shared {
    fn cells(&self) -> RwLockReadGuard<'_, Cells> {
        self.cells.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Parses complete lines into a block, up to the first error.
    pub(super) fn scan(&self, text: &[u8], block: &mut TsvBlock) {
        if block.fault.is_some() {
            return;
        }
        // Lines of 10x files have about 40 bytes.
        let likely = text.len() / 36;
        block.cells.reserve(likely);
        block.starts.reserve(likely);
        block.ends.reserve(likely);
        let mut at = 0;
        while at < text.len() {
            let run = block.runs.len().saturating_sub(1);
            let mut scan = Scan { text, rules: &self.rules, block };
            let until = scan.block.lines + TOGETHER;
            let mut wrong = None;
            while at < text.len() && scan.block.lines < until && wrong.is_none() {
                match scan.line(at) {
                    Ok(next) => {
                        at = next;
                        scan.block.lines += 1;
                    }
                    Err(found) => wrong = Some(found),
                }
            }
            scan.look_up(&self.cells(), run);
            if let Some(wrong) = wrong {
                return scan.refuse(at, wrong);
            }
        }
    }
}

/// An error, and its byte.
struct LineError {
    at: usize,
    found: String,
    expected: String,
}

struct Scan<'a> {
    text: &'a [u8],
    rules: &'a Rules,
    block: &'a mut TsvBlock,
}

impl Scan<'_> {
    /// Parses the line at a position and returns the position of the next one.
    #[inline]
    fn line(&mut self, line: usize) -> Result<usize, LineError> {
        let current = &self.block.current;
        let same = !current.is_empty() && self.text[line..].starts_with(current);
        let (mut at, mut chromosome) = (line + current.len(), None);
        if !same {
            at = self.control(line);
            match self.byte(line) {
                b'#' => return Ok(self.end_of_line(at)),
                b'\n' => return Ok(line + 1),
                b'\r' if self.byte(line + 1) == b'\n' => return Ok(line + 2),
                _ => {}
            }
            if at == line || self.byte(at) != b'\t' {
                let at = if at == line { line } else { at };
                return Err(self.wrong(at, if at == line { "a chromosome" } else { TAB }));
            }
            chromosome = Some(line..at);
            at += 1;
        }
        let (start, end_at) = self.base(at, "start")?;
        if self.byte(end_at) != b'\t' {
            return Err(self.wrong(end_at, TAB));
        }
        let (end, cell_at) = self.base(end_at + 1, "end")?;
        if self.byte(cell_at) != b'\t' {
            return Err(self.wrong(cell_at, TAB));
        }
        let cell = cell_at + 1;
        let after = self.control(cell);
        if after == cell {
            return Err(self.wrong(cell, "a barcode"));
        }
        let (columns, next) = match (self.byte(after), self.byte(after + 1)) {
            (b'\n', _) => (4, after + 1),
            (b'\r', b'\n') => (4, after + 2),
            _ => self.columns(after)?,
        };
        if next - line > LONGEST_LINE {
            return Err(too_long(line));
        }
        match self.block.columns {
            Some((expected, _)) if expected == columns => {}
            Some((expected, _)) => return Err(other_columns(line, columns, expected)),
            None if is_pair(&self.text[line..next]) => return Err(pair(cell)),
            None => self.block.columns = Some((columns, self.block.lines)),
        }
        if let Some(name) = chromosome {
            self.begin(name, start)?;
        }
        let end = self.end(start, end, end_at + 1)?;
        let Some(run) = self.block.runs.last_mut() else {
            return Ok(next);
        };
        if start < run.last_start && self.rules.sorted {
            return Err(disorder(at, start, run.last_start));
        }
        run.last_start = start;
        self.block.barcodes.push(cell..after);
        self.block.starts.push(start);
        self.block.ends.push(end);
        run.end = self.block.starts.len();
        Ok(next)
    }

    /// Looks up the barcodes of the last lines, whose fragments begin in a run, and removes
    /// fragments of cells that are not selected.
    ///
    /// With many cells, each lookup is a cache miss; for consecutive lines, the processor can wait
    /// for several at once.
    fn look_up(&mut self, cells: &Cells, first_run: usize) {
        let TsvBlock {
            barcodes, cells: numbers, starts, ends, runs, new_cells, unselected, ..
        } = &mut *self.block;
        let asked: Vec<_> =
            barcodes.iter().map(|barcode| cells.ask(&self.text[barcode.clone()])).collect();
        let mut barcodes = barcodes.drain(..).zip(asked);
        let mut at = numbers.len();
        for run in runs.iter_mut().skip(first_run) {
            let count = run.end.saturating_sub(at);
            for (barcode, asked) in barcodes.by_ref().take(count) {
                let name = &self.text[barcode];
                let number = match cells.answer(name, asked) {
                    BarcodeLookup::Cell(number) => Some(number),
                    BarcodeLookup::New => {
                        Some(new_cells.find_or_insert(name).map_or(OWN, |own| own | OWN))
                    }
                    BarcodeLookup::Unselected => None,
                };
                if let Some(number) = number {
                    let kept = numbers.len();
                    (starts[kept], ends[kept]) = (starts[at], ends[at]);
                    numbers.push(number);
                }
                at += 1;
            }
            run.end = numbers.len();
        }
        *unselected += (at - numbers.len()) as u64;
        starts.truncate(numbers.len());
        ends.truncate(numbers.len());
    }

    /// Begins the fragments of a chromosome.
    fn begin(&mut self, name: std::ops::Range<usize>, start: u32) -> Result<(), LineError> {
        let at = name.start;
        let name = &self.text[name];
        self.block.size = match &self.rules.chromosomes {
            None => None,
            Some(known) => match known.find(name) {
                Some(number) => known.size(number),
                None => {
                    return Err(LineError {
                        at,
                        found: shown(name),
                        expected: "a chromosome of the list".to_owned(),
                    });
                }
            },
        };
        self.block.current.clear();
        self.block.current.extend_from_slice(name);
        self.block.current.push(b'\t');
        // A block has fewer lines than the largest number of names.
        let chromosome = self.block.chromosomes.find_or_insert(name).unwrap_or(u32::MAX);
        self.block.runs.push(Run {
            chromosome,
            line: self.block.lines,
            first_start: start,
            last_start: start,
            end: self.block.starts.len(),
        });
        Ok(())
    }

    /// Returns the exclusive end of a fragment.
    #[inline]
    fn end(&self, start: u32, end: u32, at: usize) -> Result<u32, LineError> {
        let exclusive = u64::from(end) + u64::from(self.rules.end_inclusive);
        if exclusive < u64::from(start) {
            let expected = format!("an end of {start} or more, the start of the fragment");
            return Err(LineError { at, found: end.to_string(), expected });
        }
        match u32::try_from(exclusive) {
            Ok(exclusive) if exclusive <= self.block.size.unwrap_or(u32::MAX) => Ok(exclusive),
            _ => {
                let most = self.block.size.unwrap_or(u32::MAX);
                let most = most.saturating_sub(self.rules.end_inclusive.into());
                let expected = match self.block.size {
                    None => format!("an end of at most {most}"),
                    Some(_) => format!("at most {most}, the end of the chromosome"),
                };
                Err(LineError { at, found: end.to_string(), expected })
            }
        }
    }

    /// Parses a position, and returns also the end of its field.
    #[inline]
    fn base(&self, at: usize, what: &str) -> Result<(u32, usize), LineError> {
        if let Some((base, end)) = digits(self.text, at)
            && let Ok(base) = u32::try_from(base)
            && self.byte(end) < b' '
        {
            return Ok((base, end));
        }
        Err(self.no_base(at, what))
    }

    #[cold]
    fn no_base(&self, at: usize, what: &str) -> LineError {
        let expected = format!("the {what} of the fragment, an integer from 0 to {}", u32::MAX);
        LineError { at, found: field(&self.text[at.min(self.text.len())..]), expected }
    }

    /// Counts the columns of a line whose fourth one ends here; returns the position of the next
    /// line.
    #[inline]
    fn columns(&self, mut at: usize) -> Result<(u64, usize), LineError> {
        let mut columns = 4;
        loop {
            match self.byte(at) {
                b'\t' => columns += 1,
                b'\n' => return Ok((columns, at + 1)),
                b'\r' if self.byte(at + 1) == b'\n' => return Ok((columns, at + 2)),
                _ => return Err(self.wrong(at, "a tab or the end of the line")),
            }
            at = self.control(at + 1);
        }
    }

    /// Returns the position of the first control character, such as a tab or a newline.
    #[inline]
    fn control(&self, mut at: usize) -> usize {
        while let Some(bytes) = self.text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_le_bytes(*bytes);
            // The subtraction for a byte below a blank borrows from later bytes, which do not
            // matter then.
            let below = word.wrapping_sub(0x2020_2020_2020_2020) & !word & 0x8080_8080_8080_8080;
            if below != 0 {
                return at + below.trailing_zeros() as usize / 8;
            }
            at += 8;
        }
        while self.text.get(at).is_some_and(|&byte| byte >= b' ') {
            at += 1;
        }
        at
    }

    fn end_of_line(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or(&[]);
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |newline| at + newline + 1)
    }

    /// Returns the byte at a position; after the end there are newlines.
    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(b'\n')
    }

    #[cold]
    fn wrong(&self, at: usize, expected: &str) -> LineError {
        let found = field(&self.text[at.min(self.text.len())..]);
        LineError { at, found, expected: expected.to_owned() }
    }

    /// Stores the error in the line that begins at a position.
    #[cold]
    fn refuse(self, line: usize, wrong: LineError) {
        // A line that is too long was not kept completely, so other errors in it are not reported.
        let next = self.end_of_line(line);
        let wrong = if next - line > LONGEST_LINE { too_long(line) } else { wrong };
        self.block.fault = Some(Fault {
            line: self.block.lines,
            column: (wrong.at - line) as u64 + 1,
            found: wrong.found,
            expected: wrong.expected,
        });
    }
}

const TAB: &str = "a tab, since a fragment has at least four columns";

/// Returns whether a line is a pair of regions (BEDPE), whose fourth column is a chromosome.
fn is_pair(line: &[u8]) -> bool {
    let fields: Vec<&[u8]> = line.trim_ascii_end().split(|&byte| byte == b'\t').collect();
    let [first, _, _, second, start, end, others @ ..] = &fields[..] else { return false };
    let is_position = |field: &&[u8]| {
        !field.is_empty() && field.iter().all(u8::is_ascii_digit) || *field == b"-1"
    };
    let strands = others.get(2..4).unwrap_or_default();
    let is_strand = |field: &&[u8]| matches!(*field, b"+" | b"-" | b".");
    let same = first == second || *second == b".";
    is_position(start)
        && is_position(end)
        && (same || strands.len() == 2 && strands.iter().all(is_strand))
}

#[cold]
fn pair(at: usize) -> LineError {
    let expected = "the barcode of a fragment".to_owned();
    LineError { at, found: "the second region of a pair (BEDPE)".to_owned(), expected }
}

#[cold]
fn too_long(line: usize) -> LineError {
    LineError {
        at: line + LONGEST_LINE,
        found: "a longer line".to_owned(),
        expected: format!("at most {LONGEST_LINE} bytes"),
    }
}

#[cold]
fn other_columns(at: usize, found: u64, expected: u64) -> LineError {
    let expected = format!("{expected}, like in the lines before");
    LineError { at, found: format!("{found} columns"), expected }
}

#[cold]
fn disorder(at: usize, start: u32, before: u32) -> LineError {
    LineError { at, found: format!("start {start} after {before}"), expected: ASCEND.to_owned() }
}
