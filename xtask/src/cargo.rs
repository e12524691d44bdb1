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

/// Returns the metadata of the workspace.
pub(crate) fn metadata() -> Result<Value> {
    let mut metadata = cargo();
    metadata.args(["metadata", "--no-deps", "--format-version", "1"]);
    serde_json::from_str(&output(&mut metadata)?)
        .map_err(|error| Error::new(format!("cargo metadata: {error}")))
}

/// Returns the target directory, which configuration or environment may set.
pub(crate) fn target_directory() -> Result<PathBuf> {
    let metadata = metadata()?;
    let directory = metadata.get("target_directory").and_then(Value::as_str);
    directory
        .map(PathBuf::from)
        .ok_or_else(|| Error::new("cargo metadata names no target directory"))
}

/// A package of the workspace that is published.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// Lists the packages that are published.
pub(crate) fn published() -> Result<Vec<Package>> {
    let metadata = metadata()?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let text = |package: &Value, key| package.get(key)?.as_str().map(str::to_owned);
    packages
        .into_iter()
        .flatten()
        // `publish = false` is an empty list of registries.
        .filter(|package| package.get("publish").is_none_or(Value::is_null))
        .map(|package| {
            let named = text(package, "name").zip(text(package, "version"));
            let (name, version) = named.ok_or_else(|| Error::new("a package without a name"))?;
            Ok(Package { name, version })
        })
        .collect()
}

/// Returns a command for rustup, run at the root of the workspace.
pub(crate) fn rustup() -> Command {
    let mut command = Command::new("rustup");
    command.current_dir(root());
    command
}

/// Returns whether the standard library of a target is installed.
pub(crate) fn has_target(target: &str) -> bool {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--print", "target-libdir", "--target", target]).current_dir(root());
    output(&mut rustc).is_ok_and(|libdir| Path::new(libdir.trim()).is_dir())
}

/// Returns whether the standard library of a target is installed, or could be now.
pub(crate) fn gets_target(target: &str) -> bool {
    has_target(target)
        || (output(rustup().args(["target", "add", target])).is_ok() && has_target(target))
}

/// Returns whether a program is here and runs, without showing what it prints.
pub(crate) fn runs(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Builds the command `nnz` and the Binsparse tools beside it with the development profile, and
/// returns the path of the command.
pub(crate) fn build_nnz() -> Result<PathBuf> {
    build_nnz_with(&["--package", "nnz-cli", "--bins"])
}

/// Optional features that the tests of the workspace include.
pub(crate) const WORKSPACE_FEATURES: [&str; 2] = ["--features", "nnz-engine/sprs"];

/// Builds the `nnz` command that the tests of the workspace run, and the examples that tests in Python run.
///
/// With the features that all packages and their tests together need, nothing is compiled again.
pub(crate) fn build_nnz_of_workspace() -> Result<PathBuf> {
    let mut arguments = vec!["--workspace", "--bin", "nnz"];
    arguments.extend(WORKSPACE_FEATURES);
    let examples = ["h5_objects", "hdf5_tree", "hdf5_copy", "tree_copy"];
    arguments.extend(examples.iter().flat_map(|name| ["--example", name]));
    build_nnz_with(&arguments)
}

/// Builds the `nnz` command with arguments of Cargo.
pub(crate) fn build_nnz_with(arguments: &[&str]) -> Result<PathBuf> {
    let mut build = cargo();
    build.arg("build").args(arguments).arg("--message-format=json-render-diagnostics");
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

/// Runs a command to its end, and prints its output then; failure is an error with the command.
pub(crate) fn run_quietly(mut command: Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output();
    let output =
        output.map_err(|error| Error::new(format!("cannot start {}: {error}", show(&command))))?;
    println!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::new(format!("{} ended with {}", show(&command), output.status))),
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
