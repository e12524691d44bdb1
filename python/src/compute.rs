//! Functions of values, products, principal components and markers.

use std::sync::Arc;

use nnz::annotations::{AnnotationTable, Annotations as _, ColumnValues};
use nnz::compute::{QcOptions, VariableOptions, highly_variable, qc};
use nnz::engine::compute::{
    Aggregation, Computed, Float, MarkerOptions, MarkerTest, PcaOptions, QuantileMethod, ValueStep,
    aggregate, markers, multiply, normalizing_factors, pca, quantiles,
};
use nnz::{Axis, Context, MatrixSource, Selection};
use numpy::{Element, IntoPyArray as _};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{from_values, vector};
use crate::error::argument;
use crate::task;
use crate::view::View;

/// The limits of an operation: memory and number of threads.
pub(crate) type Limits<'a, 'py> = (Option<&'a Bound<'py, PyAny>>, Option<&'a Bound<'py, PyAny>>);

/// Parses steps: a name and arguments each.
pub(crate) fn steps(steps: &[Bound<'_, PyTuple>]) -> PyResult<Vec<ValueStep>> {
    let step = |step: &Bound<'_, PyTuple>| {
        let name: String = step.get_item(0)?.extract()?;
        let number = |at| step.get_item(at)?.extract::<f64>();
        let factors = || vector::<f64>(&step.get_item(1)?).map(Into::into);
        Ok(match &*name {
            "scale" => ValueStep::Scale(number(1)?),
            "rows" => ValueStep::ScaleAxis(Axis::Rows, factors()?),
            "cols" => ValueStep::ScaleAxis(Axis::Cols, factors()?),
            "limit_rows" => ValueStep::LimitAxis(Axis::Rows, factors()?),
            "limit_cols" => ValueStep::LimitAxis(Axis::Cols, factors()?),
            "log1p" => ValueStep::Log1p,
            "expm1" => ValueStep::Expm1,
            "abs" => ValueStep::Abs,
            "clip" => ValueStep::Clip(number(1)?, number(2)?),
            "binarize" => ValueStep::Binarize(number(1)?),
            _ => return Err(argument(step.py(), format!("unknown function of values {name:?}"))),
        })
    };
    steps.iter().map(step).collect()
}

/// Applies steps.
pub(crate) fn computed(
    py: Python<'_>,
    inner: Arc<dyn MatrixSource>,
    steps: Vec<ValueStep>,
) -> PyResult<Arc<dyn MatrixSource>> {
    let computed = task::run_detached(py, task::Limits::default(), move |context| {
        let inner = Box::new(View::new(inner));
        let inner = match steps.iter().all(ValueStep::is_linear) {
            true => inner,
            false => nnz::engine::Summed::of_unordered(inner, context),
        };
        Computed::new(inner, steps)
    })?;
    Ok(Arc::new(computed))
}

/// Derives a matrix from another, which may read that.
pub(crate) fn derived(
    py: Python<'_>,
    inner: Arc<dyn MatrixSource>,
    derive: impl FnOnce(Box<dyn MatrixSource>, &Context) -> nnz::Result<Box<dyn MatrixSource>>
    + Send
    + 'static,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<Arc<dyn MatrixSource>> {
    let limits = crate::options::limits(py, memory, None)?;
    let found =
        task::run(py, None, limits, move |context| derive(Box::new(View::new(inner)), context))?;
    Ok(found.into())
}

/// Computes quantiles of each row or column.
pub(crate) fn quantiles_of<'py>(
    py: Python<'py>,
    inner: Arc<dyn MatrixSource>,
    axis: Axis,
    wanted: Vec<f64>,
    method: &str,
    limits: Limits<'_, 'py>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let Some((_, method)) = QuantileMethod::ALL.into_iter().find(|(name, _)| *name == method)
    else {
        let names: Vec<String> =
            QuantileMethod::ALL.iter().map(|(name, _)| format!("{name:?}")).collect();
        return Err(argument(
            py,
            format!("method {method:?}: expected one of {}", names.join(", ")),
        ));
    };
    let found =
        task::run(py, None, crate::options::limits(py, limits.0, limits.1)?, move |context| {
            quantiles(&*inner, axis, &wanted, method, context)
        })?;
    Ok(found.values.into_iter().map(|values| values.into_pyarray(py).into_any()).collect())
}

