//! The step of the Python package: its wheel is built, installed and tested.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::venv;
use crate::cargo;
use crate::error::{Error, Result};

/// Builds the wheel with the development profile, installs it into an environment and runs `python/tests`.
pub(crate) fn run() -> Result<()> {
    let package = cargo::root().join("python");
    let tests = package.join("tests");
    let python = venv::python(&tests.join("requirements.txt"))?;
    let wheel = build(&python, &package)?;
    let mut install = Command::new(&python);
    install
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"])
        .args(["--force-reinstall", "--no-deps", "--no-index"])
        .arg(&wheel);
    cargo::run(&mut install)?;
    let mut pytest = Command::new(&python);
    pytest
        .args(["-m", "pytest"])
        .arg(&tests)
        // Not beside the package, whose source would be imported in place of the wheel.
        .current_dir(&tests)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    cargo::run(&mut pytest)
}

/// Builds the wheel in the target directory, which has what is built of the library's own dependencies.
fn build(python: &Path, package: &Path) -> Result<PathBuf> {
    let target = cargo::target_directory()?;
    let wheels = target.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).map_err(|error| Error::at(&wheels, &error))?;
    }
    let mut maturin = Command::new(python);
    maturin
        .args(["-m", "maturin", "build", "--quiet", "--locked", "--compatibility", "linux"])
        .arg("--interpreter")
        .arg(python)
        .arg("--target-dir")
        .arg(&target)
        .arg("--out")
        .arg(&wheels)
        .current_dir(package);
    cargo::run(&mut maturin)?;
    let built = fs::read_dir(&wheels).map_err(|error| Error::at(&wheels, &error))?;
    let mut paths = built.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .find(|path| path.extension() == Some(OsStr::new("whl")))
        .ok_or_else(|| Error::new("maturin built no wheel"))
}
