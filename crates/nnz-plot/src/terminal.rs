//! Drawing in a terminal.

mod bars;
mod canvas;
mod frame;
mod heat;
mod lines;

pub use bars::sparkline;

use crate::figure::{Figure, Marks, Panel};
use crate::number::{printable, shortened, wrapped};
use canvas::Canvas;
use frame::{Area, framed};

/// The colours that a terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TerminalColors {
    /// None: text without escape sequences.
    #[default]
    Plain,
    /// A palette of 256.
    Ansi256,
    /// All.
    True,
}

/// Options of [`terminal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalOptions {
    /// Characters of a line.
    pub width: usize,
    /// Lines, as far as the figure fits.
    pub height: usize,
    /// Colours.
    pub colors: TerminalColors,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        Self { width: 80, height: 24, colors: TerminalColors::default() }
    }
}

impl TerminalOptions {
    /// Sets the number of characters of a line, and of lines.
    #[must_use]
    pub fn size(self, width: usize, height: usize) -> Self {
        Self { width, height, ..self }
    }

    /// Sets the colours.
    #[must_use]
    pub fn colors(self, colors: TerminalColors) -> Self {
        Self { colors, ..self }
    }
}

/// Lines of a canvas at least, however small the terminal.
const LEAST: usize = 4;
/// Characters of a line at least.
const NARROWEST: usize = 24;

/// Draws a figure as lines of text, each ended by a line feed. Control characters in its texts are replaced.
#[must_use]
pub fn terminal(figure: &Figure, options: &TerminalOptions) -> String {
    let width = options.width.max(NARROWEST);
    let mut out = String::new();
    if !figure.title.is_empty() {
        out.push_str(&shortened(&printable(&figure.title), width));
        out.push('\n');
    }
    lines(&figure.subtitle, width, &mut out);
    let mut notes = String::new();
    figure.notes.iter().for_each(|note| lines(note, width, &mut notes));
    let heading = out.lines().count();
    let count = figure.panels.len().max(1);
    let height = options.height.saturating_sub(heading + notes.lines().count()) / count;
    let size = [width, height];
    // The axes of all panels begin in one column.
    let left = |panel: &Panel| area(panel, size, options.colors, 0).left;
    let left = figure.panels.iter().map(left).max().unwrap_or(0);
    for panel in &figure.panels {
        panel_lines(panel, size, options.colors, left, &mut out);
    }
    out.push_str(&notes);
    out
}

/// Appends a text, broken between words.
fn lines(text: &str, width: usize, out: &mut String) {
    if text.is_empty() {
        return;
    }
    for line in wrapped(&printable(text), width) {
        out.push_str(&line);
        out.push('\n');
    }
}

fn legend(panel: &Panel, width: usize, colors: TerminalColors) -> Vec<String> {
    match &panel.marks {
        Marks::Heat(heat) => heat::legend(heat, colors, width),
        Marks::Lines(all) if all.len() > 1 => lines::legend(all, colors, width),
        _ => Vec::new(),
    }
}

/// Places a canvas with at least `left` characters for the labels of its rows.
fn area(panel: &Panel, size: [usize; 2], colors: TerminalColors, left: usize) -> Area {
    let title = usize::from(!panel.title.is_empty());
    // Above the canvas are the title and the label of the vertical axis, below it three lines of the other axis.
    let lines = title + 1 + 3 + legend(panel, size[0], colors).len();
    Area::of(panel, [size[0], size[1].saturating_sub(lines).max(LEAST)], left, colors)
}

fn panel_lines(
    panel: &Panel,
    size: [usize; 2],
    colors: TerminalColors,
    left: usize,
    out: &mut String,
) {
    let area = area(panel, size, colors, left);
    let mut canvas = Canvas::new(area.width, area.height);
    match &panel.marks {
        Marks::Heat(heat) => {
            if let Some(places) = area.places {
                heat::draw(heat, places, colors, &mut canvas);
            }
        }
        Marks::Bars(all) => bars::draw(all, panel, &mut canvas),
        Marks::Lines(all) => lines::draw(all, panel, colors, &mut canvas),
        Marks::Nothing(why) => canvas.centered(&printable(why)),
    }
    if !panel.title.is_empty() {
        out.push_str(&shortened(&printable(&panel.title), size[0]));
        out.push('\n');
    }
    framed(panel, &area, &canvas, colors, out);
    for line in legend(panel, size[0], colors) {
        out.push_str(&line);
        out.push('\n');
    }
}
