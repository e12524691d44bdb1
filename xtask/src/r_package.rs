//! `cargo xtask r-package`: the source package of R with all of its crates, which is built without a network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde_json::Value;

use crate::cargo;
use crate::error::{Error, Result};

/// Options of making the package.
#[derive(Args)]
pub(crate) struct Options {
    /// Output directory [default: r-package in the target directory].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also run R CMD check --as-cran, which builds the package
    #[arg(long)]
    check: bool,
}

/// Makes the package, and checks it on request.
pub(crate) fn run(options: &Options) -> Result<()> {
    let out = match &options.out {
        Some(out) => out.clone(),
        None => cargo::target_directory()?.join("r-package"),
    };
    let package = out.join("nnz");
    // What an earlier run made is replaced as a whole.
    let _ = fs::remove_dir_all(&package);
    let root = cargo::root();
    copy_listed(&root, "r", &package)?;
    let rust = package.join("src").join("rust");
    let crates = crates(&root.join("r/src/rust/Cargo.toml"))?;
    for directory in &crates {
        copy_listed(
            &root,
            &format!("crates/{directory}"),
            &rust.join("nnz/crates").join(directory),
        )?;
    }
    edit(
        &rust.join("Cargo.toml"),
        &rust.join("Cargo.toml"),
        &[
            ("[workspace]\n", "[workspace]\nexclude = [\"nnz\"]\n"),
            ("../../../crates/", "nnz/crates/"),
        ],
    )?;
    edit(
        &root.join("Cargo.toml"),
        &rust.join("nnz/Cargo.toml"),
        &[
            (
                "members = [\"benches/api\", \"crates/*\", \"xtask\"]\n",
                "members = [\"crates/*\"]\n",
            ),
            ("exclude = [\"fuzz\", \"python\", \"r\"]\n", ""),
            ("default-members = [\"crates/nnz-cli\"]\n", ""),
        ],
    )?;
    vendor(&rust)?;
    cargo::run(
        Command::new("R").args(["CMD", "build", "--no-build-vignettes", "nnz"]).current_dir(&out),
    )?;
    let _ = fs::remove_dir_all(&package);
    let built = archive(&out)?;
    println!("{}", built.display());
    if options.check {
        let mut check = Command::new("R");
        check.args(["CMD", "check", "--as-cran", "--no-manual"]).arg(&built).current_dir(&out);
        // Tests with files of the repository are skipped, as at CRAN.
        cargo::run(check.env("LC_ALL", "C.UTF-8").env("_R_CHECK_FORCE_SUGGESTS_", "false"))?;
    }
    Ok(())
}

/// Copies the files of a directory that git lists, and licences that are links.
fn copy_listed(root: &Path, directory: &str, to: &Path) -> Result<()> {
    let mut list = Command::new("git");
    list.args(["ls-files", "--cached", "--others", "--exclude-standard", directory]);
    let listed = cargo::output(list.current_dir(root))?;
    // Tests of the crates need the data of the repository.
    let skipped = format!("{directory}/tests/");
    for path in listed.lines().filter(|path| directory == "r" || !path.starts_with(&skipped)) {
        let inner = path.strip_prefix(directory).unwrap_or(path).trim_start_matches('/');
        let target = to.join(inner);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| failed(parent, &error))?;
        }
        fs::copy(root.join(path), &target).map_err(|error| failed(&target, &error))?;
    }
    Ok(())
}

/// Returns the directories of the crates of this repository that a package needs.
fn crates(manifest: &Path) -> Result<Vec<String>> {
    let mut metadata = cargo::cargo();
    metadata.args(["metadata", "--locked", "--format-version", "1", "--manifest-path"]);
    let metadata: Value = serde_json::from_str(&cargo::output(metadata.arg(manifest))?)
        .map_err(|error| Error::new(format!("cargo metadata: {error}")))?;
    let packages = metadata.get("packages").and_then(Value::as_array).into_iter().flatten();
    let local = packages.filter(|package| package.get("source").is_none_or(Value::is_null));
    let name = |package: &Value| Some(package.get("name")?.as_str()?.to_owned());
    let directories: Vec<String> = local.filter_map(name).filter(|name| name != "nnz-r").collect();
    Ok(directories)
}

/// Copies a file with changes, each of which has to apply.
fn edit(from: &Path, to: &Path, edits: &[(&str, &str)]) -> Result<()> {
    let mut text = fs::read_to_string(from).map_err(|error| failed(from, &error))?;
    for (before, after) in edits {
        if !text.contains(before) {
            return Err(Error::new(format!("{}: no {before:?}", from.display())));
        }
        text = text.replace(before, after);
    }
    fs::write(to, text).map_err(|error| failed(to, &error))
}

/// Adds the configuration of cargo that uses vendored sources, and an archive of these and of the crates of this repository, which have
/// directories named `check`, that R leaves out.
fn vendor(rust: &Path) -> Result<()> {
    let mut vendor = cargo::cargo();
    vendor.args(["vendor", "--locked", "--quiet", "vendor"]).current_dir(rust);
    let config = cargo::output(&mut vendor)?;
    let file = rust.join("vendor-config.toml");
    fs::write(&file, config).map_err(|error| failed(&file, &error))?;
    let packed = ["vendor", "nnz"];
    cargo::run(Command::new("tar").args(["-cJf", "vendor.tar.xz"]).args(packed).current_dir(rust))?;
    for name in packed {
        let directory = rust.join(name);
        fs::remove_dir_all(&directory).map_err(|error| failed(&directory, &error))?;
    }
    Ok(())
}

/// Returns the archive that R has made.
fn archive(out: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(out).map_err(|error| failed(out, &error))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_archive = |path: &PathBuf| path.to_string_lossy().ends_with(".tar.gz");
    paths.filter(is_archive).max().ok_or_else(|| Error::new("R CMD build made no archive"))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(format!("{}: {error}", path.display()))
}
