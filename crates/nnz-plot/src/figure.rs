//! Figures and their panels.

use crate::{Axis, cast};

/// A picture: a title, and panels that each have two axes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Figure {
    /// The title.
    pub title: String,
    /// A line below the title.
    pub subtitle: String,
    /// Lines below the panels.
    pub notes: Vec<String>,
    /// The panels.
    pub panels: Vec<Panel>,
    /// Direction of the panels.
    pub direction: Direction,
    /// Lines for which there is space at least: above the panels for the subtitle, and below them for notes. See
    /// [`align`](crate::align).
    pub least_lines: [usize; 2],
}

/// Direction of panels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// Beside each other, in a terminal below each other.
    #[default]
    Across,
    /// Below each other.
    Down,
}

impl Figure {
    /// Creates a figure without panels.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Sets the line below the title.
    #[must_use]
    pub fn subtitle(self, subtitle: impl Into<String>) -> Self {
        Self { subtitle: subtitle.into(), ..self }
    }

    /// Adds a panel.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// Adds a line below the panels.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets how panels are placed.
    #[must_use]
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction, ..self }
    }
}

/// A part of a figure with its own axes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Panel {
    /// The title, or an empty text.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Marks of the panel.
    pub marks: Marks,
    /// Width divided by height, if it has a meaning; otherwise all space is used.
    pub aspect: Option<f64>,
}

impl Panel {
    /// Creates a panel without a title.
    #[must_use]
    pub fn new(x: Axis, y: Axis, marks: Marks) -> Self {
        Self { title: String::new(), x, y, marks, aspect: None }
    }

    /// Sets the title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// Sets width divided by height.
    #[must_use]
    pub fn aspect(self, aspect: f64) -> Self {
        Self { aspect: Some(aspect), ..self }
    }
}

/// Marks that a panel shows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Marks {
    /// A grid of counts.
    Heat(Heat),
    /// Bars on the horizontal axis.
    Bars(Vec<Bar>),
    /// Lines, with a legend if there are several.
    Lines(Vec<Line>),
    /// A text, if there is nothing to draw.
    Nothing(String),
}

/// Counts in a grid that covers the whole panel. Colours follow the logarithm of the count, from 1 on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Heat {
    /// Number of rows, from the top.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// The counts, row by row. Zero is not drawn.
    pub counts: Vec<u64>,
    /// Unit of the counts, for the legend, such as `entries per bin`.
    pub label: String,
    /// Height of the last row and width of the last column, as a part of the others. Their counts are divided by it.
    pub last: [f64; 2],
    /// The count of the last colour; by default the greatest one.
    pub most: Option<f64>,
}

impl Heat {
    /// Creates a grid of cells of equal size.
    #[must_use]
    pub fn new(rows: usize, cols: usize, counts: Vec<u64>, label: impl Into<String>) -> Self {
        Self { rows, cols, counts, label: label.into(), last: [1.0; 2], most: None }
    }

    /// Sets the height of the last row and the width of the last column, as a part of the others.
    #[must_use]
    pub fn last(self, last: [f64; 2]) -> Self {
        Self { last, ..self }
    }

    /// Sets the count of the last colour.
    #[must_use]
    pub fn most(self, most: f64) -> Self {
        Self { most: Some(most), ..self }
    }

    /// Returns the count at a row and column; in a smaller cell at the end, the count that a whole one would have.
    #[must_use]
    pub fn get(&self, row: usize, col: usize) -> f64 {
        if col >= self.cols {
            return 0.0;
        }
        let count = self.counts.get(row * self.cols + col).copied().unwrap_or(0);
        let part = |at: usize, of: usize, last: f64| if at + 1 == of { last } else { 1.0 };
        let size = part(row, self.rows, self.last[0]) * part(col, self.cols, self.last[1]);
        cast::float64(count) / if size > 0.0 { size } else { 1.0 }
    }

    /// Returns the greatest count, as of [`get`](Self::get).
    #[must_use]
    pub fn greatest(&self) -> f64 {
        let cells = (0..self.rows).flat_map(|row| (0..self.cols).map(move |col| (row, col)));
        cells.map(|(row, col)| self.get(row, col)).fold(0.0, f64::max)
    }

    /// Returns the number of rows and of columns, where the last may count as a part.
    pub(crate) fn extent(&self) -> [f64; 2] {
        let extent = |len: usize, last: f64| match len.checked_sub(1) {
            Some(whole) if last > 0.0 && last < 1.0 => cast::float(whole) + last,
            _ => cast::float(len),
        };
        [extent(self.rows, self.last[0]), extent(self.cols, self.last[1])]
    }

    /// Returns the scale of colours.
    pub(crate) fn scale(&self) -> ColorScale {
        ColorScale { most: self.most.unwrap_or_else(|| self.greatest()) }
    }
}

/// A logarithmic scale of colours, from 1 to the greatest count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorScale {
    pub(crate) most: f64,
}

impl ColorScale {
    /// Returns where a count is on the scale, from 0 to 1; zero is nowhere.
    pub(crate) fn part(self, count: f64) -> Option<f64> {
        if count.is_nan() || count <= 0.0 {
            return None;
        }
        // If all counts are 1, they have the colour in the middle.
        Some(if self.is_single() { 0.5 } else { (count.ln() / self.most.ln()).clamp(0.0, 1.0) })
    }

    /// Returns which of some equal steps of the scale a count is in.
    pub(crate) fn step(self, count: f64, steps: usize) -> Option<usize> {
        // A logarithm may be rounded to less than the start of a step.
        let step = |part: f64| cast::floor(part * cast::float(steps) + 1e-9);
        self.part(count).map(|part| step(part).min(steps.saturating_sub(1)))
    }

    /// Returns whether there are no counts other than 1.
    pub(crate) fn is_single(self) -> bool {
        self.most.is_nan() || self.most <= 1.0
    }
}

/// A bar from the horizontal axis to a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Left and right end.
    pub range: [f64; 2],
    /// The value.
    pub value: f64,
    /// Describes the bar, such as `10 to 12: 5 rows`.
    pub title: String,
}

impl Bar {
    /// Creates a bar.
    #[must_use]
    pub fn new(range: [f64; 2], value: f64, title: impl Into<String>) -> Self {
        Self { range, value, title: title.into() }
    }
}

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The name in the legend.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<[f64; 2]>,
    /// Describes the line.
    pub title: String,
}
