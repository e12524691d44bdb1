//! Functions of values, products, principal components, variable features, sums of groups and markers.

use std::sync::Arc;

use nnz::annotations::{AnnotationTable, Annotations as _, ColumnValues};
use nnz::compute::{VariableOptions, highly_variable};
use nnz::engine::Summed;
use nnz::engine::compute::{
    Aggregation, Computed, MarkerOptions, MarkerTest, PcaOptions, ValueStep, aggregate, markers,
    multiply, normalizing_factors, pca,
};
use nnz::{Axis, Error};

use crate::args::Args;
use crate::error::Failure;
use crate::read::{limits, reals};
use crate::sources::{self, of};
use crate::task::{self, Limits};
use crate::value::Value;

/// Applies a function to the values: matrix, function, its numbers.
pub(crate) fn computed(args: &Args<'_>) -> Result<Value, Failure> {
    let matrix = of(args, 0)?.matrix;
    let numbers = args.optional_numbers(2)?.unwrap_or_default();
    let step = match (args.text(1)?, &*numbers) {
        ("rows", _) => ValueStep::ScaleAxis(Axis::Rows, numbers.into()),
        ("cols", _) => ValueStep::ScaleAxis(Axis::Cols, numbers.into()),
        ("scale", &[factor]) => ValueStep::Scale(factor),
        ("log1p", []) => ValueStep::Log1p,
        ("expm1", []) => ValueStep::Expm1,
        ("binarize", &[threshold]) => ValueStep::Binarize(threshold),
        (name, _) => {
            let what = format!("unknown function of values {name:?}, or other numbers for it");
            return Err(Error::argument(what).into());
        }
    };
    let computed = task::run_detached(Limits::default(), move |context| {
        let matrix = match step.is_linear() {
            true => Box::new(matrix),
            false => Summed::of_unordered(Box::new(matrix), context),
        };
        Computed::new(matrix, vec![step])
    })?;
    Ok(sources::insert(Arc::new(computed)))
}

/// Returns the factors that give the rows or columns the same sum: matrix, axis, sum or `NULL`, limits.
pub(crate) fn factors(args: &Args<'_>) -> Result<Value, Failure> {
    let (matrix, axis, target) = (of(args, 0)?.matrix, args.axis(1)?, args.optional_number(2)?);
    let found = task::run(limits(args, 3)?, move |context| {
        normalizing_factors(&*matrix, axis, target, context)
    })?;
    Ok(Value::Reals(found))
}

/// Multiplies by a dense matrix: matrix, elements by row, number of columns, limits. The elements of the product are by row.
pub(crate) fn product(args: &Args<'_>) -> Result<Value, Failure> {
    let (matrix, dense, width) = (of(args, 0)?.matrix, args.numbers(1)?, args.size(2)?);
    let found = task::run(limits(args, 3)?, move |context| {
        multiply::<f64>(&*matrix, &dense, width, context)
    })?;
    Ok(Value::Reals(found))
}

/// Computes a number for each group and each element of the other axis: matrix, axis, codes, number of groups, function,
/// limits. Numbers are by group.
pub(crate) fn aggregated(args: &Args<'_>) -> Result<Value, Failure> {
    let (matrix, axis, codes) = (of(args, 0)?.matrix, args.axis(1)?, args.codes(2)?);
    let groups = group_count(args, 3)?;
    let function = match args.text(4)? {
        "sum" => Aggregation::Sum,
        "mean" => Aggregation::Mean,
        "count_nonzero" => Aggregation::CountNonzero,
        "var" => Aggregation::Variance,
        name => return Err(Error::argument(format!("unknown function of groups {name:?}")).into()),
    };
    let found = task::run(limits(args, 5)?, move |context| {
        aggregate(&*matrix, axis, (&codes, groups), &[function], context)
    })?;
    Ok(Value::Reals(found.into_iter().next().unwrap_or_default()))
}

fn group_count(args: &Args<'_>, at: usize) -> Result<u32, Failure> {
    u32::try_from(args.whole(at)?).map_err(|_| Error::argument("too many groups").into())
}

