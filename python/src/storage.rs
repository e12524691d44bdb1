//! Storages of paths and URLs, with options for URLs.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;

use nnz::{EnteredStorage, StorageScope};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::OrRaise as _;

thread_local! {
    /// The scopes that this thread of Python has entered, the innermost last.
    static ENTERED: RefCell<Vec<(StorageScope, EnteredStorage)>> = const { RefCell::new(Vec::new()) };
}

/// Options for URLs: operations in its `with` block use them.
#[pyclass(frozen, module = "nnz._nnz")]
pub(crate) struct Storage(StorageScope);

#[pymethods]
impl Storage {
    /// Creates a scope with options by name.
    #[new]
    fn new(py: Python<'_>, options: Vec<(String, String)>) -> PyResult<Self> {
        nnz::check_storage_options(&options).or_raise(py)?;
        Ok(Self(StorageScope::new(options)))
    }

    fn __enter__(&self) {
        ENTERED.with_borrow_mut(|entered| entered.push((self.0.clone(), self.0.enter())));
    }

    #[pyo3(signature = (*_raised))]
    #[expect(clippy::unused_self, reason = "Python passes it")]
    fn __exit__(&self, _raised: &Bound<'_, PyTuple>) {
        ENTERED.with_borrow_mut(|entered| drop(entered.pop()));
    }
}

/// Returns an operation that uses the options of the calling thread, on whichever thread it runs.
pub(crate) fn in_storage<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let scope = ENTERED.with_borrow(|entered| entered.last().map(|(scope, _)| scope.clone()));
    move || {
        let _entered = scope.as_ref().map(StorageScope::enter);
        work()
    }
}

/// Sets the options of URLs for the process.
#[pyfunction]
pub(crate) fn set_storage_options(py: Python<'_>, options: Vec<(String, String)>) -> PyResult<()> {
    nnz::check_storage_options(&options).or_raise(py)?;
    nnz::set_storage_options(options);
    Ok(())
}

/// Returns whether a path is a URL.
#[pyfunction]
pub(crate) fn is_url(path: OsString) -> bool {
    nnz::is_url(Path::new(&path))
}

/// Returns the path of a group in a file: before the query of a URL.
#[pyfunction]
pub(crate) fn within(path: OsString, group: &str) -> OsString {
    let query = nnz::UrlParts::of(&path).map_or(0, |parts| parts.query.len());
    // A URL is UTF-8, and has its query at its end.
    match path.to_str().and_then(|text| text.split_at_checked(text.len().checked_sub(query)?)) {
        Some((file, query)) => format!("{file}::{group}{query}").into(),
        None => {
            let mut whole = path;
            whole.push(format!("::{group}"));
            whole
        }
    }
}

/// Returns a path as it is shown: a URL without user, password and query.
#[pyfunction]
pub(crate) fn without_secrets(path: OsString) -> OsString {
    nnz::without_secrets(Path::new(&path)).into_owned().into_os_string()
}
