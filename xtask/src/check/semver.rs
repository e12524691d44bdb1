//! The public interface, compared with the last release.

use std::process::Command;

use crate::cargo::{Package, cargo, output, published, root, run, runs};
use crate::error::Result;

pub(super) fn missing() -> Option<String> {
    if last_release().is_none() {
        return Some("no release to compare with (no tag v*)".to_owned());
    }
    let here = runs(cargo().args(["semver-checks", "--version"]));
    (!here).then(|| {
        "no cargo-semver-checks here (cargo install --locked cargo-semver-checks)".to_owned()
    })
}

/// Compares all packages with the last tag of a release.
pub(super) fn check() -> Result<()> {
    let mut check = cargo();
    check.arg("semver-checks");
    if let Some(tag) = last_release() {
        check.args(["--baseline-rev", &tag]);
    }
    for Package { name, .. } in published()? {
        check.args(["--package", &name]);
    }
    run(&mut check)
}

/// Returns the last tag of a release.
fn last_release() -> Option<String> {
    let mut git = Command::new("git");
    git.args(["tag", "--list", "v*", "--sort=-version:refname", "--merged"]).current_dir(root());
    let tags = output(&mut git).ok()?;
    tags.lines().next().map(str::to_owned)
}
