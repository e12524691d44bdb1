//! The pictures of a report.

use crate::Context;
use nnz_core::{Axis, AxisKind, ErrorKind, MatrixSource, Result, Shape};
use nnz_engine::plot::{
    Density, LengthMeasure, Lengths, ValueCounts, density, density_per_bin, lengths, values,
};
use nnz_plot::{Axis as PlotAxis, Figure, Heat, Marks, Panel, format_grouped};

use crate::plot;

/// Longer axes are not drawn.
const LONGEST: u64 = 20_000_000;

/// Squares of the picture of the entries, in each direction at most: with more, the page would be too large.
const SQUARES: usize = 64;

/// The numbers of the pictures of a matrix, as far as they could be computed.
#[derive(Clone, Debug)]
pub(super) struct PictureNumbers {
    axis_kinds: [AxisKind; 2],
    density: Option<Density>,
    values: Option<ValueCounts>,
    /// Entries of columns, and of rows.
    lengths: [Option<Lengths>; 2],
}

const AXES: [Axis; 2] = [Axis::Cols, Axis::Rows];

impl PictureNumbers {
    /// Computes the numbers of a matrix. What cannot be drawn is added to `notes`.
    pub(super) fn of_source(
        source: &dyn MatrixSource,
        context: &Context,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let header = source.header();
        let most = plot::spy_bins(header.shape, [SQUARES, SQUARES]);
        let mut found = Self {
            axis_kinds: header.axis_kinds,
            density: supported(density(source, most, context), notes)?,
            values: supported(values(source, context), notes)?,
            lengths: [None, None],
        };
        for (axis, lengths_of_axis) in AXES.into_iter().zip(&mut found.lengths) {
            if header.shape.len(axis) <= LONGEST {
                let measured = lengths(source, axis, LengthMeasure::Nnz, context);
                *lengths_of_axis = supported(measured, notes)?;
            }
        }
        Ok(found)
    }

    /// Counts entries in the bins of another matrix, if these have more rows or columns.
    pub(super) fn use_bins(
        &mut self,
        other: &Self,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<()> {
        let (Some(density), Some(other)) = (&mut self.density, &other.density) else {
            return Ok(());
        };
        let per_bin = [
            density.rows_per_bin.max(other.rows_per_bin),
            density.cols_per_bin.max(other.cols_per_bin),
        ];
        if per_bin != [density.rows_per_bin, density.cols_per_bin] {
            *density = density_per_bin(source, per_bin, context)?;
        }
        Ok(())
    }
}

/// Draws matrices, each with the same scales. Returns the figures of each.
pub(super) fn draw(numbers: &[&PictureNumbers]) -> Vec<Vec<Figure>> {
    let mut drawn = vec![Vec::new(); numbers.len()];
    let mut add = |has: Vec<bool>, figures: Vec<Figure>| {
        let which = has.iter().enumerate().filter(|(_, has)| **has).map(|(at, _)| at);
        which.zip(figures).for_each(|(at, figure)| drawn[at].push(figure));
    };
    let densities: Vec<_> = numbers.iter().map(|one| one.density.as_ref()).collect();
    let has = densities.iter().map(Option::is_some).collect();
    let densities: Vec<_> = densities.into_iter().flatten().collect();
    add(has, plot::spies(&densities, "Where the entries are"));
    let values: Vec<_> = numbers.iter().map(|one| one.values.as_ref()).collect();
    let has = values.iter().map(Option::is_some).collect();
    let values: Vec<_> = values.into_iter().flatten().collect();
    add(has, plot::values_alike(&values, "Values of the entries"));
    for (at, axis) in AXES.into_iter().enumerate() {
        let lengths: Vec<_> = numbers.iter().map(|one| one.lengths[at].as_ref()).collect();
        let has = lengths.iter().map(Option::is_some).collect();
        let lengths: Vec<_> = lengths.into_iter().flatten().collect();
        let kinds = numbers.first().map_or([AxisKind::Unknown; 2], |first| first.axis_kinds);
        add(has, plot::distributions(&lengths, &format!("Entries of each {}", one(axis, kinds))));
    }
    drawn
}

/// Returns numbers, or adds why there are none to `notes`.
fn supported<T>(found: Result<T>, notes: &mut Vec<String>) -> Result<Option<T>> {
    match found {
        Err(error) if is_unsupported(&error) => {
            notes.push(error.kind().to_string());
            Ok(None)
        }
        found => found.map(Some),
    }
}

fn one(axis: Axis, kinds: [AxisKind; 2]) -> &'static str {
    let (kind, one) = match axis {
        Axis::Rows => (kinds[0], "row"),
        Axis::Cols => (kinds[1], "column"),
    };
    match kind {
        AxisKind::Cells => "cell",
        AxisKind::Features => "feature",
        _ => one,
    }
}

fn is_unsupported(error: &nnz_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported(_) | ErrorKind::Memory { .. })
}

/// Draws where entries of two matrices differ: their number in each bin of a grid.
#[expect(clippy::cast_precision_loss, reason = "positions on a picture are rounded")]
pub(super) fn of_differences(
    shape: Shape,
    [rows, cols]: [usize; 2],
    per_bin: [u64; 2],
    counts: Vec<u64>,
) -> Figure {
    let axis = |name: &str, len: u64| PlotAxis::linear(name, [0.0, len.max(1) as f64]).whole();
    let [high, wide] = per_bin.map(format_grouped);
    let label = match per_bin {
        [1, 1] => "differences".to_owned(),
        _ => format!("differences per {high} × {wide} elements"),
    };
    let count: u64 = counts.iter().sum();
    let last = |len: u64, per_bin: u64| match len % per_bin {
        0 => 1.0,
        rest => rest as f64 / per_bin as f64,
    };
    let last = [last(shape.rows, per_bin[0]), last(shape.cols, per_bin[1])];
    let marks = Marks::Heat(Heat::new(rows, cols, counts, label).last(last));
    let panel = Panel::new(axis("columns", shape.cols), axis("rows", shape.rows).reversed(), marks);
    Figure::new("Where entries differ")
        .subtitle(format!("{} entries", format_grouped(count)))
        .panel(panel)
}