/// Returns the factors that give the rows or columns the same sum.
pub(crate) fn factors<'py>(
    py: Python<'py>,
    inner: Arc<dyn MatrixSource>,
    axis: Axis,
    target: Option<f64>,
    limits: Limits<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let found =
        task::run(py, None, crate::options::limits(py, limits.0, limits.1)?, move |context| {
            normalizing_factors(&*inner, axis, target, context)
        })?;
    Ok(found.into_pyarray(py).into_any())
}

/// Multiplies by a dense matrix with `width` columns, given and returned as an array of one dimension by row.
pub(crate) fn product<'py>(
    py: Python<'py>,
    inner: Arc<dyn MatrixSource>,
    dense: &Bound<'py, PyAny>,
    width: usize,
    limits: Limits<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    match vector::<f32>(dense) {
        Ok(dense) => multiplied(py, inner, dense, width, limits),
        Err(_) => multiplied::<f64>(py, inner, vector(dense)?, width, limits),
    }
}

fn multiplied<'py, T: Float + Element>(
    py: Python<'py>,
    inner: Arc<dyn MatrixSource>,
    dense: Vec<T>,
    width: usize,
    limits: Limits<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let found =
        task::run(py, None, crate::options::limits(py, limits.0, limits.1)?, move |context| {
            multiply(&*inner, &dense, width, context)
        })?;
    Ok(found.into_pyarray(py).into_any())
}

/// Computes numbers for each group and each element of the other axis, by group, with each function. Negative codes are no group.
pub(crate) fn aggregated<'py>(
    py: Python<'py>,
    inner: Arc<dyn MatrixSource>,
    (codes, groups): (&Bound<'py, PyAny>, u32),
    axis: Axis,
    functions: &[String],
    limits: Limits<'_, 'py>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let functions = functions.iter().map(|function| match &**function {
        "sum" => Ok(Aggregation::Sum),
        "mean" => Ok(Aggregation::Mean),
        "count_nonzero" => Ok(Aggregation::CountNonzero),
        "var" => Ok(Aggregation::Variance),
        _ => Err(argument(py, format!("unknown function of groups {function:?}"))),
    });
    let functions = functions.collect::<PyResult<Vec<_>>>()?;
    let codes = group_codes(codes)?;
    let found =
        task::run(py, None, crate::options::limits(py, limits.0, limits.1)?, move |context| {
            aggregate(&*inner, axis, (&codes, groups), &functions, context)
        })?;
    Ok(found.into_iter().map(|numbers| numbers.into_pyarray(py).into_any()).collect())
}

/// Returns the number of the group of each cell. Negative codes are no group.
fn group_codes(codes: &Bound<'_, PyAny>) -> PyResult<Vec<Option<u32>>> {
    Ok(vector::<i64>(codes)?.into_iter().map(|code| u32::try_from(code).ok()).collect())
}

/// Scores, p-values, adjusted p-values, fold changes and the fractions of cells in and outside of each group, as arrays of one
/// dimension by group, and the seconds that sorting took.
pub(crate) type MarkerArrays<'py> = ([Bound<'py, PyAny>; 6], Option<f64>);

/// Compares each feature in each group of cells with all other cells. Negative codes are no group.
pub(crate) fn marked<'py>(
    py: Python<'py>,
    inner: Arc<dyn MatrixSource>,
    (codes, groups): (&Bound<'py, PyAny>, u32),
    cells: Axis,
    (test, tie_correction): (&str, bool),
    limits: Limits<'_, 'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<MarkerArrays<'py>> {
    let test = match test {
        "wilcoxon" => MarkerTest::Wilcoxon,
        "t-test" => MarkerTest::TTest,
        _ => return Err(argument(py, format!("unknown test {test:?}"))),
    };
    let options = MarkerOptions::default().test(test).tie_correction(tie_correction);
    let codes = group_codes(codes)?;
    let found =
        task::run(py, progress, crate::options::limits(py, limits.0, limits.1)?, move |context| {
            markers(&*inner, cells, (&codes, groups), &options, context)
        })?;
    let lists = [
        found.scores,
        found.p_values,
        found.adjusted_p_values,
        found.log2_fold_changes,
        found.fractions,
        found.rest_fractions,
    ];
    Ok((lists.map(|list| list.into_pyarray(py).into_any()), found.sorting_seconds))
}

