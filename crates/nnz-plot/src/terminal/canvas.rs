//! Characters with colours.

use std::fmt::Write as _;

use super::TerminalColors;
use crate::colors::Rgb;

/// A character with its colours; without one, the colour of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) character: char,
    pub(super) color: Option<Rgb>,
    pub(super) background: Option<Rgb>,
}

const BLANK: Cell = Cell { character: ' ', color: None, background: None };

/// A rectangle of characters.
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) height: usize,
    cells: Vec<Cell>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, height, cells: vec![BLANK; width * height] }
    }

    pub(super) fn set(&mut self, col: usize, row: usize, cell: Cell) {
        if col < self.width
            && let Some(old) = self.cells.get_mut(row * self.width + col)
        {
            *old = cell;
        }
    }

    /// Writes a text in the middle.
    pub(super) fn centered(&mut self, text: &str) {
        let text = crate::number::shortened(text, self.width);
        let start = (self.width - text.chars().count().min(self.width)) / 2;
        let row = self.height / 2;
        for (number, character) in text.chars().enumerate() {
            self.set(start + number, row, Cell { character, ..BLANK });
        }
    }

    /// Appends a row, without blanks at its end.
    pub(super) fn row(&self, row: usize, colors: TerminalColors, out: &mut String) {
        let cells = self.cells.get(row * self.width..(row + 1) * self.width).unwrap_or_default();
        let end = cells.iter().rposition(|cell| *cell != BLANK).map_or(0, |last| last + 1);
        colored(cells.get(..end).unwrap_or_default(), colors, out);
    }
}

/// Appends characters with escape sequences where colours change.
pub(super) fn colored(cells: &[Cell], colors: TerminalColors, out: &mut String) {
    let mut current = (None, None);
    for cell in cells {
        let wanted = match colors {
            TerminalColors::Plain => (None, None),
            _ => (cell.color, cell.background),
        };
        if wanted != current {
            out.push_str("\x1b[0m");
            for (color, what) in [(wanted.0, 38), (wanted.1, 48)] {
                let Some([r, g, b]) = color else { continue };
                let _ = match colors {
                    TerminalColors::True => write!(out, "\x1b[{what};2;{r};{g};{b}m"),
                    _ => write!(out, "\x1b[{what};5;{}m", of_256([r, g, b])),
                };
            }
            current = wanted;
        }
        out.push(cell.character);
    }
    if current != (None, None) {
        out.push_str("\x1b[0m");
    }
}

/// Returns the nearest colour of the cube of 6 x 6 x 6 in the palette of xterm.
fn of_256(color: Rgb) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let near = |channel: u8| {
        let far = |step: u8| step.abs_diff(channel);
        (0..6).min_by_key(|&at: &u8| far(STEPS[usize::from(at)])).unwrap_or(0)
    };
    let [r, g, b] = color.map(near);
    16 + 36 * r + 6 * g + b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_the_terminal() {
        let cell = |character, color| Cell { character, color, background: None };
        let cells = [cell('a', None), cell('b', Some([255, 0, 0])), cell('c', Some([255, 0, 0]))];
        let shown = |colors| {
            let mut out = String::new();
            colored(&cells, colors, &mut out);
            out
        };
        assert_eq!(shown(TerminalColors::Plain), "abc");
        assert_eq!(shown(TerminalColors::Ansi256), "a\x1b[0m\x1b[38;5;196mbc\x1b[0m");
        assert_eq!(shown(TerminalColors::True), "a\x1b[0m\x1b[38;2;255;0;0mbc\x1b[0m");
    }
}
