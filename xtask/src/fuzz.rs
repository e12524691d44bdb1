//! `cargo xtask fuzz`: random input to parsers.

mod seeds;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::cargo::{cargo, output, root, run as run_command, runs, target_directory};
use crate::error::{Error, Result};

/// The command that installs cargo-fuzz.
pub(crate) const INSTALL: &str = "cargo install --locked cargo-fuzz";

/// Maximum memory of a target in MiB, and maximum time of an input in seconds.
const MEMORY: u32 = 2048;
const TIMEOUT: u32 = 30;

/// Options of fuzzing.
#[derive(Args)]
pub(crate) struct Options {
    /// The target; by default all of them
    target: Option<String>,
    /// Seconds to run each target
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u32,
}

/// Runs the targets, and continues after one has failed.
pub(crate) fn run(options: &Options) -> Result<()> {
    if !installed() {
        return Err(Error::new(format!("cargo-fuzz is not installed: {INSTALL}")));
    }
    let all = targets()?;
    let Some(wanted) = &options.target else {
        let failed: Vec<_> =
            all.iter().filter_map(|target| one(target, options.seconds).err()).collect();
        failed.iter().for_each(|error| println!("{error}"));
        return if failed.is_empty() { Ok(()) } else { Err(Error::new("a target failed")) };
    };
    if !all.contains(wanted) {
        return Err(Error::new(format!("no target {wanted}; expected one of {}", all.join(", "))));
    }
    one(wanted, options.seconds)
}

/// Returns whether cargo-fuzz is installed.
pub(crate) fn installed() -> bool {
    runs(cargo().args(["fuzz", "--version"]))
}

/// Lists the targets by name.
pub(crate) fn targets() -> Result<Vec<String>> {
    let directory = root().join("fuzz").join("fuzz_targets");
    let io = |error| Error::at(&directory, &error);
    let mut names = Vec::new();
    for entry in fs::read_dir(&directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Builds a target and runs it on seeds from the test data and inputs kept by earlier runs.
pub(crate) fn one(target: &str, seconds: u32) -> Result<()> {
    let home = target_directory()?.join("fuzz");
    let program = build(target, &home)?;
    let made = |kind: &str| fresh(&home.join(kind).join(target), kind == "corpus");
    let (corpus, seeds, files) = (made("corpus")?, made("seeds")?, made("files")?);
    let artifacts = fresh(&home.join("artifacts").join(target), true)?;
    seeds::write(target, &seeds)?;
    let mut fuzz = Command::new(program);
    fuzz.args([&corpus, &seeds])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-rss_limit_mb={MEMORY}"))
        .arg(format!("-timeout={TIMEOUT}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args(["-verbosity=0", "-print_funcs=0", "-print_final_stats=1"])
        // Files that a target writes are removed afterwards.
        .env("TMPDIR", &files)
        .current_dir(&files);
    let dictionary = root().join("fuzz").join("dictionaries").join(format!("{target}.dict"));
    if dictionary.exists() {
        fuzz.arg(format!("-dict={}", dictionary.display()));
    }
    let done = run_command(&mut fuzz).map_err(|error| {
        let kept = artifacts.display();
        Error::new(format!("fuzz target {target}: {error}; the input is kept in {kept}"))
    });
    fs::remove_dir_all(&files).map_err(|error| Error::at(&files, &error))?;
    done
}

/// Creates a directory; its content is removed unless it is to be kept.
fn fresh(directory: &Path, keep: bool) -> Result<PathBuf> {
    let io = |error| Error::at(directory, &error);
    if !keep && directory.exists() {
        fs::remove_dir_all(directory).map_err(io)?;
    }
    fs::create_dir_all(directory).map_err(io)?;
    Ok(directory.to_path_buf())
}

/// Builds a target and returns its path. Stable compilers have no address sanitizer.
fn build(target: &str, home: &Path) -> Result<PathBuf> {
    let mut rustc = Command::new("rustc");
    let version = output(rustc.arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Error::new("rustc does not name its host"))?;
    let mut build = cargo();
    build
        .args(["fuzz", "build", "--sanitizer=none", "--fuzz-dir=fuzz"])
        .args(["--target", host, "--target-dir"])
        .arg(home)
        .arg(target);
    run_command(&mut build)?;
    Ok(home.join(host).join("release").join(target))
}
