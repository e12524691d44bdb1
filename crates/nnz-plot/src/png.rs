//! Drawing as PNG.

mod encode;
mod raster;
mod text;

use crate::colors::{Ink, Theme};
use crate::figure::Figure;
use crate::scene::{Shape, scene};
use raster::Raster;

/// Options of [`png`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PngOptions {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Colours.
    pub theme: Theme,
}

impl Default for PngOptions {
    fn default() -> Self {
        Self { width: 1600, height: 1200, theme: Theme::default() }
    }
}

impl PngOptions {
    /// Sets the size in pixels.
    #[must_use]
    pub fn size(self, width: u32, height: u32) -> Self {
        Self { width, height, ..self }
    }

    /// Sets the colours.
    #[must_use]
    pub fn theme(self, theme: Theme) -> Self {
        Self { theme, ..self }
    }
}

/// Pixels of the file for each pixel of the layout, so that text is smooth.
const SCALE: f64 = 2.0;

/// Draws a figure as a PNG file. Letters other than Latin ones are replaced.
#[must_use]
pub fn png(figure: &Figure, options: &PngOptions) -> Vec<u8> {
    let size = [f64::from(options.width) / SCALE, f64::from(options.height) / SCALE];
    let color = |ink: Ink| ink.color(options.theme);
    let mut raster = Raster::new(options.width, options.height, color(Ink::Page));
    for shape in scene(figure, size, text::letter() / SCALE) {
        match shape {
            Shape::Rectangle { frame, ink, .. } => raster.rectangle(frame, SCALE, color(ink)),
            Shape::Cells { frame, grid, runs, ink, .. } => {
                raster.cells(frame, SCALE, grid, &runs, color(ink));
            }
            Shape::Polyline { points, width, ink, .. } => {
                raster.polyline(&points, width, SCALE, color(ink));
            }
            Shape::Text { at, text, ink, anchor, style } => {
                text::draw(&mut raster, at.map(|at| at * SCALE), &text, anchor, style, color(ink));
            }
        }
    }
    encode::encode(&raster)
}
