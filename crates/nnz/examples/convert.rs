//! Converts a matrix, with progress on standard error.
//!
//! ```sh
//! cargo run --example convert -- pbmc.mtx pbmc.bpcells
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use nnz::Context;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nnz::{ConvertOptions, Error, Order, Progress, Summary};

/// Counts entries, and prints a line for every million.
#[derive(Debug, Default)]
pub struct Lines {
    /// Entries so far.
    pub entries: AtomicU64,
}

impl Progress for Lines {
    fn begin(&self, what: &str, total: Option<u64>) {
        self.entries.store(0, Ordering::Relaxed);
        match total {
            Some(total) => eprintln!("{what} {total} entries"),
            None => eprintln!("{what}"),
        }
    }

    // Called from any thread.
    fn advance(&self, entries: u64) {
        const LINE: u64 = 1_000_000;
        let before = self.entries.fetch_add(entries, Ordering::Relaxed);
        if before / LINE < (before + entries) / LINE {
            eprintln!("{} million", (before + entries) / LINE);
        }
    }

    fn end(&self) {}
}

/// Converts a matrix to column order, in at most 1 GB of memory.
///
/// # Errors
///
/// Fails if the source cannot be read, if the target exists or cannot be written, or if a value
/// cannot be stored exactly.
pub fn run(from: &str, to: &str, progress: Arc<Lines>) -> Result<Summary, Error> {
    let context = Context::default().with_memory(1_000_000_000).with_progress(progress);
    let options = ConvertOptions::default().order(Order::Col);
    nnz::convert(from, to, &options, &context)
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or_else(|| Error::argument("expected SRC DST"));
    let summary = run(&next()?, &next()?, Arc::default())?;
    for dropped in &summary.dropped {
        eprintln!("dropped: {dropped}");
    }
    println!("{}: {} entries, {} bytes", summary.shape, summary.entries, summary.bytes_after);
    Ok(())
}
