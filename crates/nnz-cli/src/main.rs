//! The program `nnz`.

nnz_cli::occupy_closed_streams!();

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: nnz_cli::Allocator = nnz_cli::Allocator;

fn main() -> ExitCode {
    ExitCode::from(nnz_cli::run(std::env::args_os()))
}
