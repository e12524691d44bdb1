//! Compares two matrices.
#![allow(clippy::exit, reason = "a program ends with a status")]

use std::process::ExitCode;

use clap::Parser;
use nnz::collection::ElementChange;
use nnz::{Context, DiffOptions, Difference, Error, Location};
use nnz_storage::stdio::TerminalEscapes;

use nnz_cli::stdio::{failed, print_answer};

use nnz_binsparse_tools::{place, run as run_tool};

nnz_cli::occupy_closed_streams!();

const TOOL: &str = "check_equivalence";

/// Compare two matrices or tensors by value, however they are stored
///
/// The exit status is 0 if they are equal, and 1 if not.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The first matrix
    #[arg(value_name = "A[:GROUP]", value_parser = place())]
    first: Location,

    /// The second matrix
    #[arg(value_name = "B[:GROUP]", value_parser = place())]
    second: Location,
}

fn main() -> ExitCode {
    run_tool(TOOL, run)
}

fn run(args: Args) -> Result<bool, Error> {
    let options = DiffOptions::default().stored(false).max_diffs(1);
    let mut found = None;
    nnz::diff(&args.first, &args.second, &options, &Context::default(), &mut |difference| {
        found.get_or_insert(difference.what);
    })?;
    let message = match &found {
        None => "The matrices are equal.".to_owned(),
        Some(ElementChange::Matrix(Difference::Shape(a, b))) => {
            format!("The matrices differ in shape: {a}, {b}.")
        }
        Some(ElementChange::Matrix(Difference::Entry { row, col, .. })) => {
            format!("The matrices differ, first at row {row}, column {col}.")
        }
        Some(_) => "The matrices differ.".to_owned(),
    };
    print_answer(TerminalEscapes::Text, |out| writeln!(out, "{message}").map_err(failed))?;
    Ok(found.is_none())
}
