//! Virtual environments in the target directory.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo::{run, target_directory};
use crate::error::{Error, Result};

/// The first two numbers of a version of Python.
pub(crate) type Version = (u32, u32);

/// The oldest Python with wheels of our pinned packages, and the newest with wheels of BPCells.
const OLDEST: Version = (3, 10);
const NEWEST: Version = (3, 12);

/// Interpreters to try, in this order, unless `NNZ_PYTHON` is set; interpreters of pyenv come after them.
const INTERPRETERS: [&str; 7] =
    ["python3", "python3.12", "python3.11", "python3.10", "python", "python3.13", "python3.14"];

/// Interpreters without the GIL. PyO3 supports them from 3.14 on.
const FREE_THREADED: [&str; 1] = ["python3.14t"];

/// The script that prints the version, and whether environments with pip can be created.
const PROBE: &str = "
import sys
from importlib.util import find_spec
able = find_spec('venv') is not None and find_spec('ensurepip') is not None
print(*sys.version_info[:3], int(able))
";

/// The path of the interpreter of an environment.
#[cfg(windows)]
const PYTHON: [&str; 2] = ["Scripts", "python.exe"];
#[cfg(not(windows))]
const PYTHON: [&str; 2] = ["bin", "python"];

/// Returns the interpreter of an environment with the given requirements, which is created if
/// needed.
///
/// The name of the environment is a hash of the requirements and the interpreter, so that a change
/// of either creates a new one.
pub(crate) fn python(requirements: &Path) -> Result<PathBuf> {
    environment(requirements, &choose()?)
}

/// Returns the interpreter of such an environment; `None` if there is no Python in the range of versions.
pub(crate) fn python_between(
    requirements: &Path,
    oldest: Version,
    newest: Version,
) -> Result<Option<PathBuf>> {
    let fits = |found: &Interpreter| found.able && (oldest..=newest).contains(&found.minor());
    let found = candidates().into_iter().find(fits);
    found.map(|interpreter| environment(requirements, &interpreter)).transpose()
}

/// Returns the interpreters of environments for the oldest and newest Python found, or of one if there is only
/// one.
pub(crate) fn oldest_and_newest(requirements: &Path) -> Result<Vec<PathBuf>> {
    let mut found = candidates();
    found.retain(|interpreter| interpreter.able && interpreter.minor() >= OLDEST);
    // The first of equal versions is used.
    found.sort_by_key(Interpreter::minor);
    found.dedup_by_key(|interpreter| interpreter.minor());
    if found.len() > 2 {
        found.drain(1..found.len() - 1);
    }
    if found.is_empty() {
        // The error has the reason.
        return Ok(vec![environment(requirements, &choose()?)?]);
    }
    found.iter().map(|interpreter| environment(requirements, interpreter)).collect()
}

/// Returns whether there is a Python without the GIL.
pub(crate) fn has_free_threaded() -> bool {
    FREE_THREADED.iter().any(|name| probe(&OsString::from(name)).is_some_and(|found| found.able))
}

/// Returns the interpreters of environments for each Python without the GIL.
pub(crate) fn free_threaded(requirements: &Path) -> Result<Vec<PathBuf>> {
    let found = FREE_THREADED.iter().filter_map(|name| probe(&OsString::from(name)));
    let able = found.filter(|interpreter| interpreter.able);
    able.map(|interpreter| environment(requirements, &interpreter)).collect()
}

fn environment(requirements: &Path, interpreter: &Interpreter) -> Result<PathBuf> {
    let wanted =
        fs::read_to_string(requirements).map_err(|error| Error::at(requirements, &error))?;
    let mut hasher = DefaultHasher::new();
    (&wanted, &interpreter.program, interpreter.version).hash(&mut hasher);
    let directory = target_directory()?.join(format!("python-{:016x}", hasher.finish()));
    let python = PYTHON.iter().fold(directory.clone(), |path, part| path.join(part));
    let complete = directory.join("complete");
    if complete.exists() {
        return Ok(python);
    }
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(|error| Error::at(&directory, &error))?;
    }
    println!("    making {}", directory.display());
    run(Command::new(&interpreter.program).args(["-m", "venv"]).arg(&directory))?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(["--no-input", "--only-binary=:all:", "--requirement"])
        .arg(requirements))?;
    fs::write(&complete, &wanted).map_err(|error| Error::at(&complete, &error))?;
    Ok(python)
}

/// An interpreter of this machine.
struct Interpreter {
    program: OsString,
    version: (u32, u32, u32),
    /// Whether it has `venv` and `ensurepip`, which Debian packages separately.
    able: bool,
}

impl Interpreter {
    fn minor(&self) -> Version {
        (self.version.0, self.version.1)
    }
}

/// Selects the first interpreter that can run all tests, otherwise the first that can run some.
fn choose() -> Result<Interpreter> {
    let mut found = candidates();
    found.retain(|interpreter| interpreter.minor() >= OLDEST);
    if let Some(best) = found.iter().position(|i| i.able && i.minor() <= NEWEST) {
        return Ok(found.swap_remove(best));
    }
    if let Some(some) = found.iter().position(|i| i.able) {
        let interpreter = found.swap_remove(some);
        println!(
            "    note: BPCells has no wheel for Python {}.{}: its tests will be skipped \
             (NNZ_PYTHON can name an interpreter of {}.{} to {}.{})",
            interpreter.version.0, interpreter.version.1, OLDEST.0, OLDEST.1, NEWEST.0, NEWEST.1
        );
        return Ok(interpreter);
    }
    Err(Error::new(if found.is_empty() {
        format!("no Python of {}.{} or newer found (NNZ_PYTHON can name one)", OLDEST.0, OLDEST.1)
    } else {
        "Python is here, but cannot make a virtual environment: on Debian and Ubuntu, \
         `apt install python3-venv`"
            .to_owned()
    }))
}

fn candidates() -> Vec<Interpreter> {
    match env::var_os("NNZ_PYTHON") {
        Some(named) => probe(&named).into_iter().collect(),
        None => {
            let names = INTERPRETERS.iter().map(OsString::from);
            names.chain(pyenv()).filter_map(|program| probe(&program)).collect()
        }
    }
}

/// Returns the interpreters that pyenv has installed, which are on the path only where one is selected.
fn pyenv() -> Vec<OsString> {
    let root = env::var_os("PYENV_ROOT").map(PathBuf::from);
    let root = root.or_else(|| env::home_dir().map(|home| home.join(".pyenv")));
    let versions = root.and_then(|root| fs::read_dir(root.join("versions")).ok());
    let mut found: Vec<_> = versions
        .into_iter()
        .flatten()
        .filter_map(|version| Some(version.ok()?.path().join("bin").join("python3")))
        .map(PathBuf::into_os_string)
        .collect();
    found.sort();
    found
}

/// Returns the version of a program if it is a Python.
fn probe(program: &OsString) -> Option<Interpreter> {
    let mut command = Command::new(program);
    command.args(["-c", PROBE]).stdin(Stdio::null()).stderr(Stdio::null());
    let answer = command.output().ok().filter(|output| output.status.success())?;
    let answer = String::from_utf8(answer.stdout).ok()?;
    let numbers: Vec<u32> = answer.split_whitespace().map_while(|n| n.parse().ok()).collect();
    let [major, minor, patch, able] = numbers[..] else {
        return None;
    };
    Some(Interpreter { program: program.clone(), version: (major, minor, patch), able: able == 1 })
}
