//! The step of the Python package: builds, installs and tests its wheel.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use super::venv;
use crate::cargo;
use crate::error::{Error, Result};
use crate::wheel::{self, Build};

/// The oldest and newest Python of the wheels of scanpy's dependencies.
const SCANPY: (venv::Version, venv::Version) = ((3, 11), (3, 12));

/// Tests without the GIL: dependencies of other tests have no wheels for such a Python.
const THREADED: [&str; 5] = [
    "test_processes.py",
    "test_statistics.py",
    "test_writer.py",
    "test_fragment_handles.py",
    "test_interrupts.py",
];

/// Builds the wheel with the development profile, and runs `python/tests` on the oldest and newest Python found, and
/// the tests with scanpy.
pub(crate) fn run() -> Result<()> {
    let tests = tests();
    let pythons = environments()?;
    let python = pythons.first().ok_or_else(|| Error::new("no Python found"))?;
    // One wheel for all of them.
    let wheel = build(python, python)?;
    for python in &pythons {
        wheel::install(python, &wheel)?;
    }
    // At the same time: much of it waits.
    thread::scope(|scope| {
        let runs = pythons.iter().map(|python| {
            let pytest = pytest(python, &[tests.as_os_str()], &tests);
            scope.spawn(move || cargo::run_quietly(pytest))
        });
        let runs: Vec<_> = runs.collect();
        runs.into_iter()
            .try_for_each(|run| run.join().unwrap_or_else(|_| Err(Error::new("pytest: panic"))))
    })?;
    let readers = cargo::root().join("tests").join("readers").join("scanpy");
    let (oldest, newest) = SCANPY;
    match venv::python_between(&readers.join("requirements.txt"), oldest, newest)? {
        Some(python) => {
            wheel::install(&python, &wheel)?;
            cargo::run(&mut pytest(&python, &[tests.join("with_scanpy").as_os_str()], &tests))?;
            // The page for users of scanpy.
            let page = tests.join("test_docs.py");
            let arguments = [page.as_os_str(), OsStr::new("-k"), OsStr::new("scanpy")];
            cargo::run(&mut pytest(&python, &arguments, &tests))
        }
        None => {
            println!(
                "    SKIPPED: python/tests/with_scanpy needs a Python of {}.{} to {}.{}",
                oldest.0, oldest.1, newest.0, newest.1
            );
            Ok(())
        }
    }
}

/// Runs the tests with PyTorch, whose packages take gigabytes.
pub(crate) fn torch() -> Result<()> {
    let tests = tests();
    let maturin = venv::python(&tests.join("requirements.txt"))?;
    let wheel = build(&maturin, &maturin)?;
    let python = venv::python(&tests.join("torch-requirements.txt"))?;
    wheel::install(&python, &wheel)?;
    cargo::run(&mut pytest(&python, &[tests.join("test_torch.py").as_os_str()], &tests))
}

/// Runs the tests of threads, processes and parallel operations on each Python without the GIL.
pub(crate) fn free_threaded() -> Result<()> {
    let tests = tests();
    let pythons = venv::free_threaded(&tests.join("free-threaded-requirements.txt"))?;
    for python in &pythons {
        wheel::install(python, &build(python, python)?)?;
        for file in THREADED {
            cargo::run(&mut pytest(python, &[tests.join(file).as_os_str()], &tests))?;
        }
    }
    Ok(())
}

fn tests() -> PathBuf {
    cargo::root().join("python").join("tests")
}

/// Builds a wheel for an interpreter, in the target directory, which has the built dependencies.
fn build(maturin: &Path, interpreter: &Path) -> Result<PathBuf> {
    let out = cargo::target_directory()?.join("wheels");
    Build { python: maturin, out: &out, release: false, target: None }.run(interpreter)
}

/// Returns the interpreters of the environments of `python/tests`, which are created if needed.
pub(super) fn environments() -> Result<Vec<PathBuf>> {
    venv::oldest_and_newest(&tests().join("requirements.txt"))
}

fn pytest(python: &Path, arguments: &[&OsStr], directory: &Path) -> Command {
    let mut pytest = Command::new(python);
    pytest
        .args(["-m", "pytest"])
        .args(arguments)
        // Not in the directory of the package, whose source would be imported instead of the wheel.
        .current_dir(directory)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    pytest
}
