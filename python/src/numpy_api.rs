//! Loading the C API of NumPy.

use std::thread;

use numpy::{IntoPyArray as _, PyArrayMethods as _};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Loads the C API of NumPy, which the command does not need.
///
/// Otherwise it would be loaded by the first function that needs an array, and an exception of a signal handler, such
/// as `KeyboardInterrupt`, would be a panic there: loading runs Python code. Handlers run in the main thread only, so
/// another thread loads it.
#[pyfunction]
pub(crate) fn load_numpy(py: Python<'_>) -> PyResult<()> {
    let loading = thread::Builder::new().name("nnz".to_owned()).spawn(|| Python::attach(load))?;
    match py.detach(move || loading.join()) {
        Ok(loaded) => loaded,
        // The panic hook has printed why.
        Err(_) => Err(PyRuntimeError::new_err("the C API of NumPy could not be loaded")),
    }
}

/// Creates and borrows an array, for which all parts of the API are loaded that the package uses.
fn load(py: Python<'_>) -> PyResult<()> {
    PyModule::import(py, "numpy")?;
    let array = vec![0_u8].into_pyarray(py);
    array.try_readonly()?;
    Ok(())
}
