//! The command `nnz` of the package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command and returns its exit status. The first argument is the name of the command. From then on,
/// signals end the process as they end the command.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| nnz_cli::run(arguments))
}
