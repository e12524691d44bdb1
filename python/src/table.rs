//! An open table, and writing tables in memory.

mod memory_frame;

use std::ffi::OsString;
use std::ops::Range;
use std::sync::Arc;

use nnz::frames::{self, FrameBatch, FrameSource};
use nnz::{Error, ErrorKind, Place, Values};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::arrow::{self, ArrayData, Batches, Field, StreamReader};
use crate::error::{OrRaise as _, argument};
use crate::source::location;
use crate::{arrays, options, summary, task};
use memory_frame::MemoryFrame;

/// Bytes of a batch of a stream, unless one row is larger.
const BATCH: u64 = 16 << 20;

/// A table.
#[pyclass(frozen, module = "nnz._nnz")]
pub(crate) struct TableSource {
    inner: Arc<FrameSource>,
    /// Its place in messages.
    place: Place,
}

impl TableSource {
    pub(crate) fn new(inner: FrameSource, place: Place) -> Self {
        Self { inner: Arc::new(inner), place }
    }

    fn check_columns(&self, py: Python<'_>, cols: &[usize]) -> PyResult<()> {
        match cols.iter().find(|col| **col >= self.inner.columns().len()) {
            Some(col) => Err(argument(py, format!("column {col} does not exist"))),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl TableSource {
    /// Number of rows.
    #[getter]
    fn rows(&self) -> u64 {
        self.inner.rows()
    }

    /// Labels of the columns, and names of their types in NumPy.
    #[getter]
    fn columns(&self) -> Vec<(String, &'static str)> {
        let columns = self.inner.columns().iter();
        columns.map(|c| (c.label.clone(), arrays::dtype_name(c.value_type))).collect()
    }

    /// Describes the format: name, container, version and bytes.
    fn about(&self) -> (String, String, Option<String>, Option<u64>) {
        let about = self.inner.about();
        (about.format, about.container, about.version, about.bytes)
    }

    /// Reads ranges of rows of some columns into an array for each column.
    #[pyo3(signature = (rows, cols, memory_limit=None))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<(u64, u64)>,
        cols: Vec<usize>,
        memory_limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.check_columns(py, &cols)?;
        let (inner, place) = (Arc::clone(&self.inner), self.place.clone());
        let rows: Vec<Range<u64>> = rows.into_iter().map(|(start, end)| start..end).collect();
        let read =
            task::run(py, None, crate::options::limits(py, memory_limit, None)?, move |context| {
                let check = || context.check();
                let read = read(&inner, &rows, &cols, context.memory(), &place, &check);
                read.map_err(|error| error.with_context(&place))
            })?;
        let made = PyList::empty(py);
        for values in read {
            made.append(arrays::from_values(py, values, 0)?)?;
        }
        Ok(made)
    }

    /// Returns an Arrow stream of ranges of rows of some columns.
    fn stream<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<(u64, u64)>,
        cols: Vec<usize>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.check_columns(py, &cols)?;
        let columns = self.inner.columns();
        let field = |&col: &usize| Field::numbers(&columns[col].label, columns[col].value_type);
        let fields = cols.iter().map(field).collect::<nnz::Result<_>>().or_raise(py)?;
        let rows: Vec<Range<u64>> = rows.into_iter().map(|(start, end)| start..end).collect();
        let batches = batches(Arc::clone(&self.inner), rows, cols, self.place.clone());
        arrow::export(py, Field::rows(fields), batches)
    }

    /// Writes the whole table to a location.
    #[pyo3(signature = (path, given, progress=None))]
    fn write<'py>(
        &self,
        py: Python<'py>,
        path: OsString,
        given: &Bound<'py, PyDict>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (options, target) = (options::frame(given)?, location(path));
        let (inner, place) = (Arc::clone(&self.inner), self.place.clone());
        let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
            let mut rows = inner.batches(0..inner.rows())?;
            let written = frames::write(&mut *rows, &target, &options, context);
            written.map_err(|error| error.with_context(&place))
        })?;
        summary::of_conversion(py, &done.into())
    }
}

