//! Other systems, compiled only.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cargo::{cargo, gets_target, root, run, target_directory};
use crate::error::{Error, Result};
use crate::test::venv;

/// Targets, and what zig calls them: it compiles the C code of libdeflate for each, without any library of
/// that system.
const TARGETS: [(&str, &str); 2] =
    [("x86_64-pc-windows-gnu", "x86_64-windows-gnu"), ("aarch64-apple-darwin", "aarch64-macos")];

pub(super) fn missing() -> Option<String> {
    if cfg!(windows) {
        return Some("the scripts that call zig are for Unix".to_owned());
    }
    let missing = TARGETS.into_iter().find(|(target, _)| !gets_target(target));
    missing
        .map(|(target, _)| format!("no standard library of {target} (rustup target add {target})"))
}

/// Checks programs, libraries and tests for each target. Warnings are errors.
pub(super) fn check() -> Result<()> {
    let python = venv::python(&root().join("python").join("wheel-requirements.txt"))?;
    for (target, name) in TARGETS {
        let compiler = script(&python, target, &format!("cc -target {name}"))?;
        let archiver = script(&python, &format!("{target}-ar"), "ar")?;
        let variable = target.replace('-', "_");
        run(cargo()
            .args(["clippy", "--locked", "--workspace", "--all-targets", "--target", target])
            .args(["--", "-D", "warnings"])
            .env(format!("CC_{variable}"), compiler)
            .env(format!("AR_{variable}"), archiver)
            // The flags that other compilers need for a target.
            .env("CRATE_CC_NO_DEFAULTS", "1"))?;
    }
    Ok(())
}

/// Writes a script that calls zig.
fn script(python: &Path, name: &str, arguments: &str) -> Result<PathBuf> {
    let directory = target_directory()?.join("zig");
    fs::create_dir_all(&directory).map_err(|error| Error::at(&directory, &error))?;
    let path = directory.join(name);
    let text = format!("#!/bin/sh\nexec '{}' -m ziglang {arguments} \"$@\"\n", python.display());
    fs::write(&path, text).map_err(|error| Error::at(&path, &error))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
            .map_err(|error| Error::at(&path, &error))?;
    }
    Ok(path)
}
