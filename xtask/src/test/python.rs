//! The Python step: other people's programs read what we wrote, and we read what they wrote.

use std::process::Command;

use super::venv;
use crate::cargo;
use crate::error::Result;

/// Builds the `nnz` command and runs the tests of `tests/python` on it.
pub(crate) fn run() -> Result<()> {
    let tests = cargo::root().join("tests").join("python");
    let python = venv::python(&tests.join("requirements.txt"))?;
    let nnz = cargo::build_nnz()?;
    let mut pytest = Command::new(python);
    pytest
        .args(["-m", "pytest"])
        .arg(&tests)
        .current_dir(&tests)
        .env("NNZ_BIN", nnz)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    cargo::run(&mut pytest)
}
