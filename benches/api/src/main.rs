//! Times one call of the library and prints what it took as a line of JSON.
//!
//! `cargo xtask bench` starts this once for each measurement, so that each has a process, an
//! allocator and a peak of memory of its own. `seconds` is what the call took, opening included;
//! `check` is a number that every contender of a row has to agree on.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the benchmark")]

mod columns;
mod daphne;
mod fragments;
mod inflate;
mod memory;
mod read;
mod sums;
mod write;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nnz::{Axis, Location, Order};
use serde_json::Value;

/// What goes wrong ends the measurement.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Times one call of the library and prints what it took as a line of JSON.
#[derive(Parser)]
enum Call {
    /// Sums of every column.
    ColSums(Whole),
    /// Sums of every row.
    RowSums(Whole),
    /// The whole matrix into memory, and a copy of it beside.
    Read {
        #[command(flatten)]
        whole: Whole,
        /// Row by row; by default as it is stored, or column by column.
        #[arg(long)]
        by_row: bool,
    },
    /// Columns chosen at random, in ascending order.
    Columns {
        /// The matrix.
        path: PathBuf,
        /// How many.
        #[arg(long, default_value_t = 1000)]
        count: u64,
    },
    /// All fragments of a store, every column decoded and added up.
    Fragments {
        /// The store.
        path: PathBuf,
    },
    /// The fragments of 100,000 bases; the mean of many places, opening included.
    Query {
        /// The store.
        path: PathBuf,
    },
    /// Makes a file of DAPHNE with numbers that follow from their place.
    DaphneMake {
        /// Where to write it.
        path: PathBuf,
        /// Rows.
        #[arg(long)]
        rows: u64,
        /// Columns.
        #[arg(long)]
        cols: u64,
        /// Entries of a sparse matrix; without, it is dense.
        #[arg(long)]
        entries: Option<u64>,
    },
    /// Every cell of the matrix into memory.
    ReadDense(Whole),
    /// A matrix from memory to a file.
    Write {
        #[command(flatten)]
        whole: Whole,
        /// Where to write it.
        target: PathBuf,
    },
    /// The bytes of a file into memory.
    PlainRead {
        /// The file.
        path: PathBuf,
    },
    /// Bytes from memory to a file.
    PlainWrite {
        /// The file they are read from first, which is not timed.
        source: PathBuf,
        /// Where to write them.
        target: PathBuf,
    },
    /// Inflates a gzip file with the library `nnz` inflates with, into nothing.
    Inflate {
        /// The file.
        path: PathBuf,
    },
}

/// A matrix that is gone through as a whole.
#[derive(clap::Args)]
struct Whole {
    /// The matrix.
    path: PathBuf,
    /// Threads that work at the same time.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

impl Whole {
    fn location(&self) -> Location {
        Location::parse(&self.path)
    }
}

fn main() -> ExitCode {
    let measured = match Call::parse() {
        Call::ColSums(whole) => sums::measure(&whole.location(), Axis::Cols, whole.threads),
        Call::RowSums(whole) => sums::measure(&whole.location(), Axis::Rows, whole.threads),
        Call::Read { whole, by_row } => {
            read::measure(&whole.location(), by_row.then_some(Order::Row), whole.threads)
        }
        Call::Columns { path, count } => columns::measure(&Location::parse(path), count),
        Call::Fragments { path } => fragments::scan(&Location::parse(path)),
        Call::Query { path } => fragments::query(&Location::parse(path)),
        Call::DaphneMake { path, rows, cols, entries } => daphne::make(&path, rows, cols, entries),
        Call::ReadDense(whole) => read::measure_dense(&whole.location(), whole.threads),
        Call::Write { whole, target } => write::measure(&whole.location(), target, whole.threads),
        Call::PlainRead { path } => daphne::plain_read(&path),
        Call::PlainWrite { source, target } => daphne::plain_write(&source, &target),
        Call::Inflate { path } => inflate::measure(&path),
    };
    match measured {
        Ok(measured) => {
            println!("{}", Value::from(measured));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What a measurement found, by name.
type Measured = serde_json::Map<String, Value>;

/// Collects what was found.
fn measured<const N: usize>(found: [(&str, Value); N]) -> Measured {
    found.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
