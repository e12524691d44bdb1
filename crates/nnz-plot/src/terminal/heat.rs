//! Heat maps: in colour with up to two counts in a character, above each other, otherwise as shades.

use super::TerminalColors;
use super::canvas::{Canvas, Cell, colored};
use crate::cast;
use crate::colors::terminal_color;
use crate::figure::{ColorScale, Heat};
use crate::number::{columns, format_number, printable, shortened};
use crate::scene::range_text;

const SHADES: [char; 4] = ['\u{2591}', '\u{2592}', '\u{2593}', '\u{2588}'];
const UPPER: char = '\u{2580}';
const LOWER: char = '\u{2584}';
const FULL: char = '\u{2588}';

/// Places of a canvas along an axis: each bin has the same number of places, or each place the same number of bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) len: usize,
    /// Places of a bin.
    each: usize,
    /// Bins of a place.
    joined: usize,
    bins: usize,
}

impl Places {
    /// Fits bins into some places, with at most `most` for each bin.
    fn of(bins: usize, space: usize, most: usize) -> Self {
        let (bins, space) = (bins.max(1), space.max(1));
        let each = (space / bins).clamp(1, most.max(1));
        let joined = bins.div_ceil(space);
        let len = if joined > 1 { bins.div_ceil(joined) } else { bins * each };
        Self { len, each, joined, bins }
    }

    fn bins(self, place: usize) -> std::ops::Range<usize> {
        let first = place * self.joined / self.each;
        first..(first + self.joined).min(self.bins)
    }

    /// Returns how much longer an axis is whose last place is a whole one. `extent` is its length in bins.
    pub(super) fn stretch(self, extent: f64) -> f64 {
        cast::float(self.len * self.joined) / cast::float(self.each) / extent
    }
}

/// Rows of a canvas in a line of text.
pub(super) fn halves(colors: TerminalColors) -> usize {
    if colors == TerminalColors::Plain { 1 } else { 2 }
}

/// Places rows in some lines. A row is in one line only.
pub(super) fn rows(heat: &Heat, height: usize, colors: TerminalColors) -> Places {
    let halves = halves(colors);
    Places::of(heat.rows, height * halves, halves)
}

/// Places columns in some characters. With an aspect, the picture has about its proportions: a line is about twice as high
/// as a character is wide.
pub(super) fn cols(heat: &Heat, width: usize, lines: usize, aspect: Option<f64>) -> Places {
    let wanted = aspect.map_or(width, |aspect| cast::index(2.0 * aspect * cast::float(lines)));
    let most = cast::index(cast::float(wanted) / cast::float(heat.cols.max(1)));
    Places::of(heat.cols, width, most)
}

/// Draws the counts.
pub(super) fn draw(heat: &Heat, at: [Places; 2], colors: TerminalColors, canvas: &mut Canvas) {
    let (scale, [rows, cols]) = (heat.scale(), at);
    let count = |row: usize, col: usize| {
        let cells = rows.bins(row).flat_map(|row| cols.bins(col).map(move |col| (row, col)));
        cells.map(|(row, col)| heat.get(row, col)).fold(0.0, f64::max)
    };
    for row in 0..canvas.height {
        for col in 0..canvas.width {
            let cell = if halves(colors) == 1 {
                let Some(shade) = scale.step(count(row, col), SHADES.len()) else { continue };
                Cell { character: SHADES[shade], color: None, background: None }
            } else {
                let color = |row| scale.part(count(row, col)).map(terminal_color);
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

/// Describes colours or shades.
pub(super) fn legend(heat: &Heat, colors: TerminalColors, width: usize) -> Vec<String> {
    const LENGTH: usize = 16;
    let scale = heat.scale();
    let mut lines = vec![shortened(&format!("{}:", printable(&heat.label)), width)];
    let mut used = columns(&lines[0]);
    let mut add = |before: &str, cells: &[Cell], after: &str| {
        let length = columns(before) + columns(after) + cells.len() + 3;
        if used + length > width {
            lines.push(String::new());
            used = 0;
        }
        used += length;
        if let Some(line) = lines.last_mut() {
            line.push_str("  ");
            line.push_str(before);
            colored(cells, colors, line);
            line.push(' ');
            line.push_str(after);
        }
    };
    let full = |part: f64| {
        let color = Some(terminal_color(part));
        Cell { character: FULL, color, background: None }
    };
    match (colors, scale.is_single()) {
        (TerminalColors::Plain, _) => {
            for (shade, range) in shades(scale) {
                let cell = Cell { character: SHADES[shade], color: None, background: None };
                add("", &[cell], &range_text(range));
            }
        }
        (_, true) => add("", &[full(0.5)], "1"),
        (_, false) => {
            let part = |at: usize| cast::float(at) / cast::float(LENGTH - 1);
            let bar: Vec<Cell> = (0..LENGTH).map(|at| full(part(at))).collect();
            add("1 ", &bar, &format_number(scale.most));
        }
    }
    lines
}

/// Returns the counts that each shade stands for, without shades of none.
fn shades(scale: ColorScale) -> Vec<(usize, [f64; 2])> {
    let step = |count: f64| scale.step(count, SHADES.len()).unwrap_or(0);
    let most = scale.most.max(1.0);
    let mut found: Vec<(usize, [f64; 2])> = Vec::new();
    let mut least = 1.0;
    for shade in 0..SHADES.len() {
        // The first integer above the shade: one or two from the power.
        let part = cast::float(shade + 1) / cast::float(SHADES.len());
        let mut next = (most.powf(part).floor() - 1.0).max(least);
        for _ in 0..4 {
            if step(next) <= shade && next < most {
                next += 1.0;
            }
        }
        let last = if step(next) > shade { (next - 1.0).max(least) } else { most };
        if step(least) == shade {
            found.push((shade, [least, last]));
            least = next;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bin_has_the_same_places() {
        for bins in 1..40 {
            for space in 1..50 {
                for most in 1..4 {
                    let places = Places::of(bins, space, most);
                    assert!(places.len <= space, "{places:?}");
                    let mut times = vec![0; bins];
                    (0..places.len)
                        .flat_map(|place| places.bins(place))
                        .for_each(|bin| times[bin] += 1);
                    assert!(
                        times.iter().all(|count| *count == places.each),
                        "{places:?}: {times:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn shades_have_all_counts() {
        let of = |most: f64| shades(ColorScale { most });
        assert_eq!(of(1.0), [(2, [1.0, 1.0])]);
        assert_eq!(of(2.0), [(0, [1.0, 1.0]), (3, [2.0, 2.0])]);
        assert_eq!(of(16.0), [(0, [1.0, 1.0]), (1, [2.0, 3.0]), (2, [4.0, 7.0]), (3, [8.0, 16.0])]);
        for most in [3.0, 5000.0, 1e6, 7.5] {
            let found = of(most);
            assert!(
                found[0].1[0] == 1.0 && found.last().is_some_and(|(_, range)| range[1] == most)
            );
            for pair in found.windows(2) {
                assert_eq!(pair[0].1[1] + 1.0, pair[1].1[0], "{most}: {found:?}");
            }
        }
    }
}