/// Reads ranges of rows of some columns.
fn read(
    frame: &FrameSource,
    rows: &[Range<u64>],
    cols: &[usize],
    limit: u64,
    place: &Place,
    check: &dyn Fn() -> nnz::Result<()>,
) -> nnz::Result<Vec<Values>> {
    let count = rows
        .iter()
        .try_fold(0_u64, |sum, rows| sum.checked_add(rows.end.saturating_sub(rows.start)));
    let types = || cols.iter().map(|&col| frame.columns()[col].value_type);
    let row: u64 = types().map(|value_type| value_type.size() as u64).sum();
    let needed = count.and_then(|count| count.checked_mul(row)).unwrap_or(u64::MAX);
    let refused = || Error::new(ErrorKind::Memory { needed, allowed: limit }, place.clone());
    if needed > limit {
        return Err(refused());
    }
    if cols.is_empty() {
        return Ok(Vec::new());
    }
    let count = count.and_then(|count| usize::try_from(count).ok()).ok_or_else(refused)?;
    let mut read = Vec::with_capacity(cols.len());
    for value_type in types() {
        let mut values = Values::try_zeroed(value_type, count).ok_or_else(refused)?;
        // Keeps its allocation.
        values.clear();
        read.push(values);
    }
    let mut batch = FrameBatch::default();
    for rows in rows {
        let mut reader = frame.batches(rows.clone())?;
        while reader.next_batch(&mut batch)? {
            check()?;
            for (into, &col) in read.iter_mut().zip(cols) {
                let values = &batch.columns[col];
                into.extend_from(values, 0..values.len().unwrap_or(0));
            }
        }
    }
    Ok(read)
}

/// Reads ranges of rows of some columns in batches.
fn batches(
    frame: Arc<FrameSource>,
    rows: Vec<Range<u64>>,
    cols: Vec<usize>,
    place: Place,
) -> Batches {
    let row: u64 = cols.iter().map(|&col| frame.columns()[col].value_type.size() as u64).sum();
    let together = BATCH.checked_div(row).map_or(u64::MAX, |rows| rows.max(1));
    let mut waiting = rows.into_iter();
    let mut rows = 0..0;
    Box::new(move || {
        while rows.is_empty() {
            match waiting.next() {
                Some(next) => rows = next,
                None => return Ok(None),
            }
        }
        let end = rows.end.min(rows.start.saturating_add(together));
        let count = end - rows.start;
        let refused = || {
            let needed = count.saturating_mul(row);
            Error::new(ErrorKind::Memory { needed, allowed: BATCH }, place.clone())
        };
        let length = usize::try_from(count).map_err(|_| refused())?;
        let part = rows.start..end;
        let read = read(&frame, std::slice::from_ref(&part), &cols, u64::MAX, &place, &|| Ok(()));
        let read = read.map_err(|error| error.with_context(&place))?;
        rows.start = end;
        let columns = read.into_iter().map(ArrayData::numbers).collect();
        Ok(Some(ArrayData::rows(length, columns)))
    })
}

/// Writes the rows of an Arrow stream, given as a capsule, as a table.
#[pyfunction]
#[pyo3(signature = (capsule, path, given, progress=None))]
pub(crate) fn write_stream<'py>(
    py: Python<'py>,
    capsule: &Bound<'py, PyAny>,
    path: OsString,
    given: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (options, target) = (options::frame(given)?, location(path));
    let mut rows = StreamReader::new(capsule)?;
    let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
        frames::write(&mut rows, &target, &options, context)
            .map_err(|error| error.with_context(&Place::path("the Arrow stream")))
    })?;
    summary::of_conversion(py, &done.into())
}

/// Writes columns in memory, which have this number of rows, as a table.
#[pyfunction]
#[pyo3(signature = (columns, rows, path, given, progress=None))]
pub(crate) fn write_table<'py>(
    py: Python<'py>,
    columns: Vec<(String, Bound<'py, PyAny>)>,
    rows: u64,
    path: OsString,
    given: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut read = Vec::with_capacity(columns.len());
    for (label, array) in columns {
        read.push((label, arrays::to_values(&array)?));
    }
    let mut frame = MemoryFrame::new(read, rows).or_raise(py)?;
    let (options, target) = (options::frame(given)?, location(path));
    let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
        frames::write(&mut frame, &target, &options, context)
            .map_err(|error| error.with_context(&Place::path("the table in memory")))
    })?;
    summary::of_conversion(py, &done.into())
}
