//! The pictures of a report.

use crate::Context;
use nnz_core::{Axis, AxisKind, ErrorKind, MatrixSource, Result, Shape};
use nnz_engine::plot::{LengthMeasure, density, lengths, values};
use nnz_plot::{Axis as PlotAxis, Figure, Heat, Marks, Panel, format_grouped};

use crate::plot;

/// Longer axes are not drawn.
const LONGEST: u64 = 20_000_000;

/// Squares of the picture of the entries, in each direction at most: with more, the page would be too large.
const SQUARES: usize = 64;

/// Draws a matrix. What cannot be drawn is added to `notes`.
pub(super) fn of_source(
    source: &dyn MatrixSource,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<Vec<Figure>> {
    let header = source.header();
    let mut figures = Vec::new();
    let mut add = |figure: Result<Figure>| match figure {
        Ok(figure) => {
            figures.push(figure);
            Ok(())
        }
        Err(error) if is_unsupported(&error) => {
            notes.push(error.kind().to_string());
            Ok(())
        }
        Err(error) => Err(error),
    };
    let most = plot::spy_bins(header.shape, [SQUARES, SQUARES]);
    let found = density(source, most, context);
    add(found.map(|found| plot::spy(&found, "Where the entries are")))?;
    let found = values(source, context);
    add(found.map(|found| plot::values(&found, "Values of the entries")))?;
    for axis in [Axis::Cols, Axis::Rows] {
        if header.shape.len(axis) <= LONGEST {
            let found = lengths(source, axis, LengthMeasure::Nnz, context);
            let title = format!("Entries of each {}", one(axis, header.axis_kinds));
            add(found.map(|found| plot::distribution(&found, &title)))?;
        }
    }
    Ok(figures)
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
    let marks = Marks::Heat(Heat { rows, cols, counts, label });
    let panel = Panel::new(axis("columns", shape.cols), axis("rows", shape.rows).reversed(), marks);
    Figure::new("Where entries differ")
        .subtitle(format!("{} entries", format_grouped(count)))
        .panel(panel)
}
