//! Heat maps: in colour with two counts in a character, above each other, otherwise as shades.

use super::TerminalColors;
use super::canvas::{Canvas, Cell, colored};
use crate::cast;
use crate::colors::terminal_level;
use crate::figure::Heat;
use crate::number::{printable, shortened};
use crate::scene::{LEVELS, class, class_label};

const SHADES: [char; 4] = ['\u{2591}', '\u{2592}', '\u{2593}', '\u{2588}'];
const UPPER: char = '\u{2580}';
const LOWER: char = '\u{2584}';
const FULL: char = '\u{2588}';

fn levels(heat: &Heat, colors: TerminalColors) -> Vec<u64> {
    heat.levels(if colors == TerminalColors::Plain { SHADES.len() } else { LEVELS })
}

/// Draws the counts.
pub(super) fn draw(heat: &Heat, colors: TerminalColors, canvas: &mut Canvas) {
    let levels = levels(heat, colors);
    let [width, height] = [canvas.width, canvas.height];
    let halves = if colors == TerminalColors::Plain { 1 } else { 2 };
    let level = |row: usize, col: usize| {
        let rows = covered(row, height * halves, heat.rows);
        let counts =
            rows.flat_map(|row| covered(col, width, heat.cols).map(move |col| heat.get(row, col)));
        class(&levels, counts.max().unwrap_or(0))
    };
    for row in 0..height {
        for col in 0..width {
            let cell = if halves == 1 {
                let Some(level) = level(row, col) else { continue };
                Cell { character: SHADES[level.min(3)], color: None, background: None }
            } else {
                let color = |row| level(row, col).map(|level| terminal_level(level, levels.len()));
                match (color(2 * row), color(2 * row + 1)) {
                    (None, None) => continue,
                    (Some(upper), Some(lower)) if upper == lower => {
                        Cell { character: FULL, color: Some(upper), background: None }
                    }
                    (Some(upper), lower) => {
                        Cell { character: UPPER, color: Some(upper), background: lower }
                    }
                    (None, lower) => Cell { character: LOWER, color: lower, background: None },
                }
            };
            canvas.set(col, row, cell);
        }
    }
}

/// Returns the bins in a piece of an axis: at least one, if there are any.
fn covered(piece: usize, pieces: usize, bins: usize) -> std::ops::Range<usize> {
    if bins < pieces {
        let middle = (cast::float(piece) + 0.5) / cast::float(pieces.max(1)) * cast::float(bins);
        let bin = cast::floor(middle);
        return bin..(bin + 1).min(bins);
    }
    piece * bins / pieces.max(1)..((piece + 1) * bins).div_ceil(pieces.max(1))
}

/// Returns what each colour or shade means.
pub(super) fn legend(heat: &Heat, colors: TerminalColors, width: usize) -> Vec<String> {
    let levels = levels(heat, colors);
    let most = heat.counts.iter().copied().max().unwrap_or(0);
    let mut lines = vec![shortened(&format!("{}:", printable(&heat.label)), width)];
    let mut used = lines[0].chars().count();
    for level in 0..levels.len() {
        let label = class_label(&levels, level, most);
        let (character, color) = match colors {
            TerminalColors::Plain => (SHADES[level.min(3)], None),
            _ => (FULL, Some(terminal_level(level, levels.len()))),
        };
        let length = label.chars().count() + 4;
        if used + length > width {
            lines.push(String::new());
            used = 0;
        }
        used += length;
        if let Some(line) = lines.last_mut() {
            line.push_str("  ");
            colored(&[Cell { character, color, background: None }], colors, line);
            line.push(' ');
            line.push_str(&label);
        }
    }
    lines
}
