//! The Python step: other programs read our files, and we read theirs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::venv;
use crate::cargo;
use crate::error::Result;

/// Programs that need their own environment, and the oldest and newest Python of their wheels.
const READERS: [(&str, venv::Version, venv::Version); 2] =
    [("old", (3, 10), (3, 11)), ("scanpy", (3, 11), (3, 12))];

/// Builds the `nnz` command and runs the tests of `tests/python` and `tests/readers` on it.
pub(crate) fn run() -> Result<()> {
    let tests = cargo::root().join("tests").join("python");
    let (python, readers) = environments()?;
    let nnz = cargo::build_nnz_of_workspace()?;
    pytest(&python, &tests, &tests, nnz.as_os_str())?;
    for ((name, oldest, newest), python) in READERS.into_iter().zip(readers) {
        let readers = cargo::root().join("tests").join("readers").join(name);
        match python {
            Some(python) => pytest(&python, &readers, &tests, nnz.as_os_str())?,
            None => println!(
                "    SKIPPED: tests/readers/{name} needs a Python of {}.{} to {}.{}",
                oldest.0, oldest.1, newest.0, newest.1
            ),
        }
    }
    Ok(())
}

/// Returns the interpreters of the environments of `tests/python` and of [`READERS`], which are created if needed.
pub(super) fn environments() -> Result<(PathBuf, Vec<Option<PathBuf>>)> {
    let tests = cargo::root().join("tests");
    let python = venv::python(&tests.join("python").join("requirements.txt"))?;
    let readers = READERS.into_iter().map(|(name, oldest, newest)| {
        let requirements = tests.join("readers").join(name).join("requirements.txt");
        venv::python_between(&requirements, oldest, newest)
    });
    Ok((python, readers.collect::<Result<_>>()?))
}

/// Runs the tests of a directory. Shared modules are in `shared`.
fn pytest(python: &Path, tests: &Path, shared: &Path, nnz: &OsStr) -> Result<()> {
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest"]);
    if tests == shared {
        // On all cores: a test runs commands, one after another.
        pytest.args(["--numprocesses", "auto", "--dist", "worksteal"]);
    }
    if tests != shared {
        pytest.args(["-p", "conftest", "-c"]).arg(shared.join("pytest.ini"));
        pytest.arg("--rootdir").arg(tests);
    }
    pytest
        .arg(tests)
        .current_dir(tests)
        .env("NNZ_BIN", nnz)
        .env("PYTHONPATH", shared)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    cargo::run(&mut pytest)
}
