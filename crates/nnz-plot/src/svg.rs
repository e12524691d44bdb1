//! Drawing as SVG.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::cast;
use crate::colors::{Ink, Rgb, Theme};
use crate::figure::Figure;
use crate::layout::{Frame, LETTER};
use crate::number::{pixels, printable};
use crate::scene::{Anchor, Shape, Style, scene};

/// Options of [`svg`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SvgOptions {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The id of the element, unique in a page with several; by default, a hash of the figure.
    pub id: Option<String>,
    /// Colours; by default those that the reader prefers.
    pub theme: Option<Theme>,
}

impl Default for SvgOptions {
    fn default() -> Self {
        Self { width: 800, height: 600, id: None, theme: None }
    }
}

impl SvgOptions {
    /// Sets the size in pixels.
    #[must_use]
    pub fn size(self, width: u32, height: u32) -> Self {
        Self { width, height, ..self }
    }

    /// Sets the id of the element.
    #[must_use]
    pub fn id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// Sets the colours.
    #[must_use]
    pub fn theme(self, theme: Theme) -> Self {
        Self { theme: Some(theme), ..self }
    }
}

/// Draws a figure as an SVG element, which is also a complete file.
///
/// It has a title and a description for screen readers, no scripts and no references. Its styles apply to itself only,
/// so that several can be part of one HTML page.
#[must_use]
pub fn svg(figure: &Figure, options: &SvgOptions) -> String {
    let (width, height) = (f64::from(options.width), f64::from(options.height));
    let shapes = scene(figure, [width, height], LETTER);
    let mut body = String::new();
    let mut inks = BTreeSet::new();
    for shape in &shapes {
        draw(shape, &mut inks, &mut body);
    }
    let id = options.id.clone().unwrap_or_else(|| format!("nnz-plot-{:016x}", hash(&body)));
    let id: String =
        id.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
    let mut svg = String::with_capacity(body.len() + 4096);
    let (w, h) = (options.width, options.height);
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{id}\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" \
         height=\"{h}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">"
    );
    let _ = writeln!(svg, "<title id=\"{id}-title\">{}</title>", escaped(&figure.title));
    let _ = writeln!(svg, "<desc id=\"{id}-desc\">{}</desc>", escaped(&description(figure)));
    style(&mut svg, &id, &inks, options.theme);
    svg.push_str(&body);
    svg.push_str("</svg>\n");
    svg
}

