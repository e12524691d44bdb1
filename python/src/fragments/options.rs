//! Options of writing fragments.

use nnz::formats::values::Packing;
use nnz::fragments::StoreOptions;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::argument;
use crate::options::{compression, flag};

/// Parses the options.
pub(super) fn store(given: &Bound<'_, PyDict>) -> PyResult<StoreOptions> {
    let py = given.py();
    let mut options = StoreOptions::default();
    for (name, value) in given {
        let name: String = name.extract()?;
        if value.is_none() || name == "memory" || name == "threads" {
            continue;
        }
        match &*name {
            "unpacked" => options.packing = flag(&name, &value)?.then_some(Packing::Unpacked),
            "format_version" => {
                let version = value.str()?.to_string().parse();
                let refused = |error| argument(py, format!("format_version: {error}"));
                options.format_version = Some(version.map_err(refused)?);
            }
            "compress" => options.compress = Some(compression(py, &value.extract::<String>()?)?),
            "force" => options.overwrite = flag(&name, &value)?,
            "no_sync" => options.sync = !flag(&name, &value)?,
            _ => return Err(argument(py, format!("fragments have no option {name:?}"))),
        }
    }
    Ok(options)
}