/// Columns of a table: names and arrays.
pub(crate) type Columns<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// Computes metrics of cells, which are rows, and of features.
pub(crate) fn metrics<'py>(
    py: Python<'py>,
    inner: Arc<dyn MatrixSource>,
    sets: &[(String, Bound<'py, PyAny>)],
    tops: Vec<usize>,
    limits: Limits<'_, 'py>,
) -> PyResult<[Columns<'py>; 2]> {
    let set = |(name, chosen): &(String, Bound<'py, PyAny>)| {
        let chosen = vector::<bool>(chosen)?;
        let positions = (0_u64..).zip(chosen).filter(|(_, chosen)| *chosen);
        let ranges = positions.map(|(at, _)| at..at + 1);
        Ok((name.clone(), Selection::ranges(ranges).allow_empty(true)))
    };
    let sets = sets.iter().map(set).collect::<PyResult<Vec<_>>>()?;
    let options = QcOptions::default().axis(Some(Axis::Rows)).sets(sets).percent_top(Some(tops));
    let found =
        task::run(py, None, crate::options::limits(py, limits.0, limits.1)?, move |context| {
            qc(&*inner, &options, context)
        })?;
    Ok([columns(py, &found.cells)?, columns(py, &found.features)?])
}

/// Finds highly variable features among the columns.
pub(crate) fn variable<'py>(
    py: Python<'py>,
    inner: Arc<dyn MatrixSource>,
    options: VariableOptions,
    limits: Limits<'_, 'py>,
) -> PyResult<Columns<'py>> {
    let found =
        task::run(py, None, crate::options::limits(py, limits.0, limits.1)?, move |context| {
            highly_variable(&*inner, &options, context)
        })?;
    columns(py, &found)
}

/// Returns the columns of numbers of a table.
fn columns<'py>(py: Python<'py>, table: &AnnotationTable) -> PyResult<Columns<'py>> {
    let infos = table.columns().iter().enumerate();
    let numbers = infos.filter_map(|(at, info)| match &table.column(at)?.values {
        ColumnValues::Numbers(values) => Some((info.name.clone(), values.clone())),
        _ => None,
    });
    numbers.map(|(name, values)| Ok((name, from_values(py, values, 0)?))).collect()
}

/// Scores, loadings, singular values and means, as arrays of one dimension, and the variance of all features.
pub(crate) type Components<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, f64);

/// Computes principal components.
pub(crate) fn components<'py>(
    py: Python<'py>,
    inner: Arc<dyn MatrixSource>,
    options: PcaOptions,
    limits: Limits<'_, 'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Components<'py>> {
    let found =
        task::run(py, progress, crate::options::limits(py, limits.0, limits.1)?, move |context| {
            pca(&*inner, &options, context)
        })?;
    let array = |numbers: Vec<f64>| numbers.into_pyarray(py).into_any();
    Ok((
        from_values(py, found.scores, 0)?,
        array(found.loadings),
        array(found.singular_values),
        array(found.mean),
        found.total_variance,
    ))
}

/// Parses options of principal components.
pub(crate) fn pca_options(
    py: Python<'_>,
    components: usize,
    observations: Axis,
    iterations: Option<usize>,
    seed: u64,
) -> PyResult<PcaOptions> {
    if iterations == Some(0) {
        return Err(argument(py, "0 iterations: expected at least 1"));
    }
    Ok(PcaOptions::default()
        .components(components)
        .observations(observations)
        .iterations(iterations)
        .seed(seed))
}
