//! The oldest Rust that the workspace compiles with.

use std::env;
use std::process::Command;

use serde_json::Value;

use crate::cargo::{metadata, output, run, rustup, target_directory};
use crate::error::{Error, Result};

/// How the oldest Rust can be run here.
enum Toolchain {
    /// It runs this.
    Current,
    /// By this name of rustup.
    Installed(String),
}

pub(super) fn missing() -> Option<String> {
    find().err().map(|error| error.to_string())
}

pub(super) fn check() -> Result<()> {
    match find()? {
        Toolchain::Current => {
            println!("    the Rust that runs this is the oldest: all tests are compiled with it");
            Ok(())
        }
        Toolchain::Installed(name) => {
            let mut check = rustup();
            for set_by_cargo in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
                check.env_remove(set_by_cargo);
            }
            check.args(["run", &name, "cargo", "check", "--locked", "--workspace"]);
            check.args(["--all-targets", "--target-dir"]);
            run(check.arg(target_directory()?.join("msrv")))
        }
    }
}

fn find() -> Result<Toolchain> {
    let oldest = oldest()?;
    let is_oldest = |version: &str| {
        let rest = version.strip_prefix(&oldest);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let current = output(rustc.arg("--version")).unwrap_or_default();
    if current.split_whitespace().nth(1).is_some_and(is_oldest) {
        return Ok(Toolchain::Current);
    }
    let installed = output(rustup().args(["toolchain", "list"])).unwrap_or_default();
    let names = installed.lines().filter_map(|line| line.split_whitespace().next());
    names.into_iter().find(|name| is_oldest(name)).map_or_else(
        || Err(Error::new(format!("no Rust {oldest} here (rustup toolchain install {oldest})"))),
        |name| Ok(Toolchain::Installed(name.to_owned())),
    )
}

/// Returns the version that all packages state.
fn oldest() -> Result<String> {
    let metadata = metadata()?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let mut stated: Vec<_> = packages
        .into_iter()
        .flatten()
        .map(|package| package.get("rust_version").and_then(Value::as_str))
        .collect();
    stated.dedup();
    match stated[..] {
        [Some(version)] => Ok(version.to_owned()),
        _ => Err(Error::new(format!("the packages state several versions of Rust: {stated:?}"))),
    }
}
