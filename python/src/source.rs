//! A matrix that is open, or made of others.

use nnz::Context;
use std::ffi::OsString;
use std::ops::Range;
use std::sync::Arc;

use nnz::engine::compute::{PearsonOptions, ValueKind, pearson_residuals, ranks, regress_out};
use nnz::engine::{Filter, FilteredAxis, NameCache, Observed, Slice, Transposed};
use nnz::matrix::{AxisKind, Placed, Storage, Structure};
use nnz::output::DuplicatePolicy;
use nnz::{
    Axis, CsMatrix, Error, Header, Location, MatrixSource, Order, Place, ReadOptions, Selection,
    Shape, StatsOptions, Values,
};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyTuple};

use crate::arrays::vector;
use crate::arrow::{self, ArrayData, Field};
use crate::error::{IN_MEMORY, OrRaise as _, argument, exception};
use crate::part::{ComplexPart, PartOf};
use crate::view::View;
use crate::{arrays, columns, compute, options, reading, select, stats, summary, task};

/// `indptr`, indices, data and the order.
type CsArrays<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, &'static str);

/// Positions of rows and of columns, `None` for all, and notes.
type Positions<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>, Vec<String>);

/// A matrix.
#[pyclass(frozen, module = "nnz._nnz")]
pub(crate) struct Source {
    inner: Arc<dyn MatrixSource>,
    names: Arc<NameCache>,
}

/// Returns the positions in ranges, if they are some of all.
fn positions<'py>(
    py: Python<'py>,
    ranges: &[Range<u64>],
    is_some: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !is_some {
        return Ok(None);
    }
    let all: Vec<u64> = ranges.iter().cloned().flatten().collect();
    let count = all.len();
    arrays::from_values(py, Values::U64(all), count).map(Some)
}

/// Parses a storage order.
pub(crate) fn order(py: Python<'_>, name: &str) -> PyResult<Order> {
    match name {
        "row" => Ok(Order::Row),
        "col" => Ok(Order::Col),
        _ => Err(argument(py, format!("order {name:?}: expected \"row\" or \"col\""))),
    }
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Row => "row",
        Order::Col => "col",
    }
}

/// Parses a path, possibly with a group after `::`. Standard input is not a path.
pub(crate) fn location(path: OsString) -> Location {
    match Location::parse(path) {
        Location::Stream => Location::Path { path: "-".into(), group: None },
        found => found,
    }
}

impl Source {
    pub(crate) fn new(inner: Arc<dyn MatrixSource>) -> Self {
        Self { inner, names: Arc::default() }
    }

    pub(crate) fn inner(&self) -> Arc<dyn MatrixSource> {
        Arc::clone(&self.inner)
    }

    fn header(&self) -> &Header {
        self.inner.header()
    }

    fn counted(
        &self,
        py: Python<'_>,
        options: StatsOptions,
        progress: Option<&Bound<'_, PyAny>>,
        limits: task::Limits,
    ) -> PyResult<nnz::engine::Stats> {
        let inner = self.inner();
        task::run(py, progress, limits, move |context| {
            let observed = Observed::new(&*inner, "reading", context.progress());
            nnz::engine::stats(&observed, &options, context)
        })
    }
}

#[pymethods]
impl Source {
    /// Opens the matrix of a location.
    #[staticmethod]
    #[pyo3(signature = (path, memory_limit=None, reading=None))]
    fn open(
        py: Python<'_>,
        path: OsString,
        memory_limit: Option<&Bound<'_, PyAny>>,
        reading: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let location = location(path);
        let (options, limits) = reading::open_options(py, memory_limit, reading)?;
        let inner = task::run_detached(py, limits, move |context| {
            let opened = options.open(&location, context).and_then(nnz::Dataset::into_matrix);
            opened.map_err(|error| error.with_context(&location.source_place()))
        })?;
        Ok(Self::new(inner.into()))
    }

