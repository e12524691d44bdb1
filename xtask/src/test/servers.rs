//! Tests of URLs on servers that others make: moto as S3, Azurite as Azure and nginx.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::venv;
use crate::cargo;
use crate::error::Result;

/// The version for Node.js 20.
const AZURITE: &str = "azurite@3.35.0";

/// The time for installing it.
const PATIENCE: Duration = Duration::from_secs(300);

/// Builds the command and runs the tests of `tests/servers`. Servers that are not installed are skipped.
pub(crate) fn run() -> Result<()> {
    let tests = cargo::root().join("tests").join("servers");
    let python = venv::python(&tests.join("requirements.txt"))?;
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest"]).arg(&tests).current_dir(&tests);
    pytest.env(
        "NNZ_BIN",
        cargo::build_nnz_with(&["--package", "nnz-cli", "--bins", "--features", "remote"])?,
    );
    pytest.env("PYTHONDONTWRITEBYTECODE", "1");
    match azurite(&cargo::target_directory()?.join("azurite")) {
        Some(program) => {
            pytest.env("NNZ_AZURITE", program);
        }
        None => println!("    SKIPPED: {AZURITE} could not be installed with npm"),
    }
    cargo::run(&mut pytest)
}

/// Installs Azurite in a directory, unless it is there, and returns its program.
fn azurite(directory: &Path) -> Option<PathBuf> {
    let program = directory.join("node_modules/azurite/dist/src/blob/main.js");
    if program.is_file() {
        return Some(program);
    }
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]);
    npm.arg("--prefix").arg(directory).arg(AZURITE);
    npm.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut npm = npm.spawn().ok()?;
    let started = Instant::now();
    loop {
        match npm.try_wait().ok()? {
            Some(status) => return (status.success() && program.is_file()).then_some(program),
            None if started.elapsed() > PATIENCE => {
                let _ = npm.kill();
                let _ = npm.wait();
                return None;
            }
            None => thread::sleep(Duration::from_millis(200)),
        }
    }
}
