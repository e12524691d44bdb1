//! `cargo xtask wheel`: wheels of the Python package, including the command.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::cargo;
use crate::error::{Error, Result};
use crate::test::venv;

/// The default targets, as far as their standard library is installed or can be installed.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// Options of building wheels.
#[derive(Args)]
pub(crate) struct Options {
    /// Target, as named by rustc; can be repeated [default: x86_64-unknown-linux-gnu, and
    /// aarch64-unknown-linux-gnu if rustup has it]
    #[arg(long, value_name = "TRIPLE")]
    target: Vec<String>,
    /// Interpreters without the GIL, which need a separate wheel each
    #[arg(long, value_name = "PYTHON")]
    free_threaded: Vec<PathBuf>,
    /// Also make the source distribution.
    #[arg(long)]
    sdist: bool,
    /// Output directory [default: wheels in the target directory].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Builds release wheels that run on every Linux with glibc 2.17, or with musl where a target says so; wheels for macOS
/// and Windows are built there.
pub(crate) fn run(options: &Options) -> Result<()> {
    let out = match &options.out {
        Some(out) => out.clone(),
        None => cargo::target_directory()?.join("wheels"),
    };
    let python = venv::python(&cargo::root().join("python").join("wheel-requirements.txt"))?;
    let named = options.target.iter().map(String::as_str);
    let targets: Vec<&str> =
        if options.target.is_empty() { TARGETS.to_vec() } else { named.collect() };
    let mut built = Vec::new();
    for target in targets {
        if !cargo::gets_target(target) {
            let what = format!(
                "{target}: its standard library is not installed (rustup target add {target})"
            );
            // A given target must be available.
            if !options.target.is_empty() {
                return Err(Error::new(what));
            }
            println!("skipped  {what}");
            continue;
        }
        let portable = Build { python: &python, out: &out, release: true, target: Some(target) };
        built.push(portable.run(&python)?);
        for interpreter in &options.free_threaded {
            built.push(portable.run(interpreter)?);
        }
    }
    if options.sdist {
        let mut maturin = Command::new(&python);
        maturin.args(["-m", "maturin", "sdist", "--quiet", "--out"]).arg(absolute(&out)?);
        cargo::run(maturin.current_dir(cargo::root().join("python")))?;
    }
    for wheel in &built {
        println!("{}", wheel.display());
    }
    match built.is_empty() {
        true => Err(Error::new("no wheel could be built")),
        false => Ok(()),
    }
}

/// Returns a path that means the same in every directory.
fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| Error::at(path, &error))
}

/// Options of a build.
pub(crate) struct Build<'a> {
    /// An interpreter with maturin.
    pub(crate) python: &'a Path,
    /// The directory of wheels.
    pub(crate) out: &'a Path,
    pub(crate) release: bool,
    /// The target of a wheel for other machines; without one, the wheel is for this machine.
    pub(crate) target: Option<&'a str>,
}

impl Build<'_> {
    /// Builds the wheel for an interpreter and returns its path.
    pub(crate) fn run(&self, interpreter: &Path) -> Result<PathBuf> {
        // An empty directory shows which wheel was built.
        let made = absolute(self.out)?.join("new");
        if made.exists() {
            fs::remove_dir_all(&made).map_err(|error| Error::at(&made, &error))?;
        }
        let mut maturin = Command::new(self.python);
        maturin
            .args(["-m", "maturin", "build", "--quiet", "--locked"])
            .arg("--interpreter")
            .arg(interpreter)
            .arg("--target-dir")
            .arg(cargo::target_directory()?)
            .arg("--out")
            .arg(&made)
            .current_dir(cargo::root().join("python"));
        let linux = self.target.filter(|target| target.contains("linux"));
        if linux.is_some() {
            // zig is a module of that environment. Its linker is a script that looks for it again by the name
            // `python3`, so that the environment comes first.
            maturin.env("PATH", path_with(self.python.parent())?);
            // zig disables 512-bit registers unless they are enabled by name, also in the kernels of libdeflate
            // that are compiled for AVX-512 and selected at run time. The flag itself changes no other code.
            maturin.env("CFLAGS_x86_64_unknown_linux_gnu", "-mevex512");
        }
        if self.release {
            maturin.arg("--release");
        }
        match (self.target, linux) {
            (None, _) if cfg!(target_os = "linux") => maturin.args(["--compatibility", "linux"]),
            (None, _) => &mut maturin,
            // zig is the linker: it has the symbols of each version of glibc.
            (_, Some(target)) if target.ends_with("-gnu") => {
                maturin.args(["--zig", "--compatibility", "manylinux2014", "--target", target])
            }
            (_, Some(target)) => maturin.args(["--zig", "--target", target]),
            // macOS and Windows, with the compiler of the system.
            (Some(target), None) => maturin.args(["--target", target]),
        };
        cargo::run(&mut maturin)?;
        let found = fs::read_dir(&made).map_err(|error| Error::at(&made, &error))?;
        let mut paths = found.filter_map(|entry| Some(entry.ok()?.path()));
        let wheel = paths
            .find(|path| path.extension() == Some(OsStr::new("whl")))
            .ok_or_else(|| Error::new("maturin built no wheel"))?;
        let kept = self.out.join(wheel.file_name().unwrap_or_default());
        fs::rename(&wheel, &kept).map_err(|error| Error::at(&kept, &error))?;
        Ok(kept)
    }
}

/// Returns the search path with a directory before all others.
pub(crate) fn path_with(first: Option<&Path>) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = first.map(Path::to_owned).into_iter().chain(env::split_paths(&path));
    env::join_paths(directories).map_err(|error| Error::new(format!("PATH: {error}")))
}

/// Installs a wheel into an environment, replacing an older one.
pub(crate) fn install(python: &Path, wheel: &Path) -> Result<()> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"])
        .args(["--force-reinstall", "--no-deps", "--no-index"])
        .arg(wheel);
    cargo::run(&mut pip)
}
