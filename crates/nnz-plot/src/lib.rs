//! Draws figures: heat maps, bars and lines with labelled axes, as SVG, as PNG and in a terminal.
//!
//! A [`Figure`] has panels beside or below each other. All three drawings show the same figure: [`svg`] adapts to light
//! and dark pages, `png` has fixed colours, and [`terminal`] takes the colours that a terminal supports, or none.
//!
//! ```
//! use nnz_plot::{Axis, Bar, Figure, Marks, Panel, SvgOptions};
//!
//! let bars = vec![Bar::new([0.0, 1.0], 5.0, "0 to 1: 5"), Bar::new([1.0, 2.0], 9.0, "1 to 2: 9")];
//! let panel = Panel::new(Axis::linear("length", [0.0, 2.0]), Axis::linear("count", [0.0, 9.0]), Marks::Bars(bars));
//! let figure = Figure::new("Lengths").panel(panel);
//! assert!(nnz_plot::svg(&figure, &SvgOptions::default()).starts_with("<svg"));
//! ```

mod axis;
mod cast;
mod colors;
mod figure;
mod layout;
mod number;
#[cfg(feature = "png")]
mod png;
mod scene;
mod svg;
mod terminal;

pub use axis::{Axis, Scale, Tick};
pub use colors::Theme;
pub use figure::{Bar, Direction, Figure, Heat, Line, Marks, Panel};
pub use layout::{align, fit_size};
pub use number::{format_grouped, format_number, format_short};
#[cfg(feature = "png")]
pub use png::{PngOptions, png};
pub use svg::{SvgOptions, svg};
pub use terminal::{TerminalColors, TerminalOptions, sparkline, terminal};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
