//! The machine of the measurements.

use std::fs;
use std::process::Command;

use super::tools::Tools;
use crate::cargo;
use crate::error::Result;

/// The script that prints versions in the environment of the other programs.
const VERSIONS: &str = "
import platform
from importlib.metadata import version
names = ['numpy', 'scipy', 'fast_matrix_market', 'bpcells']
versions = [f'{name} {version(name)}' for name in names]
print(f'Python {platform.python_version()}', *versions, sep=', ')
";

/// Returns processor, cores, memory, kernel, load, and the versions of all contenders.
pub(super) fn facts(tools: &Tools) -> Result<String> {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "?".to_owned());
    let memory = field("/proc/meminfo", "MemTotal").unwrap_or_else(|| "?".to_owned());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_else(|_| "?".to_owned());
    let load = load.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    let kernel = cargo::output(Command::new("uname").args(["-s", "-r", "-m"]))
        .unwrap_or_else(|_| std::env::consts::OS.to_owned());
    let rustc = cargo::output(Command::new("rustc").arg("--version"))?;
    let nnz = cargo::output(Command::new(&tools.nnz).arg("--version"))?;
    let peers = cargo::output(Command::new(&tools.python).args(["-c", VERSIONS]))?;
    let [kernel, rustc, nnz, peers] = [kernel, rustc, nnz, peers].map(|t| t.trim().to_owned());
    Ok(format!(
        "{processor}, {cores} cores, {memory} of memory, {kernel}\n{nnz}, {rustc}\n{peers}\n\
         load before the first run: {load}\n"
    ))
}

/// Returns a field of a file of lines `NAME : TEXT`.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
