//! Reading a whole text once, on all threads: the number of rows, the type of the values, the names,
//! and the values if they take little memory.

use nnz_storage::TaskContext;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use nnz_core::parallel::on_threads;
use nnz_core::{Error, ErrorKind, Place, Result, Rounding, StringList, ValueType, Values};

use super::blocks::{Block, Blocks};
use super::fault::{Expected, Fault};
use super::layout::Layout;
use super::options::ReadOptions;
use super::rows::{BlockRows, first_inexact, nth_cell, parse};

/// Summary of the content of a whole text.
pub(super) struct ScanResult {
    /// The values of each column of names.
    pub(super) ids: Vec<StringList>,
    /// The number of rows of each block.
    pub(super) rows: Vec<u64>,
    /// The values of each block, in narrow types, unless they take too much memory.
    pub(super) kept: Option<Vec<Values>>,
    pub(super) value_type: ValueType,
}

/// Reads all blocks.
pub(super) fn scan(
    blocks: Blocks,
    layout: &Layout,
    path: &Path,
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<ScanResult> {
    let ids = (0..layout.ids).map(|_| StringList::new()).collect();
    let scan = Scan {
        layout,
        path,
        keep: options.keep as u64,
        keeps: AtomicBool::new(options.keep > 0),
        context,
        listed: Mutex::new((blocks, 0)),
        joined: Mutex::new(ScanState { ids, kept: Some(Vec::new()), ..ScanState::default() }),
        turn: Condvar::new(),
    };
    on_threads(context.threads(), &|| scan.work());
    let Scan { joined, keeps, .. } = scan;
    let mut joined = joined.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = joined.failed.take() {
        return Err(error);
    }
    let value_type = joined.value_type()?;
    let kept = joined.kept.filter(|_| keeps.into_inner());
    Ok(ScanResult { ids: joined.ids, rows: joined.rows, kept, value_type })
}

struct Scan<'a> {
    layout: &'a Layout,
    path: &'a Path,
    keep: u64,
    /// Whether values are still kept.
    keeps: AtomicBool,
    context: &'a TaskContext,
    /// The blocks that are not read yet, and the number of those that are.
    listed: Mutex<(Blocks, usize)>,
    joined: Mutex<ScanState>,
    /// Signalled when a block was joined.
    turn: Condvar,
}

/// All blocks up to one.
#[derive(Default)]
struct ScanState {
    ids: Vec<StringList>,
    rows: Vec<u64>,
    kept: Option<Vec<Values>>,
    kept_bytes: u64,
    /// The error for the first blank line.
    blank: Option<Error>,
    floats: bool,
    negative: bool,
    /// Whether there are integers that only uint64 holds.
    above: bool,
    /// The error for the first integer that float64 does not hold.
    inexact: Option<Error>,
    failed: Option<Error>,
}

/// A block that was read.
struct ParsedBlock {
    ids: Vec<StringList>,
    rows: u64,
    value_type: ValueType,
    kept: Option<Values>,
    negative: bool,
    inexact: Option<Error>,
    blank: Option<Error>,
}

