//! Normalizing counts.

use crate::Context;
use std::str::FromStr;

use nnz_core::{Axis, MatrixSource, Result, Storage};
use nnz_engine::compute::{
    Computed, PearsonOptions, ValueStep, cell_axis, normalizing_factors, pearson_residuals, ranks,
    regress_out,
};
use nnz_engine::{Observed, Selection, Slice};

use super::covariates::covariates;
use crate::{ConvertOptions, Location, Summary, convert_source};

/// The sum of each cell after normalization.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum TargetSum {
    /// The median of the positive sums. The default.
    #[default]
    Median,
    /// A positive number.
    Sum(f64),
}

impl FromStr for TargetSum {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "median" => Ok(Self::Median),
            _ => match text.parse::<f64>() {
                Ok(sum) if sum > 0.0 && sum.is_finite() => Ok(Self::Sum(sum)),
                _ => Err("expected a positive number, or median".to_owned()),
            },
        }
    }
}

/// How counts are normalized. By default, nothing is changed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Normalization {
    /// Scales each cell to the same sum.
    pub target_sum: Option<TargetSum>,
    /// Replaces each value `x` by `ln(1 + x)`, after scaling.
    pub log1p: bool,
    /// Replaces counts by their Pearson residuals, instead of scaling.
    pub pearson_residuals: Option<PearsonOptions>,
    /// Columns of the annotations of cells, whose influence on the values is removed: those of a linear least-squares fit are
    /// subtracted. Texts and categories are groups, of which each has a mean of its own.
    pub regress_out: Vec<String>,
    /// Replaces each value by its rank in its row or column, minus that of zero.
    pub ranks: Option<Axis>,
    /// The axis of the cells; by default that which the file states, or the rows.
    pub axis: Option<Axis>,
    /// The features that are left afterwards; sums of cells are those of all. By default all.
    pub features: Option<Selection>,
}

nnz_core::setters! {
    Normalization {
        target_sum: Option<TargetSum>,
        log1p: bool,
        pearson_residuals: Option<PearsonOptions>,
        regress_out: Vec<String>,
        ranks: Option<Axis>,
        axis: Option<Axis>,
        features: Option<Selection>,
    }
}

impl Normalization {
    /// Applies it to a matrix, as its values are decoded. The sums of cells are computed now, in one pass.
    ///
    /// If the options have [`DuplicatePolicy::Sum`](crate::output::DuplicatePolicy::Sum), duplicate entries are summed first.
    ///
    /// # Errors
    ///
    /// Fails if the matrix cannot be read or is broken, and for complex numbers and fill values.
    pub fn apply(
        &self,
        source: Box<dyn MatrixSource>,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Box<dyn MatrixSource>> {
        let axis = self.axis.unwrap_or_else(|| cell_axis(source.header()));
        let mut source = self.scaled(source, options, context)?;
        if let Some(options) = &self.pearson_residuals {
            source = pearson_residuals(source, axis, options, context)?;
        }
        source = self.selected(source)?;
        if !self.regress_out.is_empty() {
            let covariates = covariates(&*source, axis, &self.regress_out, context.memory() / 4)?;
            source = regress_out(source, axis, &covariates, context)?;
        }
        match self.ranks {
            Some(axis) => ranks(source, axis, context),
            None => Ok(source),
        }
    }

    /// Scales cells, and takes logarithms.
    fn scaled(
        &self,
        source: Box<dyn MatrixSource>,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Box<dyn MatrixSource>> {
        if self.target_sum.is_none() && !self.log1p {
            return Ok(source);
        }
        let source = super::summed(source, options, context);
        let mut steps = Vec::new();
        if let Some(target) = self.target_sum {
            let axis = self.axis.unwrap_or_else(|| cell_axis(source.header()));
            let target = match target {
                TargetSum::Median => None,
                TargetSum::Sum(sum) => Some(sum),
            };
            let observed = Observed::new(&*source, "measuring", context.progress());
            let factors = normalizing_factors(&observed, axis, target, context)?;
            steps.push(ValueStep::ScaleAxis(axis, factors.into()));
        }
        if self.log1p {
            steps.push(ValueStep::Log1p);
        }
        Ok(Box::new(Computed::new(source, steps)?))
    }

    /// Returns whether all elements get a value.
    fn makes_dense(&self) -> bool {
        self.pearson_residuals.is_some() || !self.regress_out.is_empty()
    }

    fn selected(&self, source: Box<dyn MatrixSource>) -> Result<Box<dyn MatrixSource>> {
        let Some(features) = &self.features else { return Ok(source) };
        let axis = self.axis.unwrap_or_else(|| cell_axis(source.header()));
        let all = Selection::all();
        let [rows, cols] = match axis {
            Axis::Rows => [&all, features],
            Axis::Cols => [features, &all],
        };
        Ok(Box::new(Slice::new(source, rows, cols)?))
    }
}

/// Writes a matrix with normalized values, as `scanpy.pp.normalize_total` and `scanpy.pp.log1p` compute them. They
/// are of type `f32`, or `f64` if the matrix has 64-bit values.
///
/// ```no_run
/// use nnz::compute::{Normalization, TargetSum, normalize};
///
/// let how = Normalization::default().target_sum(TargetSum::Sum(1e4)).log1p(true);
/// let options = nnz::ConvertOptions::default();
/// normalize("counts.h5ad", "normalized.h5ad", &how, &options, &nnz::Context::default())?;
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`Normalization::apply`] and [`convert`](fn@crate::convert). The logarithm fails if an element has several
/// entries in a format that sums them, unless the options have
/// [`DuplicatePolicy::Sum`](crate::output::DuplicatePolicy::Sum).
pub fn normalize(
    from: impl Into<Location>,
    to: impl Into<Location>,
    how: &Normalization,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let (from, to) = (&from.into(), &to.into());
    let source = options.open.open_matrix(from, context)?;
    let (source, options, assumed) = super::stating_cells(source, how.axis, options);
    let mut notes: Vec<String> = super::note_on_values(&*source, how)?.into_iter().collect();
    if how.target_sum.is_some() || how.pearson_residuals.is_some() {
        notes.extend(super::note_on_types(&*source, how.axis, context)?);
    }
    let (source, options) = match how.regress_out.is_empty() {
        true => (source, options),
        false => crate::slice::with_tables(source, &options, context)?,
    };
    let (source, mut options) = (how.apply(source, &options, context)?, options);
    if source.header().storage == Storage::Dense && how.makes_dense() {
        context.keep_dense(to, &mut options);
    }
    let mut summary = convert_source(&*source, to, &options, context)?;
    summary.notes.extend(assumed.into_iter().chain(notes));
    Ok(summary)
}
