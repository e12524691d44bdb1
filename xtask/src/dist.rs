//! `cargo xtask dist`: an archive of the programs for each target.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::cargo;
use crate::error::{Error, Result};
use crate::test::venv;
use crate::wheel::path_with;

/// Packages with programs.
const PACKAGES: [&str; 2] = ["nnz-cli", "nnz-binsparse-tools"];

/// Files of an archive beside the programs.
const FILES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// The oldest glibc that Linux programs run on, as for the wheels.
const GLIBC: &str = "2.17";

/// Which archive to build.
#[derive(Args)]
pub(crate) struct Options {
    /// The target, as rustc calls it [default: this machine].
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// Where to put it [default: dist in the target directory].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Builds the programs and packs them into `nnz-VERSION-TARGET.tar.gz`, or `.zip` for Windows.
pub(crate) fn run(options: &Options) -> Result<()> {
    let target = match &options.target {
        Some(target) => target.clone(),
        None => host()?,
    };
    if !cargo::gets_target(&target) {
        let what =
            format!("{target}: its standard library is not here (rustup target add {target})");
        return Err(Error::new(what));
    }
    let out = match &options.out {
        Some(out) => out.clone(),
        None => cargo::target_directory()?.join("dist"),
    };
    let programs = build(&target)?;
    let name = format!("nnz-{}-{target}", version()?);
    let directory = out.join(&name);
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(|error| Error::at(&directory, &error))?;
    }
    fs::create_dir_all(&directory).map_err(|error| Error::at(&directory, &error))?;
    let files = FILES.map(|file| cargo::root().join(file));
    for file in programs.iter().chain(&files) {
        let to = directory.join(file.file_name().unwrap_or_default());
        fs::copy(file, &to).map_err(|error| Error::at(file, &error))?;
    }
    let archive = pack(&out, &name, &target)?;
    fs::remove_dir_all(&directory).map_err(|error| Error::at(&directory, &error))?;
    println!("{}", archive.display());
    Ok(())
}

/// Builds the programs and returns their paths.
fn build(target: &str) -> Result<Vec<PathBuf>> {
    let linux = target.contains("linux-gnu");
    let mut build = cargo::cargo();
    if linux {
        // With zig as the linker, which knows the symbols of each version of glibc.
        let requirements = cargo::root().join("xtask").join("dist-requirements.txt");
        let python = venv::python(&requirements)?;
        build.env("PATH", path_with(python.parent())?);
        // As for wheels.
        build.env("CFLAGS_x86_64_unknown_linux_gnu", "-mevex512");
        build.args(["zigbuild", "--target", &format!("{target}.{GLIBC}")]);
    } else {
        build.args(["build", "--target", target]);
    }
    build.args(["--release", "--locked", "--bins", "--config", "profile.release.strip=true"]);
    for package in PACKAGES {
        build.args(["--package", package]);
    }
    cargo::run(&mut build)?;
    let suffix = if target.contains("windows") { ".exe" } else { "" };
    let directory = cargo::target_directory()?.join(target).join("release");
    names()?
        .iter()
        .map(|name| {
            let path = directory.join(format!("{name}{suffix}"));
            if path.is_file() {
                Ok(path)
            } else {
                Err(Error::new(format!("{} was not built", path.display())))
            }
        })
        .collect()
}

/// Returns the names of the programs.
fn names() -> Result<Vec<String>> {
    let metadata = cargo::metadata()?;
    let list = |value: &serde_json::Value, key: &str| {
        value.get(key).and_then(|list| list.as_array().cloned()).unwrap_or_default()
    };
    let is = |value: &serde_json::Value, key: &str, texts: &[&str]| {
        value.get(key).and_then(serde_json::Value::as_str).is_some_and(|text| texts.contains(&text))
    };
    let packages = list(&metadata, "packages");
    let targets = packages.iter().filter(|package| is(package, "name", &PACKAGES));
    let targets = targets.flat_map(|package| list(package, "targets"));
    let programs = targets.filter(|target| list(target, "kind").iter().any(|kind| kind == "bin"));
    let names = programs.filter_map(|target| Some(target.get("name")?.as_str()?.to_owned()));
    Ok(names.collect())
}

fn version() -> Result<String> {
    let nnz = cargo::published()?.into_iter().find(|package| package.name == "nnz");
    nnz.map(|nnz| nnz.version).ok_or_else(|| Error::new("there is no package nnz"))
}

/// Returns the target of this machine.
fn host() -> Result<String> {
    let text = cargo::output(Command::new("rustc").arg("-vV").current_dir(cargo::root()))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Error::new("rustc names no host"))
}

/// Packs a directory beside it.
fn pack(out: &Path, name: &str, target: &str) -> Result<PathBuf> {
    let (extension, flags) = match target.contains("windows") {
        // The tar of Windows chooses the format by the extension.
        true => ("zip", "-acf"),
        false => ("tar.gz", "-czf"),
    };
    let archive = format!("{name}.{extension}");
    let arguments: [OsString; 3] = [flags.into(), archive.clone().into(), name.into()];
    cargo::run(Command::new("tar").args(arguments).current_dir(out))?;
    Ok(out.join(archive))
}
