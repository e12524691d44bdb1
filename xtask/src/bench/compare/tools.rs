//! The measured programs.

use std::env::consts::EXE_EXTENSION;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cargo;
use crate::error::{Error, Result};
use crate::test::venv;

/// Paths of the programs.
pub(super) struct Tools {
    /// The `nnz` command.
    pub(super) nnz: PathBuf,
    /// The program that times single calls of the library.
    pub(super) measure: PathBuf,
    /// A Python with the other programs.
    pub(super) python: PathBuf,
    /// A Python with anndata and scanpy.
    pub(super) scanpy: PathBuf,
}

impl Tools {
    /// Finds our programs in a directory or builds them with the release profile, and creates
    /// environments for the others.
    pub(super) fn find(folder: Option<&Path>) -> Result<Self> {
        let python = venv::python(&benches().join("peers").join("requirements.txt"))?;
        let readers = cargo::root().join("tests").join("readers");
        let scanpy = venv::python(&readers.join("scanpy").join("requirements.txt"))?;
        if let Some(folder) = folder {
            let folder = folder.canonicalize().map_err(|error| Error::at(folder, &error))?;
            let program = |name: &str| folder.join(name).with_extension(EXE_EXTENSION);
            return Ok(Self {
                nnz: program("nnz"),
                measure: program("nnz-measure"),
                python,
                scanpy,
            });
        }
        let mut build = cargo::cargo();
        build
            .args(["build", "--release", "--package", "nnz-cli", "--package", "nnz-measure"])
            // Only this program: linking takes long.
            .args(["--bin", "nnz", "--bin", "nnz-measure"])
            .arg("--message-format=json-render-diagnostics");
        let messages = cargo::output(&mut build)?;
        Ok(Self {
            nnz: built(&messages, "nnz")?,
            measure: built(&messages, "nnz-measure")?,
            python,
            scanpy,
        })
    }

    /// Returns the path of a program of `benches/rows.txt`.
    pub(super) fn program(&self, name: &str) -> Option<&Path> {
        Some(match name {
            "nnz" => &self.nnz,
            "nnz-measure" => &self.measure,
            "python" => &self.python,
            "scanpy" => &self.scanpy,
            _ => return None,
        })
    }
}

/// Returns the directory of inputs and scripts.
pub(super) fn benches() -> PathBuf {
    cargo::root().join("benches")
}

/// Finds an executable in the output of cargo.
fn built(messages: &str, name: &str) -> Result<PathBuf> {
    let executable = |message: &Value| {
        let path = Path::new(message.get("executable")?.as_str()?).to_path_buf();
        (message.get("target")?.get("name")?.as_str()? == name).then_some(path)
    };
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let found = messages.filter_map(|message| executable(&message)).next();
    found.ok_or_else(|| Error::new(format!("cargo built no executable named {name}")))
}
