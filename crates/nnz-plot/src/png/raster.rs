//! Pixels.

use crate::cast;
use crate::colors::Rgb;
use crate::layout::Frame;

/// Pixels of red, green and blue, row by row.
pub(super) struct Raster {
    size: [u32; 2],
    pixels: Vec<u8>,
}

impl Raster {
    pub(super) fn new(width: u32, height: u32, color: Rgb) -> Self {
        let count = width as usize * height as usize;
        Self { size: [width, height], pixels: color.repeat(count) }
    }

    pub(super) fn width(&self) -> u32 {
        self.size[0]
    }

    pub(super) fn height(&self) -> u32 {
        self.size[1]
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.pixels.chunks(3 * self.size[0].max(1) as usize)
    }

    /// Mixes a colour into a pixel. `part` is from 0 to 1.
    pub(super) fn blend(&mut self, x: usize, y: usize, color: Rgb, part: f64) {
        let [width, height] = self.size.map(|size| size as usize);
        if x >= width || y >= height || part <= 0.0 {
            return;
        }
        let start = (y * width + x) * 3;
        if let Some(pixel) = self.pixels.get_mut(start..start + 3) {
            for (old, new) in pixel.iter_mut().zip(color) {
                let (before, after) = (f64::from(*old), f64::from(new));
                *old = cast::byte(before + (after - before) * part.min(1.0));
            }
        }
    }

    fn fill(&mut self, [left, right]: [usize; 2], [top, bottom]: [usize; 2], color: Rgb) {
        let [width, height] = self.size.map(|size| size as usize);
        let (left, right) = (left.min(width), right.min(width));
        for y in top..bottom.min(height) {
            let row = y * width;
            if let Some(pixels) = self.pixels.get_mut((row + left) * 3..(row + right.max(left)) * 3)
            {
                pixels.chunks_exact_mut(3).for_each(|pixel| pixel.copy_from_slice(&color));
            }
        }
    }

    /// Fills a rectangle, at least one pixel wide.
    pub(super) fn rectangle(&mut self, frame: Frame, scale: f64, color: Rgb) {
        let ends = |from: f64, len: f64| {
            let start = cast::index(from * scale);
            [start, cast::index((from + len) * scale).max(start + 1)]
        };
        if frame.h * scale >= 0.5 {
            self.fill(ends(frame.x, frame.w), ends(frame.y, frame.h), color);
        }
    }

    /// Fills cells of a grid.
    pub(super) fn cells(
        &mut self,
        frame: Frame,
        scale: f64,
        [rows, cols]: [f64; 2],
        runs: &[[usize; 3]],
        color: Rgb,
    ) {
        let edge = |from: f64, len: f64, cell: usize, of: f64| {
            cast::index((from + len * (cast::float(cell) / of).min(1.0)) * scale)
        };
        for &[row, col, len] in runs {
            let x = [col, col + len].map(|col| edge(frame.x, frame.w, col, cols));
            let y = [row, row + 1].map(|row| edge(frame.y, frame.h, row, rows));
            self.fill(x, y, color);
        }
    }

    /// Draws a line through points.
    pub(super) fn polyline(&mut self, points: &[[f64; 2]], width: f64, scale: f64, color: Rgb) {
        for pair in points.windows(2) {
            if let [from, to] = pair {
                self.segment(
                    from.map(|at| at * scale),
                    to.map(|at| at * scale),
                    width * scale,
                    color,
                );
            }
        }
    }

    fn segment(&mut self, from: [f64; 2], to: [f64; 2], width: f64, color: Rgb) {
        let reach = width / 2.0 + 1.0;
        let span = |axis: usize| {
            let (low, high) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
            cast::floor(low - reach)..=cast::floor(high + reach)
        };
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let square = (dx * dx + dy * dy).max(f64::MIN_POSITIVE);
        for y in span(1) {
            for x in span(0) {
                let (px, py) = (cast::float(x) + 0.5 - from[0], cast::float(y) + 0.5 - from[1]);
                let part = ((px * dx + py * dy) / square).clamp(0.0, 1.0);
                let (away_x, away_y) = (px - part * dx, py - part * dy);
                let distance = (away_x * away_x + away_y * away_y).sqrt();
                self.blend(x, y, color, (width / 2.0 + 0.5 - distance).clamp(0.0, 1.0));
            }
        }
    }
}