/// Compares each feature in each group of cells with all other cells: matrix, axis of cells, codes, number of groups, test,
/// whether ties are corrected for, limits. Numbers are by group.
pub(crate) fn marked(args: &Args<'_>) -> Result<Value, Failure> {
    let (matrix, cells, codes) = (of(args, 0)?.matrix, args.axis(1)?, args.codes(2)?);
    let groups = group_count(args, 3)?;
    let test = match args.text(4)? {
        "wilcoxon" => MarkerTest::Wilcoxon,
        "t-test" => MarkerTest::TTest,
        name => return Err(Error::argument(format!("unknown test {name:?}")).into()),
    };
    let options = MarkerOptions::default().test(test).tie_correction(args.flag(5)?);
    let found = task::run(limits(args, 6)?, move |context| {
        markers(&*matrix, cells, (&codes, groups), &options, context)
    })?;
    Ok(Value::list([
        ("score", Value::Reals(found.scores)),
        ("p_value", Value::Reals(found.p_values)),
        ("adjusted_p_value", Value::Reals(found.adjusted_p_values)),
        ("log2_fold_change", Value::Reals(found.log2_fold_changes)),
        ("fraction", Value::Reals(found.fractions)),
        ("rest_fraction", Value::Reals(found.rest_fractions)),
    ]))
}

/// Finds highly variable features: matrix, axis of cells, number of features or `NULL`, limits of mean and dispersion,
/// number of bins, codes of batches or `NULL`, limits.
pub(crate) fn variable(args: &Args<'_>) -> Result<Value, Failure> {
    let (matrix, cells) = (of(args, 0)?.matrix, args.axis(1)?);
    let top = match args.optional_whole(2)? {
        Some(_) => Some(args.size(2)?),
        None => None,
    };
    let [min_mean, max_mean, min_dispersion, max_dispersion] = *args.numbers(3)? else {
        return Err(Error::argument("expected four limits").into());
    };
    let options = VariableOptions::default()
        .axis(Some(cells))
        .top(top)
        .mean([min_mean, max_mean])
        .dispersion([min_dispersion, max_dispersion])
        .bins(args.size(4)?);
    let found =
        task::run(limits(args, 5)?, move |context| highly_variable(&*matrix, &options, context))?;
    columns(&found).map(Value::List)
}

/// Returns the columns of numbers of a table.
fn columns(table: &AnnotationTable) -> Result<Vec<(String, Value)>, Failure> {
    let mut columns = Vec::new();
    for (at, info) in table.columns().iter().enumerate() {
        let Some(column) = table.column(at) else { continue };
        if let ColumnValues::Numbers(values) = &column.values {
            let numbers = crate::annotations::numbers(values.clone(), &|_| false);
            let numbers = numbers.map_err(Error::argument)?;
            columns.push((info.name.clone(), numbers));
        }
    }
    Ok(columns)
}

/// Computes principal components: matrix, axis of observations, number of components, iterations or `NULL`, seed, limits.
/// Scores and loadings are by row.
pub(crate) fn components(args: &Args<'_>) -> Result<Value, Failure> {
    let (matrix, observations) = (of(args, 0)?.matrix, args.axis(1)?);
    let iterations = match args.optional_whole(3)? {
        Some(0) => return Err(Error::argument("0 iterations: expected at least 1").into()),
        Some(_) => Some(args.size(3)?),
        None => None,
    };
    let options = PcaOptions::default()
        .components(args.size(2)?)
        .observations(Some(observations))
        .iterations(iterations)
        .seed(args.whole(4)?);
    let found = task::run(limits(args, 5)?, move |context| pca(&*matrix, &options, context))?;
    let scores = reals(found.scores, 0)
        .map_err(|error| Error::argument(format!("{} is not a number of R", error.found)))?;
    Ok(Value::list([
        ("scores", Value::Reals(scores)),
        ("loadings", Value::Reals(found.loadings)),
        ("singular_values", Value::Reals(found.singular_values)),
        ("mean", Value::Reals(found.mean)),
        ("total_variance", Value::number(found.total_variance)),
    ]))
}
