//! Where the entries are.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "positions on a picture are rounded"
)]

use nnz_core::{Axis, Shape};
use nnz_plot::{Axis as PlotAxis, Figure, Heat, Marks, Panel, format_grouped};

use super::Density;
use super::names::{along, counted, percentage};

/// Width divided by height up to which proportions are kept, and height divided by width.
const LONGEST: f64 = 2.5;

/// Returns width divided by height of a matrix, unless one of them is much larger.
fn aspect(shape: Shape) -> Option<f64> {
    let aspect = shape.cols.max(1) as f64 / shape.rows.max(1) as f64;
    (1.0 / LONGEST..=LONGEST).contains(&aspect).then_some(aspect)
}

/// Returns how many rows and columns a grid has that fits into a space of `[width, height]` squares.
#[must_use]
pub fn spy_bins(shape: Shape, [width, height]: [usize; 2]) -> [usize; 2] {
    let Some(aspect) = aspect(shape) else { return [height.max(1), width.max(1)] };
    let rows = (height as f64).min(width as f64 / aspect);
    [rows, rows * aspect].map(|bins| (bins.round() as usize).max(1))
}

/// Makes a figure of where the entries of a matrix are, with a colour for their number.
#[must_use]
pub fn spy(density: &Density, title: &str) -> Figure {
    spies(&[density], title).pop().unwrap_or_default()
}

/// Makes a figure of each matrix, with one scale of colours.
pub(crate) fn spies(densities: &[&Density], title: &str) -> Vec<Figure> {
    let heats: Vec<Heat> = densities.iter().map(|density| heat(density)).collect();
    let most = heats.iter().map(Heat::greatest).fold(0.0, f64::max);
    let all = densities.iter().zip(heats);
    all.map(|(density, heat)| figure(density, heat.most(most), title)).collect()
}

fn heat(density: &Density) -> Heat {
    let label = match [density.rows_per_bin, density.cols_per_bin] {
        [1, 1] => "entries".to_owned(),
        per_bin => {
            let [rows, cols] = per_bin.map(format_grouped);
            format!("entries per {rows} \u{d7} {cols} elements")
        }
    };
    let heat = Heat::new(density.rows, density.cols, density.counts.clone(), label);
    heat.last(density.last_bin())
}

fn figure(density: &Density, heat: Heat, title: &str) -> Figure {
    let Density { shape, axis_kinds, entries, .. } = density;
    let share =
        percentage(*entries, shape.elements()).map_or(String::new(), |part| format!(" ({part})"));
    let subtitle = format!(
        "{} \u{d7} {}, {}{share}",
        counted(shape.rows, "row", "rows"),
        counted(shape.cols, "column", "columns"),
        counted(*entries, "entry", "entries")
    );
    let axis = |axis: Axis| {
        let range = [0.0, shape.len(axis).max(1) as f64];
        PlotAxis::linear(along(axis, *axis_kinds), range).whole()
    };
    let marks = match (entries, shape.is_empty()) {
        (0, true) => Marks::Nothing("no elements".to_owned()),
        (0, false) => Marks::Nothing("no entries".to_owned()),
        _ => Marks::Heat(heat),
    };
    let panel = Panel::new(axis(Axis::Cols), axis(Axis::Rows).reversed(), marks);
    let panel = match aspect(*shape).filter(|_| *entries > 0) {
        Some(aspect) => panel.aspect(aspect),
        None => panel,
    };
    Figure::new(title).subtitle(subtitle).panel(panel)
}
