//! How the tools begin and end.

use std::io::Write as _;
use std::process::ExitCode;

use nnz::Error;

#[path = "../../interrupt.rs"]
mod interrupt;

/// Runs a tool, and says what went wrong: 0 where the answer is yes, 1 where it is no or it failed.
pub(crate) fn run(tool: &str, work: impl FnOnce() -> Result<bool, Error>) -> ExitCode {
    interrupt::install();
    match work() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            // That nobody can read it is no reason to fail in another way.
            let _ = writeln!(std::io::stderr(), "{tool}: {error}");
            ExitCode::from(1)
        }
    }
}
