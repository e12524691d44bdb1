//! Where a picture is drawn.

use std::ffi::OsStr;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use nnz::Context;
use nnz::output::StagedFile;
use nnz::plot::draw::{self, Figure, PngOptions, SvgOptions, TerminalColors, TerminalOptions};
use nnz::plot::spy_bins;
use nnz::{Error, Place, Shape};
use nnz_storage::stdio::TerminalEscapes;

use super::Plot;
use crate::stdio::{failed, with_stdout};

/// Pixels of a bin of a grid.
const BIN: u32 = 3;

/// The greatest width of a picture in a terminal, unless it is given.
const WIDEST: usize = 160;

/// Where a picture is drawn, and how large it is.
#[expect(clippy::large_enum_variant, reason = "there is one")]
pub(super) enum Output {
    Json,
    Terminal(TerminalOptions),
    /// The size is exact if it was given.
    File {
        format: Format,
        size: [u32; 2],
        is_exact: bool,
        path: PathBuf,
        staged: StagedFile,
    },
}

/// The format of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Svg,
    Png,
}

impl Format {
    /// Returns the pixels of the file in each direction for a pixel of the layout.
    fn scale(self, [width, height]: [u32; 2]) -> u32 {
        match self {
            Self::Svg => 1,
            Self::Png => PngOptions::default().size(width, height).pixel_scale(),
        }
    }
}

impl Output {
    /// Determines it from the arguments.
    pub(super) fn of(args: &Plot, context: &Context) -> Result<Self, Error> {
        let Some(target) = &args.target else {
            return match args.json {
                true if args.size.is_some() => {
                    Err(Error::argument("--size applies to pictures, not to --json"))
                }
                true => Ok(Self::Json),
                false => terminal(args).map(Self::Terminal),
            };
        };
        let format = format(target)?;
        let usual = if format == Format::Svg { [800, 600] } else { [1600, 1200] };
        // In less, labels have no space.
        let size = within(args, [480, 360], [4000, 4000], usual)?;
        let options = context.output(args.force, true);
        let (is_exact, staged) = (args.size.is_some(), StagedFile::create(target, &options)?);
        Ok(Self::File { format, size, is_exact, path: target.clone(), staged })
    }

    /// Returns how many rows and columns a grid has at most.
    pub(super) fn bins(&self, shape: Shape) -> [usize; 2] {
        let pixels = |[width, height]: [u32; 2]| {
            [width.saturating_sub(220) / BIN, height.saturating_sub(140) / BIN]
        };
        let space = match self {
            Self::Json => pixels([800, 600]),
            Self::Terminal(TerminalOptions { width, height, colors, .. }) => {
                // Title, subtitle, axes and legend.
                let lines = 5 + 90_usize.div_ceil(*width) + 60_usize.div_ceil(*width);
                let lines = height.saturating_sub(lines).max(4);
                // Two bins are above each other in a character if it has two colours.
                let each = if *colors == TerminalColors::Plain { 1 } else { 2 };
                let [rows, cols] = spy_bins(shape, [width.saturating_sub(12), lines * 2]);
                return [rows * each / 2, cols].map(|bins| bins.max(1));
            }
            Self::File { format, size, .. } => pixels(size.map(|side| side / format.scale(*size))),
        };
        spy_bins(shape, space.map(|bins| usize::try_from(bins).unwrap_or(1)))
    }

    /// Draws a figure.
    pub(super) fn draw(self, figure: &Figure) -> Result<(), Error> {
        match self {
            Self::Json => Ok(()),
            Self::Terminal(options) => {
                let text = draw::terminal(figure, &options);
                with_stdout(TerminalEscapes::Nothing, |out| {
                    out.write_all(text.as_bytes()).map_err(failed)
                })
            }
            Self::File { format, size: [width, height], is_exact, path, mut staged } => {
                let scale = format.scale([width, height]);
                let [width, height] = match is_exact {
                    true => [width, height],
                    false => draw::fit_size(figure, width / scale, height / scale)
                        .map(|side| side * scale),
                };
                let bytes = match format {
                    Format::Svg => {
                        draw::svg(figure, &SvgOptions::default().size(width, height)).into_bytes()
                    }
                    Format::Png => {
                        let options = PngOptions::default().size(width, height).scale(scale);
                        draw::png(figure, &options)
                    }
                };
                staged.write_all(&bytes).map_err(|error| Error::io(&path, error))?;
                staged.commit().map(|_| ())
            }
        }
    }
}

