//! `nnz normalize`, `nnz aggregate` and `nnz pca`.

use crate::args::Writing;
use nnz::Context;
use nnz::compute::{AggregateOptions, PcaOptions};
use nnz::{Axis, ConvertOptions, Error, Location};

use super::Run;
use super::write::{self, counted, heading, summarise};
use crate::Outcome;
use crate::args::computing::{Aggregate, Cells, Normalize, PrincipalComponents, normalization};
use crate::args::reading::SourceFormat;
use crate::output::{bytes, print_message};

impl Run for Normalize {
    /// Writes normalized values.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = self.reading.of_conversion(write::options(&self.writing, context)?);
        let axis = axis(&self.cells, &self.source, &self.reading, context)?;
        let how = normalization(self.target_sum.0, self.log1p).axis(axis);
        let bytes_before = write::file_size(&self.source);
        let mut done =
            nnz::compute::normalize(&self.source, &self.target, &how, &options, context)?;
        done.bytes_before = bytes_before.or(done.bytes_before);
        if !quiet {
            summarise(std::slice::from_ref(&self.source), &self.target, &done);
        }
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}

impl Run for Aggregate {
    /// Writes sums of the cells of each group.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = self.reading.of_conversion(write::options(&self.writing, context)?);
        let axis = axis(&self.cells, &self.source, &self.reading, context)?;
        let how = AggregateOptions::default().aggregation(self.function.into()).axis(axis);
        let (source, target) = (&self.source, &self.target);
        let done = nnz::compute::aggregate(source, target, &self.by, &how, &options, context)?;
        if !quiet {
            summarise(std::slice::from_ref(source), target, &done);
        }
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}

impl Run for PrincipalComponents {
    /// Writes principal components.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let memory = context.memory();
        let [row_labels, col_labels] = self.labelling.labels(memory)?;
        let convert = ConvertOptions::default()
            .compress(self.compress)
            .overwrite(self.force)
            .sync(!self.no_sync)
            .row_labels(row_labels)
            .col_labels(col_labels);
        let convert = self.reading.of_conversion(convert);
        let axis = axis(&self.cells, &self.source, &self.reading, context)?;
        let how = normalization(self.target_sum, self.log1p).axis(axis);
        let options = PcaOptions::default()
            .components(self.components)
            .iterations(self.iterations)
            .seed(self.seed);
        let (source, target) = (&self.source, &self.target);
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
