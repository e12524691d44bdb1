//! `nnz normalize`, `nnz aggregate` and `nnz pca`.

use nnz::Context;
use nnz::compute::{AggregateOptions, PcaOptions};
use nnz::{Axis, ConvertOptions, Error, Location};

use super::write::{self, counted, heading, summarise};
use crate::Outcome;
use crate::args::computing::{Aggregate, Cells, Normalize, PrincipalComponents, normalization};
use crate::args::reading::SourceFormat;
use crate::output::{bytes, print_message};

/// Writes normalized values.
pub(crate) fn normalize(
    args: &Normalize,
    quiet: bool,
    context: &Context,
) -> Result<Outcome, Error> {
    let options = args.reading.of_conversion(write::options(&args.writing, context)?);
    let axis = axis(&args.cells, &args.source, &args.reading, context)?;
    let how = normalization(args.target_sum.0, args.log1p).axis(axis);
    let bytes_before = write::file_size(&args.source);
    let mut done = nnz::compute::normalize(&args.source, &args.target, &how, &options, context)?;
    done.bytes_before = bytes_before.or(done.bytes_before);
    if !quiet {
        summarise(std::slice::from_ref(&args.source), &args.target, &done);
    }
    Ok(Outcome::Good)
}

/// Writes sums of the cells of each group.
pub(crate) fn aggregate(
    args: &Aggregate,
    quiet: bool,
    context: &Context,
) -> Result<Outcome, Error> {
    let options = args.reading.of_conversion(write::options(&args.writing, context)?);
    let axis = axis(&args.cells, &args.source, &args.reading, context)?;
    let how = AggregateOptions::default().aggregation(args.function.into()).axis(axis);
    let (source, target) = (&args.source, &args.target);
    let done = nnz::compute::aggregate(source, target, &args.by, &how, &options, context)?;
    if !quiet {
        summarise(std::slice::from_ref(source), target, &done);
    }
    Ok(Outcome::Good)
}

/// Writes principal components.
pub(crate) fn pca(
    args: &PrincipalComponents,
    quiet: bool,
    context: &Context,
) -> Result<Outcome, Error> {
    let memory = context.memory();
    let [row_labels, col_labels] = args.labelling.labels(memory)?;
    let convert = ConvertOptions::default()
        .compress(args.compress)
        .overwrite(args.force)
        .sync(!args.no_sync)
        .row_labels(row_labels)
        .col_labels(col_labels);
    let convert = args.reading.of_conversion(convert);
    let axis = axis(&args.cells, &args.source, &args.reading, context)?;
    let how = normalization(args.target_sum, args.log1p).axis(axis);
    let options = PcaOptions::default()
        .components(args.components)
        .iterations(args.iterations)
        .seed(args.seed);
    let (source, target) = (&args.source, &args.target);
    let done = nnz::compute::pca(source, target, &how, &options, &convert, context)?;
    if quiet {
        return Ok(Outcome::Good);
    }
    print_message(&heading(std::slice::from_ref(source), target));
    let cells = counted(done.shape.rows, "cell", "cells");
    let features = counted(done.shape.cols, "feature", "features");
    let components = counted(done.variance_ratio.len() as u64, "component", "components");
    let explained = 100.0 * done.variance_ratio.iter().sum::<f64>();
    print_message(&format!("  {cells}, {features}"));
    print_message(&format!("  {components} with {explained:.1} % of the variance"));
    print_message(&format!("  {}, {:.2} s", bytes(done.bytes), done.seconds));
    Ok(Outcome::Good)
}

/// Returns the axis of the cells, if it is given.
fn axis(
    cells: &Cells,
    source: &Location,
    reading: &SourceFormat,
    context: &Context,
) -> Result<Option<Axis>, Error> {
    cells.axis(source, || {
        let opened = reading.set().open(source, context)?;
        opened.into_matrix()
    })
}
