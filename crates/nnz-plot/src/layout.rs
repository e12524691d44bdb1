//! Layout of panels in a picture.

use crate::axis::apart;
use crate::cast;
use crate::figure::{Direction, Figure, Marks, Panel};
use crate::number::{columns, shortened, wrapped};
use crate::{Axis, Tick};

/// Heights of lines of text.
pub(crate) const LINE: f64 = 16.0;
/// Side of a sample of a colour in a legend.
pub(crate) const SAMPLE: f64 = 12.0;
/// Space around a picture.
pub(crate) const MARGIN: f64 = 16.0;
/// Characters of the label of a tick.
const LABEL: usize = 18;
/// Width of a character of the usual fonts, at 12 pixels.
pub(crate) const LETTER: f64 = 7.2;
/// Space for labels below the axes.
const BELOW: f64 = 44.0;
/// Width of a legend.
const LEGEND: f64 = 116.0;
/// Width of margins and labels beside the axes, without a legend.
const ASIDE: f64 = 90.0;

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) w: f64,
    pub(crate) h: f64,
}

impl Frame {
    pub(crate) fn right(self) -> f64 {
        self.x + self.w
    }

    pub(crate) fn bottom(self) -> f64 {
        self.y + self.h
    }
}

/// The place of a panel.
#[derive(Clone, Debug)]
pub(crate) struct PanelLayout<'a> {
    pub(crate) panel: &'a Panel,
    /// The whole place, with labels.
    pub(crate) outer: Frame,
    /// The rectangle of the axes.
    pub(crate) frame: Frame,
    pub(crate) x_ticks: Vec<Tick>,
    pub(crate) y_ticks: Vec<Tick>,
}

/// The texts above and below the panels, in lines that fit. Only the title may be shortened.
pub(crate) struct Texts {
    pub(crate) title: String,
    pub(crate) subtitle: Vec<String>,
    pub(crate) notes: Vec<String>,
    least_lines: [usize; 2],
}

impl Texts {
    pub(crate) fn of(figure: &Figure, width: f64, letter: f64) -> Self {
        let fits = |letter: f64| cast::floor((width - 2.0 * MARGIN) / letter);
        let lines = |text: &str| match text {
            "" => Vec::new(),
            text => wrapped(text, fits(letter)),
        };
        Self {
            title: shortened(&figure.title, fits(letter * 1.45)),
            subtitle: lines(&figure.subtitle),
            notes: figure.notes.iter().flat_map(|note| lines(note)).collect(),
            least_lines: figure.least_lines,
        }
    }

    /// Returns the heights above and below the panels.
    fn heights(&self) -> [f64; 2] {
        let title = if self.title.is_empty() { 0.0 } else { 22.0 };
        let [above, below] = [&self.subtitle, &self.notes].map(Vec::len);
        let lines = [above.max(self.least_lines[0]), below.max(self.least_lines[1])];
        let [above, below] = lines.map(|lines| LINE * cast::float(lines));
        [20.0 + title + above, 10.0 + below]
    }
}

/// Gives figures of one width the same space for subtitles and notes in SVG, so that their panels have the same height.
pub fn align(figures: &mut [&mut Figure], width: u32) {
    let mut most = [0, 0];
    for figure in &*figures {
        let texts = Texts::of(figure, f64::from(width), LETTER);
        most = [most[0].max(texts.subtitle.len()), most[1].max(texts.notes.len())];
    }
    figures.iter_mut().for_each(|figure| figure.least_lines = most);
}

/// Places the panels. `letter` is the width of a character.
pub(crate) fn place(figure: &Figure, size: [f64; 2], letter: f64) -> Vec<PanelLayout<'_>> {
    let [width, height] = size;
    let [top, below] = Texts::of(figure, width, letter).heights();
    let bottom = height - below;
    let count = cast::float(figure.panels.len().max(1));
    // Where the smaller side of a panel is larger.
    let smaller = |w: f64, h: f64| (w - ASIDE).min(h - BELOW - LINE);
    let across = figure.direction == Direction::Across
        && smaller(width / count, bottom - top) >= smaller(width, (bottom - top) / count);
    let outer = |number: usize| {
        let number = cast::float(number);
        let (w, h) =
            if across { (width / count, bottom - top) } else { (width, (bottom - top) / count) };
        let (x, y) = if across { (number * w, top) } else { (0.0, top + number * h) };
        Frame { x, y, w, h }
    };
    let panels = figure.panels.iter().enumerate();
    let mut placed: Vec<PanelLayout<'_>> =
        panels.map(|(number, panel)| of_panel(panel, outer(number), letter)).collect();
    if !across && placed.iter().all(|placed| placed.panel.aspect.is_none()) {
        // Panels below each other are aligned.
        let left = placed.iter().map(|placed| placed.frame.x).fold(0.0, f64::max);
        let right = placed.iter().map(|placed| placed.frame.right()).fold(width, f64::min);
        for PanelLayout { panel, frame, x_ticks, .. } in &mut placed {
            (frame.x, frame.w) = (left, (right - left).max(20.0));
            *x_ticks = fitting(&panel.x, frame.w, letter);
        }
    }
    placed
}

