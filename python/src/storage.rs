//! Storages of paths and URLs, with options for URLs.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, PoisonError, RwLock};

use nnz::{Cancellation, Context};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::OrRaise as _;

/// The context of operations, and the token of which their tokens are members. They share the storage of the context,
/// which stops waiting for servers when all operations that run are cancelled.
#[derive(Clone)]
pub(crate) struct Scope {
    context: Context,
    cancellation: Cancellation,
}

impl Scope {
    fn new(context: Context) -> Self {
        let cancellation = Cancellation::new();
        Self { context: context.with_cancellation(cancellation.clone()), cancellation }
    }

    /// Returns the innermost scope that the calling thread of Python has entered, or the scope of the process.
    pub(crate) fn current() -> Self {
        let entered = ENTERED.with_borrow(|entered| entered.last().cloned());
        entered.unwrap_or_else(|| process().read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Returns the context, which is not cancelled while one of its operations is not.
    pub(crate) fn context(&self) -> Context {
        self.context.clone()
    }

    /// Returns a token for an operation.
    pub(crate) fn member(&self) -> Cancellation {
        self.cancellation.member()
    }
}

/// The scope of the process, which functions of the Python module change.
fn process() -> &'static RwLock<Scope> {
    static PROCESS: OnceLock<RwLock<Scope>> = OnceLock::new();
    PROCESS.get_or_init(|| RwLock::new(Scope::new(Context::default())))
}

/// Changes the context of the process.
fn change(with: impl FnOnce(Context) -> nnz::Result<Context>) -> nnz::Result<()> {
    let mut scope = process().write().unwrap_or_else(PoisonError::into_inner);
    *scope = Scope::new(with(scope.context())?);
    Ok(())
}

thread_local! {
    /// The scopes that this thread of Python has entered, the innermost last.
    static ENTERED: RefCell<Vec<Scope>> = const { RefCell::new(Vec::new()) };
}

/// Options for URLs: operations in its `with` block use them.
#[pyclass(frozen, module = "nnz._nnz")]
pub(crate) struct Storage(Scope);

#[pymethods]
impl Storage {
    /// Creates a scope with options by name.
    #[new]
    fn new(py: Python<'_>, options: Vec<(String, String)>) -> PyResult<Self> {
        let context = Scope::current().context().with_storage_options(options).or_raise(py)?;
        Ok(Self(Scope::new(context)))
    }

    fn __enter__(&self) {
        ENTERED.with_borrow_mut(|entered| entered.push(self.0.clone()));
    }

    #[pyo3(signature = (*_raised))]
    #[expect(clippy::unused_self, reason = "Python passes it")]
    fn __exit__(&self, _raised: &Bound<'_, PyTuple>) {
        ENTERED.with_borrow_mut(|entered| drop(entered.pop()));
    }
}

/// Sets the options of URLs for the process.
#[pyfunction]
pub(crate) fn set_storage_options(py: Python<'_>, options: Vec<(String, String)>) -> PyResult<()> {
    change(|context| context.with_storage_options(options)).or_raise(py)
}

/// Sets the directory of temporary files for the process; returns whether it was not set before.
#[pyfunction]
pub(crate) fn set_temporary_directory(py: Python<'_>, directory: PathBuf) -> PyResult<bool> {
    static SET: OnceLock<()> = OnceLock::new();
    // Also if it is refused, what is not a directory is an error of the system.
    let checked = py.detach(|| Context::default().with_temporary_directory(&directory));
    checked.or_raise(py)?;
    if SET.set(()).is_err() {
        return Ok(false);
    }
    py.detach(|| change(|context| context.with_temporary_directory(&directory))).or_raise(py)?;
    Ok(true)
}

/// Returns whether a path is a URL.
#[pyfunction]
pub(crate) fn is_url(path: OsString) -> bool {
    nnz::storage::is_url(Path::new(&path))
}

/// Returns the path of a group in a file: before the query of a URL.
#[pyfunction]
pub(crate) fn within(path: OsString, group: &str) -> OsString {
    let query = nnz::storage::UrlParts::of(&path).map_or(0, |parts| parts.query.len());
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

/// Divides a path with a group after `::` into the path of the file and the group.
#[pyfunction]
pub(crate) fn group_of(path: OsString) -> (OsString, Option<String>) {
    match nnz::Location::parse(path.clone()) {
        nnz::Location::Path { path, group } => (path.into_os_string(), group),
        _ => (path, None),
    }
}

/// Returns a path as it is shown: a URL without user, password and query.
#[pyfunction]
pub(crate) fn without_secrets(path: OsString) -> OsString {
    nnz::storage::without_secrets(Path::new(&path)).into_owned().into_os_string()
}
