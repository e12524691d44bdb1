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
    /// Pixels of the file in each direction for a pixel of the layout: 1 or 2. By default 2, so that text is smooth, if the
    /// picture is large enough.
    pub scale: Option<u32>,
}

impl Default for PngOptions {
    fn default() -> Self {
        Self { width: 1600, height: 1200, theme: Theme::default(), scale: None }
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

    /// Sets the pixels of the file for a pixel of the layout.
    #[must_use]
    pub fn scale(self, scale: u32) -> Self {
        Self { scale: Some(scale), ..self }
    }

    /// Returns the pixels of the file for a pixel of the layout: as set, or by the size.
    #[must_use]
    pub fn pixel_scale(&self) -> u32 {
        let is_large = self.width >= 1200 && self.height >= 900;
        self.scale.unwrap_or(if is_large { 2 } else { 1 }).clamp(1, 2)
    }
}

/// Draws a figure as a PNG file. Letters other than Latin ones are replaced.
#[must_use]
pub fn png(figure: &Figure, options: &PngOptions) -> Vec<u8> {
    let pixels = options.pixel_scale();
    let scale = f64::from(pixels);
    let size = [options.width, options.height].map(|side| f64::from(side) / scale);
    let color = |ink: Ink| ink.color(options.theme);
    let mut raster = Raster::new(options.width, options.height, color(Ink::Page));
    let font = text::Font::of(pixels);
    for shape in scene(figure, size, font.letter() / scale) {
        match shape {
            Shape::Rectangle { frame, ink, .. } => raster.rectangle(frame, scale, color(ink)),
            Shape::Cells { frame, grid, runs, ink, .. } => {
                raster.cells(frame, scale, grid, &runs, color(ink));
            }
            Shape::Polyline { points, width, ink, .. } => {
                raster.polyline(&points, width, scale, color(ink));
            }
            Shape::Text { at, text, ink, anchor, style } => {
                font.draw(&mut raster, at.map(|at| at * scale), &text, anchor, style, color(ink));
            }
        }
    }
    encode::encode(&raster)
}
