//! Reading a whole text on all cores before its entries are read.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_core::Result;
use nnz_core::parallel::on_threads;

use crate::blocks::{Block, Blocks, Layout};
use crate::text::Text;

/// The largest number of threads: decompressing is sequential, so more of them would wait.
const MOST_THREADS: usize = 16;

/// Texts up to this size are read on one thread.
const SMALL: u64 = 512 << 10;

/// Calls `parse` for each block, on all cores, and passes the results to `take` in the order of the text. If there are
/// several errors, the first in the text is returned.
pub(crate) fn scan<T: Send>(
    text: &Text,
    layout: impl Into<Layout>,
    parse: impl Fn(&Block) -> Result<T> + Sync,
    take: impl FnMut(T) -> Result<()> + Send,
) -> Result<()> {
    let threads = match text.len() {
        ..=SMALL => 1,
        _ => text.context().threads().min(MOST_THREADS),
    };
    let context = text.context();
    let state = Mutex::new(State {
        blocks: Blocks::new(text, layout)?,
        ended: false,
        waiting: BTreeMap::new(),
        next: 0,
        failed: None,
        take,
    });
    let work = || {
        loop {
            let mut locked = lock(&state);
            let block = context.check().and_then(|()| locked.next_block());
            match block {
                Ok(Some(block)) => {
                    drop(locked);
                    let parsed = parse(&block);
                    lock(&state).parsed(block.index, parsed);
                }
                Ok(None) => return,
                Err(error) => {
                    // After all blocks that were read.
                    locked.ended = true;
                    locked.parsed(u64::MAX, Err(error));
                    return;
                }
            }
        }
    };
    on_threads(threads, &work);
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let last = state.waiting.into_values().next().map(|last| last.map(drop));
    state.failed.map_or(Ok(()), Err).and(last.unwrap_or(Ok(())))
}

struct State<T, F> {
    blocks: Blocks,
    ended: bool,
    /// Results of blocks after one that is being parsed.
    waiting: BTreeMap<u64, Result<T>>,
    /// The block whose result is next.
    next: u64,
    failed: Option<nnz_core::Error>,
    take: F,
}

impl<T, F: FnMut(T) -> Result<()>> State<T, F> {
    fn next_block(&mut self) -> Result<Option<Block>> {
        if self.ended || self.failed.is_some() {
            return Ok(None);
        }
        let block = self.blocks.next_block()?;
        self.ended = block.is_none();
        Ok(block)
    }

    fn parsed(&mut self, index: u64, result: Result<T>) {
        self.waiting.insert(index, result);
        while self.failed.is_none()
            && let Some(result) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            self.failed = result.and_then(&mut self.take).err();
        }
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