    /// Creates a matrix from copies of arrays.
    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        shape: (u64, u64),
        by: &str,
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let shape = Shape { rows: shape.0, cols: shape.1 };
        let pointers: Vec<i64> = arrays::vector(indptr)?;
        let minors = arrays::to_minors(indices)?;
        let values = arrays::to_values(data)?;
        let order = order(py, by)?;
        let made = py.detach(move || {
            CsMatrix::from_parts(shape, order, pointers, minors, values)?.into_source()
        });
        let source = made.or_raise(py)?;
        Ok(Self::new(Arc::new(Placed::new(source, Place::path(IN_MEMORY[0])))))
    }

    /// Number of rows and columns.
    #[getter]
    fn shape(&self) -> (u64, u64) {
        let Shape { rows, cols } = self.header().shape;
        (rows, cols)
    }

    /// Number of stored entries, if known.
    #[getter]
    fn nnz(&self) -> Option<u64> {
        self.header().nnz
    }

    /// Name of the value type in NumPy.
    #[getter]
    fn dtype(&self) -> &'static str {
        arrays::dtype_name(self.header().value_type)
    }

    /// Storage order.
    #[getter]
    fn order(&self) -> &'static str {
        order_name(self.header().order)
    }

    /// Kinds of the axes.
    #[getter]
    fn axis_kinds(&self) -> (Option<&'static str>, Option<&'static str>) {
        let name = |kind| match kind {
            AxisKind::Cells => Some("cells"),
            AxisKind::Features => Some("features"),
            AxisKind::Unknown => None,
        };
        let [rows, cols] = self.header().axis_kinds;
        (name(rows), name(cols))
    }

    /// Structure: how entries follow from stored ones.
    #[getter]
    fn structure(&self) -> Option<String> {
        let structure = self.header().structure;
        (structure != Structure::General).then(|| structure.to_string())
    }

    /// Whether any range of rows or columns can be read on its own.
    #[getter]
    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    /// Describes the format: name, container, version and bytes.
    fn about(&self, py: Python<'_>) -> PyResult<(String, String, Option<String>, Option<u64>)> {
        let about = py.detach(|| self.inner.about()).or_raise(py)?;
        Ok((about.format, about.container, about.version, about.bytes))
    }

    /// Names of an axis.
    fn names<'py>(&self, py: Python<'py>, axis: &str) -> PyResult<Option<Bound<'py, PyList>>> {
        let axis = select::axis_of(py, axis, || Ok(self.header().axis_kinds))?;
        let (inner, place) = (self.inner(), self.inner.place());
        let names = task::run(py, None, task::Limits::default(), move |context| {
            let read = columns::read_names(&*inner, axis, context);
            read.map_err(|error| error.with_context(&place))
        })?;
        names.map(|names| columns::from_strings(py, &names)).transpose()
    }

    /// Finds the positions of names on an axis, as an array of `uint64`. What is not a name is looked up in the
    /// annotations.
    fn find_names<'py>(
        &self,
        py: Python<'py>,
        axis: &str,
        names: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let axis = select::axis_of(py, axis, || Ok(self.header().axis_kinds))?;
        let wanted = columns::to_strings(names)?;
        let (inner, cache) = (self.inner(), Arc::clone(&self.names));
        let found = task::run_detached(py, task::Limits::default(), move |_| {
            let found = cache.find(&*inner, axis, &wanted);
            found.map_err(|error| error.with_context(&inner.place()))
        })?;
        let count = found.len();
        arrays::from_values(py, Values::U64(found), count)
    }

    /// Columns of the annotations of an axis, and their types.
    fn annotation_types(&self, py: Python<'_>, axis: &str) -> PyResult<Vec<(String, String)>> {
        let axis = select::axis_of(py, axis, || Ok(self.header().axis_kinds))?;
        let table = self.inner.annotations(axis).or_raise(py)?;
        Ok(table.map_or_else(Vec::new, |table| columns::infos(&*table)))
    }

    /// Annotations of an axis, all or those with the names in `wanted`; empty if there are none.
    #[pyo3(signature = (axis, wanted=None))]
    fn annotations<'py>(
        &self,
        py: Python<'py>,
        axis: &str,
        wanted: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let axis = select::axis_of(py, axis, || Ok(self.header().axis_kinds))?;
        let (inner, place) = (self.inner(), self.inner.place());
        let read = task::run(py, None, task::Limits::default(), move |context| {
            let columns = match inner.annotations(axis) {
                Ok(Some(table)) => columns::read(&*table, wanted.as_deref(), context),
                Ok(None) => Ok(Vec::new()),
                Err(error) => Err(error),
            };
            columns.map_err(|error| error.with_context(&place))
        })?;
        let made = PyList::empty(py);
        for (name, column) in read {
            made.append(columns::from_column(py, name, column)?)?;
        }
        Ok(made)
    }

    /// Returns an Arrow stream of the names and annotations of an axis, in one batch. Names have the column name
    /// `label`.
    fn annotations_stream<'py>(
        &self,
        py: Python<'py>,
        axis: &str,
        label: String,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let axis = select::axis_of(py, axis, || Ok(self.header().axis_kinds))?;
        let length = usize::try_from(self.header().shape.len(axis));
        let length = length.map_err(|_| argument(py, format!("too many {axis} for memory")))?;
        let (inner, place) = (self.inner(), self.inner.place());
        let (fields, columns) = task::run(py, None, task::Limits::default(), move |context| {
            let read = read_annotations(&*inner, axis, &label, context);
            read.map_err(|error| error.with_context(&place))
        })?;
        let mut rows = Some(ArrayData::rows(length, columns));
        arrow::export(py, Field::rows(fields), Box::new(move || Ok(rows.take())))
    }

    /// Returns the transposed matrix.
    fn transposed(&self) -> Self {
        let inner = Transposed::new(Box::new(Arc::clone(&self.inner)));
        Self::new(Arc::new(inner))
    }

    /// Returns the real or the imaginary part of a matrix of complex numbers.
    fn part(&self, py: Python<'_>, name: &str) -> PyResult<Self> {
        let part = match name {
            "real" => ComplexPart::Real,
            "imag" => ComplexPart::Imaginary,
            _ => return Err(argument(py, format!("part {name:?}: expected \"real\" or \"imag\""))),
        };
        let inner = PartOf::new(Arc::clone(&self.inner), part);
        Ok(Self::new(Arc::new(inner)))
    }

    /// Selects rows and columns: unique positions in an array of `uint64`, or all.
    #[pyo3(signature = (rows=None, cols=None))]
    fn select(
        &self,
        py: Python<'_>,
        rows: Option<&Bound<'_, PyAny>>,
        cols: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let [rows, cols] = [rows, cols].map(|given| match given {
            Some(given) => select::selection(given, true).map(|found| found.allow_empty(true)),
            None => Ok(Selection::all()),
        });
        self.sliced(py, rows?, cols?)
    }

    /// Selects rows, columns, cells and features, as [`slice`](fn@crate::verbs::slice) does.
    fn select_all(
        &self,
        py: Python<'_>,
        selected: select::SelectionArgs<'_>,
        allow_empty: bool,
    ) -> PyResult<Self> {
        let kinds = || Ok(self.header().axis_kinds);
        let [rows, cols] = select::axes(py, selected, allow_empty, kinds)?;
        self.sliced(py, rows, cols)
    }

    /// Unusual but valid properties.
    fn notes(&self) -> Vec<String> {
        self.inner.notes()
    }

    /// Sets names, annotations and kinds of rows and columns.
    #[pyo3(signature = (names, tables, kinds=None))]
    fn described(
        &self,
        py: Python<'_>,
        names: [Option<Bound<'_, PyAny>>; 2],
        tables: [Option<Bound<'_, PyAny>>; 2],
        kinds: Option<[Option<String>; 2]>,
    ) -> PyResult<Self> {
        let mut view = View::new(Arc::clone(&self.inner));
        if let Some(kinds) = kinds {
            let kind = |name: Option<String>| match name.as_deref() {
                Some("cells") => AxisKind::Cells,
                Some("features") => AxisKind::Features,
                _ => AxisKind::Unknown,
            };
            view = view.with_header(|header| header.axis_kinds = kinds.map(kind));
        }
        for (axis, (names, table)) in
            [Axis::Rows, Axis::Cols].into_iter().zip(names.iter().zip(&tables))
        {
            let len = self.header().shape.len(axis);
            let mut labels = nnz::matrix::StringList::new();
            if let Some(names) = names {
                let names = columns::to_strings(names)?;
                if names.len() != len {
                    let what = format!("{} names for {len} {axis}", names.len());
                    return Err(argument(py, what));
                }
                view.set_names(axis, names.clone());
                labels = names;
            }
            if let Some(table) = table {
                if labels.is_empty() {
                    labels = (0..len).map(|number| number.to_string()).collect();
                }
                view.set_table(axis, columns::to_table(labels, table)?);
            }
        }
        Ok(Self::new(Arc::new(view)))
    }

    /// Number of entries before a row or column, if known without reading entries.
    fn stored_before(&self, py: Python<'_>, major: u64) -> PyResult<Option<u64>> {
        // It may request pointers from a server.
        py.detach(|| self.inner.stored_before(major)).or_raise(py)
    }

    /// Reads all entries: `indptr`, indices, data, and the storage order.
    #[pyo3(signature = (by=None, duplicates=None, memory_limit=None, workers=None))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        by: Option<&str>,
        duplicates: Option<&str>,
        memory_limit: Option<&Bound<'_, PyAny>>,
        workers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<CsArrays<'py>> {
        self.check_fill(py)?;
        let options = self.read_options(py, by, duplicates)?;
        let inner = self.inner();
        let matrix = task::run(
            py,
            None,
            crate::options::limits(py, memory_limit, workers)?,
            move |context| nnz::engine::read(&*inner, &options, context),
        )?;
        let (shape, by) = (matrix.shape(), order_name(matrix.order()));
        let (pointers, minors, values) = matrix.into_parts();
        let entries = pointers.last().copied().unwrap_or(0);
        let entries = usize::try_from(entries).unwrap_or(usize::MAX);
        let data = arrays::from_values(py, values, entries)?;
        let extents = [shape.rows, shape.cols];
        let [indptr, indices] = arrays::from_indices(py, pointers, minors, extents)?;
        Ok((indptr, indices, data, by))
    }

    /// Reads all elements: an array of one dimension, and their order.
    #[pyo3(signature = (by=None, memory_limit=None, workers=None))]
    fn read_dense<'py>(
        &self,
        py: Python<'py>,
        by: Option<&str>,
        memory_limit: Option<&Bound<'_, PyAny>>,
        workers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, &'static str)> {
        self.check_fill(py)?;
        let options = self.read_options(py, by, None)?;
        let inner = self.inner();
        let dense = task::run(
            py,
            None,
            crate::options::limits(py, memory_limit, workers)?,
            move |context| nnz::engine::read_dense(&*inner, &options, context),
        )?;
        let elements = usize::try_from(dense.shape.elements()).unwrap_or(usize::MAX);
        Ok((arrays::from_values(py, dense.values, elements)?, order_name(dense.order)))
    }

    /// Statistics of the whole, of each row, or of each column, with an array for each: sum, mean, sample variance,
    /// minimum, maximum, and number of entries.
    #[pyo3(signature = (axis=None, measures="all", memory_limit=None, workers=None, progress=None))]
    fn stats<'py>(
        &self,
        py: Python<'py>,
        axis: Option<&str>,
        measures: &str,
        memory_limit: Option<&Bound<'_, PyAny>>,
        workers: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<stats::StatsArrays<'py>> {
        let axis = axis.map(|axis| select::axis_of(py, axis, || Ok(self.header().axis_kinds)));
        let axis = axis.transpose()?;
        let options = StatsOptions::default()
            .rows(axis == Some(Axis::Rows))
            .cols(axis == Some(Axis::Cols))
            .measures(stats::measure(py, measures)?);
        let limits = crate::options::limits(py, memory_limit, workers)?;
        let computed = self.counted(py, options, progress, limits)?;
        let found = match axis {
            None => vec![computed.whole],
            Some(Axis::Rows) => computed.rows.unwrap_or_default(),
            Some(Axis::Cols) => computed.cols.unwrap_or_default(),
        };
        stats::columns_of(py, &found)
    }

    /// Returns what the first values look like.
    fn value_kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        let inner = self.inner();
        let kind = task::run_detached(py, task::Limits::default(), move |_| {
            nnz::engine::compute::value_kind(&*inner)
        })?;
        Ok(match kind {
            ValueKind::Counts => "counts",
            ValueKind::Negative(_) => "negative",
            ValueKind::Large(_) => "large",
            _ => "fractions",
        })
    }

    /// Returns a note if values are logarithms already.
    fn note_on_log1p(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let inner = self.inner();
        task::run_detached(py, task::Limits::default(), move |_| {
            nnz::compute::note_on_log1p(&*inner)
        })
    }

    /// Returns a note if variable features are known, and all features are used.
    fn note_on_variable(&self, py: Python<'_>, cells: &str) -> PyResult<Option<String>> {
        let cells = select::axis_of(py, cells, || Ok(self.header().axis_kinds))?;
        let inner = self.inner();
        task::run_detached(py, task::Limits::default(), move |context| {
            nnz::compute::note_on_variable(&*inner, Some(cells), context)
        })
    }

    /// Returns a note if features have several types.
    fn note_on_types(&self, py: Python<'_>, cells: &str) -> PyResult<Option<String>> {
        let cells = select::axis_of(py, cells, || Ok(self.header().axis_kinds))?;
        let inner = self.inner();
        task::run_detached(py, task::Limits::default(), move |context| {
            nnz::compute::note_on_types(&*inner, Some(cells), context)
        })
    }

    /// Returns the matrix with its entries in memory, if they take at most half of the memory limit.
    #[pyo3(signature = (memory_limit=None))]
    fn kept(&self, py: Python<'_>, memory_limit: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let inner = self.inner();
        let limits = crate::options::limits(py, memory_limit, None)?;
        let kept = task::run(py, None, limits, move |context| {
            nnz::engine::compute::keep(Box::new(View::new(inner)), context)
        })?;
        Ok(Self::new(kept.into()))
    }

    /// Returns the positions of the rows and columns that meet conditions on rows, columns, cells and features; `None`
    /// if all do.
    #[pyo3(signature = (conditions, allow_empty=false, memory_limit=None, workers=None))]
    fn filter<'py>(
        &self,
        py: Python<'py>,
        conditions: select::SelectionArgs<'py>,
        allow_empty: bool,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Positions<'py>> {
        let kinds = || Ok(self.header().axis_kinds);
        let [rows, cols]: [Filter; 2] = select::axes(py, conditions, allow_empty, kinds)?;
        let inner = self.inner();
        let found = task::run(
            py,
            None,
            crate::options::limits(py, memory_limit, workers)?,
            move |context| {
                let observed = Observed::new(&*inner, "measuring", context.progress());
                nnz::engine::filter(&observed, [&rows, &cols], context)
            },
        )?;
        let positions = |kept: &FilteredAxis| positions(py, &kept.ranges, kept.count() != kept.len);
        Ok((positions(&found.rows)?, positions(&found.cols)?, found.notes))
    }

    /// Returns random positions of rows and columns, given how many rows, columns, cells and features; `None` for all.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        counts: [Option<u64>; 4],
        seed: u64,
        allow_empty: bool,
    ) -> PyResult<Positions<'py>> {
        let [rows, cols, cells, features] = counts;
        let mut axes = [rows, cols].map(|count| count.map(|count| Selection::sample(count, seed)));
        for (name, count) in [("cells", cells), ("features", features)] {
            let Some(count) = count else { continue };
            let axis = select::axis_of(py, name, || Ok(self.header().axis_kinds))?;
            let both = &mut axes[crate::view::index(axis)];
            if both.is_some() {
                return Err(argument(py, format!("two numbers of {axis} are given")));
            }
            let kind = if name == "cells" { AxisKind::Cells } else { AxisKind::Features };
            *both = Some(Selection::sample(count, seed).of_kind(kind));
        }
        let [is_some_of_rows, is_some_of_cols] = [axes[0].is_some(), axes[1].is_some()];
        let [rows, cols] = axes.map(|axis| axis.unwrap_or_default().allow_empty(allow_empty));
        let inner = self.inner();
        let slice = task::run_detached(py, task::Limits::default(), move |_| {
            Slice::new(Box::new(View::new(inner)), &rows, &cols)
        })?;
        let rows = positions(py, &slice.ranges(Axis::Rows), is_some_of_rows)?;
        Ok((rows, positions(py, &slice.ranges(Axis::Cols), is_some_of_cols)?, Vec::new()))
    }

    /// Applies functions to the values: a name and arguments each.
    fn computed(&self, py: Python<'_>, steps: Vec<Bound<'_, PyTuple>>) -> PyResult<Self> {
        let inner = compute::computed(py, self.inner(), compute::steps(&steps)?)?;
        Ok(Self::new(inner))
    }

    /// Returns the ranks of the values in each row or column, minus that of zero.
    #[pyo3(signature = (axis, memory_limit=None))]
    fn ranks(
        &self,
        py: Python<'_>,
        axis: &str,
        memory_limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let axis = select::axis_of(py, axis, || Ok(self.header().axis_kinds))?;
        let derive =
            move |inner: Box<dyn MatrixSource>, context: &Context| ranks(inner, axis, context);
        Ok(Self::new(compute::derived(py, self.inner(), derive, memory_limit)?))
    }

    /// Returns the Pearson residuals of counts.
    #[pyo3(signature = (cells, theta, clip=None, memory_limit=None))]
    fn pearson_residuals(
        &self,
        py: Python<'_>,
        cells: &str,
        theta: f64,
        clip: Option<f64>,
        memory_limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let cells = select::axis_of(py, cells, || Ok(self.header().axis_kinds))?;
        let options = PearsonOptions::default().theta(theta).clip(clip);
        let derive = move |inner: Box<dyn MatrixSource>, context: &Context| {
            pearson_residuals(inner, cells, &options, context)
        };
        Ok(Self::new(compute::derived(py, self.inner(), derive, memory_limit)?))
    }

    /// Returns the residuals of a regression on covariates, each with a number for each observation.
    #[pyo3(signature = (observations, covariates, memory_limit=None))]
    fn regress_out(
        &self,
        py: Python<'_>,
        observations: &str,
        covariates: Vec<Bound<'_, PyAny>>,
        memory_limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let axis = select::axis_of(py, observations, || Ok(self.header().axis_kinds))?;
        let covariates: Vec<Vec<f64>> = covariates.iter().map(vector).collect::<PyResult<_>>()?;
        let derive = move |inner: Box<dyn MatrixSource>, context: &Context| {
            regress_out(inner, axis, &covariates, context)
        };
        Ok(Self::new(compute::derived(py, self.inner(), derive, memory_limit)?))
    }

    /// Computes quantiles of each row or column: an array for each quantile.
    #[pyo3(signature = (axis, quantiles, method, memory_limit=None, workers=None))]
    fn quantiles<'py>(
        &self,
        py: Python<'py>,
        axis: &str,
        quantiles: Vec<f64>,
        method: &str,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let axis = select::axis_of(py, axis, || Ok(self.header().axis_kinds))?;
        compute::quantiles_of(py, self.inner(), axis, quantiles, method, (memory_limit, workers))
    }

    /// Returns the factors that give all rows or columns the same sum.
    #[pyo3(signature = (axis, target=None, memory_limit=None, workers=None))]
    fn normalizing_factors<'py>(
        &self,
        py: Python<'py>,
        axis: &str,
        target: Option<f64>,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let axis = select::axis_of(py, axis, || Ok(self.header().axis_kinds))?;
        compute::factors(py, self.inner(), axis, target, (memory_limit, workers))
    }

    /// Multiplies by a dense matrix: its elements by row, and its number of columns.
    #[pyo3(signature = (dense, width, memory_limit=None, workers=None))]
    fn product<'py>(
        &self,
        py: Python<'py>,
        dense: &Bound<'py, PyAny>,
        width: usize,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        compute::product(py, self.inner(), dense, width, (memory_limit, workers))
    }

    /// Computes a number for each group of rows or columns.
    #[pyo3(signature = (codes, groups, axis, functions, memory_limit=None, workers=None))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them")]
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        codes: &Bound<'py, PyAny>,
        groups: u32,
        axis: &str,
        functions: Vec<String>,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let axis = select::axis_of(py, axis, || Ok(self.header().axis_kinds))?;
        let limits = (memory_limit, workers);
        compute::aggregated(py, self.inner(), (codes, groups), axis, &functions, limits)
    }

    /// Compares each feature in each group of cells with all other cells.
    #[pyo3(signature = (codes, groups, cells, test, tie_correct, memory_limit=None, workers=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them")]
    fn markers<'py>(
        &self,
        py: Python<'py>,
        codes: &Bound<'py, PyAny>,
        groups: u32,
        cells: &str,
        test: &str,
        tie_correct: bool,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<compute::MarkerArrays<'py>> {
        let cells = select::axis_of(py, cells, || Ok(self.header().axis_kinds))?;
        let (limits, test) = ((memory_limit, workers), (test, tie_correct));
        compute::marked(py, self.inner(), (codes, groups), cells, test, limits, progress)
    }

    /// Finds highly variable features among the columns: names and arrays.
    #[pyo3(signature = (top, limits, bins, batches, memory_limit=None, workers=None))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them")]
    fn highly_variable<'py>(
        &self,
        py: Python<'py>,
        top: Option<usize>,
        limits: [f64; 4],
        bins: usize,
        batches: Option<&Bound<'py, PyAny>>,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<compute::Columns<'py>> {
        let [min_mean, max_mean, min_dispersion, max_dispersion] = limits;
        let options = nnz::compute::VariableOptions::default()
            .axis(Some(Axis::Rows))
            .top(top)
            .mean([min_mean, max_mean])
            .dispersion([min_dispersion, max_dispersion])
            .bins(bins)
            .batches(batches.map(arrays::vector).transpose()?);
        compute::variable(py, self.inner(), options, (memory_limit, workers))
    }

    /// Computes metrics of cells, which are rows, and of features, for sets of features, each a name and booleans, and numbers of the
    /// most frequent features.
    #[pyo3(signature = (sets, tops, memory_limit=None, workers=None))]
    fn qc<'py>(
        &self,
        py: Python<'py>,
        sets: Vec<(String, Bound<'py, PyAny>)>,
        tops: Vec<usize>,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<[compute::Columns<'py>; 2]> {
        compute::metrics(py, self.inner(), &sets, tops, (memory_limit, workers))
    }

    /// Computes principal components: scores, loadings, singular values and means.
    #[pyo3(signature = (count, observations, iterations, seed, memory_limit=None, workers=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them")]
    fn pca<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        observations: &str,
        iterations: Option<usize>,
        seed: u64,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<compute::Components<'py>> {
        let axis = select::axis_of(py, observations, || Ok(self.header().axis_kinds))?;
        let options = compute::pca_options(py, count, axis, iterations, seed)?;
        compute::components(py, self.inner(), options, (memory_limit, workers), progress)
    }

    /// Writes the matrix to a location.
    #[pyo3(signature = (path, given, progress=None))]
    fn write<'py>(
        &self,
        py: Python<'py>,
        path: OsString,
        given: &Bound<'py, PyDict>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (options, target) = (options::convert(given)?, location(path));
        let inner = self.inner();
        let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
            nnz::convert_source(&*inner, &target, &options, context)
        })?;
        summary::of_conversion(py, &done)
    }
}

