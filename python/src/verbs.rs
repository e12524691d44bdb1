//! The verbs of the command, on paths.

mod check;
mod list;
mod write;

use pyo3::prelude::*;

pub(crate) use list::{MemberTuple, listed};

/// Creates the module of the verbs.
pub(crate) fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "verbs")?;
    check::add(&module)?;
    list::add(&module)?;
    write::add(&module)?;
    Ok(module)
}
