//! Spelling.

use std::process::Command;

use crate::cargo::{root, run, runs};
use crate::error::Result;

pub(super) fn missing() -> Option<String> {
    let here = runs(Command::new("typos").arg("--version"));
    (!here).then(|| {
        "no typos here (pip install typos, or cargo install --locked typos-cli)".to_owned()
    })
}

/// Checks all files that git knows; `typos.toml` has the exceptions.
pub(super) fn check() -> Result<()> {
    run(Command::new("typos").current_dir(root()))
}
