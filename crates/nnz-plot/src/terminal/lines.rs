//! Lines: of dots with eight to a character, or of one kind of character each without colours.

use super::TerminalColors;
use super::canvas::{Canvas, Cell, colored};
use crate::cast;
use crate::colors::{Ink, Rgb, Theme};
use crate::figure::{Line, Panel};
use crate::number::{printable, shortened};

/// Dots of a Braille character: in each column, from the top.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
const BRAILLE: u32 = 0x2800;
/// Characters of lines without colours.
const MARKS: [char; 6] = ['*', '+', 'o', 'x', '#', '='];

/// Colours that are visible on light and dark backgrounds.
fn color(series: usize) -> Rgb {
    let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| Ink::Series(series).color(theme));
    std::array::from_fn(|channel| {
        cast::byte((f64::from(light[channel]) + f64::from(dark[channel])) / 2.0)
    })
}

/// Draws lines, the first above the others.
pub(super) fn draw(lines: &[Line], panel: &Panel, colors: TerminalColors, canvas: &mut Canvas) {
    for (series, line) in lines.iter().enumerate().rev() {
        let marked = colors == TerminalColors::Plain && lines.len() > 1;
        let [across, up] = if marked { [1, 1] } else { [2, 4] };
        let size = [canvas.width * across, canvas.height * up];
        let mut dots = vec![0_u32; canvas.width * canvas.height];
        for [x, y] in dotted(line, panel, size) {
            if let Some(dot) = dots.get_mut(y / up * canvas.width + x / across) {
                *dot |= if marked { 1 } else { DOTS[x % 2][y % 4] };
            }
        }
        for (at, dot) in dots.into_iter().enumerate().filter(|(_, dot)| *dot > 0) {
            let character = match marked {
                true => MARKS[series % MARKS.len()],
                false => char::from_u32(BRAILLE + dot).unwrap_or('*'),
            };
            let cell = Cell { character, color: Some(color(series)), background: None };
            canvas.set(at % canvas.width, at / canvas.width, cell);
        }
    }
}

/// Returns the dots of a line.
fn dotted(line: &Line, panel: &Panel, [width, height]: [usize; 2]) -> Vec<[usize; 2]> {
    let place = |&[x, y]: &[f64; 2]| {
        let x = panel.x.position(x) * cast::float(width.saturating_sub(1));
        let y = (1.0 - panel.y.position(y)) * cast::float(height.saturating_sub(1));
        [x, y]
    };
    let points: Vec<[f64; 2]> = line.points.iter().map(place).collect();
    let mut dots = Vec::new();
    if let Some([x, y]) = points.first() {
        dots.push([cast::index(*x), cast::index(*y)]);
    }
    for pair in points.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let steps = cast::floor((to[0] - from[0]).abs().max((to[1] - from[1]).abs()).ceil()).max(1);
        dots.extend((1..=steps).map(|step| {
            let part = cast::float(step) / cast::float(steps);
            let at = |axis: usize| cast::index(from[axis] + (to[axis] - from[axis]) * part);
            [at(0), at(1)]
        }));
    }
    dots
}

/// Returns the names of the lines.
pub(super) fn legend(lines: &[Line], colors: TerminalColors, width: usize) -> Vec<String> {
    let mut legend = String::new();
    let mut used = 0;
    for (series, line) in lines.iter().enumerate() {
        let name = shortened(&printable(&line.name), 20);
        let length = name.chars().count() + 4;
        if used + length > width {
            legend.push('\n');
            used = 0;
        }
        used += length;
        let character = match colors {
            TerminalColors::Plain => MARKS[series % MARKS.len()],
            _ => '\u{2501}',
        };
        colored(
            &[Cell { character, color: Some(color(series)), background: None }],
            colors,
            &mut legend,
        );
        legend.push_str(&format!(" {name}  "));
    }
    legend.lines().map(|line| line.trim_end().to_owned()).collect()
}
