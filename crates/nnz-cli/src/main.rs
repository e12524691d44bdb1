//! The program `nnz`.

nnz_cli::occupy_closed_streams!();

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(nnz_cli::run(std::env::args_os()))
}
