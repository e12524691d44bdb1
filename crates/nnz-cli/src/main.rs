//! The program `nnz`.

mod startup;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(nnz_cli::run(std::env::args_os()))
}
