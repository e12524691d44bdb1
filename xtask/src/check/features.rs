//! Builds of the library with one of its features.

use serde_json::Value;

use crate::cargo::{cargo, metadata, run};
use crate::error::{Error, Result};

/// Checks each feature of `nnz` alone.
pub(super) fn check() -> Result<()> {
    for feature in features()? {
        run(cargo()
            .args(["check", "-p", "nnz", "--lib", "--no-default-features"])
            .args(["--features", &feature]))?;
    }
    Ok(())
}

fn features() -> Result<Vec<String>> {
    let metadata = metadata()?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let nnz = packages
        .into_iter()
        .flatten()
        .find(|package| package.get("name").and_then(Value::as_str) == Some("nnz"));
    let features = nnz.and_then(|nnz| nnz.get("features")?.as_object());
    let features = features.ok_or_else(|| Error::new("cargo metadata lists no features"))?;
    Ok(features.keys().filter(|name| *name != "default").cloned().collect())
}
