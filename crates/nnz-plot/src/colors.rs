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
    /// A step of the scale of counts, below [`LEVELS`].
    Level(usize),
}

/// Steps of the scale of counts: so many that it looks continuous.
pub(crate) const LEVELS: usize = 32;

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
    [0xb3, 0xd3, 0xec],
    [0x77, 0xb2, 0xdd],
    [0x3d, 0x86, 0xc6],
    [0x1b, 0x52, 0x9b],
    [0x0a, 0x1f, 0x4f],
];
const DARK_RAMP: [Rgb; 5] = [
    [0x23, 0x4a, 0x78],
    [0x24, 0x6b, 0xac],
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
            Self::Level(level) => {
                let part = cast::float(level) / cast::float(LEVELS - 1);
                [ramp(&LIGHT_RAMP, part), ramp(&DARK_RAMP, part)]
            }
        };
        match theme {
            Theme::Light => light,
            Theme::Dark => dark,
        }
    }
}

/// Returns a colour in a terminal, from 0 for few to 1 for many.
pub(crate) fn terminal_color(part: f64) -> Rgb {
    ramp(&TERMINAL_RAMP, part)
}

/// Returns a colour between the first, at 0, and the last, at 1.
fn ramp(colors: &[Rgb], part: f64) -> Rgb {
    let at = part.clamp(0.0, 1.0) * cast::float(colors.len() - 1);
    let below = cast::floor(at).min(colors.len().saturating_sub(2));
    let part = at - cast::float(below);
    let (low, high) = (colors[below], colors[below + 1]);
    std::array::from_fn(|channel| {
        let (low, high) = (f64::from(low[channel]), f64::from(high[channel]));
        cast::byte(low + (high - low) * part)
    })
}