impl Source {
    fn sliced(&self, py: Python<'_>, rows: Selection, cols: Selection) -> PyResult<Self> {
        let inner = self.inner();
        let slice = task::run_detached(py, task::Limits::default(), {
            move |_| Slice::new(Box::new(View::new(inner)), &rows, &cols)
        })?;
        Ok(Self::new(Arc::new(slice)))
    }

    /// Fails if elements that are not stored are not zero, as they are in SciPy.
    fn check_fill(&self, py: Python<'_>) -> PyResult<()> {
        let header = self.header();
        match header.fill.filter(|_| header.storage == Storage::Sparse) {
            None => Ok(()),
            Some(fill) => {
                let what = format!(
                    "the fill value is {fill}, but only zero can be read into memory; nnz.convert writes \
                     all elements to .npy"
                );
                Err(exception(py, &Error::unsupported(self.inner.place(), what)))
            }
        }
    }

    fn read_options(
        &self,
        py: Python<'_>,
        by: Option<&str>,
        duplicates: Option<&str>,
    ) -> PyResult<ReadOptions> {
        let duplicates = duplicates.map(|how| duplicate_policy(py, how)).transpose()?;
        Ok(ReadOptions::default()
            .order(Some(by.map_or(Ok(self.header().order), |by| order(py, by))?))
            .duplicates(duplicates)
            .names(false))
    }
}

/// Converts the names and annotations of an axis to Arrow columns.
fn read_annotations(
    source: &dyn MatrixSource,
    axis: Axis,
    label: &str,
    context: &Context,
) -> nnz::Result<(Vec<Field>, Vec<ArrayData>)> {
    let mut columns = Vec::new();
    if let Some(names) = columns::read_names(source, axis, context)? {
        columns.push(arrow::strings(label, &names)?);
    }
    if let Some(table) = source.annotations(axis)? {
        for (name, column) in columns::read(&*table, None, context)? {
            columns.push(arrow::annotations(&name, column)?);
        }
    }
    Ok(columns.into_iter().unzip())
}

/// Parses what to do with duplicate entries.
pub(crate) fn duplicate_policy(py: Python<'_>, how: &str) -> PyResult<DuplicatePolicy> {
    match how {
        "error" | "refuse" => Ok(DuplicatePolicy::Refuse),
        "sum" => Ok(DuplicatePolicy::Sum),
        "keep" => Ok(DuplicatePolicy::Keep),
        _ => {
            let what = format!("duplicates {how:?}: expected \"error\", \"sum\" or \"keep\"");
            Err(argument(py, what))
        }
    }
}