fn of_panel(panel: &Panel, outer: Frame, letter: f64) -> PanelLayout<'_> {
    let title = if panel.title.is_empty() { 0.0 } else { LINE + 6.0 };
    let top = outer.y + title + 8.0;
    let h = (outer.bottom() - BELOW - top).max(20.0);
    let y_ticks = apart(&labelled(&panel.y, cast::floor(h / 32.0)), |tick| {
        (panel.y.position(tick.at) * h, 13.0)
    });
    let longest = y_ticks.iter().map(|tick| columns(&tick.label)).max().unwrap_or(0);
    // Some letters are wider.
    let left = outer.x + MARGIN + 18.0 + cast::float(longest) * letter * 1.08 + 6.0;
    let legend = match &panel.marks {
        Marks::Heat(_) => LEGEND,
        Marks::Lines(lines) if lines.len() > 1 => LEGEND,
        _ => MARGIN,
    };
    let w = (outer.right() - legend - left).max(20.0);
    let mut frame = Frame { x: left, y: top, w, h };
    if let Some(aspect) = panel.aspect.filter(|aspect| aspect.is_finite() && *aspect > 0.0) {
        frame.w = w.min(h * aspect);
        frame.h = h.min(w / aspect);
    }
    let x_ticks = fitting(&panel.x, frame.w, letter);
    PanelLayout { panel, outer, frame, x_ticks, y_ticks }
}

/// Returns ticks with labels that are not too long.
fn labelled(axis: &Axis, most: usize) -> Vec<Tick> {
    let ticks = axis.ticks(most).into_iter();
    ticks.map(|tick| Tick { label: shortened(&tick.label, LABEL), ..tick }).collect()
}

/// Returns ticks whose labels fit beside each other.
fn fitting(axis: &Axis, width: f64, letter: f64) -> Vec<Tick> {
    let place = |tick: &Tick| {
        let length = (cast::float(columns(&tick.label)) + 0.6) * letter;
        (axis.position(tick.at) * width, length)
    };
    let mut most = cast::floor(width / (4.0 * letter));
    loop {
        let ticks = labelled(axis, most);
        let all = ticks.len();
        let kept = apart(&ticks, place);
        if axis.ticks.is_some() || kept.len() == all || most <= 2 {
            return kept;
        }
        most -= 1;
    }
}

/// Returns a smaller size for a figure of one panel whose proportions leave space unused.
#[must_use]
pub fn fit_size(figure: &Figure, width: u32, height: u32) -> [u32; 2] {
    const LEAST: f64 = 420.0;
    let size = [f64::from(width), f64::from(height)];
    let [PanelLayout { frame, .. }] = place(figure, size, LETTER)[..] else {
        return [width, height];
    };
    if figure.panels.iter().all(|panel| panel.aspect.is_none()) {
        return [width, height];
    }
    let side = |wanted: f64, given: u32| {
        let least = LEAST.min(f64::from(given));
        u32::try_from(cast::index(wanted.max(least))).map_or(given, |wanted| wanted.min(given))
    };
    let wide = side(frame.right() + LEGEND, width);
    // Texts have more lines in less width.
    let texts = |width: f64| Texts::of(figure, width, LETTER).heights();
    let ([above, _], [new_above, below]) = (texts(f64::from(width)), texts(f64::from(wide)));
    let wanted = frame.bottom() + BELOW + below + new_above - above;
    [wide, u32::try_from(cast::index(wanted)).map_or(height, |wanted| wanted.min(height))]
}
