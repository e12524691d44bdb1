//! Options and summaries of writing fragments.

use nnz::formats::values::Packing;
use nnz::fragments::{FragmentSummary, StoreOptions};
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

/// Converts a summary.
pub(super) fn summary<'py>(
    py: Python<'py>,
    done: &FragmentSummary,
) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    made.set_item("fragments", done.fragments)?;
    made.set_item("chromosomes", done.chromosomes)?;
    made.set_item("cells", done.cells)?;
    made.set_item("bytes_before", done.bytes_before)?;
    made.set_item("bytes_after", done.bytes_after)?;
    made.set_item("disk", done.disk)?;
    made.set_item("seconds", done.seconds)?;
    made.set_item("dropped", &done.dropped)?;
    made.set_item("notes", &done.notes)?;
    Ok(made)
}
