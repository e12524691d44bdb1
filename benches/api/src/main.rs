//! Times one call of the library and prints the result as a line of JSON.
//!
//! `cargo xtask bench` starts this program once per measurement, so that each has its own process,
//! allocator and peak memory. `seconds` is the time of the call, including opening; `check` is a
//! number that is the same for all contenders of a row.
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

/// An error ends the measurement.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Times one call of the library and prints the result as a line of JSON
#[derive(Parser)]
enum Call {
    /// Sum each column
    ColSums(Whole),
    /// Sum each row
    RowSums(Whole),
    /// Read the whole matrix into memory, and copy it
    Read {
        #[command(flatten)]
        whole: Whole,
        /// By row; by default by column, or as it is stored
        #[arg(long)]
        by_row: bool,
    },
    /// Read random columns, in ascending order
    Columns {
        /// The matrix
        path: PathBuf,
        /// Number of columns
        #[arg(long, default_value_t = 1000)]
        count: u64,
    },
    /// Decode all columns of all fragments of a store, and sum them
    Fragments {
        /// The store
        path: PathBuf,
    },
    /// Read the fragments of 100,000 bases: the mean of many regions, including opening
    Query {
        /// The store
        path: PathBuf,
    },
    /// Write a DAPHNE file with generated numbers
    DaphneMake {
        /// Where to write it
        path: PathBuf,
        /// Number of rows
        #[arg(long)]
        rows: u64,
        /// Number of columns
        #[arg(long)]
        cols: u64,
        /// Number of entries of a sparse matrix; dense by default
        #[arg(long)]
        entries: Option<u64>,
    },
    /// Read the matrix into memory as a dense array
    ReadDense(Whole),
    /// Write a matrix from memory to a file
    Write {
        #[command(flatten)]
        whole: Whole,
        /// Where to write it
        target: PathBuf,
    },
    /// Read the bytes of a file into memory
    PlainRead {
        /// The file
        path: PathBuf,
    },
    /// Write bytes from memory to a file
    PlainWrite {
        /// The source of the bytes, whose reading is not timed
        source: PathBuf,
        /// Where to write them
        target: PathBuf,
    },
    /// Inflate a gzip file with the library of `nnz`, without output
    Inflate {
        /// The file
        path: PathBuf,
    },
}

/// A matrix that is processed as a whole.
#[derive(clap::Args)]
struct Whole {
    /// The matrix
    path: PathBuf,
    /// Number of threads
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

/// The results of a measurement, by name.
type Measured = serde_json::Map<String, Value>;

/// Collects results.
fn measured<const N: usize>(found: [(&str, Value); N]) -> Measured {
    found.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
