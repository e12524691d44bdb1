//! Running a tool.

use std::process::ExitCode;

use nnz::Error;
use nnz_cli::{hints, interrupt, stdio, usage};

/// Runs a tool and prints its error. The exit status is 0 for success, and 1 for a negative answer
/// or an error.
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
