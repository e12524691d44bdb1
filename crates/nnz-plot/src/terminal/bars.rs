//! Bars of block characters.

use super::canvas::{Canvas, Cell};
use crate::cast;
use crate::colors::terminal_color;
use crate::figure::{Bar, Panel};

const EIGHTHS: [char; 9] = [
    ' ', '\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}',
    '\u{2588}',
];

/// Draws bars.
pub(super) fn draw(bars: &[Bar], panel: &Panel, canvas: &mut Canvas) {
    let color = Some(terminal_color(0.0));
    let width = cast::float(canvas.width);
    let placed: Vec<([f64; 2], f64)> = bars
        .iter()
        .map(|bar| {
            (bar.range.map(|end| panel.x.position(end) * width), panel.y.position(bar.value))
        })
        .collect();
    for col in 0..canvas.width {
        let (left, right) = (cast::float(col), cast::float(col + 1));
        let is_at = |&&([from, to], _): &&([f64; 2], f64)| {
            (from..to).contains(&(left + 0.5)) || (to - from < 1.0 && from < right && to > left)
        };
        let tallest = placed.iter().filter(is_at).map(|(_, height)| *height);
        let Some(tallest) = tallest.reduce(f64::max).filter(|height| *height > 0.0) else {
            continue;
        };
        // A count that is not zero is visible.
        let eighths = cast::index(tallest * 8.0 * cast::float(canvas.height)).max(1);
        for up in 0..canvas.height {
            let character = EIGHTHS[eighths.saturating_sub(8 * up).min(8)];
            if character != ' ' {
                let row = canvas.height - 1 - up;
                canvas.set(col, row, Cell { character, color, background: None });
            }
        }
    }
}

/// Draws numbers as bars of one line, the highest of which is full. Zero and NaN are blank.
///
/// ```
/// assert_eq!(nnz_plot::sparkline(&[0.0, 1.0, 4.0, 8.0]), " \u{2581}\u{2584}\u{2588}");
/// ```
#[must_use]
pub fn sparkline(numbers: &[f64]) -> String {
    let greatest = numbers.iter().copied().fold(0.0, f64::max);
    let bar = |number: &f64| match number / greatest {
        part if part > 0.0 => EIGHTHS[cast::index(part * 8.0).clamp(1, 8)],
        _ => ' ',
    };
    numbers.iter().map(bar).collect()
}
