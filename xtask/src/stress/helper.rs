//! A Python process that modifies HDF5 files with h5py.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::cargo::root;
use crate::error::{Error, Result};

/// The process of `tests/stress/hdf5.py`.
#[derive(Debug)]
pub(super) struct Helper(Mutex<Pipes>);

#[derive(Debug)]
struct Pipes {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

/// The result of adding datasets with h5py.
#[derive(Debug, Default)]
pub(super) struct AddedDatasets {
    pub(super) added: Vec<String>,
    pub(super) refused: Vec<String>,
    /// The file was replaced while h5py opened it, before anything was written.
    pub(super) replaced: Vec<String>,
}

impl Helper {
    /// Starts the process.
    pub(super) fn start(python: &Path) -> Result<Self> {
        let script = root().join("tests").join("stress").join("hdf5.py");
        let io = |error| Error::at(&script, &error);
        let mut command = Command::new(python);
        command.arg(&script).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        let mut child = command.spawn().map_err(io)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.ok_or_else(|| Error::new("no pipes to the helper"))?;
        let stdout = BufReader::new(stdout);
        Ok(Self(Mutex::new(Pipes { child, stdin: Some(stdin), stdout })))
    }

    fn ask(&self, request: &Value) -> Result<Value> {
        let mut pipes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = |_| Error::new("the helper of h5py has ended");
        let stdin = pipes.stdin.as_mut().ok_or_else(|| Error::new("the helper is closed"))?;
        writeln!(stdin, "{request}").and_then(|()| stdin.flush()).map_err(gone)?;
        let mut line = String::new();
        pipes.stdout.read_line(&mut line).map_err(gone)?;
        let answer: Value = serde_json::from_str(&line)
            .map_err(|error| Error::new(format!("unexpected answer of h5py {line:?}: {error}")))?;
        match (answer.get("done"), answer.get("error")) {
            (Some(done), _) => Ok(done.clone()),
            (None, Some(error)) => Err(Error::new(format!("h5py: {error}"))),
            _ => Err(Error::new(format!("unexpected answer of h5py {line:?}"))),
        }
    }

    /// Creates a file with objects of many kinds.
    pub(super) fn make(&self, path: &str) -> Result<()> {
        self.ask(&json!({ "do": "make", "path": path })).map(drop)
    }

    /// Lists all objects of a file with a hash of their content.
    pub(super) fn digest(&self, path: &str) -> Result<BTreeMap<String, String>> {
        let answer = self.ask(&json!({ "do": "digest", "path": path }))?;
        let objects = answer.as_object().into_iter().flatten();
        Ok(objects.map(|(name, hash)| (name.clone(), hash.to_string())).collect())
    }

    /// Adds datasets in sequence.
    pub(super) fn add(&self, path: &str, names: &[String], pause: f64) -> Result<AddedDatasets> {
        let request = json!({ "do": "add", "path": path, "names": names, "pause": pause });
        let answer = self.ask(&request)?;
        let list = |name: &str| strings(answer.get(name));
        let (added, refused, replaced) = (list("added"), list("refused"), list("replaced"));
        Ok(AddedDatasets { added, refused, replaced })
    }

    /// Lists added datasets that are missing in the file.
    pub(super) fn lost(&self, path: &str, names: &[String]) -> Result<Vec<String>> {
        let answer = self.ask(&json!({ "do": "lost", "path": path, "names": names }))?;
        Ok(strings(Some(&answer)))
    }
}

fn strings(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|item| item.as_str().map(ToOwned::to_owned)).collect()
}

impl Drop for Helper {
    fn drop(&mut self) {
        let pipes = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        // It exits at the end of its input.
        drop(pipes.stdin.take());
        let _ = pipes.child.wait();
    }
}