/// Describes a figure in words.
fn description(figure: &Figure) -> String {
    let mut parts = vec![figure.subtitle.clone()];
    for panel in &figure.panels {
        let title = if panel.title.is_empty() { "Plot" } else { &panel.title };
        parts.push(format!("{title}: {} against {}.", panel.y.label, panel.x.label));
    }
    parts.extend(figure.notes.iter().cloned());
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn style(svg: &mut String, id: &str, inks: &BTreeSet<Ink>, theme: Option<Theme>) {
    let _ = writeln!(
        svg,
        "<style>\n#{id} text{{font:12px system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,sans-serif}}\n\
         #{id} .title{{font-size:15px;font-weight:600}}\n#{id} .strong{{font-weight:600}}\n\
         #{id} path{{fill:none;shape-rendering:crispEdges}}\n\
         #{id} polyline{{fill:none;stroke-linejoin:round;stroke-linecap:round}}"
    );
    let rules = |theme: Theme| {
        let rule = |ink: &Ink| {
            let (class, [r, g, b]): (String, Rgb) = (class_of(*ink), ink.color(theme));
            format!(
                "#{id} .{class}{{fill:#{r:02x}{g:02x}{b:02x}}}#{id} .{class}s{{stroke:#{r:02x}{g:02x}{b:02x}}}\n"
            )
        };
        inks.iter().map(rule).collect::<String>()
    };
    svg.push_str(&rules(theme.unwrap_or_default()));
    if theme.is_none() {
        let dark = rules(Theme::Dark);
        let _ = write!(svg, "@media (prefers-color-scheme:dark){{\n{dark}}}\n");
    }
    svg.push_str("</style>\n");
}

fn class_of(ink: Ink) -> String {
    match ink {
        Ink::Page => "page".to_owned(),
        Ink::Panel => "panel".to_owned(),
        Ink::Text => "text".to_owned(),
        Ink::Muted => "muted".to_owned(),
        Ink::Grid => "grid".to_owned(),
        Ink::Series(number) => format!("series{number}"),
        Ink::Level(level) => format!("level{level}"),
    }
}

fn draw(shape: &Shape, inks: &mut BTreeSet<Ink>, out: &mut String) {
    match shape {
        Shape::Rectangle { frame, ink, title } => {
            inks.insert(*ink);
            let Frame { x, y, w, h } = *frame;
            let [x, y, w, h] = [x, y, w, h].map(pixels);
            let class = class_of(*ink);
            let start =
                format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"");
            element(out, &start, "rect", title);
        }
        Shape::Cells { frame, grid: [rows, cols], runs, ink, title } => {
            inks.insert(*ink);
            let whole = cast::floor(*rows);
            let split = runs.partition_point(|[row, ..]| *row < whole);
            let (runs, last) = runs.split_at(split);
            cells(*frame, [*rows, *cols], runs, [0.0, 1.0], (*ink, title.as_str()), out);
            let last: Vec<[usize; 3]> = last.iter().map(|[_, col, len]| [0, *col, *len]).collect();
            let place = [cast::float(whole), rows.fract()];
            cells(*frame, [*rows, *cols], &last, place, (*ink, title.as_str()), out);
        }
        Shape::Polyline { points, width, ink, title } => {
            inks.insert(*ink);
            let class = class_of(*ink);
            let mut list = String::new();
            for [x, y] in points {
                let _ = write!(list, "{},{} ", pixels(*x), pixels(*y));
            }
            let start = format!(
                "<polyline class=\"{class}s\" stroke-width=\"{}\" points=\"{}\"",
                pixels(*width),
                list.trim_end()
            );
            element(out, &start, "polyline", title);
        }
        Shape::Text { at: [x, y], text, ink, anchor, style } => {
            inks.insert(*ink);
            let mut class = class_of(*ink);
            match style {
                Style::Title => class.push_str(" title"),
                Style::Strong => class.push_str(" strong"),
                Style::Normal | Style::Turned => {}
            }
            let (x, y) = (pixels(*x), pixels(*y));
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let turned = match style {
                Style::Turned => format!(" transform=\"rotate(-90 {x} {y})\""),
                _ => String::new(),
            };
            let text = escaped(text);
            let _ = writeln!(
                out,
                "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}{turned}>{text}</text>"
            );
        }
    }
}

/// Draws runs of cells as lines through their middle. `first` is the position of row 0, and `height` the height of each row.
fn cells(
    frame: Frame,
    [rows, cols]: [f64; 2],
    runs: &[[usize; 3]],
    [first, height]: [f64; 2],
    (ink, title): (Ink, &str),
    out: &mut String,
) {
    if runs.is_empty() {
        return;
    }
    let mut path = String::new();
    let mut pen = None;
    for [row, col, len] in runs {
        // The last column may be narrower.
        let width = cast::float(*len).min(cols - cast::float(*col));
        let width = (width * 1000.0).round() / 1000.0;
        let _ = match pen {
            Some((at, end)) if at == *row => write!(path, "m{} 0h{width}", col - end),
            _ => write!(path, "M{col} {row}h{width}"),
        };
        pen = Some((*row, col + len));
    }
    let (w, h) = (frame.w / cols, frame.h / rows);
    let (x, y, class) = (pixels(frame.x), pixels(frame.y), class_of(ink));
    let middle = ((first + height / 2.0) * 1000.0).round() / 1000.0;
    let width = if height < 1.0 { format!(" stroke-width=\"{height:.3}\"") } else { String::new() };
    let start = format!(
        "<path class=\"{class}s\"{width} transform=\"translate({x} {y})scale({w:.5} {h:.5})translate(0 {middle})\" d=\"{path}\""
    );
    element(out, &start, "path", title);
}

/// Ends an element, with a title if there is one.
fn element(out: &mut String, start: &str, name: &str, title: &str) {
    let _ = match title {
        "" => writeln!(out, "{start}/>"),
        title => writeln!(out, "{start}><title>{}</title></{name}>", escaped(title)),
    };
}

/// Escapes text of XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// FNV-1a, which does not change from release to release.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
