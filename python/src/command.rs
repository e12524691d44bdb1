//! The command `nnz`, which the package installs.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with arguments, the first of which is its name, and returns the exit status of the process. From
/// then on signals end the process as they end the command.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| nnz_cli::run(arguments))
}
