//! The packages that cargo would publish: licences, a README and no other files than needed.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cargo::{Package, cargo, metadata, output, published, root, run, target_directory};
use crate::error::{Error, Result};

/// Required keys of each package.
const STATED: [&str; 5] = ["description", "license", "readme", "keywords", "categories"];

/// Makes all packages, builds them unless it has to be quick, and checks what is in them.
pub(super) fn check(quick: bool) -> Result<()> {
    let packages = published()?;
    let mut package = cargo();
    package.args(["package", "--locked", "--allow-dirty", "--quiet"]);
    if quick {
        package.arg("--no-verify");
    }
    for Package { name, .. } in &packages {
        package.args(["--package", name]);
    }
    run(&mut package)?;
    stated(&packages)?;
    let directory = target_directory()?.join("package");
    packages.iter().try_for_each(|package| contents(&directory, package))
}

/// Checks what the manifests state.
fn stated(packages: &[Package]) -> Result<()> {
    let metadata = metadata()?;
    for Package { name, .. } in packages {
        let all = metadata.get("packages").and_then(Value::as_array);
        let found = all
            .into_iter()
            .flatten()
            .find(|found| found.get("name").and_then(Value::as_str) == Some(name));
        for key in STATED {
            let is_stated = match found.and_then(|found| found.get(key)) {
                Some(Value::String(text)) => !text.is_empty(),
                Some(Value::Array(list)) => !list.is_empty(),
                _ => false,
            };
            if !is_stated {
                return Err(Error::new(format!("{name}: Cargo.toml has no {key}")));
            }
        }
    }
    Ok(())
}

/// Checks the files of a package.
fn contents(directory: &Path, package: &Package) -> Result<()> {
    let Package { name, version } = package;
    let (stem, archive) =
        (format!("{name}-{version}"), directory.join(format!("{name}-{version}.crate")));
    let tar =
        |arguments: &[&str]| output(Command::new("tar").args(arguments).current_dir(directory));
    let archive = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let listed = tar(&["-tzf", &archive])?;
    let is_expected = |path: &str| {
        path.starts_with("src/")
            || [
                "LICENSE-MIT",
                "LICENSE-APACHE",
                "README.md",
                "Cargo.toml",
                "Cargo.toml.orig",
                "Cargo.lock",
            ]
            .contains(&path)
            || path == ".cargo_vcs_info.json"
    };
    let inside = format!("{stem}/");
    for path in listed.lines().filter_map(|line| line.strip_prefix(&inside)) {
        if !is_expected(path) {
            return Err(Error::new(format!("{name}: {path} is in the package")));
        }
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        // A link becomes its own text where a checkout has no links.
        let ours = root().join(licence);
        let ours = fs::read_to_string(&ours).map_err(|error| Error::at(&ours, &error))?;
        if tar(&["-xOzf", &archive, &format!("{inside}{licence}")])? != ours {
            return Err(Error::new(format!(
                "{name}: {licence} differs from the file of the repository"
            )));
        }
    }
    let readme = tar(&["-xOzf", &archive, &format!("{inside}README.md")])?;
    if !readme.starts_with(&format!("# {name}\n")) {
        return Err(Error::new(format!("{name}: README.md is for another package")));
    }
    println!("    {stem}: {} files", listed.lines().count());
    Ok(())
}
