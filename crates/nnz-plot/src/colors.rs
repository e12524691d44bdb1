//! Colours, in light and dark.

use crate::cast;

/// Colours for a light or a dark page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on black.
    Dark,
}

/// Use of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ink {
    Page,
    Panel,
    Text,
    Muted,
    Grid,
    /// A line or bars of a series.
    Series(usize),
    /// A class of counts, of a number of them.
    Level(usize, usize),
}

/// A colour: red, green and blue.
pub(crate) type Rgb = [u8; 3];

/// Colours of series.
pub(crate) const SERIES: usize = 6;

const LIGHT_SERIES: [Rgb; SERIES] = [
    [0x2b, 0x6c, 0xb0],
    [0xc0, 0x56, 0x21],
    [0x2f, 0x85, 0x5a],
    [0x80, 0x5a, 0xd5],
    [0xb8, 0x32, 0x80],
    [0x4a, 0x55, 0x68],
];
const DARK_SERIES: [Rgb; SERIES] = [
    [0x63, 0xb3, 0xed],
    [0xf6, 0xad, 0x55],
    [0x68, 0xd3, 0x91],
    [0xb7, 0x94, 0xf4],
    [0xf6, 0x87, 0xb3],
    [0xcb, 0xd5, 0xe0],
];

/// From few to many: towards the colour that differs most from the page.
const LIGHT_RAMP: [Rgb; 5] = [
    [0xc6, 0xdf, 0xf2],
    [0x7f, 0xb8, 0xe0],
    [0x3d, 0x86, 0xc6],
    [0x1b, 0x52, 0x9b],
    [0x0a, 0x1f, 0x4f],
];
const DARK_RAMP: [Rgb; 5] = [
    [0x1d, 0x3a, 0x5f],
    [0x1f, 0x62, 0xa5],
    [0x2f, 0x9b, 0xc9],
    [0x7d, 0xd0, 0xc0],
    [0xf5, 0xf3, 0xa8],
];
/// For terminals, whose background is not known: neither very light nor very dark.
const TERMINAL_RAMP: [Rgb; 4] =
    [[0x4f, 0x63, 0xc9], [0xa4, 0x48, 0xb0], [0xe2, 0x5b, 0x6b], [0xf0, 0xa0, 0x30]];

impl Ink {
    pub(crate) fn color(self, theme: Theme) -> Rgb {
        let [light, dark] = match self {
            Self::Page => [[0xff, 0xff, 0xff], [0x11, 0x16, 0x1d]],
            Self::Panel => [[0xf7, 0xf9, 0xfb], [0x18, 0x1f, 0x28]],
            Self::Text => [[0x1f, 0x29, 0x33], [0xe6, 0xea, 0xee]],
            Self::Muted => [[0x5b, 0x67, 0x73], [0x9a, 0xa6, 0xb2]],
            Self::Grid => [[0xe1, 0xe6, 0xeb], [0x2b, 0x35, 0x41]],
            Self::Series(number) => [LIGHT_SERIES, DARK_SERIES].map(|all| all[number % SERIES]),
            Self::Level(level, of) => [ramp(&LIGHT_RAMP, level, of), ramp(&DARK_RAMP, level, of)],
        };
        match theme {
            Theme::Light => light,
            Theme::Dark => dark,
        }
    }
}

/// Returns the colour of a class in a terminal.
pub(crate) fn terminal_level(level: usize, of: usize) -> Rgb {
    ramp(&TERMINAL_RAMP, level, of)
}

/// Returns the colour of a class: the classes are at equal distances, a single one is in the middle.
fn ramp(colors: &[Rgb], level: usize, of: usize) -> Rgb {
    let last = cast::float(colors.len() - 1);
    let at = if of < 2 { 0.5 } else { cast::float(level) / cast::float(of - 1) };
    let at = at.min(1.0) * last;
    let below = cast::floor(at).min(colors.len().saturating_sub(2));
    let part = at - cast::float(below);
    let (low, high) = (colors[below], colors[below + 1]);
    std::array::from_fn(|channel| {
        let (low, high) = (f64::from(low[channel]), f64::from(high[channel]));
        cast::byte(low + (high - low) * part)
    })
}
