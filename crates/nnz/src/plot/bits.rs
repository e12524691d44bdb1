//! Bits of packed values along a file.
#![expect(clippy::cast_precision_loss, reason = "positions on a picture are rounded")]

use nnz_core::PackedWidths;
use nnz_plot::{Axis, Figure, Line, Marks, Panel, format_grouped};

use super::names::counted;

/// Makes a figure of the bits of packed values along the arrays of a file: where its bytes are.
#[must_use]
pub fn bits(widths: &[PackedWidths], title: &str) -> Figure {
    let values = widths.iter().map(|array| array.values).max().unwrap_or(0);
    let total: f64 = widths.iter().map(|array| array.mean).sum();
    let each: Vec<String> =
        widths.iter().map(|array| format!("{} {:.2}", array.array, array.mean)).collect();
    let count = counted(values, "entry", "entries");
    let subtitle = match values {
        0 => count,
        _ => format!("{count}, {total:.2} bits each: {}", each.join(", ")),
    };
    let most = widths.iter().flat_map(|array| &array.bits).copied().fold(0.0, f64::max);
    let x = Axis::linear("entry, in the order of the file", [0.0, values.max(1) as f64]).whole();
    let y = Axis::linear("bits per value", [0.0, (most * 1.05).max(1.0)]);
    let marks = match values {
        0 => Marks::Nothing("no entries".to_owned()),
        _ => Marks::Lines(widths.iter().map(line).collect()),
    };
    Figure::new(title).subtitle(subtitle).panel(Panel::new(x, y, marks))
}

/// Draws the bits of each bin as a step.
fn line(array: &PackedWidths) -> Line {
    let len = array.bits.len().max(1) as f64;
    let at = |bin: usize| bin as f64 / len * array.values as f64;
    let step = |(bin, &bits): (usize, &f64)| [[at(bin), bits], [at(bin + 1), bits]];
    let name =
        if array.packed { array.array.clone() } else { format!("{} (not packed)", array.array) };
    let title = format!(
        "{name}: {:.2} bits per value, {} bytes in total",
        array.mean,
        format_grouped(bytes(array))
    );
    Line { name, points: array.bits.iter().enumerate().flat_map(step).collect(), title }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size is positive")]
fn bytes(array: &PackedWidths) -> u64 {
    (array.mean * array.values as f64 / 8.0).round() as u64
}
