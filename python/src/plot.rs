//! The numbers of pictures, and pages about a matrix.

use nnz::engine::plot::{LengthMeasure, density as density_of, lengths as lengths_of, values};
use nnz::plot::draw::{SvgOptions, svg};
use nnz::report::{Report, ReportOptions, html};
use nnz::{Error, Location, plot};
use numpy::IntoPyArray as _;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::argument;
use crate::reading::Reading;
use crate::source::Source;
use crate::{select, task};

/// Counts of bins row by row, rows and columns of the grid, and rows and columns of a bin.
type Grid<'py> = (Bound<'py, PyAny>, usize, usize, u64, u64);

/// Numbers and how many rows or columns have each.
type Counts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The number of zeros; the ends of bins, with the one nearer to zero first, and their counts; where a logarithmic scale
/// begins; whether all values are integers; counts of NaN, negative and positive infinity.
type Values = (u64, Vec<(f64, f64, u64)>, Option<f64>, bool, [u64; 3]);

/// Counts the entries in each bin of a grid.
#[pyfunction]
#[pyo3(signature = (source, most, memory_limit=None, workers=None))]
pub(crate) fn density<'py>(
    py: Python<'py>,
    source: &Source,
    most: [usize; 2],
    memory_limit: Option<&Bound<'py, PyAny>>,
    workers: Option<&Bound<'py, PyAny>>,
) -> PyResult<Grid<'py>> {
    let inner = source.inner();
    let found =
        task::run(py, None, crate::options::limits(py, memory_limit, workers)?, move |context| {
            density_of(&*inner, most, context)
        })?;
    let counts = found.counts.into_pyarray(py).into_any();
    Ok((counts, found.rows, found.cols, found.rows_per_bin, found.cols_per_bin))
}

/// Counts rows or columns by their entries or sums.
#[pyfunction]
#[pyo3(signature = (source, axis, measure, memory_limit=None, workers=None))]
pub(crate) fn lengths<'py>(
    py: Python<'py>,
    source: &Source,
    axis: &str,
    measure: &str,
    memory_limit: Option<&Bound<'py, PyAny>>,
    workers: Option<&Bound<'py, PyAny>>,
) -> PyResult<Counts<'py>> {
    let inner = source.inner();
    let axis = select::axis_of(py, axis, || Ok(inner.header().axis_kinds))?;
    let measure = match measure {
        "nnz" => LengthMeasure::Nnz,
        "sum" => LengthMeasure::Sum,
        _ => {
            let what = format!("measure {measure:?}: expected \"nnz\" or \"sum\"");
            return Err(argument(py, what));
        }
    };
    let found =
        task::run(py, None, crate::options::limits(py, memory_limit, workers)?, move |context| {
            lengths_of(&*inner, axis, measure, context)
        })?;
    let (numbers, counts): (Vec<f64>, Vec<u64>) = found.values.into_iter().unzip();
    Ok((numbers.into_pyarray(py).into_any(), counts.into_pyarray(py).into_any()))
}

/// Counts values by size.
#[pyfunction]
#[pyo3(signature = (source, memory_limit=None, workers=None))]
pub(crate) fn value_counts(
    py: Python<'_>,
    source: &Source,
    memory_limit: Option<&Bound<'_, PyAny>>,
    workers: Option<&Bound<'_, PyAny>>,
) -> PyResult<Values> {
    let inner = source.inner();
    let found =
        task::run(py, None, crate::options::limits(py, memory_limit, workers)?, move |context| {
            values(&*inner, context)
        })?;
    let histogram = found.histogram();
    let bins = histogram.bins.iter().map(|bin| (bin.from, bin.to, bin.count)).collect();
    let least = histogram.logarithmic.then_some(histogram.least);
    let zeros = found.integers.first().copied().unwrap_or(0);
    let others = [found.nan, found.negative_infinity, found.positive_infinity];
    Ok((zeros, bins, least, found.integral, others))
}

/// Draws where entries are, as SVG. `id` is unique in the page.
#[pyfunction]
#[pyo3(signature = (source, title, id, memory_limit=None, workers=None))]
pub(crate) fn spy_svg(
    py: Python<'_>,
    source: &Source,
    title: String,
    id: String,
    memory_limit: Option<&Bound<'_, PyAny>>,
    workers: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    const SQUARES: usize = 40;
    let inner = source.inner();
    let found =
        task::run(py, None, crate::options::limits(py, memory_limit, workers)?, move |context| {
            let most = plot::spy_bins(inner.header().shape, [SQUARES, SQUARES]);
            density_of(&*inner, most, context)
        })?;
    let options = SvgOptions::default().size(480, 360).id(id);
    Ok(svg(&plot::spy(&found, &title), &options))
}

/// Makes a page about a matrix: of what is stored at a path, if one is given, which is read with some options. Otherwise
/// there is a source.
#[pyfunction]
#[pyo3(signature = (source, path=None, memory_limit=None, workers=None, progress=None, reading=None))]
pub(crate) fn report(
    py: Python<'_>,
    source: Option<&Source>,
    path: Option<std::ffi::OsString>,
    memory_limit: Option<&Bound<'_, PyAny>>,
    workers: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let inner = source.map(Source::inner);
    let options = ReportOptions::default().open(Reading::new(reading)?.open_options());
    task::run(py, progress, crate::options::limits(py, memory_limit, workers)?, move |context| {
        let report = match (path, inner) {
            (Some(path), _) => Report::of_location(Location::parse(path), &options, context)?,
            (None, Some(inner)) => Report::of_source(&*inner, context)?,
            (None, None) => {
                return Err(Error::argument("a report is made of a path or of a source"));
            }
        };
        Ok(html(&report))
    })
}
