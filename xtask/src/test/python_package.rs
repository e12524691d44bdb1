//! The step of the Python package: its wheel is built, installed and tested.

use std::process::Command;

use super::venv;
use crate::cargo;
use crate::error::Result;
use crate::wheel::{self, Build};

/// Builds the wheel with the development profile, installs it into an environment and runs `python/tests`.
pub(crate) fn run() -> Result<()> {
    let tests = cargo::root().join("python").join("tests");
    let python = venv::python(&tests.join("requirements.txt"))?;
    // In the target directory, which has what is built of the library's own dependencies.
    let out = cargo::target_directory()?.join("wheels");
    let build = Build { python: &python, out: &out, release: false, target: None };
    wheel::install(&python, &build.run(&python)?)?;
    let mut pytest = Command::new(&python);
    pytest
        .args(["-m", "pytest"])
        .arg(&tests)
        // Not beside the package, whose source would be imported in place of the wheel.
        .current_dir(&tests)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    cargo::run(&mut pytest)
}
