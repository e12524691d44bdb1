//! Figures and their panels.

use crate::Axis;

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

/// Counts in a grid that covers the whole panel, drawn in classes of colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heat {
    /// Number of rows, from the top.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// The counts, row by row. Zero is not drawn.
    pub counts: Vec<u64>,
    /// Unit of the counts, for the legend, such as `entries per bin`.
    pub label: String,
}

impl Heat {
    /// Returns the least count of each class of colours.
    #[must_use]
    pub fn levels(&self, most: usize) -> Vec<u64> {
        let counts = || self.counts.iter().copied().filter(|count| *count > 0);
        match (counts().min(), counts().max()) {
            (Some(least), Some(greatest)) => crate::levels(least, greatest, most),
            _ => Vec::new(),
        }
    }

    /// Returns the count at a row and column.
    #[must_use]
    pub fn get(&self, row: usize, col: usize) -> u64 {
        if col >= self.cols {
            return 0;
        }
        self.counts.get(row * self.cols + col).copied().unwrap_or(0)
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
