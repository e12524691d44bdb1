//! An open tensor.

use std::ffi::OsString;
use std::sync::Arc;

use bytemuck::allocation::cast_vec;
use nnz::tensor::TensorFile;
use nnz::{Header, Place};
use numpy::IntoPyArray as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::OrRaise as _;
use crate::source::location;
use crate::{arrays, options, summary, task};

/// A tensor: of no dimensions, or of three or more.
#[pyclass(frozen, module = "nnz._nnz")]
pub(crate) struct TensorSource {
    inner: Arc<TensorFile>,
    header: Header,
    /// Its place in messages.
    place: Place,
}

impl TensorSource {
    pub(crate) fn new(inner: TensorFile, header: Header, place: Place) -> Self {
        Self { inner: Arc::new(inner), header, place }
    }
}

#[pymethods]
impl TensorSource {
    /// The length of each dimension.
    #[getter]
    fn shape(&self) -> Vec<u64> {
        self.inner.descriptor().shape.clone()
    }

    /// Number of stored entries.
    #[getter]
    fn nnz(&self) -> u64 {
        self.inner.descriptor().stored
    }

    /// Name of the value type in NumPy.
    #[getter]
    fn dtype(&self) -> &'static str {
        arrays::dtype_name(self.header.value_type)
    }

    /// The levels of its format, as in the option of targets.
    #[getter]
    fn levels(&self) -> String {
        self.inner.descriptor().layout.to_string()
    }

    /// The fill value in an array of one; `None` for zero.
    #[getter]
    fn fill<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.header.fill.map(|fill| arrays::from_values(py, fill.repeat(1), 1)).transpose()
    }

    /// Describes the format: name, container, version and bytes.
    fn about(&self, py: Python<'_>) -> PyResult<(String, String, Option<String>, Option<u64>)> {
        let about = py.detach(|| self.inner.about()).or_raise(py)?;
        Ok((about.format, about.container, about.version, about.bytes))
    }

    /// Reads all entries: indices along each dimension, and values.
    #[pyo3(signature = (memory_limit=None))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        memory_limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyAny>)> {
        let (inner, place) = (Arc::clone(&self.inner), self.place.clone());
        let tensor =
            task::run(py, None, crate::options::limits(py, memory_limit, None)?, move |context| {
                let read = inner.cancellable(context.cancellation()).read(context.memory());
                read.map_err(|error| error.with_context(&place))
            })?;
        let entries = tensor.len();
        let coordinates = PyList::empty(py);
        for (list, extent) in tensor.coordinates.into_iter().zip(tensor.shape) {
            match i64::try_from(extent) {
                Ok(_) => {
                    let signed: Vec<i64> = cast_vec(list);
                    coordinates.append(signed.into_pyarray(py))?;
                }
                Err(_) => coordinates.append(list.into_pyarray(py))?,
            }
        }
        Ok((coordinates, arrays::from_values(py, tensor.values, entries)?))
    }

    /// Reads all elements, in row-major order.
    #[pyo3(signature = (memory_limit=None))]
    fn read_dense<'py>(
        &self,
        py: Python<'py>,
        memory_limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (inner, place) = (Arc::clone(&self.inner), self.place.clone());
        let values =
            task::run(py, None, crate::options::limits(py, memory_limit, None)?, move |context| {
                let read = inner.cancellable(context.cancellation()).read_dense(context.memory());
                read.map_err(|error| error.with_context(&place))
            })?;
        arrays::from_values(py, values, 0)
    }

    /// Writes the tensor to a location.
    #[pyo3(signature = (path, given, progress=None))]
    fn write<'py>(
        &self,
        py: Python<'py>,
        path: OsString,
        given: &Bound<'py, PyDict>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (options, target) = (options::convert(given)?, location(path));
        let inner = Arc::clone(&self.inner);
        let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
            inner.convert(target, &options, context)
        })?;
        summary::of_conversion(py, &done)
    }
}