fn format(target: &Path) -> Result<Format, Error> {
    let is = |extension: &OsStr, name: &str| extension.eq_ignore_ascii_case(name);
    match target.extension() {
        Some(extension) if is(extension, "svg") => Ok(Format::Svg),
        Some(extension) if is(extension, "png") => Ok(Format::Png),
        _ => {
            let what = "unknown extension of a picture; expected .svg or .png";
            Err(Error::argument(format!("{}: {what}", Place::path(target))))
        }
    }
}

/// Returns the size that is given, if it is within limits, or the usual one.
fn within(
    args: &Plot,
    least: [u32; 2],
    most: [u32; 2],
    usual: [u32; 2],
) -> Result<[u32; 2], Error> {
    let Some(size) = args.size else { return Ok(usual) };
    if (0..2).all(|side| (least[side]..=most[side]).contains(&size[side])) {
        return Ok(size);
    }
    let ([w, h], [from_w, from_h], [to_w, to_h]) = (size, least, most);
    Err(Error::argument(format!(
        "--size {w}x{h}: expected a size from {from_w}x{from_h} to {to_w}x{to_h}"
    )))
}

fn terminal(args: &Plot) -> Result<TerminalOptions, Error> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let is_terminal = std::io::stdout().is_terminal();
    let number = |name: &str| variable(name)?.parse::<usize>().ok().filter(|number| *number > 0);
    let found = terminal_size::terminal_size().filter(|_| is_terminal);
    let wide = found.map(|(width, _)| usize::from(width.0));
    let high = found.map(|(_, height)| usize::from(height.0).saturating_sub(2));
    let (wide, high) = (number("COLUMNS").or(wide), number("LINES").or(high));
    let usual = [wide.unwrap_or(80).min(WIDEST), high.unwrap_or(24)];
    let usual = usual.map(|side| u32::try_from(side).unwrap_or(80).clamp(20, 1000));
    let [width, height] = within(args, [24, 10], [1000, 1000], usual)?;
    let colors = colors(is_terminal, |name| variable(name));
    let size = |side: u32| usize::try_from(side).unwrap_or(80);
    Ok(TerminalOptions::default().size(size(width), size(height)).colors(colors))
}

/// Determines the colours from the variables of the environment that others observe, too.
fn colors(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> TerminalColors {
    let is_on = |name: &str| variable(name).is_some_and(|value| value != "0");
    let term = variable("TERM").unwrap_or_default();
    if variable("NO_COLOR").is_some() {
        return TerminalColors::Plain;
    }
    if !is_on("CLICOLOR_FORCE") {
        let off = variable("CLICOLOR").is_some_and(|value| value == "0");
        if !is_terminal || off || term == "dumb" {
            return TerminalColors::Plain;
        }
    }
    match variable("COLORTERM").as_deref() {
        Some("truecolor" | "24bit") => TerminalColors::True,
        _ if term.contains("256color") || is_on("CLICOLOR_FORCE") => TerminalColors::Ansi256,
        _ => TerminalColors::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_the_environment() {
        let of = |is_terminal: bool, all: &[(&str, &str)]| {
            colors(is_terminal, |name| {
                let found = all.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        let xterm = ("TERM", "xterm-256color");
        let full = ("COLORTERM", "truecolor");
        assert_eq!(of(true, &[xterm]), TerminalColors::Ansi256);
        assert_eq!(of(true, &[xterm, full]), TerminalColors::True);
        assert_eq!(of(false, &[xterm, full]), TerminalColors::Plain);
        assert_eq!(of(true, &[xterm, full, ("NO_COLOR", "1")]), TerminalColors::Plain);
        assert_eq!(of(true, &[xterm, full, ("CLICOLOR", "0")]), TerminalColors::Plain);
        assert_eq!(of(true, &[("TERM", "dumb"), full]), TerminalColors::Plain);
        assert_eq!(of(true, &[("TERM", "vt100")]), TerminalColors::Plain);
        assert_eq!(of(false, &[("CLICOLOR_FORCE", "1")]), TerminalColors::Ansi256);
        assert_eq!(of(false, &[full, ("CLICOLOR_FORCE", "1")]), TerminalColors::True);
        assert_eq!(of(true, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), TerminalColors::Plain);
    }
}
