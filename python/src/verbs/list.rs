//! Lists of formats, and of the members of a file.

use std::ffi::OsString;

use nnz::formats::{list, list_members, other_groups};
use nnz::{Location, OpenOptions};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::source::location;
use crate::task;

/// Adds the functions of this file to a module.
pub(super) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(default_memory, module)?)?;
    module.add_function(wrap_pyfunction!(formats, module)?)?;
    module.add_function(wrap_pyfunction!(groups, module)?)?;
    module.add_function(wrap_pyfunction!(members, module)?)
}

/// Lists the formats that are read and written.
#[pyfunction]
fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let made = PyList::empty(py);
    for format in list() {
        let names = |kinds: &[nnz::formats::DatasetKind]| -> Vec<String> {
            kinds.iter().map(ToString::to_string).collect()
        };
        let one = PyDict::new(py);
        one.set_item("name", format.name.as_str())?;
        one.set_item("aliases", format.aliases)?;
        one.set_item("extensions", format.extensions)?;
        one.set_item("summary", format.summary)?;
        one.set_item("reads", names(format.reads))?;
        one.set_item("writes", names(format.writes))?;
        let options: Vec<(&str, &str)> =
            format.options.iter().map(|option| (option.name, option.help)).collect();
        one.set_item("options", options)?;
        let options: Vec<(&str, &str)> =
            format.read_options.iter().map(|option| (option.name, option.help)).collect();
        one.set_item("read_options", options)?;
        made.append(one)?;
    }
    Ok(made)
}

/// The path of a member, its shape, kind and value type.
pub(crate) type MemberTuple = (String, Vec<u64>, String, String);

/// Lists the members of a file with several matrices or tables: path, shape, kind and value type.
#[pyfunction]
fn members(py: Python<'_>, path: OsString) -> PyResult<Vec<MemberTuple>> {
    let location = location(path);
    let found = task::run_detached(py, task::Limits::default(), move |context| {
        list_members(&location, &OpenOptions::new(), context)
            .map_err(|error| error.with_context(&location.source_place()))
    })?;
    Ok(found.into_iter().map(listed).collect())
}

pub(crate) fn listed(member: nnz::formats::Member) -> MemberTuple {
    (member.path, member.shape, member.kind, member.value_type)
}

/// Lists the groups of a file that a format marks as its own, except the root.
#[pyfunction]
fn groups(py: Python<'_>, path: OsString) -> PyResult<Vec<String>> {
    let Location::Path { path, .. } = location(path) else { return Ok(Vec::new()) };
    let root = Location::Path { path, group: Some(String::new()) };
    task::run_detached(py, task::Limits::default(), move |context| {
        other_groups(&root, &OpenOptions::new(), context)
    })
}

/// Returns the default memory limit in bytes.
#[pyfunction]
fn default_memory(py: Python<'_>) -> u64 {
    py.detach(nnz::engine::default_memory)
}
