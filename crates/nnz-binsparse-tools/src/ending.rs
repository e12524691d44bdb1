//! How the tools begin and end.

use std::process::ExitCode;

use nnz::Error;
use nnz_cli::{hints, interrupt, stdio, usage};

/// Runs a tool, and says what went wrong: 0 where the answer is yes, 1 where it is no or it failed.
pub fn run<A: clap::Parser>(tool: &str, work: impl FnOnce(A) -> Result<bool, Error>) -> ExitCode {
    let args = match usage::parse(std::env::args_os()) {
        Ok(args) => args,
        Err(status) => return ExitCode::from(status),
    };
    interrupt::install();
    match work(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) if stdio::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            stdio::print_error(tool, &error, &hints::hint(&error));
            ExitCode::from(1)
        }
    }
}
