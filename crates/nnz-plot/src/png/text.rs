//! Text from a font of pixels.

use noto_sans_mono_bitmap::{
    FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width,
};

use super::raster::Raster;
use crate::cast;
use crate::colors::Rgb;
use crate::number::width;
use crate::scene::{Anchor, Style};

const WEIGHT: FontWeight = FontWeight::Regular;

/// Letters of one size.
#[derive(Clone, Copy)]
pub(super) struct Font {
    height: RasterHeight,
    /// From the top of a letter's box to the line on which it stands.
    baseline: f64,
}

impl Font {
    /// Returns the font for a number of pixels of the file for each pixel of the layout.
    pub(super) fn of(scale: u32) -> Self {
        match scale {
            1 => Self { height: RasterHeight::Size16, baseline: 13.0 },
            _ => Self { height: RasterHeight::Size24, baseline: 19.0 },
        }
    }

    /// Returns the width of a letter in pixels.
    pub(super) fn letter(self) -> f64 {
        cast::float(get_raster_width(WEIGHT, self.height))
    }

    fn glyph(self, c: char) -> Option<RasterizedChar> {
        get_raster(c, WEIGHT, self.height).or_else(|| get_raster('?', WEIGHT, self.height))
    }

    /// Draws a text. Strong text is drawn twice, one pixel apart.
    pub(super) fn draw(
        self,
        raster: &mut Raster,
        [x, y]: [f64; 2],
        text: &str,
        anchor: Anchor,
        style: Style,
        color: Rgb,
    ) {
        let glyphs: Vec<RasterizedChar> =
            plain(text).chars().filter_map(|c| self.glyph(c)).collect();
        let length = self.letter() * cast::float(glyphs.len());
        let before = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => length / 2.0,
            Anchor::End => length,
        };
        let repeats = if matches!(style, Style::Title | Style::Strong) { 2 } else { 1 };
        for (number, glyph) in glyphs.iter().enumerate() {
            // Along the text, and from its top.
            let along = self.letter() * cast::float(number) - before;
            for repeat in 0..repeats {
                for (row, pixels) in glyph.rows().enumerate() {
                    for (col, &ink) in pixels.iter().enumerate() {
                        let along = along + cast::float(col + repeat);
                        let down = cast::float(row) - self.baseline;
                        let [x, y] = match style {
                            Style::Turned => [x + down, y - along],
                            _ => [x + along, y + down],
                        };
                        if x >= 0.0 && y >= 0.0 {
                            let part = f64::from(ink) / 255.0;
                            raster.blend(cast::index(x), cast::index(y), color, part);
                        }
                    }
                }
            }
        }
    }
}

/// Replaces characters that the font does not have by similar ones, or by as many question marks as they are wide.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2013}' | '\u{2212}' => out.push('-'),
            '\u{2026}' => out.push_str(".."),
            '\u{2265}' => out.push_str(">="),
            '\u{a0}' => out.push(' '),
            c if get_raster(c, WEIGHT, RasterHeight::Size24).is_some() => out.push(c),
            c => out.extend(std::iter::repeat_n('?', width(c))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_letters_are_question_marks_of_their_width() {
        assert_eq!(
            plain("Gr\u{f6}\u{df}e \u{141}\u{f3}d\u{17a}"),
            "Gr\u{f6}\u{df}e \u{141}\u{f3}d\u{17a}"
        );
        assert_eq!(plain("\u{65e5}\u{672c}\u{434}a\u{308}"), "?????a");
        assert_eq!(plain("1\u{2013}2 \u{d7} \u{2265}\u{a0}3\u{2026}"), "1-2 \u{d7} >= 3..");
    }
}