/// The turn of a block to be joined. If it is dropped before, all work ends.
struct Turn<'a>(&'a Scan<'a>, bool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if !self.1 {
            let mut joined = lock(&self.0.joined);
            joined.failed.get_or_insert_with(|| Error::argument("a thread ended early"));
            self.0.turn.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Scan<'_> {
    /// Reads blocks until there are none.
    fn work(&self) {
        loop {
            let (index, block) = {
                let mut listed = lock(&self.listed);
                let index = listed.1;
                listed.1 += 1;
                (index, self.next(&mut listed.0))
            };
            let mut turn = Turn(self, false);
            let piece = match block {
                Ok(None) => {
                    turn.1 = true;
                    return;
                }
                Ok(Some(block)) => self.piece(&block),
                Err(error) => Err(error),
            };
            let mut joined = lock(&self.joined);
            while joined.failed.is_none() && joined.rows.len() < index {
                joined = self.turn.wait(joined).unwrap_or_else(PoisonError::into_inner);
            }
            turn.1 = true;
            if joined.failed.is_none() {
                let done = piece.and_then(|piece| self.join(&mut joined, piece));
                joined.failed = done.err();
            }
            self.turn.notify_all();
            if joined.failed.is_some() {
                return;
            }
        }
    }

    fn next(&self, blocks: &mut Blocks) -> Result<Option<Block>> {
        self.context.check()?;
        if lock(&self.joined).failed.is_some() {
            return Ok(None);
        }
        blocks.next_block()
    }

    fn piece(&self, block: &Block) -> Result<ParsedBlock> {
        let text = block.text();
        let error = |fault: Fault| fault.report(self.path, text, block.line);
        let BlockRows { ids, values, rows, blank } = parse(text, self.layout).map_err(error)?;
        let inexact = first_inexact(&values).map(|index| {
            let at = nth_cell(text, self.layout, index).unwrap_or_default();
            error(Fault::new(at, Expected::ExactInteger))
        });
        let negative = match &values {
            Values::I64(list) => list.iter().any(|value| *value < 0),
            _ => false,
        };
        let value_type = values.value_type();
        let kept = self.keeps.load(Ordering::Relaxed).then(|| narrow(values));
        let blank = blank.map(|at| error(Fault::new(at, Expected::Row)));
        Ok(ParsedBlock { ids, rows, value_type, kept, negative, inexact, blank })
    }

    fn join(&self, joined: &mut ScanState, piece: ParsedBlock) -> Result<()> {
        if piece.rows > 0
            && let Some(error) = joined.blank.take()
        {
            return Err(error);
        }
        joined.blank = joined.blank.take().or(piece.blank);
        joined.rows.push(piece.rows);
        for (all, list) in joined.ids.iter_mut().zip(&piece.ids) {
            list.iter().try_for_each(|name| all.try_push(name))?;
        }
        let needed = joined.ids.iter().map(StringList::bytes).sum();
        if needed > self.context.memory() {
            let kind = ErrorKind::Memory { needed, allowed: self.context.memory() };
            return Err(Error::new(kind, Place::array(self.path, "names of rows")));
        }
        joined.floats |= piece.value_type == ValueType::F64 && piece.rows > 0;
        joined.above |= piece.value_type == ValueType::U64;
        joined.negative |= piece.negative;
        joined.inexact = joined.inexact.take().or(piece.inexact);
        match (&mut joined.kept, piece.kept) {
            (Some(list), Some(values)) => {
                joined.kept_bytes += values.bytes().len() as u64;
                list.push(values);
                if joined.kept_bytes > self.keep {
                    joined.kept = None;
                    self.keeps.store(false, Ordering::Relaxed);
                }
            }
            _ => joined.kept = None,
        }
        Ok(())
    }
}

impl ScanState {
    /// Returns the type that holds all values.
    fn value_type(&mut self) -> Result<ValueType> {
        match (self.floats, self.above, self.negative) {
            (false, false, _) => Ok(ValueType::I64),
            (false, true, false) => Ok(ValueType::U64),
            _ => self.inexact.take().map_or(Ok(ValueType::F64), Err),
        }
    }
}

/// Returns integers in the narrowest of some types.
fn narrow(values: Values) -> Values {
    let Values::I64(list) = &values else { return values };
    let (least, most) =
        list.iter().fold((0, 0), |(least, most), &value| (value.min(least), value.max(most)));
    let narrowest = match (least, most) {
        (0, 0..=0xff) => ValueType::U8,
        (0, 0..=0xffff) => ValueType::U16,
        (-0x8000_0000.., ..=0x7fff_ffff) => ValueType::I32,
        _ => return values,
    };
    let mut narrowed = Values::new(narrowest);
    match values.cast_into(narrowest, Rounding::Refused, &mut narrowed) {
        Ok(()) => narrowed,
        Err(_) => values,
    }
}
