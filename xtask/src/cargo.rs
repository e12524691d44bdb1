//! Running cargo and other programs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::error::{Error, Result};

/// Returns a command for the cargo that started this program, in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

/// Asks cargo for the target directory.
pub(crate) fn target_directory() -> Result<PathBuf> {
    let mut metadata = cargo();
    metadata.args(["metadata", "--no-deps", "--format-version", "1"]);
    let metadata = output(&mut metadata)?;
    serde_json::from_str::<Value>(&metadata)
        .ok()
        .and_then(|metadata| Some(PathBuf::from(metadata.get("target_directory")?.as_str()?)))
        .ok_or_else(|| Error::new("cargo metadata names no target directory"))
}

/// Builds the `nnz` command, and the tools next to it, with the development profile, and returns
/// its path.
pub(crate) fn build_nnz() -> Result<PathBuf> {
    let mut build = cargo();
    build
        .args(["build", "--package", "nnz-cli", "--bins"])
        .arg("--message-format=json-render-diagnostics");
    output(&mut build)?
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| executable(&message, "nnz"))
        .ok_or_else(|| Error::new("cargo built no executable named nnz"))
}

fn executable(message: &Value, name: &str) -> Option<PathBuf> {
    let target = message.get("target")?.get("name")?.as_str()?;
    let path = message.get("executable")?.as_str()?;
    (target == name).then(|| PathBuf::from(path))
}

/// Runs a command to its end; failure is an error with the command.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| Error::new(format!("cannot start {}: {error}", show(command))))?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::new(format!("{} ended with {status}", show(command))))
    }
}

/// Runs a command to its end and returns what it wrote to standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Error::new(format!("cannot start {}: {error}", show(command))))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Error::new(format!("{} ended with {}", show(command), output.status)))
    }
}

/// Formats a command as it can be typed, without the directory of the program.
fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(program).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
